/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Makes N things of one kind that wait for processes, and lets the server look at all of them again
 * (px_colls_recount), or end a connection (px_colls_peer_disconnected); growth.sh counts the
 * instructions of these functions. The N + 2 processes of the job are registered and do not run:
 * this program makes their calls on the server's thread. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmix_server.h>

#include "src/context/context.h"
#include "src/nspace/proc_sets.h"
#include "src/request/schema.h"
#include "src/server/collectives/all_collectives.h"
#include "src/server/collectives/group_leave.h"
#include "src/server/collectives/group_names.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/requests/requests.h"
#include "src/server/state.h"
#include "src/wire/messages.h"

#define JOB "job"

enum { TIMES = 20, FIRST_PEER = 1000000 };

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "recounts: %s\n", what);
        exit(1);
    }
}

static pmix_proc_t proc_of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return proc;
}

/* A peer without a connection. */
static struct px_peer peer_of(struct px_server *s, uint64_t id, const pmix_proc_t *proc)
{
    return (struct px_peer){.server = s,
                            .user = px_user_of(s, geteuid()),
                            .id = id,
                            .proc = *proc,
                            .rank = px_local_proc_of(s, proc),
                            .uid = geteuid(),
                            .gid = getegid(),
                            .kind = PX_WIRE_PLAIN};
}

/* The peer's call of a collective. */
static void call(struct px_peer *peer, const struct px_request *request, struct px_args *args)
{
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    must(px_args_pack(&buf, PX_WIRE_PLAIN, request, args) == 0, "pack");
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    must(px_unpack_command(&in, &command) == 0, "command");
    must(px_service_start(px_service_of(command), peer, 100, &in) == 0, "call");
    px_buf_fini(&buf);
}

/* A process of the job, and N of one that nobody knows. */
static pmix_proc_t *with_strangers(size_t n)
{
    pmix_proc_t *procs = calloc(n + 1, sizeof(*procs));

    must(procs != NULL, "no memory");
    for (size_t i = 0; i < n; i++) {
        procs[i] = proc_of("far", (pmix_rank_t) i);
    }
    procs[n] = proc_of(JOB, 0);
    return procs;
}

/* N groups of N members, the last of which is of this node; the other process comes and ends. */
static void members(struct px_server *s, size_t n)
{
    pmix_proc_t other = proc_of(JOB, 1);
    struct px_local_proc *rank = px_local_proc_of(s, &other);
    struct px_shared_procs *procs = px_shared_procs_take(with_strangers(n), n + 1);

    must(procs != NULL, "no memory");
    for (size_t i = 0; i < n; i++) {
        struct px_proc_set *group;
        char name[32];

        snprintf(name, sizeof(name), "group-%zu", i);
        group = px_group_names_add(s, name, procs);
        must(group != NULL, "no group");
        group->notify = true;
    }
    (void) px_groups_recheck(s); /* looks at all of them once */
    for (int i = 0; i < TIMES; i++) {
        rank->departed = i % 2 == 0;
        px_open_waits_proc(s, rank);
        px_colls_recount(s);
    }
    must(s->proc_sets->n == n, "a group has been forgotten");
    px_shared_procs_drop(procs);
}

/* A fence of N processes in which all connections of a process take part, one of which does not
 * call; N others are of a process that has no part in it. */
static void clones(struct px_server *s, size_t n)
{
    pmix_proc_t *procs = with_strangers(n);
    struct px_peer *peers = calloc(n + 2, sizeof(*peers));
    struct px_coll_args args = {.procs = procs, .nprocs = n + 1};
    pmix_info_t all = {.value = {.type = PMIX_BOOL, .data.flag = true}};

    must(peers != NULL, "no memory");
    for (size_t i = 0; i < n + 2; i++) {
        pmix_proc_t proc = proc_of(JOB, i < n);

        peers[i] = peer_of(s, FIRST_PEER + i, &proc);
        peers[i].conn = (struct px_conn *) &peers[i]; /* nothing is sent */
        px_list_append(&s->peer_list, &peers[i].link);
    }
    PMIX_LOAD_KEY(all.key, PMIX_ALL_CLONES_PARTICIPATE);
    args.head = (struct px_args){&all, 1};
    call(&peers[n], &px_request_fence, &args.head);
    for (int i = 0; i < TIMES; i++) {
        px_colls_recount(s);
    }
    must(!px_list_empty(&s->colls.list), "the fence does not wait");
    for (size_t i = 0; i < n + 2; i++) {
        px_list_remove(&peers[i].link);
    }
    free(peers);
    free(procs);
}

