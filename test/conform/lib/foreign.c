/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Cases under the daemon of somebody else: its command starts the ranks, on this machine, and what
 * it is asked is not to be seen. So only cases run that say nothing to their host. */

#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *host_command;

static bool scripted(const struct conform_case *c)
{
    for (int i = 0; i < N_ENTRIES; i++) {
        if (c->host[i].how != BY_DEFAULT) {
            return true;
        }
    }
    return c->server != NULL || c->setup != NULL || c->script != NULL || c->no_module;
}

const char *foreign_obstacle(const struct conform_case *c)
{
    if (scripted(c) || c->own_host) {
        return "needs its own host";
    }
    if (c->client == NULL || c->raw || c->alone || c->tools > 0) {
        return "needs its own host: its processes are no ranks";
    }
    if (c->nodes > 1 || c->jobs[0].ranks[1] > 0) {
        return "needs its own host: several nodes";
    }
    if (c->jobs[1].name != NULL || c->jobs[0].later || c->jobs[0].quiet) {
        return "needs its own host: several jobs";
    }
    return NULL;
}

/* The command with %n (how many) and %p (the program and its arguments). */
static void expand(char *to, size_t room)
{
    size_t at = 0;

    for (const char *c = host_command; *c != '\0' && at + 1 < room; c++) {
        if (c[0] == '%' && c[1] == 'n') {
            at += (size_t) snprintf(to + at, room - at, "%d", job_size(&board->jobs[0]));
            c++;
        } else if (c[0] == '%' && c[1] == 'p') {
            at += (size_t) snprintf(to + at, room - at, "'%s' --client '%s'", program_path,
                                    board_path);
            c++;
        } else {
            to[at++] = *c;
        }
    }
    to[at < room ? at : room - 1] = '\0';
}

void foreign_host(void)
{
    char command[4096];

    expand(command, sizeof(command));
    /* What it says is its own; ours goes to the board. */
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        execl("/bin/sh", "sh", "-c", command, (char *) NULL);
    }
    _exit(127);
}

/* A rank ends here: what it is to see, another's host does not show. */
void foreign_unless(void)
{
    if (board->foreign) {
        atomic_store(&board->wants_own_host, true);
        _exit(0);
    }
}

const char *nspace_of(const char *job)
{
    return board->foreign && job != NULL && strcmp(job, "A") == 0 ? me.nspace : job;
}

const char *job_of(const char *nspace)
{
    return board->foreign && strcmp(nspace, me.nspace) == 0 ? "A" : nspace;
}
