/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "log_channels.h"

#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/output_format.h"
#include "src/net/syslog.h"
#include "src/value/directives.h"
#include "src/value/infos.h"

/* Writes a text to our own descriptor, in the format asked for; a newline is added if it has none.
 * 0, PMIX_ERR_NOMEM, or PMIX_ERR_RESOURCE_BUSY: not all of it was taken. */
static int write_text(int fd, const pmix_proc_t *source, const char *text,
                      const struct px_log_directives *directives)
{
    const struct px_output_origin from = {.proc = source,
                                          .channel = fd == STDOUT_FILENO ? PMIX_FWD_STDOUT_CHANNEL
                                                                         : PMIX_FWD_STDERR_CHANNEL};
    unsigned format = (directives->timestamp_output ? PX_FORMAT_TIME : 0) |
                      (directives->tag_output ? PX_FORMAT_TAG : 0) |
                      (directives->xml_output ? PX_FORMAT_XML : 0);
    size_t n = strlen(text);
    struct px_buf buf = {0};
    int rc;

    n -= n > 0 && text[n - 1] == '\n' ? 1 : 0;
    if (format != 0) {
        px_format_line(&buf, format, &from, text, n, true, true);
    } else {
        px_buf_append(&buf, text, n);
        px_buf_byte(&buf, '\n');
    }
    rc = buf.status;
    if (rc == 0 && px_output_now(fd, buf.data, buf.len) < buf.len) {
        rc = PMIX_ERR_RESOURCE_BUSY;
    }
    px_buf_fini(&buf);
    return rc;
}

/* Logs one item. PMIX_ERR_NOT_SUPPORTED: it is not for one of our channels. */
static int log_item(const pmix_info_t *item, const pmix_proc_t *source,
                    const struct px_log_directives *directives)
{
    const char *text = px_value_text(&item->value);
    int priority =
        directives->priority != PX_NOT_GIVEN ? (int) directives->priority : LOG_USER | LOG_NOTICE;

    if (text == NULL) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (px_info_find(item, 1, PMIX_LOG_STDERR) != NULL) {
        return write_text(STDERR_FILENO, source, text, directives);
    }
    if (px_info_find(item, 1, PMIX_LOG_STDOUT) != NULL) {
        return write_text(STDOUT_FILENO, source, text, directives);
    }
    if (px_info_find(item, 1, PMIX_LOG_SYSLOG) != NULL ||
        px_info_find(item, 1, PMIX_LOG_LOCAL_SYSLOG) != NULL) {
        return px_syslog(priority, source->nspace[0] != '\0' ? source->nspace : "pmix", text);
    }
    return PMIX_ERR_NOT_SUPPORTED;
}

/* The items stand in the order of the caller's preference. */
pmix_status_t px_log_here(const pmix_proc_t *source, bool for_others, const pmix_info_t *data,
                          size_t ndata, const pmix_info_t *directives, size_t ndirs)
{
    struct px_log_directives asked;
    int rc = px_log_read(directives, ndirs, &asked);
    int failed = 0;
    size_t done = 0;

    if (rc != 0) {
        return rc;
    }
    if (!px_directives_listed(&px_call_log, directives, ndirs)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    source = for_others && asked.source.n == 1 ? asked.source.at : source;
    for (size_t i = 0; i < ndata && !(asked.once && done > 0); i++) {
        rc = log_item(&data[i], source, &asked);
        done += rc == 0;
        failed = failed == 0 || failed == PMIX_ERR_NOT_SUPPORTED ? rc : failed;
    }
    if (done > 0) {
        return done == ndata || asked.once ? PMIX_OPERATION_SUCCEEDED : PMIX_ERR_PARTIAL_SUCCESS;
    }
    return failed != 0 ? failed : PMIX_ERR_NOT_SUPPORTED;
}
