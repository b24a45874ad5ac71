/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The life of a collective. The number of local members to wait for is never stored. It is
 * counted anew at every event that may change it (a call, a death, the registration of a
 * namespace or client), because members may call before their namespace is known here, or before
 * others have started. A caller that the processes do not name is refused. One that is not
 * registered here (a tool) is not waited for, and does not count in place of one that is. */

#include "collective.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "group_names.h"
#include "open_waits.h"
#include "server_keys.h"
#include "src/nspace/proc_sets.h"
#include "src/nspace/set_index.h"
#include "src/value/directives.h"
#include "src/server/stages.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/state.h"
#include "src/server/data/expected.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/param.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/message.h"
#include "src/server/peers/step.h"
#include "src/wire/owed.h"

/* --- the end --- */

/* The collective leaves the list first, so that `finished` and the replies cannot find it. */
void px_coll_finish(struct px_coll *coll, pmix_status_t status)
{
    const struct px_coll_ops *ops = coll->ops;

    px_assert(px_loop_inside(coll->server->loop));
    px_check(px_coll_is_valid(coll));
    if (coll->upcall) {
        px_assert(coll->upcall->arg == coll);
        coll->upcall->arg = NULL;
    }
    px_coll_unlist(coll);
    px_open_waits_ended(coll, status);
    px_stage_over(coll, status);
    if (ops->finished) {
        ops->finished(coll, status);
    }
    for (size_t i = 0; i < coll->n_members; i++) {
        struct px_reply_to reply_to = {.peer = coll->members[i].peer,
                                       .tag = coll->members[i].tag,
                                       .request = coll->members[i].request};

        if (reply_to.peer && ops->reply) {
            ops->reply(coll, &reply_to, status);
        } else if (reply_to.peer) {
            px_answer_status(coll->server, &reply_to, status);
        } else {
            px_answer_nobody(coll->server, &reply_to);
        }
    }
    px_coll_destroy(coll);
}

/* The host gets the time limit among the directives and counts from the upcall. Our own timer
 * runs longer by this grace, so that the host ends the collective first. Otherwise it would
 * still hold a contribution that is over for us when the same processes try again. */
enum { HOSTS_GRACE_MS = 500 };

/* The time limit has passed. */
static void on_timer(struct px_timer *timer)
{
    struct px_coll *coll = px_container_of(timer, struct px_coll, timer);

    px_open_waits_say(coll);
    px_coll_finish(coll, PMIX_ERR_TIMEOUT);
}

/* The collective is handed over to the host: the limit starts anew, with the grace; or it is the
 * host's alone (hosts_time). */
static void hand_over_limit(struct px_coll *coll)
{
    uint64_t ms = (uint64_t) coll->timeout_s * 1000 + HOSTS_GRACE_MS;

    px_timer_stop_loop(&coll->timer);
    if (coll->timeout_s && !coll->ops->hosts_time) {
        px_timer_start_loop(coll->server->loop, &coll->timer, ms, on_timer);
    }
}

void px_coll_limit_again(struct px_coll *coll)
{
    px_assert(px_loop_inside(coll->server->loop) && coll->closed && !coll->upcall);
    if (coll->timeout_s) {
        px_timer_start_loop(coll->server->loop, &coll->timer, (uint64_t) coll->timeout_s * 1000,
                            on_timer);
    }
}

/* --- with the host --- */

/* Gives processes and directives of all members to the upcall, and restarts the time limit with the
 * host's grace. 0 or PMIX_ERR_NOMEM. */
static int fill_upcall(struct px_coll *coll, struct px_upcall *up)
{
    int rc = px_infos_copy(coll->info, coll->ninfo, &up->info);

    px_upcall_name(up, coll->procs);
    up->ninfo = up->info ? coll->ninfo : 0;
    if (!rc && coll->local_status) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_LOCAL_COLLECTIVE_STATUS,
                             &coll->local_status, PMIX_STATUS);
    }
    px_directives_mark(coll->ops->request->call, PX_ATTR_SERVER, up->info, up->ninfo);
    hand_over_limit(coll);
    return rc;
}

