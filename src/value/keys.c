/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Names: keys, namespaces, ranks, process identifiers. The arrays of the public structures come
 * from applications and peers, so nothing here relies on a final NUL in them. Matching is that of
 * the Standard: an empty namespace and a wildcard rank match everything. No state: any thread. */
#include "keys.h"

#include <string.h>

#include <pmix.h>

/* Std: keys that begin with it are reserved. */
static const char reserved_prefix[] = "pmix";

/* The bytes behind the name are cleared also if src is dst. */
void px_name_copy(char *dst, const char *src, size_t max)
{
    size_t len = src == NULL ? 0 : strnlen(src, max);

    if (src != dst && len > 0) {
        memmove(dst, src, len);
    }
    memset(dst + len, 0, max + 1 - len);
}

/* A key that is too long is cut off. */
void PMIx_Load_key(pmix_key_t key, const char *src)
{
    if (key != NULL) {
        px_name_copy(key, src, PMIX_MAX_KEYLEN);
    }
}

/* A name that is too long is cut off. */
void PMIx_Load_nspace(pmix_nspace_t nspace, const char *str)
{
    if (nspace != NULL) {
        px_name_copy(nspace, str, PMIX_MAX_NSLEN);
    }
}

/* Copies namespace and rank; ns may be NULL. */
void PMIx_Load_procid(pmix_proc_t *p, const char *ns, pmix_rank_t rk)
{
    if (p != NULL) {
        px_name_copy(p->nspace, ns, PMIX_MAX_NSLEN);
        p->rank = rk;
    }
}

/* Another name of PMIx_Load_procid. */
void PMIx_Proc_load(pmix_proc_t *p, const char *nspace, pmix_rank_t rank)
{
    PMIx_Load_procid(p, nspace, rank);
}

/* Copies all bytes, those behind the NUL too. */
void PMIx_Xfer_procid(pmix_proc_t *dst, const pmix_proc_t *src)
{
    if (dst != NULL && src != NULL) {
        memmove(dst, src, sizeof(*dst));
    }
}

/* False if either is NULL. */
bool PMIx_Check_key(const char *key, const char *str)
{
    if (key == NULL || str == NULL) {
        return false;
    }
    return strncmp(key, str, PMIX_MAX_KEYLEN) == 0;
}

/* True if the key begins with "pmix", with or without a dot behind it. */
bool PMIx_Check_reserved_key(const char *key)
{
    return key != NULL && strncmp(key, reserved_prefix, strlen(reserved_prefix)) == 0;
}

/* True for NULL and for an empty name. */
bool PMIx_Nspace_invalid(const char *nspace)
{
    return nspace == NULL || nspace[0] == '\0';
}

/* True if either name is empty, or both are the same. An exact comparison is px_proc_equal. */
bool PMIx_Check_nspace(const char *key1, const char *key2)
{
    if (PMIx_Nspace_invalid(key1) || PMIx_Nspace_invalid(key2)) {
        return true;
    }
    return strncmp(key1, key2, PMIX_MAX_NSLEN) == 0;
}

/* True if the ranks are the same, or one of them is the wildcard. */
bool PMIx_Check_rank(pmix_rank_t a, pmix_rank_t b)
{
    return a == b || a == PMIX_RANK_WILDCARD || b == PMIX_RANK_WILDCARD;
}

/* True if namespace and rank both match; wildcards and empty namespaces match all. */
bool PMIx_Check_procid(const pmix_proc_t *a, const pmix_proc_t *b)
{
    if (a == NULL || b == NULL) {
        return false;
    }
    return PMIx_Check_nspace(a->nspace, b->nspace) && PMIx_Check_rank(a->rank, b->rank);
}

/* True if there is no process, no namespace, or PMIX_RANK_INVALID; a wildcard rank is valid. */
bool PMIx_Procid_invalid(const pmix_proc_t *p)
{
    return p == NULL || PMIx_Nspace_invalid(p->nspace) || p->rank == PMIX_RANK_INVALID;
}

/* True for the rank of a process; false for the wildcard and all other special ranks. */
bool PMIx_Rank_valid(pmix_rank_t a)
{
    return a < PMIX_RANK_VALID;
}

/* Joins the names of a cluster and of a namespace with a colon; empty if the result would be too
 * long. */
void PMIx_Multicluster_nspace_construct(pmix_nspace_t target, pmix_nspace_t cluster,
                                        pmix_nspace_t nspace)
{
    pmix_nspace_t joined;
    size_t n_cluster;
    size_t n_nspace;

    if (target == NULL || cluster == NULL || nspace == NULL) {
        return;
    }
    n_cluster = strnlen(cluster, PMIX_MAX_NSLEN);
    n_nspace = strnlen(nspace, PMIX_MAX_NSLEN);
    memset(joined, 0, sizeof(joined));
    if (n_cluster + 1 + n_nspace <= PMIX_MAX_NSLEN) {
        memcpy(joined, cluster, n_cluster);
        joined[n_cluster] = ':';
        memcpy(joined + n_cluster + 1, nspace, n_nspace);
    }
    memcpy(target, joined, sizeof(joined));
}

/* The inverse: splits at the first colon. Without a colon all of it is the name of the cluster,
 * and the namespace is empty. */
void PMIx_Multicluster_nspace_parse(pmix_nspace_t target, pmix_nspace_t cluster,
                                    pmix_nspace_t nspace)
{
    pmix_nspace_t joined;
    size_t n_cluster;

    if (target == NULL || cluster == NULL || nspace == NULL) {
        return;
    }
    px_name_copy(joined, target, PMIX_MAX_NSLEN);
    n_cluster = strcspn(joined, ":");
    px_name_copy(cluster, joined, n_cluster);
    memset(cluster + n_cluster, 0, sizeof(joined) - n_cluster);
    px_name_copy(nspace, joined[n_cluster] == ':' ? joined + n_cluster + 1 : NULL, PMIX_MAX_NSLEN);
}
