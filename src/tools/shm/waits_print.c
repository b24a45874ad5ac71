/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm waits: the table for people, and the tree for programs. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proc_state.h"
#include "shm.h"
#include "src/base/clock.h"
#include "src/waits/words.h"
#include "waits.h"

enum { LINE = 2048 };

static bool as_tree;

/* --- for people --- */

/* Bytes of programs: what is no printable ASCII becomes a question mark. */
static void put_text(const char *text)
{
    for (; *text; text++) {
        putchar(*text >= ' ' && *text <= '~' ? *text : '?');
    }
}

/* "S (sleeping, futex, futex_do_wait)" */
static void put_state(const struct px_proc_state *state)
{
    if (!state->state) {
        fputs("gone", stdout);
        return;
    }
    printf("%c (%s%s%s%s", state->state, px_proc_state_text(state->state),
           state->syscall[0] ? ", " : "", state->syscall, state->wchan[0] ? ", " : "");
    put_text(state->wchan);
    putchar(')');
}

/* --- a process that is waited for --- */

struct culprit_arg {
    const struct px_waits_entry *entry;
    unsigned n;
};

static void print_culprit_line(const struct px_waits_area *area, const struct px_waits_proc *proc,
                               const struct px_proc_state *state, const char *doing)
{
    fputs("    ", stdout);
    put_text(px_waits_nspace_name(area, proc->nspace));
    printf(":%" PRIu32 " on ", proc->rank);
    put_text(area->head.hostname);
    fputs(": ", stdout);
    if (proc->pid) {
        printf("pid %" PRIu32 ", ", proc->pid);
        put_state(state);
        fputs("; ", stdout);
    }
    put_text(doing);
    putchar('\n');
}

static void print_culprit_object(const struct px_waits_area *area, const struct px_waits_proc *proc,
                                 const struct px_proc_state *state, const char *doing)
{
    const char letter[2] = {state->state, '\0'};

    px_out_open(NULL);
    px_out_text("nspace", px_waits_nspace_name(area, proc->nspace));
    px_out_number("rank", proc->rank);
    px_out_text("hostname", area->head.hostname);
    px_out_number("pid", proc->pid);
    px_out_text("state", proc->pid && !state->state ? "gone" : letter);
    px_out_text("syscall", state->syscall);
    px_out_text("wchan", state->wchan);
    px_out_text("doing", doing);
    px_out_number("server_pid", area->head.pid);
    px_out_close();
}

static void print_culprit(const struct px_waits_all *all, size_t server, uint32_t row, void *arg)
{
    const struct px_waits_area *area = &all->servers[server].copy->area;
    const struct px_waits_proc *proc = &area->procs[row - 1];
    struct px_waits_proc shown = *proc; /* with the pid of one that has not connected */
    struct culprit_arg *a = arg;
    struct px_proc_state state;
    char doing[512];

    a->n++;
    if (!shown.pid && !(shown.flags & (PX_WAITS_ENDED | PX_WAITS_FINALIZED))) {
        shown.pid = (uint32_t) px_proc_find(px_waits_nspace_name(area, proc->nspace), proc->rank);
    }
    px_proc_state((pid_t) shown.pid, &state);
    px_waits_doing(area, row, a->entry, doing, sizeof(doing));
    (as_tree ? print_culprit_object : print_culprit_line)(area, &shown, &state, doing);
}

/* --- a wait --- */

static const char *far_text(enum px_waits_far far)
{
    switch (far) {
    case PX_FAR_BEHIND:
        return "processes of other servers of this node have not come";
    case PX_FAR_ASKED:
        return "all servers here have asked their hosts, and no host has answered";
    default:
        return "no other server here takes part: look on the other nodes, or at the host";
    }
}

static bool has_left(const struct px_waits_entry *e)
{
    return px_waits_is_collective(e) && e->stage == PX_WAITS_FOR_HOST;
}

/* True if a process of this state answers. */
static bool is_running(const struct px_proc_state *state)
{
    return state->state == 'R' || state->state == 'S' || state->state == 'D';
}