/* For tables without `answered`: the host's status is that of the collective. */
static void default_answered(struct px_upcall *up)
{
    px_coll_answered(up, up->reply.status);
}

/* The upcall points to the tracker (up->arg), and the tracker to the upcall; whichever ends
 * first clears the other's pointer. An error before the host's function is treated as its
 * status. */
void px_coll_ask_host(struct px_coll *coll)
{
    px_upcall_fn answered = coll->ops->answered ? coll->ops->answered : default_answered;
    struct px_upcall *up = px_upcall_create(coll->server, NULL, NULL, answered);
    int rc;

    px_assert(coll->closed && !coll->upcall);
    if (!up) {
        px_coll_finish(coll, PMIX_ERR_NOMEM);
        return;
    }
    up->arg = coll;
    coll->upcall = up;
    rc = fill_upcall(coll, up);
    px_open_waits_closed(coll, true);
    px_stage_asked(coll);
    px_upcall_returned(up, rc ? rc : coll->ops->ask(coll, up));
}

/* A turn of the loop that follows that of px_coll_end. */
static void on_next_turn(struct px_timer *timer)
{
    struct px_coll *coll = px_container_of(timer, struct px_coll, timer);

    px_assert(coll->ending);
    if (coll->ops->ending && coll->ops->ending(coll, coll->outcome)) {
        px_timer_start_loop(coll->server->loop, &coll->timer, 0, on_next_turn);
    } else {
        px_coll_finish(coll, coll->outcome);
    }
}

void px_coll_end(struct px_coll *coll, pmix_status_t status)
{
    bool many = coll->set->n > PX_MANY_PROCS;

    px_assert(coll->closed && !coll->upcall && !coll->ending);
    if (!many && !(coll->ops->ending && coll->ops->ending(coll, status))) {
        px_coll_finish(coll, status);
        return;
    }
    coll->ending = true;
    coll->outcome = status;
    px_timer_start_loop(coll->server->loop, &coll->timer, 0, on_next_turn);
}

/* If the collective ended before (a time limit), only the upcall is freed, by its caller. */
void px_coll_answered(struct px_upcall *up, pmix_status_t status)
{
    struct px_coll *coll = up->arg;

    if (!coll) {
        return;
    }
    px_assert(coll->upcall == up);
    coll->upcall = NULL;
    up->arg = NULL;
    if (up->abandoned) { /* the server may be ending */
        px_coll_finish(coll, status);
    } else {
        px_coll_end(coll, status);
    }
}

/* Required directives count here only: otherwise the host sees them and judges. */
pmix_status_t px_coll_local_status(const struct px_coll *coll)
{
    return px_directives_met(coll->ops->request->call, PX_ATTR_ALL, coll->info, coll->ninfo)
               ? coll->local_status
               : PMIX_ERR_NOT_SUPPORTED;
}

/* --- gathering --- */

/* True if a connected process of the set has not called over each of its connections (clones). A
 * clone that called and has disconnected does not count for another. */
static bool clones_missing(struct px_server *s, const struct px_coll *coll)
{
    px_list_for(const struct px_peer, peer, &s->peer_list, link) {
        if (peer->rank && peer->conn &&
            px_procs_normal_cover(coll->set->at, coll->set->n, &peer->proc) &&
            !px_coll_has_peer(coll, peer->id)) {
            return true;
        }
    }
    return false;
}

/* Numbers of callers that must not count as one of the expected members; each process is counted
 * once. departed: processes that have departed since their call. unknown: tools, and processes of a
 * job that was deregistered; they are not registered here, so they were never expected. */
struct others_come {
    uint32_t departed;
    uint32_t unknown;
};

/* True if no member before this one is the same process. */
static bool is_first(const struct px_coll *coll, size_t member)
{
    for (size_t i = 0; i < member; i++) {
        if (px_proc_equal(&coll->members[i].proc, &coll->members[member].proc)) {
            return false;
        }
    }
    return true;
}

static struct others_come others_come(struct px_server *s, const struct px_coll *coll)
{
    struct others_come ret = {0};

