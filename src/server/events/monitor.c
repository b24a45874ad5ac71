/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A monitor has a period. At the end of each the server looks for a sign of life: a heartbeat came,
 * or the file has changed. The event is raised when more periods in a row have passed without one
 * than may be missed. A file is looked at by stat(2), and only for a peer of this server's user: a
 * peer of another user could learn of files that it may not see, or name one on a mount that does
 * not answer. */

#include "monitor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server_events.h"
#include "src/base/assert.h"
#include "src/base/bytes.h"
#include "src/event/registry.h"
#include "src/server/peers/peer.h"
#include "src/value/directives.h"
#include "src/value/infos.h"

/* Which property of a file has to change. */
enum { WATCH_SIZE = 1, WATCH_ACCESS = 2, WATCH_CHANGE = 4 };

/* One monitor; in s->monitors, which owns it. */
struct monitor {
    struct px_list link;
    struct px_timer timer;
    struct px_server *server;
    uint64_t peer;
    pmix_proc_t proc;
    char *id;   /* PMIX_MONITOR_ID, or NULL */
    char *file; /* NULL: heartbeats */
    pmix_status_t code;
    pmix_data_range_t range;
    uint64_t period_ms;
    uint32_t allowed;          /* periods that may be missed */
    uint32_t missed;           /* the last ones, one after the other */
    bool alerted;              /* the event was raised since the last sign of life */
    bool alive;                /* there was a heartbeat in this period */
    unsigned watched;          /* of the file: WATCH_ */
    struct stat seen;          /* of the file, when it was looked at last; zeros: there was none */
    struct px_holding holding; /* of the peer */
};

/* Takes a monitor off the list and frees it. */
static void monitor_destroy(struct monitor *monitor)
{
    px_timer_stop_loop(&monitor->timer);
    px_list_remove(&monitor->link);
    px_holding_give(monitor->server, &monitor->holding);
    free(monitor->id);
    free(monitor->file);
    free(monitor);
}

/* --- watching --- */

/* True if a watched property of the file has changed since the last look. A file that does not
 * exist does not change. */
static bool file_has_changed(struct monitor *monitor)
{
    struct stat before = monitor->seen;
    struct stat now;

    if (stat(monitor->file, &now) != 0) {
        memset(&monitor->seen, 0, sizeof(monitor->seen));
        return false;
    }
    monitor->seen = now;
    return ((monitor->watched & WATCH_SIZE) && now.st_size != before.st_size) ||
           ((monitor->watched & WATCH_ACCESS) &&
            memcmp(&now.st_atim, &before.st_atim, sizeof(now.st_atim)) != 0) ||
           ((monitor->watched & WATCH_CHANGE) &&
            memcmp(&now.st_mtim, &before.st_mtim, sizeof(now.st_mtim)) != 0);
}

/* Raises the monitor's event. The process is its source, as in other libraries: some handlers look
 * at nothing else. Its namespace is the range unless another one was given. Without memory the
 * event lacks infos. */
static void alert(struct monitor *monitor)
{
    struct px_server *s = monitor->server;
    struct px_event event = {
        .code = monitor->code, .source = monitor->proc, .range = monitor->range};
    pmix_info_t *info = NULL;
    size_t n = 0;

    if (event.range == PMIX_RANGE_PROC_LOCAL) { /* a server passes no such event on */
        event.range = PMIX_RANGE_CUSTOM;
        (void) px_infos_append(&info, &n, PMIX_EVENT_CUSTOM_RANGE, &monitor->proc, PMIX_PROC);
    }
    (void) px_infos_append(&info, &n, PMIX_EVENT_AFFECTED_PROC, &monitor->proc, PMIX_PROC);
    if (monitor->id) {
        (void) px_infos_append(&info, &n, PMIX_MONITOR_ID, monitor->id, PMIX_STRING);
    }
    if (monitor->file) {
        (void) px_infos_append(&info, &n, PMIX_MONITOR_FILE, monitor->file, PMIX_STRING);
    }
    event.info = info;
    event.ninfo = n;
    (void) px_event_fan_out(s, &event, PX_ORIGIN_MONITOR, px_peer_find(s, monitor->peer));
    PMIx_Info_free(info, n);
}

/* A period is over. The timer is set anew first: handlers of the event may end the monitor. */
static void period_over(struct px_timer *timer)
{
    struct monitor *monitor = px_container_of(timer, struct monitor, timer);
    bool alive = monitor->file ? file_has_changed(monitor) : monitor->alive;

    px_timer_start_loop(monitor->server->loop, timer, monitor->period_ms, period_over);
    monitor->alive = false;
    if (alive) {
        monitor->missed = 0;
        monitor->alerted = false;
        return;
    }
    monitor->missed += monitor->missed < UINT32_MAX ? 1 : 0;
    if (monitor->missed > monitor->allowed && !monitor->alerted) {
        monitor->alerted = true;
        alert(monitor);
    }
}

void px_monitor_beat(struct px_peer *peer)
{
    px_list_for(struct monitor, monitor, &peer->server->monitors, link) {
        if (monitor->peer == peer->id && !monitor->file) {
            monitor->alive = true;
        }
    }
}

/* --- requests --- */

int px_monitor_prepare(struct px_upcall *up, struct px_peer *peer)
{
    const struct px_args *args = up->args;
    struct px_monitor_directives directives;

    (void) peer;
    return px_monitor_read(args->info, args->ninfo, &directives);
}

/* How many monitors a peer has. */
static size_t count_monitors(const struct px_server *s, uint64_t peer)
{
    size_t n = 0;

    px_list_for(const struct monitor, monitor, &s->monitors, link) {
        n += monitor->peer == peer;
    }
    return n;
}