/* The servers that take part, and cannot. */
static void print_stopped(const struct px_waits_all *all, size_t server,
                          const struct px_waits_entry *e)
{
    for (size_t i = 0; i < all->n_servers; i++) {
        struct px_proc_state state;

        px_proc_state(all->servers[i].pid, &state);
        if (!is_running(&state) && px_waits_takes_part(all, server, e, i)) {
            fputs("    the server of ", stdout);
            put_text(all->servers[i].copy->area.head.hostname);
            printf(", pid %d, is %s\n", (int) all->servers[i].pid, px_proc_state_text(state.state));
        }
    }
}

static void print_wait_lines(const struct px_waits_all *all, size_t server,
                             const struct px_waits_entry *e)
{
    const struct px_waits_area *area = &all->servers[server].copy->area;
    struct culprit_arg arg = {.entry = e};
    char text[LINE];
    enum px_waits_far far;

    (void) px_waits_tell(area, e, px_clock_ns(), text, sizeof(text));
    fputs("  ", stdout);
    put_text(text);
    putchar('\n');
    far = px_waits_culprits(all, server, e, print_culprit, &arg);
    if (has_left(e)) {
        printf("    %s\n", far_text(far));
        print_stopped(all, server, e);
    }
}

static void out_list(const struct px_waits_area *area, const struct px_waits_entry *e,
                     const char *name, int missing)
{
    char text[LINE];

    (void) px_waits_list(area, e, missing, text, sizeof(text));
    px_out_text(name, text);
}

static void print_wait_object(const struct px_waits_all *all, size_t server,
                              const struct px_waits_entry *e)
{
    const struct px_waits_area *area = &all->servers[server].copy->area;
    struct culprit_arg arg = {.entry = e};
    uint64_t now = px_clock_ns();
    char text[LINE];
    enum px_waits_far far;

    px_out_open(NULL);
    px_out_text("kind", px_waits_kind_text(e->kind));
    px_out_text("waits_for", px_waits_stage_text(e->stage));
    px_out_number("milliseconds", now > e->since_ns ? (now - e->since_ns) / 1000000 : 0);
    px_out_text("name", e->text);
    (void) px_waits_who(area, e, text, sizeof(text));
    px_out_text("of", text);
    if (e->asker) {
        const struct px_waits_proc *asker = &area->procs[e->asker - 1];

        (void) snprintf(text, sizeof(text), "%s:%" PRIu32,
                        px_waits_nspace_name(area, asker->nspace), asker->rank);
        px_out_text("by", text);
    }
    if (px_waits_is_collective(e)) {
        px_out_number("expected_here", e->n_expected);
        px_out_number("come_here", e->n_come);
        out_list(area, e, "come", 0);
        out_list(area, e, "missing", 1);
    }
    px_out_open_list("culprits");
    far = px_waits_culprits(all, server, e, print_culprit, &arg);
    px_out_close_list();
    if (has_left(e)) {
        px_out_text("elsewhere", far_text(far));
    }
    px_out_close();
}

/* --- a server --- */

/* True if the wait is wanted. */
static bool is_wanted(const struct px_shm_waits_want *want, const struct px_waits_area *area,
                      const struct px_waits_entry *e)
{
    bool wanted = want->n_nspaces == 0;

    for (int i = 0; i < want->n_nspaces && !wanted; i++) {
        wanted = px_waits_concerns(area, e, want->nspaces[i]);
    }
    return wanted && e->kind != PX_WAITS_NONE;
}

/* True if the server has processes of the wanted namespaces. */
static bool serves(const struct px_shm_waits_want *want, const struct px_waits_area *area)
{
    bool found = want->n_nspaces == 0;

    for (int i = 0; i < want->n_nspaces; i++) {
        for (int k = 0; k < PX_WAITS_PROCS && !found; k++) {
            const char *name = px_waits_nspace_name(area, area->procs[k].nspace);

            found = strcmp(name, want->nspaces[i]) == 0;
        }
    }
    return found;
}

static unsigned count(uint64_t bits)
{
    return (unsigned) __builtin_popcountll(bits);
}

