/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Two users, 1001 and 1002, and a server of root with a job of each, open to tools of anybody. The
 * second user tries to pass for the first, or for root, or for a group that is not his. Each
 * attempt is made by a process that is forked before there is a server; what the host was told is
 * counted in memory that all share: of scenario S27, the tool of another user and the one that
 * claims to be root. Covers: RES-030. usage: users DIRECTORY */

#include "actors.h"
#include "speak.h"
#include "users.h"
#include "src/host/host.h"
#include "src/net/tcp_owner.h"

#include <pmix_tool.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 500, MANY = 2000, FILES = 1024 };

struct shared *shared;

/* --- the host */

static void note_ids(const pmix_info_t *info, size_t n)
{
    long found[2] = {-1, NO_GROUP};
    int times[2] = {0};

    for (size_t i = 0; i < n; i++) {
        int k = PMIX_CHECK_KEY(&info[i], PMIX_GRPID);

        if (k || PMIX_CHECK_KEY(&info[i], PMIX_USERID)) {
            found[k] = (long) info[i].value.data.uint32;
            times[k]++;
        }
    }
    shared->uid = found[0];
    shared->gid = found[1];
    shared->twice = times[0] > 1 || times[1] > 1;
}

static pmix_status_t connected(struct upcall *upcall)
{
    if (strcmp(upcall->proc->nspace, "first") == 0) {
        shared->clients++;
        note_ids(upcall->infos, upcall->n_infos);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

/* A tool may have any name that it wants. */
static pmix_status_t tool_connected(struct upcall *upcall)
{
    const char *name = "tool";
    pmix_proc_t proc;

    shared->tools++;
    note_ids(upcall->infos, upcall->n_infos);
    shared->lies += shared->uid != SECOND;
    for (size_t i = 0; i < upcall->n_infos; i++) {
        if (PMIX_CHECK_KEY(&upcall->infos[i], PMIX_TOOL_NSPACE)) {
            name = upcall->infos[i].value.data.string;
        }
    }
    PMIX_LOAD_PROCID(&proc, name, (pmix_rank_t) shared->tools);
    upcall->reply.tool(PMIX_SUCCESS, &proc, upcall->cbdata);
    return PMIX_SUCCESS;
}

static pmix_status_t asked(struct upcall *upcall)
{
    shared->queries++;
    if (upcall->n_queries > 0) {
        note_ids(upcall->queries[0].qualifiers, upcall->queries[0].nqual);
    }
    px_host_reply_status(upcall, PMIX_ERR_NOT_FOUND);
    return PMIX_SUCCESS;
}

static const struct answer answers[N_ENTRIES] = {[ON_CONNECTED] = {OWN, .own = connected},
                                                 [ON_TOOL] = {OWN, .own = tool_connected},
                                                 [ON_QUERY] = {OWN, .own = asked}};
static const struct px_host host = {.answers = answers};

/* --- attempts of the second user */

/* What is sent before the reset is still read. */
static void reset_behind(const struct hello *h)
{
    struct linger now = {.l_onoff = 1};
    unsigned char bytes[1024];
    int fd = dial(shared->uris[1]);

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    send_all(fd, bytes, write_hello(bytes, h));
    close(fd);
}

/* Whoever is served has come after those who were there before: what these did has been seen. */
static void be_served(void)
{
    struct hello h = honest();

    h.nspace = "second";
    for (int i = 0; i < 4; i++) {
        close(admitted_as(shared->uris[i % 2], &h));
    }
}

static void reset_clients(void)
{
    struct hello h = honest();

    h.nspace = "first";
    h.uid = h.gid = FIRST;
    for (int i = 0; i < TRIES; i++) {
        reset_behind(&h);
    }
    be_served();
    say(shared->clients == 0, "a client that resets is not taken for another user's");
}

static void reset_tools(void)
{
    struct hello h = honest();

    h.role = 4;
    h.nspace = "tool";
    h.uid = h.gid = 0;
    for (int i = 0; i < TRIES; i++) {
        reset_behind(&h);
    }
    be_served();
    say(shared->lies == 0, "a tool that resets is not taken for root's");
}

/* A tool by hand that wants the name that the host gives it. */
static void many_tools(void)
{
    static int fds[MANY / 4];
    struct hello h = honest();
    int n = 0;

    h.role = 4;
    h.nspace = "tool";
    for (int i = 0; i < MANY / 4; i++) {
        fds[i] = admitted_as(shared->uris[i % 2], &h);
        n += fds[i] >= 0;
    }
    say(n == 1 + FILES / 4, "the tools of a user have a quarter of the connections");
    for (int i = 0; i < MANY / 4; i++) {
        close(fds[i]);
    }
}

/* A tool's infos: groups and users that it claims, and a process. */
static pmix_data_buffer_t claims(pid_t pid)
{
    static const char *const keys[] = {PMIX_USERID, PMIX_GRPID, PMIX_REALUID, PMIX_REALGID};
    pmix_data_buffer_t packed;
    pmix_info_t infos[5];
    uint32_t zero = 0;
    size_t n = 5;

    for (int i = 0; i < 4; i++) {
        PMIX_INFO_LOAD(&infos[i], keys[i], &zero, PMIX_UINT32);
    }
    PMIX_INFO_LOAD(&infos[4], PMIX_PROC_PID, &pid, PMIX_PID);
    PMIX_DATA_BUFFER_CONSTRUCT(&packed);
    PMIx_Data_pack(NULL, &packed, &n, 1, PMIX_SIZE);
    PMIx_Data_pack(NULL, &packed, infos, 5, PMIX_INFO);
    return packed;
}

/* A tool by hand that says it is of root's group; which group was the host told? */
static long group_told(const char *uri, pid_t pid)
{
    pmix_data_buffer_t packed = claims(pid);
    struct hello h = honest();
    int before = shared->tools;
    int fd;

    h.role = 4;
    h.nspace = "tool";
    h.gid = 0;
    h.infos = packed.base_ptr;
    h.infos_len = packed.bytes_used;
    fd = admitted_as(uri, &h);
    close(fd);
    PMIX_DATA_BUFFER_DESTRUCT(&packed);
    return fd >= 0 && shared->tools == before + 1 && shared->uid == SECOND && !shared->twice
               ? shared->gid
               : -2;
}

static void forge_group(void)
{
    say(group_told(shared->uris[0], getpid()) == SECOND, "AF_UNIX: the group is the kernel's");
    say(group_told(shared->uris[1], getpid()) == SECOND, "TCP: the group is that of the process");
    say(group_told(shared->uris[1], 1) == NO_GROUP, "TCP: that of another process is no proof");
    say(group_told(shared->uris[1], 0) == NO_GROUP, "TCP: without a process there is no group");
}

/* --- more connections than there is room for */

static void flood(void)
{
    static int fds[MANY];
    struct hello h = honest();
    unsigned char bytes[1024];
    size_t len;
    int n = 0;

    h.nspace = "second";
    len = write_hello(bytes, &h);
    for (int i = 0; i < MANY; i++) {
        fds[i] = dial(shared->uris[i % 2]);
        send_all(fds[i], bytes, len);
    }
    for (int i = 0; i < MANY; i++) {
        uint32_t answer[2];

        n += receive(fds[i], answer, sizeof(answer)) && answer[0] == 0;
    }
    say(n >= 1 && n <= 100, "a process gets a connection, and not one after the other");
    (void) !write(shared->flooded[1], "", 1);
    await_turn();
}

static void come(void)
{
    struct hello h = honest();
    int n = 0;

    h.nspace = "first";
    for (int i = 0; i < 100; i++) {
        int fd = admitted_as(shared->uris[i % 2], &h);

        n += fd >= 0;
        close(fd);
    }
    say(n == 100, "another user is served at both doors meanwhile");
}

static int listen_tcp(char *uri, size_t n)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    if (bind(fd, (struct sockaddr *) &at, len) || listen(fd, 16) ||
        getsockname(fd, (struct sockaddr *) &at, &len)) {
        exit(2);
    }
    snprintf(uri, n, "rogue.0;tcp4://127.0.0.1:%u", ntohs(at.sin_port));
    return fd;
}

/* --- connections that say nothing, more than may wait */

/* Is there before the crowd, at both doors, and says who it is when the crowd is there. */
static void wait_in_a_crowd(void)
{
    struct hello h = honest();
    unsigned char bytes[1024];
    int fds[2] = {dial(shared->uris[0]), dial(shared->uris[1])};
    char uri[64];
    bool named = px_auth_names_tcp(listen_tcp(uri, sizeof(uri)));

    h.nspace = "first";
    (void) !write(shared->flooded[1], "", 1);
    await_turn();
    for (int i = 0; i < 2; i++) {
        uint32_t answer[2];

        send_all(fds[i], bytes, write_hello(bytes, &h));
        say((receive(fds[i], answer, sizeof(answer)) && answer[0] == 0) || (i == 1 && !named),
            i == 0 ? "AF_UNIX: a connection that waits is not closed because of another user's"
                   : "TCP: a connection that waits is not closed because of another user's");
        close(fds[i]);
    }
}

static void crowd(void)
{
    static int fds[MANY];
    int n = 0;

    for (int i = 0; i < MANY; i++) {
        fds[i] = dial(shared->uris[i % 2]);
    }
    while (n < MANY / 4 && closes(fds[n])) {
        n++;
    }
    say(n == MANY / 4, "the oldest of too many are closed");
    (void) !write(shared->flooded[1], "", 1);
    await_turn();
}

/* --- a server that is none: the second user listens where others may look for theirs */

static int listen_unix(char *uri, size_t n)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int len = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "shmix-rogue-%d", (int) getpid());

    if (bind(fd, (struct sockaddr *) &at,
             (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + (size_t) len)) ||
        listen(fd, 16)) {
        exit(2);
    }
    snprintf(uri, n, "rogue.0;unix://@shmix-rogue-%d", (int) getpid());
    return fd;
}

