/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The library loaded, used and unloaded again and again, as by a plug-in of a program that does not
 * know it: no mapping, no thread and no descriptor is left, a fork and the end of a thread that has
 * read call nothing that has gone. With "up" it is closed while it is up: its thread goes on.
 * usage: loaded LIBRARY [up]
 * Covers: SHM-023 */

#include <dirent.h>
#include <dlfcn.h>
#include <pmix.h>
#include <pmix_server.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM = 3, TIMES = 20 };

typedef pmix_status_t (*init_fn)(pmix_server_module_t *, pmix_info_t *, size_t);
typedef pmix_status_t (*get_fn)(const pmix_proc_t *, const char *, const pmix_info_t *, size_t,
                                pmix_value_t **);
typedef pmix_status_t (*finalize_fn)(void);

static pthread_barrier_t read_it;
static pthread_barrier_t unloaded;
static void *library;

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "loaded: %s\n", what);
        exit(1);
    }
}

static unsigned entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned n = 0;

    must(dir != NULL, path);
    while (readdir(dir)) {
        n++;
    }
    closedir(dir);
    return n;
}

/* How many threads there are; one that was joined is listed for a moment more. */
static unsigned threads(void)
{
    time_t end = time(NULL) + 10;
    unsigned n;

    do {
        (void) sched_yield();
        n = entries("/proc/self/task") - 2;
    } while (n > 1 && time(NULL) < end);
    return n;
}

static unsigned mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    unsigned n = 0;

    must(maps != NULL, "maps");
    while (fgets(line, sizeof(line), maps)) {
        n += strstr(line, "libpmix") != NULL || strstr(line, "memfd") != NULL;
    }
    fclose(maps);
    return n;
}

/* A thread that has read outlives the library. */
static void *reader(void *arg)
{
    get_fn get = (get_fn) dlsym(library, "PMIx_Get");
    pmix_value_t *value = NULL;

    must(get(NULL, "no such key", NULL, 0, &value) != PMIX_SUCCESS, "a key that nobody has");
    pthread_barrier_wait(&read_it);
    pthread_barrier_wait(&unloaded);
    return arg;
}

static void once(const char *path)
{
    pthread_t thread;
    int status;
    pid_t pid;

    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    must(library != NULL, "dlopen");
    must(((init_fn) dlsym(library, "PMIx_server_init"))(NULL, NULL, 0) == PMIX_SUCCESS, "init");
    must(pthread_create(&thread, NULL, reader, NULL) == 0, "a thread");
    pthread_barrier_wait(&read_it);
    must(((finalize_fn) dlsym(library, "PMIx_server_finalize"))() == PMIX_SUCCESS, "finalize");
    must(dlclose(library) == 0, "dlclose");
    pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    must(waitpid(pid, &status, 0) == pid && status == 0, "a fork afterwards");
    pthread_barrier_wait(&unloaded);
    must(pthread_join(thread, NULL) == 0, "the end of a thread");
}

/* A door of the server in this process. */
static int find_door(struct sockaddr_storage *at, socklen_t *len)
{
    for (int fd = 3; fd < 256; fd++) {
        int listens = 0;
        socklen_t n = sizeof(listens);

        *len = sizeof(*at);
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) == 0 && listens &&
            getsockname(fd, (struct sockaddr *) at, len) == 0) {
            return at->ss_family;
        }
    }
    return AF_UNSPEC;
}

/* What knocks with nonsense is sent away, by a thread that is in the library. */
static void knock(void)
{
    static const char nonsense[4096] = "who is there";
    struct sockaddr_storage door;
    socklen_t len;
    char byte;
    int family = find_door(&door, &len);
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(family != AF_UNSPEC && fd >= 0, "a door");
    must(connect(fd, (struct sockaddr *) &door, len) == 0, "connect");
    must(send(fd, nonsense, sizeof(nonsense), MSG_NOSIGNAL) > 0, "send");
    while (read(fd, &byte, 1) > 0) {
    }
    close(fd);
}

static int close_while_up(const char *path)
{
    int status;
    pid_t pid;

    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    must(library != NULL, "dlopen");
    must(((init_fn) dlsym(library, "PMIx_server_init"))(NULL, NULL, 0) == PMIX_SUCCESS, "init");
    must(dlclose(library) == 0, "dlclose");
    knock();
    pid = fork();
    if (pid == 0) {
        exit(0);
    }
    must(waitpid(pid, &status, 0) == pid && status == 0, "a child that exits");
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    must(library != NULL, "dlopen again");
    knock();
    must(((finalize_fn) dlsym(library, "PMIx_server_finalize"))() == PMIX_SUCCESS, "finalize");
    must(dlclose(library) == 0, "dlclose again");
    printf("mappings %u\n", mappings());
    return 0;
}

int main(int argc, char **argv)
{
    unsigned fds = 0;
    unsigned maps = 0;

    if (argc < 2) {
        return 2;
    }
    alarm(100);
    if (argc > 2) {
        return close_while_up(argv[1]);
    }
    pthread_barrier_init(&read_it, NULL, 2);
    pthread_barrier_init(&unloaded, NULL, 2);
    for (int i = 0; i < WARM + TIMES; i++) {
        if (i == WARM) {
            fds = entries("/proc/self/fd");
            maps = mappings();
        }
        once(argv[1]);
    }
    printf("descriptors %d mappings %d threads %u left %u\n",
           (int) (entries("/proc/self/fd") - fds), (int) (mappings() - maps), threads(),
           mappings());
    return 0;
}