    for (size_t i = 0; i < coll->n_members; i++) {
        const struct px_local_proc *rank = px_local_proc_of(s, &coll->members[i].proc);

        if ((!rank || rank->departed) && is_first(coll, i)) {
            ret.departed += rank != NULL;
            ret.unknown += rank == NULL;
        }
    }
    return ret;
}

/* Completes the collective if all local members have called. True if it did; the tracker may be
 * freed then. Remote members are the host's concern. */
static bool complete_if_all_local(struct px_server *s, struct px_coll *coll)
{
    struct others_come others = {0};
    struct px_expected expected;

    if (coll->closed) {
        return false;
    }
    expected = px_expected_of_set(s, coll->set->at, &coll->runs);
    if (expected.lost || coll->n_arrived >= expected.n) {
        others = others_come(s, coll);
    }
    if (expected.lost) {
        expected.n += others.departed; /* they are not among the expected */
        coll->local_status = PMIX_ERR_LOST_CONNECTION;
    }
    if (coll->ops->gathers) {
        coll->ops->gathers(coll, expected.remote, expected.lost);
    }
    if (coll->n_arrived - others.unknown < expected.n ||
        (coll->all_clones && clones_missing(s, coll))) {
        px_open_waits_gathers(coll, &expected);
        return false;
    }
    coll->closed = true;
    px_stage_closed(coll);
    if (coll->wait) {
        px_open_waits_closed(coll, false);
    }
    coll->ops->complete(coll, expected.remote);
    return true;
}

/* The limit that the host is told is the shortest. */
static void tell_limit(struct px_coll *coll)
{
    pmix_info_t *info =
        (pmix_info_t *) (uintptr_t) px_infos_next(coll->info, coll->ninfo, NULL, PMIX_TIMEOUT);

    if (info) {
        PMIx_Value_destruct(&info->value);
        info->value.type = PMIX_INT;
        info->value.data.integer = coll->timeout_s > INT_MAX ? INT_MAX : (int) coll->timeout_s;
    }
}

/* Takes over what a member asks of the gathering itself. Each limit counts from its caller's call,
 * and the first that runs out ends the collective for all. */
static void apply_directives(struct px_coll *coll, const struct px_fence_directives *directives)
{
    uint64_t ms = (uint64_t) directives->timeout * 1000;
    uint64_t deadline_ns = coll->last_ns + ms * 1000000;

    coll->all_clones |= directives->all_clones;
    if (directives->timeout == PX_NOT_GIVEN || !directives->timeout) {
        return;
    }
    if (!coll->timeout_s || directives->timeout < coll->timeout_s) {
        coll->timeout_s = directives->timeout;
        tell_limit(coll);
    }
    if (!coll->deadline_ns || coll->deadline_ns > deadline_ns) {
        coll->deadline_ns = deadline_ns;
        px_timer_start_loop(coll->server->loop, &coll->timer, ms, on_timer);
    }
}

/* What a collective under way takes besides its callers' messages: it is in the way of each walk
 * over all of them, at each end of a process. */
enum { COLLECTIVE_BYTES = 262144 };

/* One call on its way to its tracker. */
struct entry {
    struct px_step step; /* of a long one */
    struct px_coll_member who;
    struct px_coll_call call;
    struct px_group_spelling spelling;
    struct px_fence_directives directives; /* all collectives have some of a fence's */
    struct px_owed owed;                   /* of the message, to the call */
    struct px_coll *joined;                /* in this turn of the loop */
    unsigned n_done;  /* stages that are over, or all if there is no more to do */
    bool again;       /* the next stage has begun */
    size_t n_checked; /* namespaces that were looked for among the names of groups */
};

/* --- the stages of a call --- */

enum { N_STAGES = 6 };

/* Reads what the call says. */
static int read_directives(struct px_server *s, struct entry *entry)
{
    struct px_coll_call *call = &entry->call;
    const struct px_args *args = &call->args.head;
    int rc = px_server_keys_drop(&call->args);

    rc = rc || !call->ops->prepare ? rc : call->ops->prepare(s, &entry->who, call);
    return rc ? rc : px_fence_read(args->info, args->ninfo, &entry->directives);
}

/* Names that a turn looks for among those of groups. */
enum { PIECE = 4096 };

