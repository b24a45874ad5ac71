/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The C library's syslog() waits for a daemon that does not read, and keeps one connection and tag
 * for the whole process, which may be the application's; so the message is sent here. */

#include "syslog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <pmix_common.h>

#include "src/base/buf.h"
#include "src/base/param.h"

/* Appends the header of a message: "<13>Nov 22 14:45:00 tag[pid]: ". */
static void put_header(struct px_buf *buf, int priority, const char *tag)
{
    time_t now = time(NULL);
    char stamp[32] = "";
    char text[64];
    struct tm tm;

    if (localtime_r(&now, &tm) != NULL) {
        (void) strftime(stamp, sizeof(stamp), "%b %e %H:%M:%S ", &tm);
    }
    (void) snprintf(text, sizeof(text), "<%d>%s", priority, stamp);
    px_buf_text(buf, text);
    px_buf_text(buf, tag);
    (void) snprintf(text, sizeof(text), "[%d]: ", (int) getpid());
    px_buf_text(buf, text);
}

/* The status for the errno of a message; 0: it was sent. */
static int status_of(int error)
{
    switch (error) {
    case 0:
        return 0;
    case ENOMEM:
        return PMIX_ERR_NOMEM;
    case EAGAIN:
    case EMSGSIZE:
        return PMIX_ERR_RESOURCE_BUSY;
    default:
        return PMIX_ERR_UNREACH;
    }
}

int px_syslog(int priority, const char *tag, const char *text)
{
    const char *path = px_param_string(PX_P_SYSLOG_SOCKET);
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct px_buf message = {0};
    int error = ENOMEM;
    int fd;

    if (priority < 0 || (priority & ~(LOG_PRIMASK | LOG_FACMASK)) != 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (strlen(path) >= sizeof(to.sun_path)) {
        return PMIX_ERR_UNREACH;
    }
    (void) snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
    put_header(&message, (priority & LOG_FACMASK) != 0 ? priority : priority | LOG_USER, tag);
    px_buf_text(&message, text);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        error = errno;
    } else if (px_buf_ok(&message)) {
        error = sendto(fd, message.data, message.len, MSG_NOSIGNAL, (const struct sockaddr *) &to,
                       sizeof(to)) < 0
                    ? errno
                    : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    px_buf_fini(&message);
    return status_of(error);
}
