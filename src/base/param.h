/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PARAM_H
#define PX_BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct px_complaint;

/* The parameters of the library, from one table (param.def). A value is taken from the environment
 * (PMIX_MCA_<name>), else from the user's file (~/.pmix/mca-params.conf), else from the system file
 * (<sysconfdir>/pmix-mca-params.conf), else it is the default. PMIX_MCA_mca_base_param_files
 * replaces the two files by a list. A malformed value means the default. It is reported once, if
 * shmix_param_verbose is set, as are names that are no parameter and lines that are none.
 * px_param_load() is called at init, before any read; reads are then plain loads by any thread. */

/* How the text of a value is read. SIZE is a number of bytes that may have a unit. */
enum px_param_type { PX_PARAM_BOOL, PX_PARAM_INT, PX_PARAM_SIZE, PX_PARAM_STRING };
/* Where the current value is from; a higher number overrides a lower one. */
enum px_param_source { PX_SOURCE_DEFAULT, PX_SOURCE_SYSTEM, PX_SOURCE_USER, PX_SOURCE_ENV };

/* The parameters, PX_P_<symbol>; PX_PARAMS is their number. */
enum px_param {
#define PX_PARAM(symbol, name, type, dflt, min, max, help) PX_P_##symbol,
#include "src/base/param.def"
#undef PX_PARAM
    PX_PARAMS
};

/* Description of one parameter. All texts are borrowed: valid until the next load or fini. */
struct px_param_info {
    const char *name; /* as in PMIX_MCA_<name> */
    enum px_param_type type;
    const char *dflt;
    const char *help;
    int64_t min; /* bounds of a number; both 0: none */
    int64_t max;
    const char *words; /* of a string that is one of them, or NULL; commas between */
    const char *value; /* current, as text */
    enum px_param_source source;
    const char *rejected; /* the malformed text that was passed over, or NULL */
};

/* Reads environment and files, sets the levels of log.h and reports. 0, or PX_ERR_NOMEM: the values
 * are unchanged. A further call reads again. Not while other threads read parameters. */
int px_param_load(void);
/* The same, without levels and reports: for commands, which have the library in their process. */
int px_param_read(void);

/* The current value, or the default before the first load. The caller names a parameter of the
 * right type. */
bool px_param_bool(enum px_param p);
int64_t px_param_int(enum px_param p);        /* int and size parameters */
const char *px_param_string(enum px_param p); /* never NULL; valid until the next load */

/* The i-th setting without effect, NULL: there are less. Borrowed, until the next load. */
const struct px_complaint *px_param_complaint(size_t i);

/* Everything about one parameter, for pmix_info. */
struct px_param_info px_param_describe(enum px_param p);

#endif
