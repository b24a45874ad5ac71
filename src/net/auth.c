/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Authentication of peers. A credential is a claim; the kernel's word about the socket is a fact.
 * So a peer is the user that the kernel names, whatever module it uses, and a claim counts only
 * where the kernel names nobody. `none` makes no claim and is accepted only where the psec
 * parameter names it. The reasons are in docs/decisions/0017-who-is-a-peer.md; the checks run once
 * per connection, before it is admitted. */

#include "src/net/auth.h"

#include <string.h>
#include <unistd.h>

#include "src/base/param.h"
#include "src/base/status.h"
#include "src/net/dial.h"
#include "src/net/munge.h"

/* Size of a native credential; the group that an unmapped one looks like in a user namespace. */
enum { NATIVE_BYTES = 8, OVERFLOW_GID = 65534 };

/* True if the psec parameter allows the module: it is a list of those allowed, or ^ and a list of
 * those excluded. `none` is allowed only by name. */
static bool allowed(const char *module)
{
    const char *list = px_param_string(PX_P_PSEC);

    if (*list == '^') {
        return !px_handshake_names(list + 1, module) && strcmp(module, "none") != 0;
    }
    if (!*list) {
        return strcmp(module, "none") != 0;
    }
    return px_handshake_names(list, module);
}

/* Checks a native credential. Where the kernel names no user, takes the claimed ids. An empty one
 * will do on AF_UNIX, where the kernel proves user and group. PMIX_ERR_INVALID_CRED: wrong size. */
static int take_native(const struct px_handshake *handshake, struct px_peer_cred *peer_cred)
{
    bool by_socket = peer_cred->known && peer_cred->gid != (gid_t) -1;
    uint32_t claim[2];

    if (handshake->cred_len != NATIVE_BYTES) {
        return handshake->cred_len == 0 && by_socket ? PMIX_SUCCESS : PMIX_ERR_INVALID_CRED;
    }
    if (!peer_cred->known) {
        memcpy(claim, handshake->cred, sizeof(claim));
        peer_cred->uid = claim[0];
        peer_cred->gid = claim[1];
    }
    return PMIX_SUCCESS;
}

/* Checks a munge credential: it must not contradict the kernel, and then proves user and group.
 * PMIX_ERR_INVALID_CRED, PMIX_ERR_NOT_SUPPORTED (no munge here). */
static int take_munge(const struct px_handshake *handshake, struct px_peer_cred *peer_cred)
{
    uid_t uid;
    gid_t gid;
    int rc = px_munge_decode(handshake->cred, handshake->cred_len, &uid, &gid);

    if (rc == PX_ERR_NOT_SUPPORTED) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (rc != PX_OK || (peer_cred->known && peer_cred->uid != uid) ||
        (peer_cred->gid != (gid_t) -1 && peer_cred->gid != gid)) {
        return PMIX_ERR_INVALID_CRED;
    }
    peer_cred->uid = uid;
    peer_cred->gid = gid;
    return PMIX_SUCCESS;
}

/* Checks the credential by its module. Modules that prove nothing themselves need the kernel's
 * word, or the parameter that trusts claims. */
static int take_credential(const struct px_handshake *handshake, struct px_peer_cred *peer_cred)
{
    if (strcmp(handshake->psec, "munge") == 0) {
        return take_munge(handshake, peer_cred);
    }
    if (!peer_cred->known && !px_param_bool(PX_P_TRUST_CLAIMS)) {
        return PMIX_ERR_INVALID_CRED;
    }
    if (strcmp(handshake->psec, "native") == 0) {
        return take_native(handshake, peer_cred);
    }
    return strcmp(handshake->psec, "none") == 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;
}

/* A peer that the kernel knows to have no user (uid -1: it has left) keeps that uid, whatever it
 * claims, and is refused; so is a credential that leaves the user unknown. */
