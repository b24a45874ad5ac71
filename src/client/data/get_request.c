/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading of the arguments of PMIx_Get. The common call has no directives and takes none of the
 * branches below: comparing the namespace and measuring the key is all that it costs. */

#include "get_request.h"

#include <stdlib.h>
#include <string.h>

#include "gds/get_directives.h"
#include "src/value/directives.h"
#include "src/client/group_map.h"

/* Points the lookup key to the n_quals qualifiers as one array: the caller's infos if all of them
 * are qualifiers, else shallow copies that the request owns. 0 or PMIX_ERR_NOMEM. */
static __attribute__((noinline)) int gather_quals(struct px_get_request *request,
                                                  const pmix_info_t *info, size_t ninfo,
                                                  size_t n_quals)
{
    request->flags |= PX_GET_MORE;
    request->spec.n_quals = n_quals;
    if (n_quals == ninfo) {
        request->spec.quals = info;
        return 0;
    }
    request->quals = malloc(n_quals * sizeof(*info));
    if (request->quals == NULL) {
        return PMIX_ERR_NOMEM;
    }
    request->owns = true;
    n_quals = px_infos_quals(info, ninfo, request->quals);
    px_assert(n_quals == request->spec.n_quals);
    request->spec.quals = request->quals;
    return 0;
}

/* The flags of the directives that are booleans. */
static unsigned flags_of(const struct px_get_directives *directives)
{
    return (directives->optional ? PX_GET_OPTIONAL : 0) |
           (directives->immediate ? PX_GET_IMMEDIATE : 0) |
           (directives->refresh_cache ? PX_GET_REFRESH : 0) |
           (directives->pointer_values ? PX_GET_POINTER : 0) |
           (directives->static_values ? PX_GET_STATIC : 0) |
           (directives->app_info || directives->session_info ? PX_GET_MORE : 0);
}

/* Reads the directives into the request, which borrows the infos. 0, PMIX_ERR_BAD_PARAM (static and
 * pointer values at once, or a directive of the wrong type), PMIX_ERR_NOT_SUPPORTED,
 * PMIX_ERR_NOMEM. */
static int read_directives(struct px_get_request *request, const pmix_info_t *info, size_t ninfo)
{
    struct px_get_directives directives = px_get_absent();
    int rc =
        px_directives_read(&px_call_get, PX_ATTR_ALL | PX_ATTR_WAITING, info, ninfo, &directives);

    request->info = info;
    request->ninfo = ninfo;
    if (rc != 0 || (directives.pointer_values && directives.static_values)) {
        return rc != 0 ? rc : PMIX_ERR_BAD_PARAM;
    }
    px_ask_direct(&request->spec, &directives);
    if (directives.head.n_flags > 0) {
        request->flags |= flags_of(&directives);
    }
    if (directives.appnum != PX_NOT_GIVEN || directives.session_id != PX_NOT_GIVEN ||
        directives.data_scope != PMIX_SCOPE_UNDEF) {
        request->flags |= PX_GET_MORE;
    }
    if (directives.timeout != PX_NOT_GIVEN) {
        request->timeout_ms = (uint64_t) directives.timeout * 1000;
    }
    return directives.head.n_quals > 0 ? gather_quals(request, info, ninfo, directives.head.n_quals)
                                       : 0;
}

/* Reserved keys that processes may put. Group data and qualified values are put by design; Open MPI
 * 4.1 puts what it finds out about its own place and exits if that is refused
 * (docs/decisions/0011-reserved-keys.md). */
static const char *const postable[] = {
    PMIX_GROUP_LOCAL_CID, PMIX_QUALIFIED_VALUE, PMIX_LOCALITY_STRING,
    PMIX_HOSTNAME,        PMIX_CPUSET,          "pmix.arch",
};

/* Comparing one character first saves nearly all calls of strcmp. */
bool px_key_is_of_host(const char *key)
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

/* Clears a request, member by member: the compiler would clear the whole structure by an
 * instruction that takes longer than the rest of the call. */
static inline void request_init(struct px_get_request *request)
{
    request->flags = 0;
    request->timeout_ms = 0;
    request->info = NULL;
    request->ninfo = 0;
    request->quals = NULL;
    request->kept_info = NULL;
    request->kept_key = NULL;
    request->owns = false;
    request->spec.self = PMIX_RANK_UNDEF;
    request->spec.quals = NULL;
    request->spec.n_quals = 0;
}

/* Fills the lookup key for a get without directives: any realm, node, application, session and
 * scope. */
static inline void want_anything(struct px_get_request *request)
{
    request->spec.realm = PX_REALM_NONE;
    request->spec.hostname = NULL;
    request->spec.nodeid = PX_NO_NODEID;
    request->spec.appnum = PX_NO_APP;
    request->spec.session = PX_NO_SESSION;
    request->spec.scope = PMIX_SCOPE_UNDEF;
}

/* Points the request to our own namespace. */
static inline void request_own_nspace(struct px_session *session, struct px_get_request *ret)
{
    ret->space = &session->own;
    ret->spec.self = session->ctx->self.rank;
    ret->nspace = session->own.nspace;
}

