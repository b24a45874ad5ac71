/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WAITS_WORDS_H
#define PX_WAITS_WORDS_H

/* Open waits in words, for a server's log and for the commands. The area is a server's own or a
 * reader's copy. Texts come from programs: whoever prints them replaces control characters. */

#include <stddef.h>

#include "area.h"

/* "fence", "get", ...; never NULL. */
const char *px_waits_kind_text(uint32_t kind);
/* What is waited for; never NULL. */
const char *px_waits_stage_text(uint32_t stage);

/* True for a collective. */
int px_waits_is_collective(const struct px_waits_entry *entry);

/* True if the process of the row has not come, and is waited for. */
int px_waits_is_missing(const struct px_waits_entry *entry, uint32_t row);

/* The functions below write a text, cut where there is no room, and return its length without the
 * NUL. room > 0. */

/* What the entry names: "job:0,2-5,other:*". */
size_t px_waits_who(const struct px_waits_area *area, const struct px_waits_entry *entry, char *ret,
                    size_t room);
/* The processes of this node that have come, or that are missing: "job:0,2-5". */
size_t px_waits_list(const struct px_waits_area *area, const struct px_waits_entry *entry,
                     int missing, char *ret, size_t room);
/* One line: what waits, since when, how many have come, and who has not. now_ns: of the clock of
 * since_ns. */
size_t px_waits_tell(const struct px_waits_area *area, const struct px_waits_entry *entry,
                     uint64_t now_ns, char *ret, size_t room);

#endif