static void print_server_line(const struct px_waits_server *server,
                              const struct px_proc_state *state, unsigned n_waits)
{
    const struct px_waits_area *area = &server->copy->area;

    fputs("server ", stdout);
    put_text(area->head.nspace);
    printf(":%" PRIu32 " on ", area->head.rank);
    put_text(area->head.hostname);
    printf(": pid %d, ", (int) server->pid);
    put_state(state);
    printf("; %u %s\n", n_waits, n_waits == 1 ? "wait" : "waits");
    if (area->hidden) {
        printf("  and %" PRIu64 " more that there was no room for\n", area->hidden);
    }
    if (server->copy->torn || server->copy->names_torn) {
        printf("  %u of them torn: the server was in the middle of writing%s\n",
               count(server->copy->torn), server->copy->names_torn ? "; names may be wrong" : "");
    }
    if (server->copy->damaged) {
        printf("  %u damaged\n", count(server->copy->damaged));
    }
}

static void open_server_object(const struct px_waits_server *server,
                               const struct px_proc_state *state)
{
    const struct px_waits_area *area = &server->copy->area;
    const char letter[2] = {state->state, '\0'};

    px_out_open(NULL);
    px_out_number("pid", (uint64_t) server->pid);
    px_out_text("nspace", area->head.nspace);
    px_out_number("rank", area->head.rank);
    px_out_text("hostname", area->head.hostname);
    px_out_text("state", state->state ? letter : "gone");
    px_out_number("hidden", area->hidden);
    px_out_number("torn", count(server->copy->torn));
    px_out_number("damaged", count(server->copy->damaged));
    px_out_bool("names_torn", server->copy->names_torn);
    px_out_open_list("waits");
}

static void print_unreadable(const struct px_waits_server *server)
{
    if (!as_tree) {
        printf("server with pid %d: unreadable: %s\n", (int) server->pid, server->unreadable);
        return;
    }
    px_out_open(NULL);
    px_out_number("pid", (uint64_t) server->pid);
    px_out_text("unreadable", server->unreadable);
    px_out_close();
}

/* A server whose area was read, unless it has nothing to do with what is wanted. */
static void print_server(const struct px_waits_all *all, size_t i,
                         const struct px_shm_waits_want *want)
{
    const struct px_waits_server *server = &all->servers[i];
    const struct px_waits_area *area = &server->copy->area;
    struct px_proc_state state;
    unsigned n = 0;

    for (int k = 0; k < PX_WAITS_ENTRIES; k++) {
        n += is_wanted(want, area, &area->entries[k]);
    }
    if (!n && !serves(want, area)) {
        return;
    }
    px_proc_state(server->pid, &state);
    if (as_tree) {
        open_server_object(server, &state);
    } else {
        print_server_line(server, &state, n);
    }
    for (int k = 0; k < PX_WAITS_ENTRIES; k++) {
        if (is_wanted(want, area, &area->entries[k])) {
            (as_tree ? print_wait_object : print_wait_lines)(all, i, &area->entries[k]);
        }
    }
    if (as_tree) {
        px_out_close_list();
        px_out_close();
    }
}

static void print_orphans(const struct px_waits_all *all)
{
    if (as_tree) {
        px_out_open_list("without_a_server");
    }
    for (size_t i = 0; i < all->n_orphans; i++) {
        if (as_tree) {
            px_out_open(NULL);
            px_out_number("pid", (uint64_t) all->orphans[i].pid);
            px_out_close();
        } else {
            printf("process %d maps a segment whose server has gone or has closed it\n",
                   (int) all->orphans[i].pid);
        }
    }
    if (as_tree) {
        px_out_close_list();
    }
}

int px_shm_waits(const struct px_shm_waits_want *want)
{
    struct px_waits_all all;

    if (px_waits_find(&all)) {
        return PMIX_ERR_NOMEM;
    }
    as_tree = want->tree;
    bool found = !want->pid;

    if (as_tree) {
        px_out_open(NULL);
        px_out_open_list("servers");
    }
    for (size_t i = 0; i < all.n_servers; i++) {
        if (!want->pid || all.servers[i].pid == want->pid) {
            if (all.servers[i].copy) {
                print_server(&all, i, want);
            } else if (!want->n_nspaces) {
                print_unreadable(&all.servers[i]);
            }
            found = true;
        }
    }
    if (as_tree) {
        px_out_close_list();
    }
    if (!want->pid && !want->n_nspaces) {
        print_orphans(&all);
    }
    if (as_tree) {
        px_out_close();
        px_out_end();
    }
    px_waits_all_free(&all);
    return found ? 0 : PMIX_ERR_NOT_FOUND;
}
