/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "src/net/auth.h"

#include <string.h>
#include <unistd.h>

#include "src/base/param.h"
#include "src/base/status.h"
#include "src/net/dial.h"
#include "src/net/munge.h"

/* A credential is a claim; the kernel's word about the socket is not. Whatever module a peer uses,
 * a known owner of the far end must be the registered user. `none` makes no claim and counts only
 * where the parameter names it. */

enum { NATIVE_BYTES = 8 };

/* The psec parameter: a list of what may be used, or ^ and a list of what may not; `none` only by
 * name. */
static bool allowed(const char *module)
{
    const char *list = px_param_string(PX_P_PSEC);

    if (*list == '^') {
        return !px_hello_names(list + 1, module) && strcmp(module, "none") != 0;
    }
    if (!*list) {
        return strcmp(module, "none") != 0;
    }
    return px_hello_names(list, module);
}

static int check_native(const struct px_hello *hello, const struct px_who *who, uid_t uid,
                        gid_t gid)
{
    bool on_unix = who->known && who->gid != (gid_t) -1;
    uint32_t claim[2];

    if (hello->cred_len == 0) {
        return on_unix ? PMIX_SUCCESS : PMIX_ERR_INVALID_CRED;
    }
    if (hello->cred_len != NATIVE_BYTES) {
        return PMIX_ERR_INVALID_CRED;
    }
    memcpy(claim, hello->cred, sizeof(claim));
    return claim[0] == uid && claim[1] == gid ? PMIX_SUCCESS : PMIX_ERR_INVALID_CRED;
}

static int check_munge(const struct px_hello *hello, uid_t uid, gid_t gid)
{
    uid_t their_uid;
    gid_t their_gid;
    int rc = px_munge_decode(hello->cred, hello->cred_len, &their_uid, &their_gid);

    if (rc == PX_ERR_NOT_SUPPORTED) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return rc == PX_OK && their_uid == uid && their_gid == gid ? PMIX_SUCCESS
                                                               : PMIX_ERR_INVALID_CRED;
}

int px_auth_check(const struct px_hello *hello, const struct px_who *who, uid_t uid, gid_t gid)
{
    if (!allowed(hello->psec)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (who->known && who->uid == (uid_t) -1) {
        return PMIX_ERR_INVALID_CRED; /* nobody, not even when nobody is asked for */
    }
    if (who->known && (who->uid != uid || (who->gid != (gid_t) -1 && who->gid != gid))) {
        return PMIX_ERR_INVALID_CRED;
    }
    if (strcmp(hello->psec, "native") == 0) {
        return check_native(hello, who, uid, gid);
    }
    if (strcmp(hello->psec, "munge") == 0) {
        return check_munge(hello, uid, gid);
    }
    return strcmp(hello->psec, "none") == 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;
}

const char *px_auth_modes(void)
{
    static const char *const lists[8] = {
        "",     "native",      "munge",      "munge,native",
        "none", "native,none", "munge,none", "munge,native,none",
    };
    unsigned which = 0;

    which |= allowed("native") ? 1 : 0;
    which |= allowed("munge") && px_munge_works() ? 2 : 0;
    which |= allowed("none") ? 4 : 0;
    return lists[which];
}

static int fill_native(struct px_hello *hello, void *room, size_t room_len)
{
    uint32_t claim[2] = {geteuid(), getegid()};

    if (room_len < sizeof(claim)) {
        return PMIX_ERR_BAD_PARAM;
    }
    memcpy(room, claim, sizeof(claim));
    hello->cred_len = sizeof(claim);
    return PMIX_SUCCESS;
}

static int fill(const char *module, struct px_hello *hello, void *room, size_t room_len)
{
    hello->cred_len = 0;
    if (strcmp(module, "native") == 0) {
        return fill_native(hello, room, room_len);
    }
    if (strcmp(module, "munge") == 0) {
        return px_munge_encode(room, room_len, &hello->cred_len) ? PMIX_ERR_NOT_SUPPORTED
                                                                 : PMIX_SUCCESS;
    }
    return PMIX_SUCCESS;
}

/* Native first: on one machine the kernel vouches for it, and it costs nothing. */
int px_credential(const char *modes, struct px_hello *hello, void *room, size_t room_len)
{
    static const char *const ours[] = {"native", "munge", "none"};

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (!px_hello_names(modes ? modes : "native", ours[i]) || !allowed(ours[i]) ||
            fill(ours[i], hello, room, room_len) != PMIX_SUCCESS) {
            continue;
        }
        (void) strcpy(hello->psec, ours[i]); /* all of ours fit */
        hello->cred = hello->cred_len ? room : NULL;
        hello->uid = geteuid();
        hello->gid = getegid();
        return PMIX_SUCCESS;
    }
    return PMIX_ERR_NOT_SUPPORTED;
}
