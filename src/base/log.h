/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LOG_H
#define PX_BASE_LOG_H

/* Diagnostic output, off by default: the library prints nothing unless a verbosity parameter asks
 * for it. Only roles and tools call it; lower layers return a status.
 * Level 1 has failures, 2 operations, 3 each message of a server. An entry is one line on
 * standard error, written by one write(2). Any thread. */

/* One topic for each verbosity parameter (src/base/param.def). */
enum px_log_topic {
    PX_LOG_NET,
    PX_LOG_GDS,
    PX_LOG_SERVER,
    PX_LOG_CLIENT,
    PX_LOG_EVENT,
    PX_LOG_PARAM,
    PX_LOG_TOPICS
};

/* Sets and reads the level up to which a topic prints; 0, the default, is silence. An unknown topic
 * is ignored. */
void px_log_set(enum px_log_topic topic, int level);
/* The current level of a topic; 0 for an unknown one. */
int px_log_level(enum px_log_topic topic);

/* Prints the message if the topic's level is at least `level`, which is positive. Control
 * characters become question marks, long messages are cut at 1 KiB. errno is preserved. */
void px_log(enum px_log_topic topic, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
