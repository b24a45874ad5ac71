/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What leader and invitees of a group have in common. Everything that they tell each other travels
 * in events, which the servers only pass on; the data of the members end up in each member's own
 * private store. The events of an invitation also go to the application's handlers. */

#include "invitation.h"

#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "src/value/infos.h"
#include "events.h"
#include "group_map.h"
#include "invite.h"
#include "private_store.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "src/request/reply.h"
#include "gds/level.h"
#include "gds/slice.h"

/* The caller's infos become the first entries of `given`: an invitation sends them to all. */
struct px_invitation *px_invitation_create(struct px_session *session, const char *group,
                                           const pmix_info_t *info, size_t ninfo)
{
    struct px_invitation *invitation = calloc(1, sizeof(*invitation));
    int rc = 0;

    if (invitation == NULL) {
        return NULL;
    }
    px_list_init(&invitation->link);
    invitation->session = session;
    invitation->group = strdup(group);
    invitation->timeout_ms = px_client_timeout_ms(info, ninfo);
    rc = invitation->group != NULL ? 0 : PMIX_ERR_NOMEM;
    invitation->optional = px_infos_flag(info, ninfo, PMIX_GROUP_OPTIONAL);
    rc = rc == 0 ? px_infos_append_all(&invitation->given, &invitation->n_given, info, ninfo) : rc;
    if (rc != 0) {
        px_invitation_free(invitation);
        return NULL;
    }
    return invitation;
}

void px_invitation_free(struct px_invitation *invitation)
{
    PMIx_Info_free(invitation->given, invitation->n_given);
    free(invitation->invitees);
    free(invitation->group);
    free(invitation);
}

/* A handler that is still deciding holds a pointer to the invitation (`decided` in invite.c), which
 * frees it then. */
void px_invitation_release(struct px_invitation *invitation)
{
    px_list_remove(&invitation->link);
    px_timer_stop_loop(&invitation->timer);
    if (invitation->n_deciding == 0) {
        px_invitation_free(invitation);
    }
}

/* The invitation to that group that this process leads, or was invited to, and that is not over;
 * NULL: none. */
static struct px_invitation *invitation_find(struct px_session *session, const char *group,
                                             bool leading)
{
    px_assert(px_loop_inside(session->ctx->loop));
    px_list_for(struct px_invitation, invitation, &session->invitations, link) {
        if (invitation->leading == leading && !invitation->over &&
            strcmp(invitation->group, group) == 0) {
            return invitation;
        }
    }
    return NULL;
}

/* The group is entered in the map before the callback, which may use its name. */
void px_invitation_answer(struct px_invitation *invitation, pmix_status_t status,
                          const pmix_info_t *results, size_t n)
{
    struct px_infos *kept = calloc(1, sizeof(*kept));

    px_assert(px_loop_inside(invitation->session->ctx->loop));
    if (invitation->over) {
        free(kept);
        return;
    }
    invitation->over = true;
    if (status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS) {
        px_group_map_add(invitation->session, invitation->group, results, n);
    }
    if (kept != NULL && px_infos_copy(results, n, &kept->info) != PMIX_SUCCESS) {
        px_infos_release(kept);
        kept = NULL;
    } else if (kept != NULL) {
        kept->n = n;
    }
    if (invitation->cbfunc == NULL) {
        px_infos_release(kept);
    } else if (kept == NULL) {
        invitation->cbfunc(PMIX_ERR_NOMEM, NULL, 0, invitation->cbdata, NULL, NULL);
    } else {
        invitation->cbfunc(status, kept->info, kept->n, invitation->cbdata, px_infos_release, kept);
    }
}

/* The codes of the events that invitations are made of, or that end one. */
static const pmix_status_t watched[] = {
    PMIX_GROUP_INVITE_ACCEPTED, PMIX_GROUP_INVITE_DECLINED, PMIX_GROUP_CONSTRUCT_COMPLETE,
    PMIX_GROUP_CONSTRUCT_ABORT, PMIX_EVENT_PROC_TERMINATED, PMIX_ERR_PROC_TERM_WO_SYNC,
};