/* Spells out the groups that it names, a piece at a time. */
static int spell(struct px_server *s, struct entry *entry)
{
    int rc = px_group_names_spell(s, &entry->call, &entry->who.proc, &entry->spelling, PIECE);

    entry->again = rc == PMIX_OPERATION_IN_PROGRESS;
    return entry->again ? PMIX_SUCCESS : rc;
}

/* Brings its processes into normal form. */
static int normalise(struct px_server *s, struct entry *entry)
{
    int rc = px_coll_call_prepare(&s->colls, &entry->call);

    if (rc == PMIX_ERR_OUT_OF_RESOURCE) {
        bool by_jobs = entry->call.args.head.ninfo <= (size_t) px_param_int(PX_P_MAX_DIRECTIVES);

        px_quota_refused(s, entry->who.peer, by_jobs ? PX_P_MAX_JOBS : PX_P_MAX_DIRECTIVES);
    }
    entry->again = entry->call.making != NULL;
    return rc;
}

/* True if it names its caller. One without processes names everybody: others will add the caller.
 */
static bool names_caller(const struct entry *entry)
{
    const struct px_proc_list *set = &entry->call.set;

    return !set->n || px_coll_set_names(set->at, set->n, &entry->who.proc);
}

/* Refuses callers who are no members, and names of groups that are over. */
static int check(struct px_server *s, struct entry *entry)
{
    const struct px_nspace_runs *runs = &entry->call.runs;
    int rc = entry->n_checked || names_caller(entry) ? PMIX_SUCCESS : PMIX_ERR_NOT_A_MEMBER;

    for (size_t i = 0; !rc && i < PIECE && entry->n_checked < runs->n; i++) {
        size_t first = px_nspace_run_first(runs, entry->n_checked++);

        rc = px_group_name_check(s, entry->call.set.at[first].nspace, &entry->who.proc);
    }
    entry->again = entry->n_checked < runs->n;
    return rc;
}

/* Joins or starts the tracker of a call. After px_coll_join an error concerns the collective: it
 * ends for all its members, the caller included, and is not returned. */
static int join(struct px_server *s, struct entry *entry)
{
    const struct px_coll_member *who = &entry->who;
    struct px_coll_call *call = &entry->call;
    const struct px_coll_ops *ops = call->ops;
    const struct px_args *args = &call->args.head;
    struct px_coll *coll;
    int rc;

    px_coll_call_identify(call);
    rc = ops->admit ? ops->admit(s, call, who) : PMIX_SUCCESS;
    rc = rc ? rc : px_coll_join(&s->colls, call, who, &coll);
    if (rc) {
        return rc;
    }
    if (coll->n_members == 1) {
        px_request_grow(s, who->request, COLLECTIVE_BYTES + PX_COLL_NAMED_BYTES * coll->set->n);
    }
    px_open_waits_arrived(coll, who->row);
    px_stage_joined(coll, &who->proc);
    rc = ops->absorb ? ops->absorb(coll, call, who) : px_coll_merge(coll, args->info, args->ninfo);
    if (rc) {
        px_coll_finish(coll, rc);
        entry->n_done = N_STAGES;
    } else {
        apply_directives(coll, &entry->directives);
        entry->joined = coll;
    }
    return PMIX_SUCCESS;
}

/* Completes the collective if this is the last local member. Since the turn in which a long call
 * has joined, another may have done so, or have ended it. */
static int count(struct px_server *s, struct entry *entry)
{
    struct px_coll *coll = entry->joined;

    coll = coll ? coll : px_coll_joined(&s->colls, entry->call.key, &entry->who);
    if (coll) {
        (void) complete_if_all_local(s, coll);
    }
    return PMIX_SUCCESS;
}

/* A long call has a turn of the loop for each of them, or for each piece. */
static int (*const stages[N_STAGES])(struct px_server *, struct entry *) = {
    read_directives, spell, normalise, check, join, count};

/* Runs the next stage of the call, or a piece of it. */
static int run_stage(struct px_server *s, struct entry *entry)
{
    int rc;

    entry->again = false;
    rc = stages[entry->n_done](s, entry);
    entry->n_done += !entry->again;
    return rc;
}

