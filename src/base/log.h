/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LOG_H
#define PX_BASE_LOG_H

/* Off by default: the library prints nothing unless a verbosity parameter asks for it. Only roles
 * and tools call it; lower layers return a status. One line to standard error, written with one
 * write(2). Any thread. */

enum px_log_topic {
    PX_LOG_NET,
    PX_LOG_GDS,
    PX_LOG_SERVER,
    PX_LOG_CLIENT,
    PX_LOG_EVENT,
    PX_LOG_PARAM,
    PX_LOG_TOPICS
};

/* Level from which a topic prints: 0 (default) is silence. */
void px_log_set(enum px_log_topic topic, int level);
int px_log_level(enum px_log_topic topic);

void px_log(enum px_log_topic topic, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
