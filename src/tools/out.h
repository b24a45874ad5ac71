/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_OUT_H
#define PX_TOOLS_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints a tree to standard output, in one of three forms:
 *
 *   PLAIN     indented lines "name: value"
 *   JSON      one JSON value
 *   PARSABLE  a line "name:name:...:value" for each value: the names on the way to it, with the
 *             position, from 0, in place of a name in a list
 *
 * Names in JSON and PARSABLE are lower-case letters, digits and underscores, begin with a letter,
 * and are listed in docs/tools.md; what a user or the Standard has named (a key, the number of a
 * session) is a value of a list there: {"key": ..., "value": ...}. Strings, and names in PLAIN, may
 * hold any bytes: no control character is printed as it is, and JSON is always valid UTF-8. Objects
 * may be nested up to 19 deep. The state is of the whole process. */

enum px_out_form { PX_OUT_PLAIN, PX_OUT_JSON, PX_OUT_PARSABLE };

/* Chooses the form; before anything is printed. PLAIN if it is not called. */
void px_out_set_form(enum px_out_form form);
enum px_out_form px_out_form(void);

/* name is NULL in lists and at the top. */
void px_out_open(const char *name);
void px_out_close(void);
void px_out_open_list(const char *name);
void px_out_close_list(void);
void px_out_open_line(const char *key); /* an object with a "key"; one line if PLAIN */
void px_out_close_line(void);
void px_out_number(const char *name, uint64_t value);
void px_out_signed(const char *name, int64_t value);
void px_out_real(const char *name, double value);
void px_out_bool(const char *name, bool value);
void px_out_string(const char *name, const char *value, size_t len);
/* The same; PLAIN prints only the beginning of a long one, and its length. */
void px_out_long_text(const char *name, const char *value);
void px_out_text(const char *name, const char *value); /* NUL-terminated; NULL: null */
void px_out_end(void);                                 /* after everything else of the tree */

#endif