bool px_invitations_watch(const struct px_session *session, pmix_status_t code)
{
    for (size_t i = 0; session->watching && i < sizeof(watched) / sizeof(watched[0]); i++) {
        if (watched[i] == code) {
            return true;
        }
    }
    return false;
}

/* Requests keep their order, so the server knows the codes before it sees anything that could raise
 * such an event. */
void px_invitation_watch(struct px_session *session)
{
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    struct px_codes_args args = {.codes = PX_BORROWED(watched),
                                 .ncodes = sizeof(watched) / sizeof(watched[0])};

    px_assert(px_loop_inside(session->ctx->loop));
    if (session->watching) {
        return;
    }
    session->watching = true;
    /* Requests keep their order: the server knows before it sees anything that could make such an
     * event. */
    (void) px_client_register_codes(session, &args, &nobody);
}

void px_groups_watch_again(struct px_session *session)
{
    px_assert(px_loop_inside(session->ctx->loop));
    if (session->watching) {
        session->watching = false;
        px_invitation_watch(session);
    }
}

/* The event has the range PMIX_RANGE_CUSTOM: the server passes it to these processes only. */
int px_invitation_notify(struct px_invitation *invitation, pmix_status_t code,
                         const pmix_proc_t *to, size_t n_to, const pmix_info_t *extra,
                         size_t n_extra)
{
    pmix_data_array_t range = {.type = PMIX_PROC, .size = n_to, .array = (void *) (uintptr_t) to};
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    struct px_ctx *ctx = invitation->session->ctx;
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc = px_infos_append(&info, &n, PMIX_GROUP_ID, invitation->group, PMIX_STRING);

    px_assert(px_loop_inside(ctx->loop));
    if (rc == 0) {
        rc = px_infos_append(&info, &n, PMIX_EVENT_CUSTOM_RANGE, &range, PMIX_DATA_ARRAY);
    }
    rc = rc == 0 ? px_infos_append_all(&info, &n, extra, n_extra) : rc;
    if (rc == 0) {
        struct px_notify_args args = {{info, n}, code, PMIX_RANGE_CUSTOM, ctx->self};

        rc = px_client_notify(invitation->session, &args, &nobody);
    }
    PMIx_Info_free(info, n);
    return rc == PMIX_OPERATION_SUCCEEDED ? 0 : rc;
}

/* Packs a value that was put for other nodes as a KVAL; skips others and qualified ones. For
 * px_store_each. */
static int pack_put(void *arg, const char *key, const struct px_slice *slice)
{
    struct px_buf *buf = arg;
    pmix_value_t *value;
    int rc;

    if (slice->hidden || slice->quals != NULL ||
        (slice->scope != PMIX_REMOTE && slice->scope != PMIX_GLOBAL)) {
        return 0;
    }
    rc = px_slice_value(slice, &value);
    if (rc == 0) {
        rc = px_pack_kval(buf, PX_WIRE_PLAIN, key, value);
        PMIx_Value_free(value, 1);
    }
    return rc;
}

/* The bytes are PROC, then a KVAL for each value, in the plain encoding, whatever the server
 * speaks: only other clients read them. */
int px_invitation_add_endpoint(struct px_invitation *invitation)
{
    const pmix_proc_t *self = &invitation->session->ctx->self;
    const struct px_store *own;
    struct px_buf buf = {0};
    size_t head;
    int rc = px_space_private(invitation->session, &invitation->session->own, &own);

    rc = rc == 0 ? px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC, self, 1) : rc;
    head = buf.len;
    if (rc == 0 && own != NULL) {
        rc = px_store_each(own, PX_LEVEL_PROC, self->rank, pack_put, &buf);
    }
    if (rc == 0 && buf.len > head) {
        pmix_byte_object_t bytes = {.bytes = (char *) buf.data, .size = buf.len};

        rc = px_infos_append(&invitation->given, &invitation->n_given, PMIX_GROUP_ENDPT_DATA,
                             &bytes, PMIX_BYTE_OBJECT);
    }
    px_buf_fini(&buf);
    return rc;
}

