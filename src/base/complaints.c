/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "src/base/complaints.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void px_complaints_add(struct px_complaints *list, enum px_about about, bool sure,
                       const char *format, ...)
{
    char *text = NULL;
    va_list args;

    if (list->n == PX_COMPLAINTS_MOST) {
        return;
    }
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0) {
        list->at[list->n++] = (struct px_complaint){text, about, sure};
    }
    va_end(args);
}

void px_complaints_fini(struct px_complaints *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->at[i].text);
    }
    list->n = 0;
}