/* Resolves a name that is not our own namespace: a group's, which is replaced by the member, or
 * another namespace's. 0, PMIX_ERR_BAD_PARAM (too long), PMIX_ERR_NOT_FOUND (no such rank in the
 * group). */
static __attribute__((noinline)) int request_other_nspace(struct px_session *session,
                                                          const pmix_proc_t *proc,
                                                          struct px_get_request *ret)
{
    int rc = px_group_map_find(session, proc, &ret->member);
    size_t len;

    if (rc < 0) {
        return rc;
    }
    if (rc == 0) {
        proc = &ret->member;
        ret->spec.rank = proc->rank;
    }
    if (px_session_is_own(session, proc)) {
        request_own_nspace(session, ret);
        return 0;
    }
    ret->nspace = proc->nspace;
    len = strnlen(proc->nspace, PMIX_MAX_NSLEN + 1);
    if (len > PMIX_MAX_NSLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    ret->space = px_space_find(session, proc->nspace, len);
    return 0;
}

/* In the common call, our own namespace and no directives, this compares the name, measures the key
 * and stores constants. */
int px_get_request_read(struct px_session *session, const pmix_proc_t *proc, const char *key,
                        const pmix_info_t *info, size_t ninfo, struct px_get_request *ret)
{
    const pmix_proc_t *self = &session->ctx->self;

    request_init(ret);
    if (key == NULL) {
        ret->flags = PX_GET_ALL;
    }
    ret->spec.key = key != NULL ? key : "";
    ret->spec.key_len = key != NULL ? strnlen(key, PMIX_MAX_KEYLEN + 1) : 0;
    if ((ret->spec.key_len == 0 && ret->flags == 0) || ret->spec.key_len > PMIX_MAX_KEYLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    ret->spec.rank = proc != NULL ? proc->rank : self->rank;
    if (px_session_is_own(session, proc)) {
        request_own_nspace(session, ret);
    } else {
        int rc = request_other_nspace(session, proc, ret);

        if (rc != 0) {
            return rc;
        }
    }
    px_assert(ret->space == NULL || px_space_is_named(ret->space, ret->nspace));
    if (ninfo > 0) {
        return read_directives(ret, info, ninfo);
    }
    want_anything(ret);
    return 0;
}

struct px_space *px_get_request_other_space(struct px_session *session,
                                            const struct px_get_request *request)
{
    return request->space != NULL && !session->is_tool ? request->space
                                                       : px_space_named(session, request->nspace);
}

/* --- a copy --- */

/* In the copy, the string of the directive whose string in the original is `text`; NULL for NULL.
 */
static const char *copied_text(const struct px_get_request *request,
                               const struct px_get_request *copy, const char *text)
{
    for (size_t i = 0; text != NULL && i < request->ninfo; i++) {
        if (request->info[i].value.type == PMIX_STRING &&
            request->info[i].value.data.string == text) {
            return copy->info[i].value.data.string;
        }
    }
    return NULL;
}

/* Pointers of the lookup key into the arguments (key, host name, qualifiers, namespace) are moved
 * to the copies. */
int px_get_request_copy(const struct px_get_request *request, struct px_get_request *ret)
{
    int rc;

    *ret = *request;
    ret->owns = true;
    ret->quals = NULL;
    ret->kept_info = NULL;
    ret->kept_key = strdup(request->spec.key);
    rc = ret->kept_key != NULL ? px_infos_copy(request->info, request->ninfo, &ret->kept_info)
                               : PMIX_ERR_NOMEM;
    ret->info = ret->kept_info;
    if (rc == 0 && request->spec.n_quals > 0) {
        rc = gather_quals(ret, ret->info, ret->ninfo, request->spec.n_quals);
    }
    if (rc != 0) {
        px_get_request_free(ret);
        return rc;
    }
    ret->spec.key = ret->kept_key;
    ret->spec.hostname = copied_text(request, ret, request->spec.hostname);
    px_assert((ret->spec.hostname == NULL) == (request->spec.hostname == NULL));
    PMIx_Load_procid(&ret->member, request->nspace, request->spec.rank);
    ret->nspace = ret->member.nspace;
    return 0;
}

void px_get_request_free(struct px_get_request *request)
{
    px_assert(request->owns);
    px_assert(request->kept_info == NULL || request->info == request->kept_info);
    free(request->quals);
    free(request->kept_key);
    PMIx_Info_free(request->kept_info, request->kept_info != NULL ? request->ninfo : 0);
    request->owns = false;
}

pmix_info_t *px_get_directives_to_send(const struct px_get_request *request, size_t room,
                                       size_t *ret_n)
{
    size_t n = 0;
    pmix_info_t *some =
        px_infos_without(request->info, request->ninfo, PMIX_GET_STATIC_VALUES, 0, &n);
    pmix_info_t *info =
        some != NULL ? px_infos_without(some, n, PMIX_GET_POINTER_VALUES, room, ret_n) : NULL;

    free(some);
    return info;
}
