/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm top: what the servers of this node do, again and again, out of the areas that they
 * publish. On a terminal the table is drawn in place, on a screen of its own. */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "proc_state.h"
#include "shm.h"
#include "src/base/clock.h"
#include "src/base/status.h"
#include "src/tools/quote.h"
#include "src/waits/words.h"
#include "waits.h"

/* A round: the servers, and when they were read. */
struct round {
    struct px_waits_all all;
    uint64_t ns;
    bool there; /* it has been read */
};

/* --- what a server says --- */

static uint64_t count_of(const struct px_waits_server *server, enum px_waits_count which)
{
    return server->copy->area.counts[which];
}

/* The same server in the round before; NULL: it was not there, or another had its number. */
static const struct px_waits_server *before(const struct round *last,
                                            const struct px_waits_server *server)
{
    for (size_t i = 0; last->there && i < last->all.n_servers; i++) {
        const struct px_waits_server *old = &last->all.servers[i];

        if (old->copy && old->pid == server->pid &&
            strcmp(old->copy->area.head.nspace, server->copy->area.head.nspace) == 0 &&
            count_of(old, PX_WAITS_N_MESSAGES) <= count_of(server, PX_WAITS_N_MESSAGES)) {
            return old;
        }
    }
    return NULL;
}

/* How much a count has grown in a second since the round before; 0 for a server that is new. */
static double rate_of(const struct round *now, const struct round *last,
                      const struct px_waits_server *server, enum px_waits_count which)
{
    const struct px_waits_server *old = before(last, server);
    uint64_t ns = now->ns - last->ns;

    if (!old || !ns || count_of(old, which) > count_of(server, which)) {
        return 0;
    }
    return (double) (count_of(server, which) - count_of(old, which)) * 1e9 / (double) ns;
}

/* Open waits: collectives, or others. Those that the server had no room for count as others. */
static uint64_t n_open(const struct px_waits_server *server, bool collectives)
{
    uint64_t n = collectives ? 0 : server->copy->area.hidden;

    for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
        const struct px_waits_entry *e = &server->copy->area.entries[i];

        n += e->kind != PX_WAITS_NONE && (px_waits_is_collective(e) != 0) == collectives;
    }
    return n;
}

/* --- for programs --- */

static const struct {
    const char *name;
    enum px_waits_count which;
    const char *rate; /* NULL: it is of the moment */
} counts[] = {
    {"nspaces", PX_WAITS_N_NSPACES, NULL},
    {"processes", PX_WAITS_N_PROCS, NULL},
    {"connections", PX_WAITS_N_CONNECTIONS, NULL},
    {"requests", PX_WAITS_N_MESSAGES, "requests_per_second"},
    {"bytes_in", PX_WAITS_BYTES_IN, "bytes_in_per_second"},
    {"bytes_out", PX_WAITS_BYTES_OUT, "bytes_out_per_second"},
    {"collectives", PX_WAITS_N_COLLECTIVES, "collectives_per_second"},
    {"events", PX_WAITS_N_EVENTS, "events_per_second"},
    {"kept_events", PX_WAITS_N_KEPT, NULL},
};

static void print_object(const struct round *now, const struct round *last,
                         const struct px_waits_server *server)
{
    const struct px_waits_head *head = server->copy ? &server->copy->area.head : NULL;
    struct px_proc_state state;

    px_proc_state(server->pid, &state);
    px_out_open(NULL);
    px_out_number("pid", (uint64_t) server->pid);
    px_out_text("state", px_proc_state_text(state.state));
    px_out_text("unreadable", server->unreadable);
    if (head) {
        px_out_text("nspace", head->nspace);
        px_out_number("rank", head->rank);
        px_out_text("hostname", head->hostname);
    }
    for (size_t i = 0; head && i < sizeof(counts) / sizeof(counts[0]); i++) {
        px_out_number(counts[i].name, count_of(server, counts[i].which));
        if (counts[i].rate && last->there) {
            px_out_real(counts[i].rate, rate_of(now, last, server, counts[i].which));
        }
    }
    if (head) {
        px_out_number("open_collectives", n_open(server, true));
        px_out_number("other_waits", n_open(server, false));
    }
    px_out_close();
}

static void print_tree(const struct round *now, const struct round *last, pid_t pid)
{
    px_out_open(NULL);
    px_out_open_list("servers");
    for (size_t i = 0; i < now->all.n_servers; i++) {
        if (!pid || now->all.servers[i].pid == pid) {
            print_object(now, last, &now->all.servers[i]);
        }
    }
    px_out_close_list();
    px_out_close();
    px_out_end();
}

/* --- for people --- */

/* A number in five places: 12345, 123k, 1.5M. */
static const char *brief(double number, char room[16])
{
    static const char units[] = " kMGTPE";
    int unit = 0;

    while (number >= (unit ? 1000 : 100000) && unit < 6) {
        number /= 1000;
        unit++;
    }
    if (!unit) {
        (void) snprintf(room, 16, "%.0f", number);
    } else {
        (void) snprintf(room, 16, number < 10 ? "%.1f%c" : "%.0f%c", number, units[unit]);
    }
    return room;
}

