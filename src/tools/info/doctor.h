/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_DOCTOR_H
#define PX_TOOLS_DOCTOR_H

/* pmix_info --doctor: what a program that is started from this shell would find, and what to do
 * about what is wrong. Nothing is changed, and no process of a job is disturbed: servers are asked
 * as a tool asks them. One thread. */

#include <stdbool.h>
#include <stdint.h>

/* How bad a finding is. A problem makes something fail; only problems count for the exit code. */
enum px_severity { PX_NOTE, PX_WARNING, PX_PROBLEM };

/* Examines everything, and prints it in the form that px_out_set_form has chosen. 0; 1 if there is
 * a problem, or memory is out. */
int px_doctor(void);

/* ---- for the parts of the examination */

/* Adds a finding. remedy: what to do about it. Texts are copied. */
void px_doctor_find(enum px_severity severity, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a library: who opens it, its file and its version (NULL: not known). */
void px_doctor_library(const char *who, const char *path, const char *version);

/* Adds a server: where it was found, its contact string (NULL: not known), and what it does. */
void px_doctor_server(const char *where, const char *uri, const char *state);

/* doctor_library.c: which libpmix the loader, Slurm's plugins and Open MPI open. Before there are
 * other threads. */
void px_doctor_libraries(void);

/* doctor_server.c: which servers answer, of rendezvous files and of the environment, and how
 * PMIx_Init would end. */
void px_doctor_servers(void);

/* doctor_env.c: what is set that is unknown, malformed, obsolete or contradictory. */
void px_doctor_environment(void);

#endif