/* Frees what the entry owns, not its memory. */
static void entry_fini(struct entry *entry)
{
    px_coll_call_fini(&entry->call);
    px_group_spelling_fini(&entry->spelling);
    px_owed_fini(&entry->owed);
}

static void drop_entry(struct px_step *step)
{
    struct entry *entry = px_container_of(step, struct entry, step);

    entry_fini(entry);
    free(entry);
}

/* Copies the next piece of the arrays that the message still has (owed.h). When all are copied,
 * runs the next stage of the call. */
static int go_on(struct px_step *step, struct px_peer *peer)
{
    struct entry *entry = px_container_of(step, struct entry, step);
    int rc = PMIX_SUCCESS;

    if (px_owed_is_due(&entry->owed)) {
        (void) px_owed_pay(&entry->owed, PX_OWED_PIECE);
    } else {
        entry->joined = NULL;
        rc = run_stage(peer->server, entry);
    }
    if (!rc && entry->n_done < N_STAGES) {
        peer->step = step;
    } else {
        drop_entry(step);
    }
    return rc;
}

/* Reads the call. All memory that was unpacked belongs to it, also after an error. */
static int read_call(struct entry *entry, const struct px_peer *peer, struct px_in *in)
{
    const struct px_request *request = entry->call.ops->request;

    if (request->older && !px_peer_at_least(peer, 4, 2, 4)) {
        request = request->older;
    }
    return px_args_unpack(in, request, &entry->call.args.head);
}

/* True if the next stage of the call waits for the next turn: one stage is over, and the call names
 * many processes. (A short message names them by their group.) */
static bool is_left(const struct entry *entry)
{
    return entry->n_done > 0 && entry->call.args.nprocs > PX_MANY_PROCS;
}

/* Leaves the rest of the call to the next step, which owns what the entry owns. 0 or
 * PMIX_ERR_NOMEM; then the entry still owns it. */
static int leave(const struct entry *entry, struct px_peer *peer)
{
    struct entry *kept = malloc(sizeof(*kept));

    if (!kept) {
        return PMIX_ERR_NOMEM;
    }
    *kept = *entry;
    peer->step = &kept->step;
    return PMIX_SUCCESS;
}

/* Reads a long call, and leaves the rest to the next step, which owns what the entry owns. */
static int start_long(const struct entry *entry, struct px_peer *peer, struct px_in *in)
{
    struct entry *kept;
    int rc = leave(entry, peer);

    if (rc) {
        return rc;
    }
    kept = px_container_of(peer->step, struct entry, step);
    in->owed = &kept->owed;
    rc = read_call(kept, peer, in);
    in->owed = NULL;
    if (rc) {
        peer->step = NULL;
        drop_entry(&kept->step);
    }
    return rc;
}

int px_coll_start(const struct px_coll_ops *ops, struct px_peer *peer, uint32_t tag,
                  struct px_in *in)
{
    struct entry entry = {.step = {go_on, drop_entry, px_reply_to_peer(peer, tag)},
                          .who = {.peer = peer->id,
                                  .uid = peer->uid,
                                  .tag = tag,
                                  .row = peer->rank ? peer->rank->waits : 0,
                                  .request = peer->request,
                                  .proc = peer->proc},
                          .call = {.ops = ops}};
    bool left;
    int rc;

    px_assert(px_loop_inside(peer->server->loop));
    if (px_is_long(in)) {
        return start_long(&entry, peer, in);
    }
    rc = read_call(&entry, peer, in);
    while (!rc && entry.n_done < N_STAGES && !is_left(&entry)) {
        rc = run_stage(peer->server, &entry);
    }
    left = !rc && entry.n_done < N_STAGES;
    rc = left ? leave(&entry, peer) : rc;
    if (!left || rc) {
        entry_fini(&entry);
    }
    return rc;
}

/* --- what changes who is waited for --- */

bool px_coll_recount(struct px_coll *coll)
{
    bool waits = coll->closed && !coll->upcall && !coll->ending && coll->ops->recount;

    return waits ? coll->ops->recount(coll) : complete_if_all_local(coll->server, coll);
}
