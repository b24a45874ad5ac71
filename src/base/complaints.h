/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_COMPLAINTS_H
#define PX_BASE_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>

/* A bounded list of sentences about settings that have no effect. One thread. */

enum { PX_COMPLAINTS_MOST = 64 };

/* Where the mistake is: in a line of a file, in the name of a variable, in a value. */
enum px_about { PX_ABOUT_LINE, PX_ABOUT_VARIABLE, PX_ABOUT_VALUE };

/* One sentence. */
struct px_complaint {
    char *text;
    enum px_about about;
    bool sure; /* a mistake; else it may be meant for another implementation */
};

/* All zeros: empty. Owns its texts. */
struct px_complaints {
    struct px_complaint at[PX_COMPLAINTS_MOST];
    size_t n;
};

/* Adds a sentence; dropped if the list is full or memory is out. */
void px_complaints_add(struct px_complaints *list, enum px_about about, bool sure,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Frees the texts, and empties the list. */
void px_complaints_fini(struct px_complaints *list);

#endif
