/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Worlds in which there is no shared memory to be had, or little, or where it must not be trusted;
 * and folders in which nothing can be written. A case neither knows nor sees in which it lives.
 * Where its processes start to be in it is in the table: from the start (a setting), before the
 * server, after a job is registered and before anybody has seen its segment, or in each rank. */

#include "inside.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum mapped { MAPPED, NOT_MAPPED, EITHER };

struct world {
    const char *name;
    enum mapped mapped; /* has a rank the segment? */
    const char *setting;
    const char *value;
    int refused; /* a system call, which fails with `error` */
    int error;
    unsigned long mount; /* flags of a file system of 1 MiB in the place of the case's folder */
    bool mounts;
    uint64_t file_bytes;   /* how large a file may grow, plus one: 0 is no limit */
    uint64_t server_space; /* how much more a server may map, or a rank */
    uint64_t rank_space;
    int spoilt_at; /* this byte of a new segment */
    uint8_t spoilt_to;
    bool mixed; /* odd ranks read by messages */
    int apart;  /* flags of clone for ranks */
};

#define CONTAINER (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#define MIB       ((uint64_t) 1 << 20)

static const struct world worlds[] = {
    {.name = "plain", .mapped = MAPPED},
    {.name = "off", .mapped = NOT_MAPPED, .setting = "PMIX_MCA_shmix_shared", .value = "0"},
    {.name = "messages", .mapped = NOT_MAPPED, .setting = "PMIX_MCA_gds", .value = "hash"},
    {.name = "tcp", .mapped = NOT_MAPPED, .setting = "PMIX_MCA_shmix_door_unix", .value = "0"},
    {.name = "mixed", .mapped = EITHER, .mixed = true},
    {.name = "memfd-forbidden", .mapped = NOT_MAPPED, .refused = SYS_memfd_create, .error = EPERM},
    {.name = "memfd-unknown", .mapped = NOT_MAPPED, .refused = SYS_memfd_create, .error = ENOSYS},
    {.name = "memory-full", .mapped = NOT_MAPPED, .refused = SYS_fallocate, .error = ENOSPC},
    {.name = "sealing-refused", .mapped = NOT_MAPPED, .refused = SYS_fchmod, .error = EPERM},
    {.name = "files-of-1M", .mapped = MAPPED, .file_bytes = MIB + 1},
    {.name = "files-of-0", .mapped = NOT_MAPPED, .file_bytes = 1},
    {.name = "server-space", .mapped = MAPPED, .server_space = 512 * MIB},
    {.name = "rank-space", .mapped = NOT_MAPPED, .rank_space = 256 * MIB},
    {.name = "folder-of-1M", .mapped = MAPPED, .mounts = true},
    {.name = "folder-read-only", .mapped = MAPPED, .mounts = true, .mount = MS_RDONLY},
    {.name = "container", .mapped = MAPPED, .apart = CONTAINER},
    {.name = "magic", .mapped = NOT_MAPPED, .spoilt_at = 7, .spoilt_to = '9'},
    {.name = "layout", .mapped = NOT_MAPPED, .spoilt_at = 8, .spoilt_to = 0x7f},
    {.name = "byte-order", .mapped = NOT_MAPPED, .spoilt_at = 16, .spoilt_to = 0x55},
    {.name = "fingerprint", .mapped = NOT_MAPPED, .spoilt_at = 24, .spoilt_to = 0x55},
    {.name = "other-name", .mapped = NOT_MAPPED, .spoilt_at = 64, .spoilt_to = 'Z'},
};
enum { WORLDS = sizeof(worlds) / sizeof(worlds[0]) };

static const struct world *here(void)
{
    return &worlds[board->world];
}

