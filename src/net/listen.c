/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Listening sockets. A path is handled with care, because others may write to its directory:
 * bind(2) never follows a link in the last place and replaces nothing; only a socket of our own
 * user that refuses connections is removed to make room, and only the very file that we made is
 * removed at the end. The mode is changed through a descriptor of that file, not by name. */

#include "src/net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/base/status.h"

/* A new stream socket, or PX_ERR_OUT_OF_RESOURCE. */
static int open_socket(int domain)
{
    int fd = socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    return fd < 0 ? PX_ERR_OUT_OF_RESOURCE : fd;
}

/* The loopback interface only: connections from other machines never arrive. */
int px_listen_tcp(char uri[PX_URI_BYTES])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = open_socket(AF_INET);

    if (fd < 0) {
        return fd;
    }
    if (bind(fd, (const struct sockaddr *) &at, sizeof(at)) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *) &at, &len) != 0) {
        (void) close(fd);
        return PX_ERR_OUT_OF_RESOURCE;
    }
    (void) snprintf(uri, PX_URI_BYTES, "tcp4://127.0.0.1:%u", (unsigned) ntohs(at.sin_port));
    return fd;
}

/* Writes 32 random hexadecimal digits; false: the kernel gives none. */
static bool random_name(char name[33])
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t) sizeof(bytes)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        (void) snprintf(name + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

/* Binds to a random abstract name, which no other user can guess or occupy. 0 or
 * PX_ERR_OUT_OF_RESOURCE. */
static int bind_abstract(int fd, char uri[PX_URI_BYTES])
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char name[33];
    int len;

    if (!random_name(name)) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    len = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "pmix-%s", name);
    if (bind(fd, (const struct sockaddr *) &at,
             (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + (size_t) len)) != 0) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    (void) snprintf(uri, PX_URI_BYTES, "unix://@pmix-%s", name);
    return PX_OK;
}

/* True if the path is a socket of our user that refuses connections: a server that died has left
 * it. */
static bool is_stale(const struct sockaddr_un *at)
{
    struct stat st;
    int fd;
    int rc;
    int why;

    if (lstat(at->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid()) {
        return false;
    }
    fd = open_socket(AF_UNIX);
    if (fd < 0) {
        return false;
    }
    rc = connect(fd, (const struct sockaddr *) at, sizeof(*at));
    why = errno;
    (void) close(fd);
    return rc != 0 && why == ECONNREFUSED;
}

/* Gives the socket of the mark `mode`, which the umask may have cut down. Without a descriptor or
 * /proc the narrower mode stays. */
static void widen(const struct px_socket_file *mark, mode_t mode)
{
    int fd = open(mark->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    char link[64];

    if (fd < 0) {
        return;
    }
    if (fstat(fd, &st) == 0 && st.st_dev == mark->dev && st.st_ino == mark->ino) {
        (void) snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        (void) chmod(link, mode);
    }
    (void) close(fd);
}

/* Notes which file was made, after checking that it is a socket of ours, and gives it `mode`. 0,
 * PX_ERR_NO_PERMISSIONS (no file is there any more), PX_ERR_RESOURCE_BUSY (another file). */
static int mark_path(const char *path, mode_t mode, struct px_socket_file *ret_mark)
{
    struct stat st;

    if (lstat(path, &st) != 0) {
        return PX_ERR_NO_PERMISSIONS;
    }
    if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid()) {
        return PX_ERR_RESOURCE_BUSY;
    }
    (void) snprintf(ret_mark->path, sizeof(ret_mark->path), "%s", path);
    ret_mark->dev = st.st_dev;
    ret_mark->ino = st.st_ino;
    if ((st.st_mode & 0777) != mode) {
        widen(ret_mark, mode);
    }
    return PX_OK;
}

/* Binds to a path, if need be in place of a stale socket. Statuses as px_listen_unix. */
static int bind_path(int fd, const char *path, mode_t mode, char uri[PX_URI_BYTES],
                     struct px_socket_file *ret_mark)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    int rc;

    if (path[0] != '/' || len >= sizeof(at.sun_path)) {
        return PX_ERR_BAD_PARAM;
    }
    memcpy(at.sun_path, path, len + 1);
    (void) fchmod(fd, mode); /* the file is made with it, so it is never wider */
    rc = bind(fd, (const struct sockaddr *) &at, sizeof(at));
    if (rc != 0 && errno == EADDRINUSE && is_stale(&at)) {
        (void) unlink(path);
        rc = bind(fd, (const struct sockaddr *) &at, sizeof(at));
    }
    if (rc != 0) {
        return errno == EADDRINUSE ? PX_ERR_RESOURCE_BUSY
               : errno == ENOMEM   ? PX_ERR_OUT_OF_RESOURCE
                                   : PX_ERR_NO_PERMISSIONS;
    }
    (void) snprintf(uri, PX_URI_BYTES, "unix://%s", path);
    return mark_path(path, mode, ret_mark);
}

/* If listening fails, the file that was made is removed again. */
int px_listen_unix(const char *path, mode_t mode, char uri[PX_URI_BYTES],
                   struct px_socket_file *ret_mark)
{
    int fd = open_socket(AF_UNIX);
    int rc;

    if (fd < 0) {
        return fd;
    }
    if (path && *path) {
        rc = bind_path(fd, path, mode & 0777 ? mode & 0777 : 0600, uri, ret_mark);
    } else {
        rc = bind_abstract(fd, uri);
    }
    if (rc == PX_OK && listen(fd, SOMAXCONN) != 0) {
        px_listen_unlink(ret_mark);
        rc = PX_ERR_OUT_OF_RESOURCE;
    }
    if (rc) {
        (void) close(fd);
        return rc;
    }
    return fd;
}

/* Device and inode tell our file from one that another server has put in its place. */
void px_listen_unlink(const struct px_socket_file *mark)
{
    struct stat st;

    if (mark->path[0] && lstat(mark->path, &st) == 0 && st.st_dev == mark->dev &&
        st.st_ino == mark->ino) {
        (void) unlink(mark->path);
    }
}