static void plant(const char *directory)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s/pmix.sys.here", shared->directory, directory);
    file = fopen(path, "w");
    if (file == NULL ||
        fprintf(file, "%s\n5.0.0\n%d\n0:0\n", shared->rogue[1], (int) getpid()) < 0 ||
        fclose(file) != 0) {
        exit(2);
    }
}

/* Whoever has come, has it said anything? All have gone by now. */
static int heard(int listener)
{
    char byte;
    int n = 0;
    int fd;

    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        n += recv(fd, &byte, 1, 0) > 0;
        close(fd);
    }
    return n;
}

static void lie_in_wait(void)
{
    int fds[2] = {listen_unix(shared->rogue[0], sizeof(shared->rogue[0])),
                  listen_tcp(shared->rogue[1], sizeof(shared->rogue[1]))};

    plant("open");
    (void) !write(shared->flooded[1], "", 1);
    await_turn();
    say(heard(fds[0]) + heard(fds[1]) == 0, "nobody has told a rogue server who it is");
}

static pmix_status_t look_in(const char *directory)
{
    char path[512];
    pmix_info_t info[2];
    pmix_status_t rc;
    pmix_proc_t me;

    snprintf(path, sizeof(path), "%s/%s", shared->directory, directory);
    PMIX_INFO_LOAD(&info[0], PMIX_CONNECT_TO_SYSTEM, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_SYSTEM_TMPDIR, path, PMIX_STRING);
    rc = PMIx_tool_init(&me, info, 2);
    PMIX_INFO_DESTRUCT(&info[1]);
    return rc;
}