int world_find(const char *name)
{
    for (int i = 0; i < WORLDS; i++) {
        if (strcmp(worlds[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

void world_list(void)
{
    for (int i = 0; i < WORLDS; i++) {
        printf("%s %s\n", worlds[i].name,
               worlds[i].mapped == MAPPED       ? "mapped"
               : worlds[i].mapped == NOT_MAPPED ? "messages"
                                                : "either");
    }
}

/* ---- what makes it */

static bool refuse(int number, int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned) number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned) error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static bool limit(int what, uint64_t n)
{
    struct rlimit both = {n, n};

    return setrlimit(what, &both) == 0;
}

static uint64_t address_space(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    uint64_t pages = 0;

    if (statm != NULL) {
        sound(fscanf(statm, "%lu", &pages) == 1, "statm");
        fclose(statm);
    }
    return pages * 4096;
}

/* Mounts are seen by this process and what it starts only. */
static bool own_mounts(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Tried in a process of its own. */
bool world_permitted(int number)
{
    const struct world *w = &worlds[number];
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        bool can = (!w->mounts || own_mounts()) && (w->apart == 0 || unshare(w->apart) == 0) &&
                   (w->refused == 0 || refuse(w->refused, w->error));
        _exit(!can);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

bool world_begin(void)
{
    static bool mine;

    if (!here()->mounts) {
        return true;
    }
    mine = mine || own_mounts();
    return mine &&
           mount("conform", board->scratch, "tmpfs", here()->mount, "size=1m,mode=0700") == 0;
}

void world_end(void)
{
    if (here()->mounts) {
        umount2(board->scratch, MNT_DETACH);
        rmdir(board->scratch);
    }
}

void world_set(void)
{
    if (here()->setting != NULL) {
        setenv(here()->setting, here()->value, 1);
    }
}

bool world_wants_files(void)
{
    return here()->mounts && (here()->mount & MS_RDONLY) == 0;
}

void world_enter_host(void)
{
    const struct world *w = here();

    sound(w->file_bytes == 0 || limit(RLIMIT_FSIZE, w->file_bytes - 1), "a limit of files");
    sound(w->server_space == 0 || limit(RLIMIT_AS, address_space() + w->server_space),
          "a limit of memory");
    sound(w->refused == 0 || refuse(w->refused, w->error), "a system call that fails");
}

/* Changes the header of the segments that this host has of a job, which nobody has been given. */
void world_registered(const char *nspace)
{
    FILE *maps = here()->spoilt_at > 0 ? fopen("/proc/self/maps", "r") : NULL;
    char line[4096];
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        char *base = (char *) (uintptr_t) strtoull(line, NULL, 16);

        if (strstr(line, " rw-s ") != NULL && strstr(line, "memfd:shmix (") != NULL &&
            strcmp(base + 64, nspace) == 0) {
            base[here()->spoilt_at] = (char) here()->spoilt_to;
            n++;
        }
    }
    if (maps != NULL) {
        fclose(maps);
        sound(n > 0 || !board->shared, "there is a segment of %s", nspace);
    }
}

pid_t world_fork(void)
{
    if (here()->apart == 0) {
        return fork();
    }
    return (pid_t) syscall(SYS_clone, here()->apart | SIGCHLD, 0, 0, 0, 0);
}

void world_enter_rank(void)
{
    const struct world *w = here();

    sound(w->rank_space == 0 || limit(RLIMIT_AS, address_space() + w->rank_space),
          "a limit of memory");
    if (w->mixed && self.rank % 2 == 1) {
        setenv("PMIX_MCA_gds", "hash", 1);
    }
}

/* ---- and whether it is as it should be */

void world_check_rank(void)
{
    enum mapped want = the_case()->unmapped ? EITHER : board->shared ? here()->mapped : NOT_MAPPED;
    FILE *maps = want != EITHER ? fopen("/proc/self/maps", "r") : NULL;
    char line[4096];
    bool found = false;

#ifdef CONFORM_THEIRS
    want = EITHER;
#endif
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        found = found || (strstr(line, " r--s ") != NULL && strstr(line, "memfd:shmix (") != NULL);
    }
    if (maps != NULL) {
        fclose(maps);
    }
    sound(want == EITHER || found == (want == MAPPED), "a segment is %s",
          found ? "mapped" : "not mapped");
}
