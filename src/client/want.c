/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading of the arguments of PMIx_Get. The common call has no directives and takes none of the
 * branches below: comparing the namespace and measuring the key is all that it costs. */

#include "want.h"

#include <stdlib.h>
#include <string.h>

#include "src/value/infos.h"

enum what { SWITCH, REALM, HOSTNAME, NODEID, APPNUM, SESSION, TIMEOUT, SCOPE, NOTHING };

/* The directives, those that come most often first. */
static const struct directive {
    char key[24];
    enum what what;
    unsigned is; /* enum px_want_flag, enum px_realm */
} directives[] = {
    {PMIX_OPTIONAL, SWITCH, PX_WANT_OPTIONAL},
    {PMIX_HOSTNAME, HOSTNAME, 0},
    {PMIX_NODEID, NODEID, 0},
    {PMIX_GET_STATIC_VALUES, SWITCH, PX_WANT_STATIC},
    {PMIX_GET_POINTER_VALUES, SWITCH, PX_WANT_POINTER},
    {PMIX_IMMEDIATE, SWITCH, PX_WANT_IMMEDIATE},
    {PMIX_NODE_INFO, REALM, PX_REALM_NODE},
    {PMIX_JOB_INFO, REALM, PX_REALM_JOB},
    {"pmix.proc.info", REALM, PX_REALM_PROC},
    {PMIX_APP_INFO, REALM, PX_REALM_APP},
    {PMIX_SESSION_INFO, REALM, PX_REALM_SESSION},
    {PMIX_TIMEOUT, TIMEOUT, 0},
    {PMIX_APPNUM, APPNUM, 0},
    {PMIX_DATA_SCOPE, SCOPE, 0},
    {PMIX_GET_REFRESH_CACHE, SWITCH, PX_WANT_REFRESH},
    {PMIX_SESSION_ID, SESSION, 0},
    {PMIX_WAIT, NOTHING, 0},
};

/* The four bytes behind "pmix.", which no directive ends within, tell nearly all of them apart. */
static const struct directive *find_directive(const char *key)
{
    for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
        if (memcmp(key + 5, directives[i].key + 5, 4) == 0 && strcmp(key, directives[i].key) == 0) {
            return &directives[i];
        }
    }
    return NULL;
}

static bool number_of(const pmix_value_t *value, uint32_t *ret)
{
    return PMIx_Value_get_number(value, ret, PMIX_UINT32) == PMIX_SUCCESS;
}

static bool timeout_of(const pmix_value_t *value, uint64_t *ret)
{
    uint32_t seconds;

    if (value->type == PMIX_INT && value->data.integer < 0) {
        return false;
    }
    if (!number_of(value, &seconds)) {
        return false;
    }
    *ret = (uint64_t) seconds * 1000;
    return true;
}

uint64_t px_timeout_ms(const pmix_info_t *info, size_t ninfo)
{
    uint64_t ms = 0;

    for (size_t i = 0; i < ninfo; i++) {
        if (strcmp(info[i].key, PMIX_TIMEOUT) == 0 && !timeout_of(&info[i].value, &ms)) {
            ms = 0;
        }
    }
    return ms;
}

static int read_directive(struct px_want *want, const pmix_info_t *info)
{
    const struct directive *directive = find_directive(info->key);
    const pmix_value_t *value = &info->value;
    bool good = true;

    if (NULL == directive) {
        return (info->flags & PMIX_INFO_REQD) != 0 ? PMIX_ERR_NOT_SUPPORTED : 0;
    }
    switch (directive->what) {
    case SWITCH:
        want->flags |= px_value_true(value) ? directive->is : 0;
        break;
    case REALM:
        want->ask.realm = px_value_true(value) ? (enum px_realm) directive->is : want->ask.realm;
        want->flags |=
            directive->is == PX_REALM_APP || directive->is == PX_REALM_SESSION ? PX_WANT_MORE : 0;
        break;
    case HOSTNAME:
        good = value->type == PMIX_STRING;
        want->ask.hostname = good ? value->data.string : NULL;
        break;
    case NODEID:
        good = number_of(value, &want->ask.nodeid);
        break;
    case APPNUM:
        want->flags |= PX_WANT_MORE;
        good = number_of(value, &want->ask.appnum);
        break;
    case SESSION:
        want->flags |= PX_WANT_MORE;
        good = number_of(value, &want->ask.session);
        break;
    case TIMEOUT:
        good = timeout_of(value, &want->timeout_ms);
        break;
    case SCOPE:
        want->flags |= PX_WANT_MORE;
        good = value->type == PMIX_SCOPE;
        want->ask.scope = good ? value->data.scope : PMIX_SCOPE_UNDEF;
        break;
    case NOTHING:
        break;
    }
    return good ? 0 : PMIX_ERR_BAD_PARAM;
}

