/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_DIRECTIVES_H
#define PX_VALUE_DIRECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "infos.h"

/* The directives of each call of the interface (directives.def) as C: for each call a structure
 * with a member per directive, a constant table, and a function that fills the one by the other.
 * The same table says which directives the library supports. Any thread.
 *
 *     struct px_fence_directives directives;
 *     int rc = px_fence_read(info, ninfo, &directives);
 *
 * A new directive is one line in directives.def. */

/* The levels: who honours a directive, or has a call. */
enum px_attr_level {
    PX_ATTR_CLIENT = 1,
    PX_ATTR_SERVER = 2,
    PX_ATTR_HOST = 4,
    PX_ATTR_TOOL = 8,
    PX_ATTR_PEERS = PX_ATTR_CLIENT | PX_ATTR_TOOL,
    PX_ATTR_ALL = PX_ATTR_PEERS | PX_ATTR_SERVER,
    PX_ATTR_WAITING = 16, /* no level: only of the form of the call that waits */
};

/* Kinds of directives: the type of the member, and its value if the directive is absent. Texts,
 * arrays and infos are borrowed from the infos that are read. A value of another type is
 * refused. */
enum {
    PX_NOT_GIVEN = UINT32_MAX, /* of a number; a rank: PMIX_RANK_UNDEF */
};

/* A flag whose default depends on the reader: absent and false are different. */
enum px_switch { PX_SWITCH_UNSET, PX_SWITCH_OFF, PX_SWITCH_ON };

#define PX_TYPE_OF_FLAG   bool /* on if any of the infos is (px_value_true); any type */
#define PX_TYPE_OF_SWITCH enum px_switch
#define PX_TYPE_OF_U32    uint32_t            /* any number that fits */
#define PX_TYPE_OF_TEXT   const char *        /* PMIX_STRING, not NULL */
#define PX_TYPE_OF_NODE   const char *        /* PMIX_STRING; NULL is as if it were absent */
#define PX_TYPE_OF_PROCS  struct px_procs     /* PMIX_PROC, or an array of them */
#define PX_TYPE_OF_SCOPE  pmix_scope_t        /* PMIX_SCOPE */
#define PX_TYPE_OF_RANGE  pmix_data_range_t   /* PMIX_DATA_RANGE */
#define PX_TYPE_OF_INFO   const pmix_info_t * /* any: the first; others by px_infos_next */

/* The values of the members for directives that are absent. */
#define PX_ABSENT_FLAG   false
#define PX_ABSENT_SWITCH PX_SWITCH_UNSET
#define PX_ABSENT_U32    PX_NOT_GIVEN
#define PX_ABSENT_TEXT   NULL
#define PX_ABSENT_NODE   NULL
#define PX_ABSENT_PROCS                                                                            \
    {                                                                                              \
        NULL, 0                                                                                    \
    }
#define PX_ABSENT_SCOPE PMIX_SCOPE_UNDEF
#define PX_ABSENT_RANGE PMIX_RANGE_UNDEF
#define PX_ABSENT_INFO  NULL

/* The kinds as numbers, for the table; PX_NOT_GIVEN and the macros above belong to them. */
enum px_directive_kind {
    PX_KIND_FLAG,
    PX_KIND_SWITCH,
    PX_KIND_U32,
    PX_KIND_TEXT,
    PX_KIND_NODE,
    PX_KIND_PROCS,
    PX_KIND_SCOPE,
    PX_KIND_RANGE,
    PX_KIND_INFO,
    PX_KIND_NONE, /* no member */
};

/* A key that Open MPI passes to PMIx_Get and that no header of the Standard defines. */
#define PX_PROC_INFO "pmix.proc.info"

/* One row of a table: a directive of a call, where its value goes, and who honours it. */
struct px_directive {
    /* The text of the attribute, not the name of its macro. Reading 8 bytes at a time needs a fixed
     * array. */
    char key[24];
    uint8_t size; /* of the key with its NUL: 8 and more */
    /* Of the member in the structure of the call; 0 for kind NONE. */
    uint16_t offset;
    uint8_t kind; /* enum px_directive_kind */
    /* Who honours it (enum px_attr_level); 0: it is only read. */
    uint8_t levels;
};

