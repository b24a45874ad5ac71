/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Releases before 4.2, which speak another encoding: their clients at our server, by the bytes with
 * which they introduce themselves, and our client at a server that hangs up on what it does not
 * know, as theirs do. Both end at once, and say why where they are asked to talk.
 * Covers: INI-002 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <pmix.h>
#include <pmix_server.h>

#include "test/unit/scratch.h"

static void read_text(const char *name, char *room, size_t n)
{
    FILE *f = fopen(scratch_path(name), "r");

    check(f != NULL);
    room[fread(room, 1, n - 1, f)] = '\0';
    (void) fclose(f);
}

/* What we say from now on goes to a file. */
static void log_to_file(void)
{
    int fd = open(scratch_path("log"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

    check(fd >= 0 && dup2(fd, STDERR_FILENO) == STDERR_FILENO);
    (void) close(fd);
}

/* The log has one line, with this in it. */
static void check_line(const char *text)
{
    char log[2048];

    read_text("log", log, sizeof(log));
    if (strstr(log, text) == NULL || strchr(log, '\n') != log + strlen(log) - 1) {
        printf("# wanted one line with \"%s\", got: %s\n", text, log);
        fflush(stdout);
        _exit(1);
    }
}

/* ---- their clients at our server */

static size_t put(char *at, const char *bytes, size_t n)
{
    memcpy(at, bytes, n);
    return n;
}

static size_t put_word(char *at, uint32_t word)
{
    uint32_t net = htonl(word);

    return put(at, (const char *) &net, sizeof(net));
}

/* What a client of that release sends first. tail: what is behind the version. */
static size_t introduce(char *message, const char *version, const char *tail, size_t n_tail)
{
    int32_t from = -1;
    uint32_t tag = UINT32_MAX;
    uint32_t ids[2] = {(uint32_t) geteuid(), (uint32_t) getegid()};
    uint32_t rest[2] = {0};
    size_t n = 16;

    n += put(message + n, "native", 7);
    n += put_word(message + n, sizeof(ids));
    n += put(message + n, (const char *) ids, sizeof(ids));
    n += put(message + n, "", 1); /* a client */
    n += put(message + n, "old", 4);
    n += put_word(message + n, 7);
    n += put(message + n, version, strlen(version) + 1);
    n += put(message + n, tail, n_tail);
    rest[0] = (uint32_t) (n - 16);
    memcpy(message, &from, 4);
    memcpy(message + 4, &tag, 4);
    memcpy(message + 8, rest, 8);
    return n;
}

static int connect_to(const char *uri)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    check(strrchr(uri, ':') != NULL);
    to.sin_port = htons((uint16_t) atoi(strrchr(uri, ':') + 1));
    check(fd >= 0 && connect(fd, (struct sockaddr *) &to, sizeof(to)) == 0);
    return fd;
}

static void check_refused(const char *version, const char *tail, size_t n_tail)
{
    char message[512];
    char uri[256];
    uint32_t status = 0;
    size_t n = introduce(message, version, tail, n_tail);
    int fd;

    log_to_file();
    read_text("uri", uri, sizeof(uri));
    uri[strcspn(uri, "\n")] = '\0';
    fd = connect_to(uri);
    check(write(fd, message, n) == (ssize_t) n);
    check(recv(fd, &status, 4, MSG_WAITALL) == 4);
    check((int32_t) ntohl(status) == PMIX_ERR_NOT_SUPPORTED);
    check(recv(fd, &status, 1, 0) == 0); /* and it hangs up */
    (void) close(fd);
    snprintf(message, sizeof(message), "old:7 refused: it is of PMIx %s", version);
    check_line(message);
}

static void clients(void)
{
    static const char of_3[] = "v3\0\1hash,ds12,ds21";
    static const char of_21[] = "v21\0\1ds12";
    pmix_info_t info;

    check(setenv("PMIX_MCA_pmix_server_base_verbose", "1", 1) == 0);
    PMIX_INFO_LOAD(&info, PMIX_TCP_REPORT_URI, scratch_path("uri"), PMIX_STRING);
    check(PMIx_server_init(NULL, &info, 1) == PMIX_SUCCESS);
    PMIX_INFO_DESTRUCT(&info);
    check_refused("3.1.7", of_3, sizeof(of_3));
    check_refused("2.1.4", of_21, sizeof(of_21));
    check_refused("2.0.3", "", 0);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
}

/* ---- our client at their server */

/* Takes connections, and hangs up on each when it has introduced itself. */
static pid_t serve(uint16_t *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    pid_t pid;

    check(fd >= 0 && bind(fd, (struct sockaddr *) &at, sizeof(at)) == 0 && listen(fd, 8) == 0);
    check(getsockname(fd, (struct sockaddr *) &at, &len) == 0);
    *ret_port = ntohs(at.sin_port);
    pid = fork();
    if (pid == 0) {
        (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    while (pid == 0) {
        char byte;
        int peer = accept(fd, NULL, NULL);

        check(recv(peer, &byte, 1, 0) == 1);
        (void) close(peer);
    }
    (void) close(fd);
    return pid;
}

static void init_ends(const char *line)
{
    pmix_proc_t me;

    log_to_file();
    check(PMIx_Init(&me, NULL, 0) == PMIX_ERR_UNREACH);
    (void) PMIx_Finalize(NULL, 0);
    if (line != NULL) {
        check_line(line);
    }
}

static void servers(void)
{
    char uri[64];
    uint16_t port;
    pid_t pid = serve(&port);

    check(setenv("PMIX_NAMESPACE", "old", 1) == 0 && setenv("PMIX_RANK", "0", 1) == 0);
    check(setenv("PMIX_MCA_pmix_client_base_verbose", "1", 1) == 0);
    snprintf(uri, sizeof(uri), "srv.0;tcp4://127.0.0.1:%u", port);
    check(setenv("PMIX_SERVER_URI3", uri, 1) == 0);
    check(setenv("PMIX_SERVER_URI21", uri, 1) == 0);
    init_ends("is of a server of release 3 or older: start the job with one of 4.2 or newer");
    check(setenv("PMIX_SERVER_URI41", uri, 1) == 0);
    init_ends(NULL);
    check(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

CASE(in_scratch, clients)
CASE(in_scratch, servers)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clients),
        cmocka_unit_test(test_servers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
