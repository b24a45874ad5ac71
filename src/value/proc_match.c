/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "proc_match.h"

#include <string.h>

#include <pmix.h>

#include "procs.h"

/* --- the index --- */

/* What a process is entered as. */
enum entered_as {
    PROCESS,   /* rank and namespace */
    NAMESPACE, /* for a wildcard that looks for any rank of it */
    RANK,      /* for a process without a namespace */
    ANY,       /* for a wildcard without a namespace */
    KINDS
};

/* A key of the map: group, kind, and what the kind needs of the process. */
struct index_key {
    char bytes[2 + PX_PROC_KEY_ROOM];
    size_t len;
};

static struct index_key make_key(unsigned char group, enum entered_as kind, pmix_rank_t rank,
                                 const char *name)
{
    pmix_proc_t proc = {.rank = kind == PROCESS || kind == RANK ? rank : 0};
    struct index_key key;

    if (kind == PROCESS || kind == NAMESPACE) {
        memcpy(proc.nspace, name, strnlen(name, PMIX_MAX_NSLEN));
    }
    key.bytes[0] = (char) group;
    key.bytes[1] = (char) kind;
    key.len = 2 + px_proc_key(&proc, key.bytes + 2);
    return key;
}

int px_proc_index_add(struct px_proc_index *index, unsigned char group, const pmix_proc_t *proc,
                      void *value)
{
    for (enum entered_as kind = 0; kind < KINDS; kind++) {
        struct index_key key = make_key(group, kind, proc->rank, proc->nspace);

        if (px_map_set(&index->map, key.bytes, key.len, value)) {
            return PMIX_ERR_NOMEM;
        }
    }
    return PMIX_SUCCESS;
}

/* Something that belongs to a process entered as that, or NULL. */
static void *find(const struct px_proc_index *index, unsigned char group, enum entered_as kind,
                  pmix_rank_t rank, const char *name)
{
    struct index_key key = make_key(group, kind, rank, name);

    return px_map_find(&index->map, key.bytes, key.len);
}

void *px_proc_index_find(const struct px_proc_index *index, unsigned char group,
                         const pmix_proc_t *proc)
{
    const bool any_rank = proc->rank == PMIX_RANK_WILDCARD;
    const enum entered_as unnamed = any_rank ? ANY : RANK;
    const enum entered_as named = any_rank ? NAMESPACE : PROCESS;
    const enum entered_as kind = proc->nspace[0] ? named : unnamed;
    void *value = find(index, group, kind, proc->rank, proc->nspace);

    if (!value && !any_rank) { /* wildcards of its namespace, or of none */
        value = find(index, group, kind, PMIX_RANK_WILDCARD, proc->nspace);
    }
    if (!value && proc->nspace[0]) { /* those without a namespace */
        value = find(index, group, kind, proc->rank, "");
    }
    if (!value && kind == PROCESS) {
        value = find(index, group, kind, PMIX_RANK_WILDCARD, "");
    }
    return value;
}

void px_proc_index_fini(struct px_proc_index *index)
{
    px_map_fini(&index->map);
}

/* --- two lists --- */

/* So many are compared one by one before there is an index: most lists that match do so early. */
enum { FEW = 16, PAIRS = 4096 };

static bool pairs_overlap(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    bool found = false;

    for (size_t i = 0; i < na && !found; i++) {
        for (size_t j = 0; j < nb && !found; j++) {
            found = PMIx_Check_procid(&a[i], &b[j]);
        }
    }
    return found;
}

/* Enters a, the shorter one, in an index. */
static bool long_overlap(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    struct px_proc_index index = {0};
    bool found = false;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < na; i++) {
        rc = px_proc_index_add(&index, 0, &a[i], &index);
    }
    for (size_t i = 0; !rc && !found && i < nb; i++) {
        found = px_proc_index_find(&index, 0, &b[i]) != NULL;
    }
    px_proc_index_fini(&index);
    return rc ? pairs_overlap(a, na, b, nb) : found;
}

/* Two long lists may come from a peer. */
bool px_procs_overlap(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    if (na > nb) {
        return px_procs_overlap(b, nb, a, na);
    }
    if (na <= FEW || nb <= PAIRS / na) {
        return pairs_overlap(a, na, b, nb);
    }
    return pairs_overlap(a, FEW, b, FEW) || long_overlap(a, na, b, nb);
}