static void be_careful(void)
{
    pmix_proc_t me;

    setenv("PMIX_HOSTNAME", "here", 1);
    setenv("PMIX_MCA_ptl_base_connection_wait_time", "1", 1);
    say(look_in("open") == PMIX_ERR_NO_PERMISSIONS, "another user's file leads a tool nowhere");
    say(look_in("closed") == PMIX_ERR_NO_PERMISSIONS,
        "nor does root's file, when another user listens there now");
    setenv("PMIX_NAMESPACE", "first", 1);
    setenv("PMIX_RANK", "0", 1);
    for (int i = 0; i < 2; i++) {
        unsetenv("PMIX_SHMIX_URI");
        setenv(i == 0 ? "PMIX_SHMIX_URI" : "PMIX_SERVER_URI41", shared->rogue[i], 1);
        say(PMIx_Init(&me, NULL, 0) == PMIX_ERR_NO_PERMISSIONS,
            i == 0 ? "AF_UNIX: a process does not take another user for its server"
                   : "TCP: a process does not take another user for its server");
    }
}

/* --- the first user in a namespace, in which he is root and the server's user is nobody known */

static bool become_root_inside(void)
{
    char map[32];
    int fd;
    int len = snprintf(map, sizeof(map), "0 %d 1", FIRST);

    /* Who changes his user may not write to his own map otherwise. */
    if (prctl(PR_SET_DUMPABLE, 1) != 0 || unshare(CLONE_NEWUSER) != 0) {
        return false;
    }
    fd = open("/proc/self/uid_map", O_WRONLY);
    if (fd < 0) {
        return false;
    }
    if (write(fd, map, (size_t) len) != len) {
        len = 0;
    }
    close(fd);
    return len > 0 && geteuid() == 0;
}

