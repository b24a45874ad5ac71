/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PASSED_EVENTS_H
#define PX_SERVER_PASSED_EVENTS_H

/* Events that the server of a launcher passes on: from the server that the launcher is connected to
 * (s->above) to its own clients, and back. docs/decisions/0039-what-launchers-pass-on.md has the
 * reasons. Without s->above these functions do nothing. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

struct px_args;
struct px_codes_args;
struct px_completion;
struct px_ctx;
struct px_event;
struct px_peer;
struct px_request;
struct px_server;
struct px_upcall;

/* The server that the launcher is connected to (src/api/launcher.c). Its members are called on the
 * loop thread. */
struct px_above {
    /* As px_request_send; PMIX_ERR_UNREACH: there is none now. */
    pmix_status_t (*request)(struct px_ctx *ctx, const struct px_request *request,
                             const struct px_args *args, const struct px_completion *to);
    void (*deregister_codes)(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                             bool default_handler);
    /* True if that is its name. */
    bool (*is_named)(struct px_ctx *ctx, const pmix_proc_t *proc);
};

/* Registers codes of a peer at the server above; its answer ends the upcall, with
 * PMIX_ERR_NOT_SUPPORTED as if the host had no entry. answers: the upcall is to wait for that.
 * True: it will. */
bool px_codes_pass_up(struct px_upcall *up, const struct px_codes_args *args, bool answers);

/* Deregisters codes at the server above. The last peer that had registered for them has dropped
 * them. */
void px_codes_drop_above(struct px_server *s, const pmix_status_t *codes, size_t n);
/* Deregisters the default handler at the server above, unless a peer or this process still has
 * one. */
void px_defaults_drop_above(struct px_server *s);

/* What the server above has to be asked for: the codes that peers and this process have registered,
 * malloc'd, the caller's; and whether there is a default handler. 0 or PMIX_ERR_NOMEM. */
int px_codes_for_above(struct px_server *s, pmix_status_t **ret, size_t *ret_n, bool *ret_default);

/* True if an event of a client is for the server above, too. Not if the host's notify_event has it,
 * and not if its range ends here: this process, the client's namespace, a custom range of jobs of
 * this server. */
bool px_event_goes_up(struct px_server *s, const struct px_event *event);

/* Sends it there, with its source. by: the peer that has given it, or NULL. Without memory the
 * event is lost. */
void px_event_pass_up(struct px_server *s, const struct px_event *event, const struct px_peer *by);

/* Delivers an event of the server above to the peers that want it and are in its range, and keeps
 * it for others; not to handlers of this process. from: the name of that server. */
void px_event_from_above(struct px_server *s, const struct px_event *event,
                         const pmix_proc_t *from);

/* The process that has raised an event: of a launcher of root or of the server's own user the one
 * that it names, unless that has a namespace that is known here; else the peer itself. */
pmix_proc_t px_event_source(struct px_server *s, const struct px_peer *peer,
                            const pmix_info_t *info, size_t ninfo);

/* True if a client (NULL: it is gone) may report that these processes have ended, as their host
 * does: a launcher that is believed, of namespaces that are not known here. */
bool px_event_may_end(struct px_server *s, const struct px_peer *peer, const struct px_args *infos);

/* True if the event has been passed on by the process already, or was given to it. */
bool px_event_had_by(const pmix_info_t *info, size_t ninfo, const pmix_proc_t *proc);

#endif
