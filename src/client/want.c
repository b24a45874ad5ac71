/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading of the arguments of PMIx_Get. The common call has no directives and takes none of the
 * branches below: comparing the namespace and measuring the key is all that it costs. */

#include "want.h"

#include <stdlib.h>
#include <string.h>

#include "src/ops/ask.h"
#include "src/value/directives.h"

uint64_t px_timeout_ms(const pmix_info_t *info, size_t ninfo)
{
    struct px_publish_directives directives; /* many calls have this one only */

    return px_publish_read(info, ninfo, &directives) == 0 && directives.timeout != PX_NOT_GIVEN
               ? (uint64_t) directives.timeout * 1000
               : 0;
}

/* The qualifiers as one array: the caller's when it has nothing else, else shallow copies. */
static __attribute__((noinline)) int gather_quals(struct px_want *want, const pmix_info_t *info,
                                                  size_t ninfo, size_t n_quals)
{
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
    (void) px_infos_quals(info, ninfo, want->quals);
    want->ask.quals = want->quals;
    return 0;
}

static unsigned flags_of(const struct px_get_directives *directives)
{
    return (directives->optional ? PX_WANT_OPTIONAL : 0) |
           (directives->immediate ? PX_WANT_IMMEDIATE : 0) |
           (directives->refresh_cache ? PX_WANT_REFRESH : 0) |
           (directives->pointer_values ? PX_WANT_POINTER : 0) |
           (directives->static_values ? PX_WANT_STATIC : 0) |
           (directives->app_info || directives->session_info ? PX_WANT_MORE : 0);
}

static int read_directives(struct px_want *want, const pmix_info_t *info, size_t ninfo)
{
    struct px_get_directives directives = px_get_absent();
    int rc =
        px_directives_read(&px_call_get, PX_ATTR_ALL | PX_ATTR_WAITING, info, ninfo, &directives);

    if (0 != rc || (directives.pointer_values && directives.static_values)) {
        return 0 != rc ? rc : PMIX_ERR_BAD_PARAM;
    }
    px_ask_direct(&want->ask, &directives);
    if (directives.head.n_flags > 0) {
        want->flags |= flags_of(&directives);
    }
    if (directives.appnum != PX_NOT_GIVEN || directives.session_id != PX_NOT_GIVEN ||
        directives.data_scope != PMIX_SCOPE_UNDEF) {
        want->flags |= PX_WANT_MORE;
    }
    if (directives.timeout != PX_NOT_GIVEN) {
        want->timeout_ms = (uint64_t) directives.timeout * 1000;
    }
    return directives.head.n_quals > 0 ? gather_quals(want, info, ninfo, directives.head.n_quals)
                                       : 0;
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
    want->ask.quals = NULL;
    want->ask.n_quals = 0;
}

static inline void want_anything(struct px_want *want)
{
    want->ask.realm = PX_REALM_NONE;
    want->ask.hostname = NULL;
    want->ask.nodeid = PX_NO_NODEID;
    want->ask.appnum = PX_NO_APP;
    want->ask.session = PX_NO_SESSION;
    want->ask.scope = PMIX_SCOPE_UNDEF;
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
    if (ninfo > 0) {
        return read_directives(ret, info, ninfo);
    }
    want_anything(ret);
    return 0;
}
