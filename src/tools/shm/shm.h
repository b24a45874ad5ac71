/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_SHM_SHM_H
#define PX_TOOLS_SHM_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix.h>

#include "gds/store.h"
#include "find.h"

/* The parts of pmix-shm. Whatever lies in a segment is hostile to all of them. */

/* --- what is printed: a tree, as indented lines or as JSON --- */

/* name is NULL in lists and at the top. Strings may hold any bytes. */
void px_out_json(bool json); /* the form; before anything else */
void px_out_open(const char *name);
void px_out_close(void);
void px_out_open_list(const char *name);
void px_out_close_list(void);
void px_out_open_line(const char *key); /* an object with a "key"; one line for people */
void px_out_close_line(void);
void px_out_number(const char *name, uint64_t value);
void px_out_signed(const char *name, int64_t value);
void px_out_real(const char *name, double value);
void px_out_bool(const char *name, bool value);
void px_out_string(const char *name, const char *value, size_t len);
/* The same; for people only the beginning of a long one, and how long it is. */
void px_out_long_text(const char *name, const char *value);
void px_out_text(const char *name, const char *value); /* NUL-terminated; NULL: null */
void px_out_end(void);                                 /* after everything else */

/* --- live segments --- */

/* Opens one; it may be gone (PMIX_ERR_NOT_FOUND) or damaged: a PMIX_ERR_* status. */
int px_shm_open(const struct px_shm_live *live, struct px_store **ret);

/* Prints all, or those of one server. 0, or PMIX_ERR_NOMEM. */
int px_shm_list(pid_t server, bool json);

/* --- one segment, as a copy that nobody changes --- */

struct px_shm_want {
    uint32_t rank;   /* PMIX_RANK_UNDEF: all */
    const char *key; /* NULL: all */
};

/* 0, or -1 when something in it was damaged, which is said. Of a wanted key only what has it is
 * shown; ret_found: there was such a rank and such a key. */
int px_shm_show(const struct px_store *store, const struct px_shm_want *want, bool *ret_found);
int px_shm_stats(const struct px_store *store);

#endif
