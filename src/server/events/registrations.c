/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Registrations for event codes: who wants which, and when the host and, of a launcher, the server
 * above it are asked. Kept events that follow a registration are in server_events.c. */

#include "registrations.h"

#include <limits.h>
#include <stdlib.h>

#include "passed_events.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/host_upcall.h"
#include "src/value/directives.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"

/* True if the environment can raise this code, so that the host has to know of registrations:
 * system events, and codes outside of the Standard's. */
static bool is_hosts(pmix_status_t code)
{
    return PMIX_SYSTEM_EVENT(code) || code <= PMIX_EXTERNAL_ERR_BASE || code > 0;
}

/* True if registrations of the code are counted, so that the host or the server above is asked for
 * the code once. */
static bool is_counted(const struct px_server *s, pmix_status_t code)
{
    return s->above || is_hosts(code);
}

/* Counts one more registration of a code. Returns the new number; 1: the first. */
static size_t count_up(struct px_server *s, pmix_status_t code)
{
    uintptr_t n = (uintptr_t) px_map_find(&s->host_codes, &code, sizeof(code)) + 1;

    (void) px_map_set(&s->host_codes, &code, sizeof(code), (void *) n);
    return n;
}

/* Counts one registration less. Returns the number left; 0: it was the last. Returns 1 for a code
 * that was not counted, so that the host is not asked to drop it. */
static size_t count_down(struct px_server *s, pmix_status_t code)
{
    uintptr_t n = (uintptr_t) px_map_find(&s->host_codes, &code, sizeof(code));

    if (n > 1) {
        (void) px_map_set(&s->host_codes, &code, sizeof(code), (void *) (n - 1));
    } else if (n) {
        (void) px_map_remove(&s->host_codes, &code, sizeof(code));
    }
    return n ? n - 1 : 1;
}

/* Ends an upcall whose answer is not needed. */
static void nothing_to_do(struct px_upcall *up)
{
    (void) up;
}

/* Codes are counted down even if the host cannot be asked for lack of memory. */
void px_codes_dropped(struct px_server *s, const pmix_status_t *codes, size_t ncodes)
{
    struct px_upcall *up = px_upcall_create(s, NULL, NULL, nothing_to_do);

    px_assert(px_loop_inside(s->loop));
    if (up) {
        up->codes = calloc(ncodes + 1, sizeof(*codes));
    }
    for (size_t i = 0; i < ncodes; i++) {
        if (is_counted(s, codes[i]) && !count_down(s, codes[i])) {
            px_codes_drop_above(s, &codes[i], 1);
            if (is_hosts(codes[i]) && up && up->codes) {
                up->codes[up->ncodes++] = codes[i];
            }
        }
    }
    if (!up || !up->ncodes || !s->host.deregister_events || s->stopping) {
        px_upcall_destroy(up);
        return;
    }
    px_upcall_returned(
        up, s->host.deregister_events(up->codes, up->ncodes, px_hostcb_op, px_upcall_handle(up)));
}

/* Asks the host for those codes that are the host's and that had no registration before. If there
 * are none, or the host has no register_events, the status is PMIX_ERR_NOT_SUPPORTED: no host
 * honours the directives. px_codes_registered makes that a success, unless a directive that only a
 * host can honour is required (PMIX_INFO_REQD). */
pmix_status_t px_codes_call(struct px_upcall *up)
{
    struct px_codes_args *args = up->args;
    struct px_server *s = up->server;
    pmix_server_register_events_fn_t fn = s->host.register_events;
    bool asks;

    up->codes = calloc(args->ncodes + 1, sizeof(*up->codes));
    if (!up->codes) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < args->ncodes; i++) {
        if (is_counted(s, args->codes[i]) && count_up(s, args->codes[i]) == 1 &&
            is_hosts(args->codes[i])) {
            up->codes[up->ncodes++] = args->codes[i];
        }
    }
    asks = up->ncodes && fn;
    if (px_codes_pass_up(up, args, !asks)) {
        return PMIX_SUCCESS;
    }
    if (!asks) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    px_directives_mark(&px_call_handler, px_upcall_levels(up), args->head.info, args->head.ninfo);
    (void) px_requester_identify(s, px_peer_find(s, up->reply_to.peer), &args->head.info,
                                 &args->head.ninfo);
    return fn(up->codes, up->ncodes, args->head.info, args->head.ninfo, px_hostcb_op,
              px_upcall_handle(up));
}

/* Adds codes to the peer's; codes[] and *n keep those that are new. 0, PMIX_ERR_NOMEM, or
 * PMIX_ERR_OUT_OF_RESOURCE: more than a peer may have (shmix_max_codes). */
static int add_codes(struct px_peer *peer, pmix_status_t *codes, size_t *n)
{
    size_t most = (size_t) px_param_int(PX_P_MAX_CODES);

    if (peer->codes.n > most || *n > most - peer->codes.n) {
        px_quota_refused(peer->server, peer->id, PX_P_MAX_CODES);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    return px_code_set_add(&peer->codes, codes, n);
}

/* Enters the registration for the peer. args->codes then has only the new codes; args->of_any_code
 * is set if the peer has a default handler only now. */
int px_codes_prepare(struct px_upcall *up, struct px_peer *peer)
{
    struct px_codes_args *args = up->args;
    bool all = !args->ncodes;
    int rc = peer && !all ? add_codes(peer, args->codes, &args->ncodes) : PMIX_SUCCESS;

    if (!rc && peer) {
        args->had_default = peer->wants_all;
        args->of_any_code = all && !peer->wants_all;
        peer->wants_all |= all;
    }
    return rc;
}

/* Reads codes up to the end of a message. INT_MIN, which stands for the default handlers, only sets
 * *ret_default. *ret is the caller's to free also after an error. 0, PMIX_ERR_NOMEM, or the status
 * of px_unpack_status. */
static int read_codes(struct px_in *in, pmix_status_t **ret, size_t *ret_n, bool *ret_default)
{
    size_t room = 0;
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(in)) {
        pmix_status_t code;

        rc = px_unpack_status(in, &code);
        if (!rc && code == INT_MIN) {
            *ret_default = true;
        } else if (!rc) {
            rc = px_array_room(ret, *ret_n, &room, sizeof(code)) ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
            if (!rc) {
                (*ret)[(*ret_n)++] = code;
            }
        }
    }
    return rc;
}

/* A client waits for no answer to this command, so that a code that cannot be unpacked only ends
 * the connection. */
int px_handle_deregevents(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    pmix_status_t *codes = NULL;
    size_t n = 0;
    bool default_handler = false;

    px_assert(px_loop_inside(s->loop));
    (void) tag;
    peer->doomed |= read_codes(in, &codes, &n, &default_handler) != 0;
    peer->wants_all &= !default_handler;
    px_code_set_remove(&peer->codes, codes, &n);
    if (n) {
        px_codes_dropped(s, codes, n);
    }
    if (default_handler) {
        px_defaults_drop_above(s);
    }
    free(codes);
    return PMIX_SUCCESS;
}

/* The host is asked to drop codes that only this peer had registered for. */
void px_events_peer_disconnected(struct px_server *s, struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    if (peer->codes.n) {
        px_codes_dropped(s, peer->codes.at, peer->codes.n);
    }
    px_code_set_fini(&peer->codes);
    if (peer->wants_all) {
        peer->wants_all = false;
        px_defaults_drop_above(s);
    }
}
