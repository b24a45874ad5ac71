/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a run of a case says of each of its requirements. A set of them is a mask, in the order in
 * which the case names them. A process says what it is trying, in memory that outlives it: that is
 * how an end by a signal, or none in time, is laid to the right one. */

#include "inside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { UNSAID = -1, MAX_DEPTH = 8 };

/* Of this process: what checks count for that do not say it themselves. */
static _Atomic int64_t now = UNSAID;
static struct trial *mine;

static _Thread_local uint32_t before[MAX_DEPTH];
static _Thread_local int depth;

/* ---- names */

static int word(const char **at, char *to, size_t room)
{
    size_t n;

    *at += strspn(*at, " ");
    n = strcspn(*at, " ");
    snprintf(to, room, "%.*s", (int) n, *at);
    *at += n;
    return n > 0;
}

/* "S02" names a scenario, which is no requirement. */
static bool scenario(const char *id)
{
    return strchr(id, '-') == NULL;
}

static uint32_t mask_of(const char *ids)
{
    char id[MAX_ID];
    uint32_t mask = 0;

    while (ids != NULL && word(&ids, id, sizeof(id))) {
        int i = 0;

        while (i < board->n_ids && strcmp(board->ids[i].name, id) != 0) {
            i++;
        }
        if (i == board->n_ids) {
            board_line(true, "%s is not an id of this case", id);
        } else {
            mask |= (uint32_t) 1 << i;
        }
    }
    return mask;
}

void verdict_prepare(const struct conform_case *c)
{
    const char *at = c->ids;
    char id[MAX_ID];

    atomic_store(&now, UNSAID);
    while (board->n_ids < MAX_IDS && word(&at, id, sizeof(id))) {
        if (!scenario(id)) {
            memcpy(board->ids[board->n_ids++].name, id, sizeof(id));
        }
    }
    board->otherwise = c->otherwise != NULL ? mask_of(c->otherwise) : board->n_ids == 1;
}

/* ---- trying */

static uint32_t trying(void)
{
    int64_t said = atomic_load(&now);

    return said == UNSAID ? board->otherwise : (uint32_t) said;
}

static void say(int64_t mask)
{
    atomic_store(&now, mask);
    if (mine != NULL) {
        atomic_store(&mine->mask, trying());
    }
}

void trial_begin(void)
{
    uint32_t place = atomic_fetch_add(&board->n_trials, 1);

    if (place < MAX_TRIALS) {
        mine = &board->trials[place];
        atomic_store(&mine->mask, trying());
        atomic_store(&mine->pid, (int) getpid());
    }
}

void trial_end(void)
{
    if (mine != NULL) {
        atomic_store(&mine->mask, 0);
        atomic_store(&mine->over, true);
    }
    say(0);
}

void setup_failed(void)
{
    atomic_store(&board->unprepared, true);
}

void about(const char *ids)
{
    say(ids != NULL ? (int64_t) mask_of(ids) : UNSAID);
}

static void enter(uint32_t mask)
{
    if (depth < MAX_DEPTH) {
        before[depth] = trying();
    }
    depth++;
    say(mask);
}

void conform_enter(const char *ids)
{
    enter(mask_of(ids));
}

void conform_enter_if(const char *id)
{
    bool has = false;

    for (int i = 0; i < board->n_ids; i++) {
        has = has || strcmp(board->ids[i].name, id) == 0;
    }
    enter(has ? mask_of(id) : 0);
}

void conform_leave(void)
{
    depth--;
    if (depth < MAX_DEPTH) {
        say(before[depth]);
    }
}

/* A check is done: for whom it counts. */
uint32_t verdict_note(bool holds)
{
    uint32_t mask = trying();

    for (int i = 0; i < board->n_ids; i++) {
        if ((mask >> i & 1) != 0) {
            atomic_fetch_add(&board->ids[i].tried, 1);
            atomic_fetch_add(&board->ids[i].failed, holds ? 0 : 1);
        }
    }
    return mask;
}

void verdict_names(uint32_t mask, char *to, size_t room)
{
    size_t at = 0;

    to[0] = '\0';
    for (int i = 0; i < board->n_ids && board->n_ids > 1 && at < room; i++) {
        if ((mask >> i & 1) != 0) {
            at += (size_t) snprintf(to + at, room - at, "%s ", board->ids[i].name);
        }
    }
}

/* ---- ends */

/* A process ended by a signal: what it was trying then, or, of a host, what anybody was. */
void verdict_crash(pid_t pid, bool host)
{
    uint32_t n = atomic_load(&board->n_trials);
    uint32_t blamed = 0;
    bool found = false;

    for (uint32_t i = 0; i < n && i < MAX_TRIALS; i++) {
        bool own = atomic_load(&board->trials[i].pid) == (int) pid;

        found = found || own;
        blamed |= own || host ? atomic_load(&board->trials[i].mask) : 0;
    }
    if (!host && !found) {
        setup_failed();
    }
    atomic_fetch_or(&board->crashed, blamed);
    atomic_store(&board->unsound, true);
}

void verdict_hang(void)
{
    uint32_t n = atomic_load(&board->n_trials);

    for (uint32_t i = 0; i < n && i < MAX_TRIALS; i++) {
        board->hung |= atomic_load(&board->trials[i].mask);
    }
    atomic_store(&board->unsound, true);
}

/* Of a case that ended well: whoever names ids names all of them. */
void verdict_complete(void)
{
    bool any = false;

    for (int i = 0; i < board->n_ids; i++) {
        any = any || atomic_load(&board->ids[i].tried) > 0;
    }
    for (int i = 0; i < board->n_ids && any; i++) {
        if (atomic_load(&board->ids[i].tried) == 0) {
            board_line(true, "no check was for %s", board->ids[i].name);
        }
    }
}

const char *verdict(int i)
{
    uint32_t bit = (uint32_t) 1 << i;

    if (atomic_load(&board->unprepared) || atomic_load(&board->n_trials) == 0) {
        return "setup";
    }
    if ((atomic_load(&board->crashed) & bit) != 0) {
        return "crash";
    }
    if (atomic_load(&board->ids[i].failed) > 0) {
        return "fail";
    }
    if ((board->hung & bit) != 0) {
        return "hang";
    }
    if (atomic_load(&board->unsound)) {
        return "setup";
    }
    return atomic_load(&board->ids[i].tried) > 0 || atomic_load(&board->failures) == 0 ? "pass"
                                                                                       : "setup";
}
