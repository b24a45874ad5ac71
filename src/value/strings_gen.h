/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_STRINGS_GEN_H
#define PX_VALUE_STRINGS_GEN_H

#include <stdbool.h>
#include <stdint.h>

/* The tables behind strings.c. Each ends with a row whose name or text is NULL. */

struct px_status_row {
    int code;
    const char *name;
    bool printed; /* the name under which the code is printed, if several share it */
};

struct px_text_row {
    uint64_t value;
    const char *text;
};

struct px_attribute_row {
    const char *name;
    const char *string;
    uint16_t type; /* of its value */
    bool current; /* not a deprecated name */
};

extern const struct px_status_row px_status_rows[];
extern const struct px_attribute_row px_attribute_rows[];

extern const struct px_text_row px_text_data_type[];
extern const struct px_text_row px_text_scope[];
extern const struct px_text_row px_text_range[];
extern const struct px_text_row px_text_persistence[];
extern const struct px_text_row px_text_proc_state[];
extern const struct px_text_row px_text_job_state[];
extern const struct px_text_row px_text_alloc_directive[];
extern const struct px_text_row px_text_alloc_inheritance[];
extern const struct px_text_row px_text_resource_block_directive[];
extern const struct px_text_row px_text_iof_channel[];
extern const struct px_text_row px_text_link_state[];
extern const struct px_text_row px_text_device_type[];
extern const struct px_text_row px_text_value_cmp[];
extern const struct px_text_row px_text_group_operation[];

#endif