/* The line of a server, without its end; malloc'd, or NULL. */
static char *make_line(const struct round *now, const struct round *last,
                       const struct px_waits_server *server)
{
    static const enum px_waits_count shown[] = {
        PX_WAITS_N_NSPACES, PX_WAITS_N_PROCS,   PX_WAITS_N_CONNECTIONS, PX_WAITS_N_MESSAGES,
        PX_WAITS_BYTES_IN,  PX_WAITS_BYTES_OUT, PX_WAITS_N_COLLECTIVES, PX_WAITS_N_KEPT};
    struct px_proc_state state;
    char *line = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&line, &len);
    char room[16];

    if (!to) {
        return NULL;
    }
    px_proc_state(server->pid, &state);
    fprintf(to, "%8d %c", (int) server->pid, state.state ? state.state : '-');
    for (size_t i = 0; server->copy && i < sizeof(shown) / sizeof(shown[0]); i++) {
        bool is_rate = last->there && shown[i] >= PX_WAITS_N_MESSAGES && shown[i] < PX_WAITS_N_KEPT;
        double number =
            is_rate ? rate_of(now, last, server, shown[i]) : (double) count_of(server, shown[i]);

        fprintf(to, " %6s", brief(number, room));
    }
    if (server->copy) {
        const struct px_waits_head *head = &server->copy->area.head;

        fprintf(to, " %6" PRIu64 " %6" PRIu64 "  ", n_open(server, true), n_open(server, false));
        px_escape(to, head->nspace, strlen(head->nspace), false);
        fprintf(to, ":%" PRIu32 " on ", head->rank);
        px_escape(to, head->hostname, strlen(head->hostname), false);
    } else {
        fprintf(to, "  unreadable: %s", server->unreadable);
    }
    if (fclose(to)) {
        free(line);
        return NULL;
    }
    return line;
}

/* At most `columns` wide, 0: as it is, and without a half character of UTF-8 at the end. */
static void put_line(const char *line, size_t columns)
{
    size_t len = strlen(line);

    if (columns && len > columns) {
        len = columns;
        while (len && ((unsigned char) line[len] & 0xc0) == 0x80) {
            len--;
        }
    }
    fwrite(line, 1, len, stdout);
    putchar('\n');
}

static void print_table(const struct round *now, const struct round *last, pid_t pid,
                        const struct winsize *size)
{
    size_t left = size->ws_row > 2 ? (size_t) size->ws_row - 2U : SIZE_MAX;
    size_t more = 0;

    put_line(last->there ? "     pid s nspace  procs  conns  req/s   in/s  out/s coll/s   kept "
                           "colls  waits  server"
                         : "     pid s nspace  procs  conns   reqs     in    out   done   kept "
                           "colls  waits  server",
             size->ws_col);
    for (size_t i = 0; i < now->all.n_servers; i++) {
        char *line = NULL;

        if (pid && now->all.servers[i].pid != pid) {
            continue;
        }
        more += left == 0;
        line = left ? make_line(now, last, &now->all.servers[i]) : NULL;
        if (line) {
            put_line(line, size->ws_col);
            left--;
        }
        free(line);
    }
    if (more) {
        printf("and %zu more", more);
    }
}

/* --- rounds --- */

/* Reads a round. 0 or PMIX_ERR_NOMEM; in one look PMIX_ERR_NOT_FOUND if the server is not there. */
static int look(const struct px_shm_top_want *want, struct round *ret)
{
    bool found = !want->pid || !want->once;

    ret->ns = px_clock_ns();
    ret->there = px_waits_find(&ret->all) == 0;
    for (size_t i = 0; i < ret->all.n_servers; i++) {
        found = found || ret->all.servers[i].pid == want->pid;
    }
    return !ret->there ? PMIX_ERR_NOMEM : found ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
}

/* Waits for the interval to end. The number of a signal that ends the command, or 0. */
static int pause_for(const sigset_t *ends, int seconds)
{
    const struct timespec time = {.tv_sec = seconds};
    int sig;

    do {
        sig = sigtimedwait(ends, NULL, &time);
    } while (sig < 0 && errno == EINTR);
    return sig > 0 ? sig : 0;
}

/* A screen of its own without a cursor, and what was there before. Not to be interrupted. */
static void open_screen(void)
{
    fputs("\033[?1049h\033[?25l", stdout);
}

static void close_screen(void)
{
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
}

static void print(const struct px_shm_top_want *want, const struct round *now,
                  const struct round *last, bool terminal)
{
    struct winsize size = {0};

    if (want->tree) {
        print_tree(now, last, want->pid);
    } else if (terminal) {
        (void) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
        fputs("\033[H\033[J", stdout);
        print_table(now, last, want->pid, &size);
    } else {
        print_table(now, last, want->pid, &size);
        if (!want->once) {
            putchar('\n');
        }
    }
    fflush(stdout);
}

/* Signals that end it are taken between rounds only, so that the terminal can be given back. */
int px_shm_top(const struct px_shm_top_want *want)
{
    bool terminal = !want->once && !want->tree && isatty(STDOUT_FILENO);
    struct round last = {0};
    struct round now = {0};
    sigset_t ends;
    int sig = 0;
    int rc;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGQUIT);
    (void) sigprocmask(SIG_BLOCK, &ends, NULL);
    if (terminal) {
        open_screen();
    }
    do {
        px_waits_all_free(&last.all);
        last = now;
        now = (struct round){0};
        rc = look(want, &now);
        if (rc == PMIX_SUCCESS) {
            print(want, &now, &last, terminal);
        }
        sig = rc || want->once || ferror(stdout) ? 0 : pause_for(&ends, want->interval_s);
    } while (!rc && !want->once && !sig && !ferror(stdout));
    if (terminal) {
        close_screen();
    }
    px_waits_all_free(&last.all);
    px_waits_all_free(&now.all);
    if (sig) {
        (void) raise(sig); /* it is pending until it is let in */
        (void) sigprocmask(SIG_UNBLOCK, &ends, NULL);
    }
    return rc;
}