/* One call of the interface with all its rows. The non-blocking form of a call shares them. */
struct px_call {
    const char *name; /* of the form that waits */
    /* Who has the call. */
    unsigned levels;
    /* In the order of directives.def: those that are used most often come first. */
    const struct px_directive *rows;
    size_t n_rows;
};

/* Every call of directives.def, in its order. */
extern const struct px_call *const px_calls[];
extern const size_t px_n_calls;

/* The first member of each structure of directives: counts that a reader of infos needs to decide
 * whether it can use its fast path. Qualifiers are not directives. */
struct px_directives_head {
    uint32_t n_quals;
    uint32_t n_flags; /* infos that are flags, and on */
};

/* struct px_<id>_directives: what was read from the infos of one call. */
#define PX_DIRECTIVES(id, call, levels)                                                            \
    struct px_##id##_directives {                                                                  \
        struct px_directives_head head;
#define PX_DIRECTIVE(id, member, kind, key, levels) PX_TYPE_OF_##kind member;
#define PX_DIRECTIVES_END(id)                                                                      \
    }                                                                                              \
    ;
#include "directives.def"

/* px_call_<id>: the table of the call. */
#define PX_DIRECTIVES(id, call, levels) extern const struct px_call px_call_##id;
#include "directives.def"

/* The reader. Skips infos with other keys. Refuses required ones that none of the `levels`
 * honours, unless levels is 0. *ret is a structure in which all members are absent, and is
 * undefined after an error. 0, PMIX_ERR_BAD_PARAM (a value of a wrong type, a number that does not
 * fit, NULL with a count), PMIX_ERR_NOT_SUPPORTED (a required directive). */
int px_directives_read(const struct px_call *call, unsigned levels, const pmix_info_t *info,
                       size_t ninfo, void *ret);

/* px_<id>_absent() returns the structure of a call with all members absent. px_<id>_read(info,
 * ninfo, ret) starts from that and reads the infos as px_directives_read does without levels; *ret
 * is defined only after 0. */
#define PX_DIRECTIVES(id, call, levels)                                                            \
    static inline struct px_##id##_directives px_##id##_absent(void)                               \
    {                                                                                              \
        return (struct px_##id##_directives)                                                       \
        {                                                                                          \
            .head = {0, 0},
#define PX_DIRECTIVE(id, member, kind, key, levels) .member = PX_ABSENT_##kind,
#define PX_DIRECTIVES_END(id)                                                                      \
    }                                                                                              \
    ;                                                                                              \
    }                                                                                              \
    static inline int px_##id##_read(const pmix_info_t *info, size_t ninfo,                        \
                                     struct px_##id##_directives *ret)                             \
    {                                                                                              \
        *ret = px_##id##_absent();                                                                 \
        return ninfo > 0 ? px_directives_read(&px_call_##id, 0, info, ninfo, ret) : 0;             \
    }
#include "directives.def"

/* True if the library itself honours, at one of the levels, every directive that is marked as
 * required. Qualifiers are not directives. PX_ATTR_WAITING among the levels means the blocking
 * form of the call. */
bool px_directives_met(const struct px_call *call, unsigned levels, const pmix_info_t *info,
                       size_t ninfo);

/* True if the call has a row for every directive that is marked as required. */
bool px_directives_listed(const struct px_call *call, const pmix_info_t *info, size_t ninfo);

/* Sets PMIX_INFO_REQD_PROCESSED in those required directives that the library honours at the
 * levels. */
void px_directives_mark(const struct px_call *call, unsigned levels, pmix_info_t *info,
                        size_t ninfo);

/* True if the directive is honoured at one of the levels. */
bool px_directive_honoured(const struct px_directive *row, unsigned levels);

#endif