/* Sets the fields of a monitor that are not about its period: the process that is watched, and the
 * event. PMIX_ERR_NOMEM: the caller frees the monitor. */
static int describe(struct monitor *monitor, const struct px_upcall *up,
                    const struct px_monitor_directives *directives)
{
    const struct px_monitor_args *args = up->args;

    monitor->peer = up->reply_to.peer;
    monitor->proc = up->proc;
    monitor->range =
        directives->range != PMIX_RANGE_UNDEF ? directives->range : PMIX_RANGE_NAMESPACE;
    monitor->code = args->error;
    if (monitor->code == PMIX_SUCCESS) {
        monitor->code = monitor->file ? PMIX_MONITOR_FILE_ALERT : PMIX_MONITOR_HEARTBEAT_ALERT;
    }
    if (directives->id) {
        monitor->id = strdup(directives->id);
    }
    return directives->id && !monitor->id ? PMIX_ERR_NOMEM : 0;
}

/* Counts a monitor for its peer. 0 or PMIX_ERR_OUT_OF_RESOURCE. */
static int count_bytes(struct monitor *monitor)
{
    size_t texts =
        (monitor->id ? strlen(monitor->id) : 0) + (monitor->file ? strlen(monitor->file) : 0);

    return px_holding_take(px_peer_find(monitor->server, monitor->peer), PX_QUOTA_REQUESTS,
                           sizeof(*monitor) + texts, &monitor->holding);
}

/* Begins to watch. file: NULL for heartbeats. PMIX_OPERATION_SUCCEEDED, PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_NOMEM. */
static pmix_status_t start(const struct px_upcall *up,
                           const struct px_monitor_directives *directives, const char *file)
{
    uint32_t seconds = file ? directives->file_time : directives->beat_time;
    uint32_t drops = file ? directives->file_drops : directives->beat_drops;
    struct px_server *s = up->server;
    struct monitor *monitor;
    int rc;

    if (count_monitors(s, up->reply_to.peer) >= (size_t) px_param_int(PX_P_MAX_MONITORS)) {
        px_quota_refused(s, up->reply_to.peer, PX_P_MAX_MONITORS);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    monitor = calloc(1, sizeof(*monitor));
    if (!monitor) {
        return PMIX_ERR_NOMEM;
    }
    px_list_append(&s->monitors, &monitor->link);
    monitor->server = s;
    monitor->period_ms = (uint64_t) seconds * 1000;
    monitor->allowed = drops != PX_NOT_GIVEN ? drops : 0;
    monitor->file = file ? strdup(file) : NULL;
    monitor->watched = (directives->file_size ? WATCH_SIZE : 0) |
                       (directives->file_access ? WATCH_ACCESS : 0) |
                       (directives->file_modify ? WATCH_CHANGE : 0);
    monitor->watched = monitor->watched ? monitor->watched : WATCH_CHANGE;
    rc = file && !monitor->file ? PMIX_ERR_NOMEM : describe(monitor, up, directives);
    rc = rc ? rc : count_bytes(monitor);
    if (rc) {
        monitor_destroy(monitor);
        return rc;
    }
    px_timer_start_loop(s->loop, &monitor->timer, monitor->period_ms, period_over);
    if (monitor->file) {
        (void) file_has_changed(monitor);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

/* Ends the monitors of a peer with this id, or all of them (NULL). How many there were. */
static size_t cancel(struct px_server *s, uint64_t peer, const char *id)
{
    size_t n = 0;

    px_list_for(struct monitor, monitor, &s->monitors, link) {
        if (monitor->peer == peer && (!id || (monitor->id && strcmp(monitor->id, id) == 0))) {
            monitor_destroy(monitor);
            n++;
        }
    }
    return n;
}

/* Passes the request to the host: one info tells what to watch, the others are directives. */
static pmix_status_t ask_host(struct px_upcall *up)
{
    const struct px_monitor_args *args = up->args;
    pmix_server_monitor_fn_t fn = up->server->host.monitor;

    return fn ? fn(&up->proc, &args->monitor, args->error, args->head.info, args->head.ninfo,
                   px_hostcb_infos, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* True if a number of seconds is given. */
static bool is_time(uint32_t seconds)
{
    return seconds != PX_NOT_GIVEN && seconds > 0;
}

pmix_status_t px_monitor_call(struct px_upcall *up)
{
    const struct px_monitor_args *args = up->args;
    const struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);
    const pmix_value_t *file = px_info_find(&args->monitor, 1, PMIX_MONITOR_FILE);
    const pmix_value_t *ended = px_info_find(&args->monitor, 1, PMIX_MONITOR_CANCEL);
    struct px_monitor_directives directives = px_monitor_absent();
    const char *name = file ? px_value_text(file) : NULL;

    px_assert(px_loop_inside(up->server->loop));
    (void) px_monitor_read(args->head.info, args->head.ninfo, &directives); /* px_monitor_prepare */
    if (!peer || directives.targets) {
        return ask_host(up);
    }
    if (ended && cancel(up->server, peer->id, px_value_text(ended)) > 0) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    if (name && peer->uid == up->server->uid && is_time(directives.file_time)) {
        return start(up, &directives, name);
    }
    if (px_info_find(&args->monitor, 1, PMIX_MONITOR_HEARTBEAT) && is_time(directives.beat_time)) {
        return start(up, &directives, NULL);
    }
    return ask_host(up);
}

/* --- the end --- */

void px_monitors_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    (void) cancel(s, peer->id, NULL);
}

void px_monitors_drop_all(struct px_server *s)
{
    while (!px_list_empty(&s->monitors)) {
        monitor_destroy(px_container_of(s->monitors.next, struct monitor, link));
    }
}
