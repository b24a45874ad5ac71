/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Servers beside those of the nodes: started, ended and killed by a tool, each in a process of its
 * own; and folders for their files. */

#include "inside.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void step_of(int number, const char *what, char *to, size_t room)
{
    snprintf(to, room, "conform: server %d %s", number, what);
}

int further_main(void)
{
    int before = open_descriptors();
    int number = self.rank;
    struct infos list = {0};
    char name[32];
    char begun[48];
    char ends[48];
    int ended;
    pmix_status_t rc;

    self.node = number;
    self.in_host = true;
    board->servers[number] = getpid();
    step_of(number, "begun", begun, sizeof(begun));
    step_of(number, "ends", ends, sizeof(ends));
    ended = told(ends);
    snprintf(name, sizeof(name), "server%d", number);
    add_text(&list, PMIX_HOSTNAME, node_name(0));
    add_text(&list, PMIX_SERVER_NSPACE, name);
    if (the_case()->further != NULL) {
        the_case()->further(number, &list);
    }
    rc = PMIx_server_init(module_make(), list.at, list.n);
    free_infos(&list);
    atomic_store(&board->init_status[number], rc);
    tell(begun);
    if (rc != PMIX_SUCCESS) {
        return 0;
    }
    await_n(ends, ended + 1);
    rc = PMIx_server_finalize();
    sound(rc == PMIX_SUCCESS, "server_finalize: %s", PMIx_Error_string(rc));
    sound(open_descriptors() <= before, "descriptors were left open");
    return 0;
}

pmix_status_t server_begin(int number)
{
    char begun[48];
    int n;

    step_of(number, "begun", begun, sizeof(begun));
    n = told(begun);
    process_start(FURTHER, (pmix_rank_t) number);
    await_n(begun, n + 1);
    if (atomic_load(&board->init_status[number]) != PMIX_SUCCESS) {
        rank_reap(FURTHER, (pmix_rank_t) number);
    }
    return atomic_load(&board->init_status[number]);
}

void server_end(int number)
{
    char ends[48];

    step_of(number, "ends", ends, sizeof(ends));
    tell(ends);
    rank_reap(FURTHER, (pmix_rank_t) number);
}

void server_kill(int number)
{
    rank_kill(FURTHER, (pmix_rank_t) number, SIGKILL);
}

/* ---- folders */

static const char *path_of(const char *name)
{
    char path[400];

    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    return board_text(path);
}

const char *make_folder(const char *name)
{
    const char *path = path_of(name);

    sound(mkdir(path, 0755) == 0 || errno == EEXIST, "a folder");
    return path;
}

void remove_folder(const char *name)
{
    const char *path = path_of(name);

    check(count_entries(path, "") == 0, "%s is empty", name);
    (void) rmdir(path);
}

int count_entries(const char *path, const char *name)
{
    DIR *dir = opendir(path);
    int n = 0;

    if (dir == NULL) {
        return -1;
    }
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
             strncmp(e->d_name, name, strlen(name)) == 0;
    }
    closedir(dir);
    return n;
}