int px_auth_identify(const struct px_handshake *handshake, struct px_peer_cred *peer_cred)
{
    int rc;

    if (!allowed(handshake->psec)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    rc = take_credential(handshake, peer_cred);
    return !rc && peer_cred->uid == (uid_t) -1 ? PMIX_ERR_INVALID_CRED : rc;
}

/* True if a native credential claims the right user and another group. Used where the kernel proves
 * the user only: such a claim is in the kernel's own numbers. A peer in a user namespace that maps
 * no group claims the overflow group, which says nothing. */
static bool contradicts(const struct px_handshake *handshake, uid_t uid, gid_t gid)
{
    uint32_t claim[2];

    if (strcmp(handshake->psec, "native") != 0 || handshake->cred_len != NATIVE_BYTES) {
        return false;
    }
    memcpy(claim, handshake->cred, sizeof(claim));
    return claim[0] == uid && claim[1] != gid && claim[1] != OVERFLOW_GID;
}

/* Where the kernel proves no group, a native claim can still contradict the expected one. */
int px_auth_check(const struct px_handshake *handshake, struct px_peer_cred *peer_cred, uid_t uid,
                  gid_t gid)
{
    int rc = px_auth_identify(handshake, peer_cred);
    bool other_group;

    if (rc) {
        return rc;
    }
    other_group =
        peer_cred->gid == (gid_t) -1 ? contradicts(handshake, uid, gid) : peer_cred->gid != gid;
    return peer_cred->uid == uid && !other_group ? PMIX_SUCCESS : PMIX_ERR_INVALID_CRED;
}

/* True if munge is to be listed for clients. A container's hook may pass the list to a stock client
 * as an order, which fails where the image has no munge; on one machine the kernel's word makes
 * munge needless. */
static bool offers_munge(void)
{
    return allowed("munge") &&
           (px_handshake_names(px_param_string(PX_P_PSEC), "munge") || !allowed("native")) &&
           px_munge_works();
}

/* Best first, for stock clients, which take the first that they have. Our own clients choose by
 * their own order (px_credential). */
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

/* Our ids as a native credential. PMIX_ERR_BAD_PARAM: no room. */
static int fill_native(struct px_handshake *handshake, void *room, size_t room_len)
{
    uint32_t claim[2] = {geteuid(), getegid()};

    if (room_len < sizeof(claim)) {
        return PMIX_ERR_BAD_PARAM;
    }
    memcpy(room, claim, sizeof(claim));
    handshake->cred_len = sizeof(claim);
    return PMIX_SUCCESS;
}

/* Writes the module's credential to `room`, none has an empty one. An error: it cannot be used
 * here. */
static int fill_credential(const char *module, struct px_handshake *handshake, void *room,
                           size_t room_len)
{
    handshake->cred_len = 0;
    if (strcmp(module, "native") == 0) {
        return fill_native(handshake, room, room_len);
    }
    if (strcmp(module, "munge") == 0) {
        return px_munge_encode(room, room_len, &handshake->cred_len) ? PMIX_ERR_NOT_SUPPORTED
                                                                     : PMIX_SUCCESS;
    }
    return PMIX_SUCCESS;
}

/* Native first: on one machine the kernel vouches for it, and it needs no daemon. */
int px_credential(const char *modes, struct px_handshake *handshake, void *room, size_t room_len)
{
    static const char *const ours[] = {"native", "munge", "none"};

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (!px_handshake_names(modes ? modes : "native", ours[i]) || !allowed(ours[i]) ||
            fill_credential(ours[i], handshake, room, room_len) != PMIX_SUCCESS) {
            continue;
        }
        (void) strcpy(handshake->psec, ours[i]); /* all of ours fit */
        handshake->cred = handshake->cred_len ? room : NULL;
        handshake->uid = geteuid();
        handshake->gid = getegid();
        return PMIX_SUCCESS;
    }
    return PMIX_ERR_NOT_SUPPORTED;
}