static void come_from_inside(void)
{
    static const char *const names[] = {"PMIX_SHMIX_URI", "PMIX_SERVER_URI41"};
    pmix_proc_t me;

    if (!become_root_inside()) {
        printf("ok - # SKIP there are no user namespaces\n");
        return;
    }
    setenv("PMIX_NAMESPACE", "first", 1);
    setenv("PMIX_RANK", "0", 1);
    for (int i = 0; i < 2; i++) {
        unsetenv(names[1 - i]);
        setenv(names[i], shared->uris[i], 1);
        say(PMIx_Init(&me, NULL, 0) == PMIX_SUCCESS && PMIx_Finalize(NULL, 0) == PMIX_SUCCESS,
            i == 0 ? "AF_UNIX: a container's process and a server outside know each other"
                   : "TCP: a container's process and a server outside know each other");
    }
}

/* --- the play */

static void make_directories(void)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/open", shared->directory);
    (void) (mkdir(path, 0755) || chmod(path, 01777));
    snprintf(path, sizeof(path), "%s/closed", shared->directory);
    (void) mkdir(path, 0755);
}

static void start_server(void)
{
    pmix_info_t info[3];
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TOOL_SUPPORT, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_ALLOW_FOREIGN_TOOLS, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_TMPDIR, shared->directory, PMIX_STRING);
    rc = PMIx_server_init(px_host_module(&host), info, 3);
    PMIX_INFO_DESTRUCT(&info[2]);
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "users: server init: %s\n", PMIx_Error_string(rc));
        exit(1);
    }
    add_job("first", FIRST);
    add_job("second", SECOND);
    if (!environment_of("first", "PMIX_SHMIX_URI", shared->uris[0], sizeof(shared->uris[0])) ||
        !environment_of("first", "PMIX_SERVER_URI41", shared->uris[1], sizeof(shared->uris[1]))) {
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        uid_t uid;
        void (*play)(void);
    } plays[] = {
        {SECOND, reset_clients},   {SECOND, reset_tools}, {SECOND, forge_group},
        {SECOND, tool_asks},       {SECOND, tool_reads},  {SECOND, many_tools},
        {FIRST, come_from_inside},
    };
    struct actor actors[sizeof(plays) / sizeof(plays[0])];
    struct rlimit files = {.rlim_cur = 2 * MANY, .rlim_max = 2 * MANY};
    struct actor lying;
    struct actor careful;
    struct actor waiting;
    struct actor crowding;
    struct actor flooding;
    struct actor coming;
    char byte;
    int bad = 0;

    alarm(2 * ACTOR_SECONDS);
    (void) signal(SIGPIPE, SIG_IGN);
    if (argc != 2) {
        return 1;
    }
    shared = actors_memory(sizeof(*shared));
    snprintf(shared->directory, sizeof(shared->directory), "%s", argv[1]);
    for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
        actors[i] = actor_start(plays[i].uid, plays[i].play);
    }
    (void) setrlimit(RLIMIT_NOFILE, &files);
    (void) !pipe2(shared->flooded, O_CLOEXEC);
    waiting = actor_start(FIRST, wait_in_a_crowd);
    crowding = actor_start(SECOND, crowd);
    flooding = actor_start(SECOND, flood);
    coming = actor_start(FIRST, come);
    lying = actor_start(SECOND, lie_in_wait);
    careful = actor_start(FIRST, be_careful);
    files.rlim_cur = FILES;
    (void) setrlimit(RLIMIT_NOFILE, &files);
    start_server();
    for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
        bad += actor_finish(&actors[i]);
    }
    actor_turn(&waiting);
    bad += read(shared->flooded[0], &byte, 1) != 1;
    actor_turn(&crowding);
    bad += read(shared->flooded[0], &byte, 1) != 1;
    bad += actor_finish(&waiting);
    bad += actor_finish(&crowding);
    actor_turn(&flooding);
    bad += read(shared->flooded[0], &byte, 1) != 1;
    bad += actor_finish(&coming);
    bad += actor_finish(&flooding);
    make_directories();
    actor_turn(&lying);
    bad += read(shared->flooded[0], &byte, 1) != 1;
    plant("closed");
    bad += actor_finish(&careful);
    bad += actor_finish(&lying);
    PMIx_server_finalize();
    return bad != 0;
}
