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
 * it is whom the kernel says it is. `none` makes no claim and counts only where the parameter names
 * it. */

enum { NATIVE_BYTES = 8, OVERFLOW_GID = 65534 };

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

static int take_native(const struct px_hello *hello, struct px_who *who)
{
    bool by_socket = who->known && who->gid != (gid_t) -1; /* that needs no credential */
    uint32_t claim[2];

    if (hello->cred_len != NATIVE_BYTES) {
        return hello->cred_len == 0 && by_socket ? PMIX_SUCCESS : PMIX_ERR_INVALID_CRED;
    }
    if (!who->known) {
        memcpy(claim, hello->cred, sizeof(claim));
        who->uid = claim[0];
        who->gid = claim[1];
    }
    return PMIX_SUCCESS;
}

static int take_munge(const struct px_hello *hello, struct px_who *who)
{
    uid_t uid;
    gid_t gid;
    int rc = px_munge_decode(hello->cred, hello->cred_len, &uid, &gid);

    if (rc == PX_ERR_NOT_SUPPORTED) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (rc != PX_OK || (who->known && who->uid != uid) ||
        (who->gid != (gid_t) -1 && who->gid != gid)) {
        return PMIX_ERR_INVALID_CRED;
    }
    who->uid = uid;
    who->gid = gid;
    return PMIX_SUCCESS;
}

static int take_credential(const struct px_hello *hello, struct px_who *who)
{
    if (strcmp(hello->psec, "munge") == 0) {
        return take_munge(hello, who);
    }
    if (!who->known && !px_param_bool(PX_P_TRUST_CLAIMS)) {
        return PMIX_ERR_INVALID_CRED;
    }
    if (strcmp(hello->psec, "native") == 0) {
        return take_native(hello, who);
    }
    return strcmp(hello->psec, "none") == 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;
}

int px_auth_identify(const struct px_hello *hello, struct px_who *who)
{
    int rc;

    if (!allowed(hello->psec)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (who->known && who->uid == (uid_t) -1) {
        return PMIX_ERR_INVALID_CRED;
    }
    rc = take_credential(hello, who);
    return !rc && who->uid == (uid_t) -1 ? PMIX_ERR_INVALID_CRED : rc;
}

/* Where the kernel proves the user and no group: a claim in the kernel's own numbers, with the right
 * user, cannot name another group. A user namespace that maps no group claims the overflow one. */
static bool contradicts(const struct px_hello *hello, uid_t uid, gid_t gid)
{
    uint32_t claim[2];

    if (strcmp(hello->psec, "native") != 0 || hello->cred_len != NATIVE_BYTES) {
        return false;
    }
    memcpy(claim, hello->cred, sizeof(claim));
    return claim[0] == uid && claim[1] != gid && claim[1] != OVERFLOW_GID;
}

int px_auth_check(const struct px_hello *hello, struct px_who *who, uid_t uid, gid_t gid)
{
    int rc = px_auth_identify(hello, who);
    bool other_group;

    if (rc) {
        return rc;
    }
    other_group = who->gid == (gid_t) -1 ? contradicts(hello, uid, gid) : who->gid != gid;
    return who->uid == uid && !other_group ? PMIX_SUCCESS : PMIX_ERR_INVALID_CRED;
}

/* A container's hook may give what is offered to a stock client as an order, and that fails where
 * its image has no munge; on one machine the kernel's word makes munge needless. */
static bool offers_munge(void)
{
    return allowed("munge") &&
           (px_hello_names(px_param_string(PX_P_PSEC), "munge") || !allowed("native")) &&
           px_munge_works();
}

const char *px_auth_modes(void)
{
    static const char *const lists[8] = {
        "",     "native",      "munge",      "munge,native",
        "none", "native,none", "munge,none", "munge,native,none",
    };
    unsigned which = 0;

    which |= allowed("native") ? 1 : 0;
    which |= offers_munge() ? 2 : 0;
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
