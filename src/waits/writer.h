/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WAITS_WRITER_H
#define PX_WAITS_WRITER_H

/* The server's side of the area of open waits. The writer has a private copy of the area, changes
 * that, and publishes what has changed; what it has published it never reads. One thread. */

#include "area.h"

struct px_waits;

/* An open wait: a number that px_waits_open gives. */
#define PX_WAITS_NO_ENTRY 0U         /* none was opened; closing it does nothing */
#define PX_WAITS_NO_ROOM  UINT32_MAX /* opened without an entry: it is counted in `hidden` */

/* Makes the area of a server: rank, namespace and node as in `who`, the rest is filled in. Where
 * the system has no memfd the area is private, and nobody else sees it. The caller owns *ret. 0 or
 * PX_ERR_NOMEM. */
int px_waits_create(const struct px_waits_head *who, struct px_waits **ret);

/* Frees the area; takes NULL. */
void px_waits_destroy(struct px_waits *waits);

/* The private copy, for px_waits_tell: borrowed until the next call for `waits`. */
const struct px_waits_area *px_waits_own(const struct px_waits *waits);

/* Adds to a count, which may be less than 0. */
void px_waits_count(struct px_waits *waits, enum px_waits_count which, int64_t change);

/* Stores what is known of a process in its row. row 0: it gets one. Returns the row, 0 if there is
 * none left. */
uint32_t px_waits_set_proc(struct px_waits *waits, uint32_t row, const char *nspace, uint32_t rank,
                           uint32_t pid, uint32_t flags);

/* The process is not known any more: frees its row, which leaves every entry. Takes 0. */
void px_waits_drop_proc(struct px_waits *waits, uint32_t row);

/* Takes a free entry, for px_waits_edit and px_waits_publish. PX_WAITS_NO_ROOM if there is none.
 * The caller sets its kind before the next call, and closes it. */
uint32_t px_waits_open(struct px_waits *waits);

/* The private copy of an open entry, to be changed but for its lock. NULL: it has none. */
struct px_waits_entry *px_waits_edit(struct px_waits *waits, uint32_t wait);

/* Names a process in the entry under edit, which counts it; the entry has room for the first ones.
 */
void px_waits_name(struct px_waits *waits, struct px_waits_entry *entry, const char *nspace,
                   uint32_t rank);
/* Forgets the names of the entry under edit. */
void px_waits_unname(struct px_waits *waits, struct px_waits_entry *entry);

/* Sets the entry's text; NULL: none. */
void px_waits_text(char *text, const char *value);

/* Publishes the entry as it was edited. */
void px_waits_publish(struct px_waits *waits, uint32_t wait);

/* A process has come to a collective: its row (0: it has none), and how many have come now. */
void px_waits_come(struct px_waits *waits, uint32_t wait, uint32_t row, uint32_t n_come);

/* The wait has ended. */
void px_waits_close(struct px_waits *waits, uint32_t wait);

/* Notes a collective that has ended, over the oldest one that is noted; lock and number are filled
 * in. Only words that differ from that one's are written: names are the same most of the time. */
void px_waits_note_past(struct px_waits *waits, const struct px_waits_past *past);

#endif