/* A fence of a job of more than N processes of this node waits, and a process of another job ends.
 */
static void others(struct px_server *s, size_t n)
{
    pmix_proc_t all = proc_of(JOB, PMIX_RANK_WILDCARD);
    pmix_proc_t self = proc_of(JOB, 0);
    pmix_proc_t other = proc_of("far", 0);
    struct px_coll_args args = {.procs = &all, .nprocs = 1};
    struct px_peer caller = peer_of(s, FIRST_PEER, &self);
    struct px_peer gone = peer_of(s, FIRST_PEER + 1, &other);

    (void) n;
    call(&caller, &px_request_fence, &args.head);
    for (int i = 0; i < TIMES; i++) {
        px_colls_peer_disconnected(s, &gone);
    }
    must(!px_list_empty(&s->colls.list), "the fence does not wait");
}

/* N leaders by themselves, each of which adds N members; one more leader is to come. */
static void parts(struct px_server *s, size_t n)
{
    pmix_proc_t *procs = with_strangers(n);
    pmix_data_array_t added = {.type = PMIX_PROC, .size = n, .array = procs};
    pmix_info_t info[3] = {{.value = {.type = PMIX_SIZE, .data.size = n + 1}},
                           {.value = {.type = PMIX_DATA_ARRAY, .data.darray = &added}},
                           {.value = {.type = PMIX_BOOL, .data.flag = true}}};

    PMIX_LOAD_KEY(info[0].key, PMIX_GROUP_BOOTSTRAP);
    PMIX_LOAD_KEY(info[1].key, PMIX_GROUP_ADD_MEMBERS);
    PMIX_LOAD_KEY(info[2].key, PMIX_GROUP_LOCAL_ONLY);
    for (size_t i = 0; i < n; i++) {
        pmix_proc_t self = proc_of("leaders", (pmix_rank_t) i);
        struct px_peer peer = peer_of(s, FIRST_PEER + i, &self);
        struct px_coll_args args = {
            .head = {info, 3}, .group = (char *) "g", .procs = &self, .nprocs = 1};

        call(&peer, &px_request_group_construct, &args.head);
    }
    for (int i = 0; i < TIMES; i++) {
        px_colls_recount(s);
    }
    must(!px_list_empty(&s->colls.list), "no leader waits");
    free(procs);
}

static const struct {
    const char *name;
    void (*run)(struct px_server *s, size_t n);
} cases[] = {{"members", members}, {"clones", clones}, {"others", others}, {"parts", parts}};

enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

static int which = -1;

static void run(void *arg)
{
    cases[which].run(px_ctx()->server, *(size_t *) arg);
}

int main(int argc, char **argv)
{
    pmix_server_module_t module = {0};
    pmix_proc_t proc = proc_of(JOB, 0);
    size_t n = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;

    for (int i = 0; n > 0 && i < N_CASES; i++) {
        which = strcmp(argv[1], cases[i].name) == 0 ? i : which;
    }
    if (which < 0) {
        fprintf(stderr, "usage: recounts CASE N\n");
        return 2;
    }
    must(PMIx_server_init(&module, NULL, 0) == PMIX_SUCCESS, "init");
    must(PMIx_server_register_nspace(proc.nspace, (int) n + 2, NULL, 0, NULL, NULL) == 0,
         "register");
    for (; proc.rank < n + 2; proc.rank++) {
        must(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL) == 0,
             "register a client");
    }
    must(px_loop_run(px_ctx()->loop, run, &n) == 0, "the server's thread");
    return PMIx_server_finalize() != PMIX_SUCCESS;
}
