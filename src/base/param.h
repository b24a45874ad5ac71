/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PARAM_H
#define PX_BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every knob of the library, from one table (param.def: PX_PARAM(symbol, "name", type, "default",
 * min, max, "help")). A value is taken from the environment (PMIX_MCA_<name>), else the user's file
 * (~/.pmix/mca-params.conf), else the system file (<sysconfdir>/pmix-mca-params.conf), else the
 * default; PMIX_MCA_mca_base_param_files replaces the two files. A malformed value warns once at
 * verbosity and the default stands. px_param_load() is called once at init, before any read; reads
 * are then plain loads from any thread. */

enum px_param_type { PX_PARAM_BOOL, PX_PARAM_INT, PX_PARAM_SIZE, PX_PARAM_STRING };
enum px_param_source { PX_SOURCE_DEFAULT, PX_SOURCE_SYSTEM, PX_SOURCE_USER, PX_SOURCE_ENV };

enum px_param {
#define PX_PARAM(symbol, name, type, dflt, min, max, help) PX_P_##symbol,
#include "src/base/param.def"
#undef PX_PARAM
    PX_PARAMS
};

struct px_param_info {
    const char *name; /* as in PMIX_MCA_<name> */
    enum px_param_type type;
    const char *dflt;
    const char *help;
    const char *value; /* current, as text */
    enum px_param_source source;
    const char *rejected; /* the malformed text that was passed over, or NULL */
};

/* Reads environment and files. 0 or PX_ERR_NOMEM. Calling again reads anew (tests); not
 * thread-safe. */
int px_param_load(void);

bool px_param_bool(enum px_param p);
int64_t px_param_int(enum px_param p);        /* int and size parameters */
const char *px_param_string(enum px_param p); /* never NULL; valid until the next load */

/* Frees what load took; the defaults stand again. As load: not while others read. */
void px_param_fini(void);

/* What pmix_info shows. */
struct px_param_info px_param_describe(enum px_param p);

#endif