/* The qualifiers as one array: the caller's when it has nothing else, else shallow copies. */
static __attribute__((noinline)) int gather_quals(struct px_want *want, const pmix_info_t *info,
                                                  size_t ninfo, size_t n_quals)
{
    size_t n = 0;

    want->flags |= PX_WANT_MORE;
    want->ask.n_quals = n_quals;
    if (n_quals == ninfo) {
        want->ask.quals = info;
        return 0;
    }
    want->quals = malloc(n_quals * sizeof(*info));
    if (NULL == want->quals) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < ninfo; i++) {
        if ((info[i].flags & PMIX_INFO_QUALIFIER) != 0) {
            want->quals[n] = info[i];
            n++;
        }
    }
    want->ask.quals = want->quals;
    return 0;
}

static int read_directives(struct px_want *want, const pmix_info_t *info, size_t ninfo)
{
    size_t n_quals = 0;

    if (NULL == info) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t i = 0; i < ninfo; i++) {
        int rc = 0;

        if ((info[i].flags & PMIX_INFO_QUALIFIER) != 0) {
            n_quals++;
        } else {
            rc = read_directive(want, &info[i]);
        }
        if (0 != rc) {
            return rc;
        }
    }
    if ((want->flags & PX_WANT_POINTER) != 0 && (want->flags & PX_WANT_STATIC) != 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    return n_quals > 0 ? gather_quals(want, info, ninfo, n_quals) : 0;
}

/* Group data and qualified values are posted by design; Open MPI 4.1 posts what it finds out about
 * its own place and ends when that is refused (docs/decisions/0011-reserved-keys.md). */
static const char *const postable[] = {
    PMIX_GROUP_LOCAL_CID, PMIX_QUALIFIED_VALUE, PMIX_LOCALITY_STRING,
    PMIX_HOSTNAME,        PMIX_CPUSET,          "pmix.arch",
};

bool px_key_hosts(const char *key)
{
    if (!px_key_reserved(key)) {
        return false;
    }
    if (key[4] != '.') {
        return true;
    }
    for (size_t i = 0; i < sizeof(postable) / sizeof(postable[0]); i++) {
        if (key[5] == postable[i][5] && strcmp(key, postable[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* Member by member: a whole structure is cleared by an instruction that takes longer than the rest
 * of the call. */
static inline void want_init(struct px_want *want)
{
    want->flags = 0;
    want->timeout_ms = 0;
    want->quals = NULL;
    want->from = NULL;
    want->absent = false;
    want->ask.self = PMIX_RANK_UNDEF;
    want->ask.realm = PX_REALM_NONE;
    want->ask.hostname = NULL;
    want->ask.nodeid = PX_NO_NODEID;
    want->ask.appnum = PX_NO_APP;
    want->ask.session = PX_NO_SESSION;
    want->ask.scope = PMIX_SCOPE_UNDEF;
    want->ask.quals = NULL;
    want->ask.n_quals = 0;
}

static inline void want_own(const struct px_session *session, struct px_want *ret)
{
    ret->flags |= PX_WANT_OWN;
    ret->ask.self = session->ctx->self.rank;
    ret->nspace = session->ctx->self.nspace;
    ret->nspace_len = session->nspace_len;
}

/* Another namespace, or a group's name. */
static __attribute__((noinline)) int want_other(struct px_session *session, const pmix_proc_t *proc,
                                                struct px_want *ret)
{
    int rc = px_members_find(session, proc, &ret->member);

    if (0 > rc) {
        return rc;
    }
    if (0 == rc) {
        proc = &ret->member;
        ret->ask.rank = proc->rank;
    }
    if (px_session_is_own(session, proc)) {
        want_own(session, ret);
        return 0;
    }
    ret->nspace = proc->nspace;
    ret->nspace_len = strnlen(proc->nspace, PMIX_MAX_NSLEN + 1);
    return ret->nspace_len > PMIX_MAX_NSLEN ? PMIX_ERR_BAD_PARAM : 0;
}

int px_want_read(struct px_session *session, const pmix_proc_t *proc, const char *key,
                 const pmix_info_t *info, size_t ninfo, struct px_want *ret)
{
    const pmix_proc_t *self = &session->ctx->self;

    want_init(ret);
    ret->ask.key = key;
    ret->ask.key_len = strnlen(key, PMIX_MAX_KEYLEN + 1);
    if (ret->ask.key_len == 0 || ret->ask.key_len > PMIX_MAX_KEYLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    ret->ask.rank = NULL != proc ? proc->rank : self->rank;
    if (px_session_is_own(session, proc)) {
        want_own(session, ret);
    } else {
        int rc = want_other(session, proc, ret);

        if (0 != rc) {
            return rc;
        }
    }
    return ninfo > 0 ? read_directives(ret, info, ninfo) : 0;
}