/* Data of a wildcard rank are refused: a member may tell about processes, not about a job. */
void px_invitation_store_endpoints(struct px_session *session, const pmix_info_t *info,
                                   size_t ninfo)
{
    const pmix_info_t *from = px_infos_next(info, ninfo, NULL, PMIX_GROUP_ENDPT_DATA);

    for (; from != NULL; from = px_infos_next(info, ninfo, from, PMIX_GROUP_ENDPT_DATA)) {
        const pmix_byte_object_t *bytes = &from->value.data.bo;
        struct px_in in;
        pmix_proc_t owner;

        if (from->value.type != PMIX_BYTE_OBJECT) {
            continue;
        }
        in = px_in_make(bytes->bytes, bytes->size, PX_WIRE_PLAIN);
        if (px_unpack_one(&in, PMIX_PROC, &owner) == 0 && owner.rank != PMIX_RANK_WILDCARD) {
            (void) px_session_store_kvals(session, &owner, &in,
                                          NULL); /* data that do not parse are skipped */
        }
    }
}

/* Processes have terminated: leaders count them as failed; an invitee whose leader has terminated
 * gets PMIX_GROUP_LEADER_FAILED. */
static void somebody_ended(struct px_session *session, const struct px_event *event)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_EVENT_AFFECTED_PROC);
    struct px_procs ended = {NULL, 0};

    if (value != NULL) {
        (void) px_value_procs(value, &ended); /* a value of another type: none */
    }
    for (size_t i = 0; i < ended.n; i++) {
        px_list_for(struct px_invitation, invitation, &session->invitations, link) {
            if (invitation->leading) {
                px_invitation_lost(invitation, &ended.at[i]);
            } else if (PMIx_Check_procid(&invitation->leader, &ended.at[i])) {
                px_invitation_answer(invitation, PMIX_GROUP_LEADER_FAILED, NULL, 0);
                px_invitation_release(invitation);
            }
        }
    }
}

/* Answers go to the invitation that this process leads, outcomes to the one that it was invited to.
 * The event then goes on to the application's handlers, as every event does. */
void px_invitations_event(struct px_session *session, const struct px_event *event)
{
    const char *group = px_value_text(px_info_find(event->info, event->ninfo, PMIX_GROUP_ID));
    struct px_invitation *invitation;
    bool complete = event->code == PMIX_GROUP_CONSTRUCT_COMPLETE;

    px_assert(px_loop_inside(session->ctx->loop));
    if (!session->watching) {
        return;
    }
    if (event->code == PMIX_EVENT_PROC_TERMINATED || event->code == PMIX_ERR_PROC_TERM_WO_SYNC) {
        somebody_ended(session, event);
        return;
    }
    if (group == NULL) {
        return;
    }
    if (event->code == PMIX_GROUP_INVITE_ACCEPTED || event->code == PMIX_GROUP_INVITE_DECLINED) {
        invitation = invitation_find(session, group, true);
        if (invitation != NULL) {
            px_invitation_answered(invitation, &event->source,
                                   event->code == PMIX_GROUP_INVITE_ACCEPTED, event->info,
                                   event->ninfo);
        }
    } else if (complete || event->code == PMIX_GROUP_CONSTRUCT_ABORT) {
        invitation = invitation_find(session, group, false);
        if (invitation != NULL) {
            px_invitation_store_endpoints(session, event->info, event->ninfo);
            px_invitation_answer(invitation, complete ? PMIX_SUCCESS : PMIX_GROUP_CONSTRUCT_ABORT,
                                 event->info, event->ninfo);
            px_invitation_release(invitation);
        }
    }
}

/* Ends all invitations, for px_loop_run. */
static void end_invitations(void *arg)
{
    struct px_session *session = arg;

    while (!px_list_empty(&session->invitations)) {
        struct px_invitation *invitation =
            px_container_of(session->invitations.next, struct px_invitation, link);

        px_invitation_answer(invitation, PMIX_ERR_LOST_CONNECTION, NULL, 0);
        px_invitation_release(invitation);
    }
}

void px_invitations_fini(struct px_session *session)
{
    (void) px_loop_run(session->ctx->loop, end_invitations,
                       session); /* in a forked child they are not ours */
}
