/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* munge by dlopen. The library is opened for the time of a call, so no state is kept and a machine
 * without it needs nothing. The functions have had these types since munge 0.5; 0 is success for
 * both. */

#include "src/net/munge.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/library.h"
#include "src/base/status.h"

/* The library while it is open; on the caller's stack. */
struct munge {
    void *handle;
    int (*encode)(char **cred, void *ctx, const void *payload, int len);
    int (*decode)(const char *cred, void *ctx, void **payload, int *len, uid_t *uid, gid_t *gid);
};

/* Opens the library; the caller closes m->handle. False: it is not there, or lacks a function. */
static bool munge_open(struct munge *m)
{
    static const char *const names[] = {"munge_encode", "munge_decode"};
    void *functions[2];

    m->handle = px_library_open("libmunge.so.2", names, 2, functions);
    if (!m->handle) {
        return false;
    }
    *(void **) &m->encode = functions[0];
    *(void **) &m->decode = functions[1];
    return true;
}

/* The credential has no payload: only its user and group are of interest. */
int px_munge_encode(char *room, size_t room_len, size_t *ret_len)
{
    struct munge m = {0};
    char *cred = NULL;
    int rc = PX_ERR_NOT_SUPPORTED;

    if (!munge_open(&m)) {
        return rc;
    }
    if (m.encode(&cred, NULL, NULL, 0) == 0 && cred) {
        size_t len = strlen(cred) + 1;

        rc = len <= room_len ? PX_OK : PX_ERR_BAD_PARAM;
        if (rc == PX_OK) {
            memcpy(room, cred, len);
            *ret_len = len;
        }
    }
    free(cred);
    (void) dlclose(m.handle);
    return rc;
}

/* Makes a credential and discards it: only that shows whether the daemon answers. */
bool px_munge_works(void)
{
    char cred[1024];
    size_t len;

    return px_munge_encode(cred, sizeof(cred), &len) == PX_OK;
}

/* munge takes a string, so the terminator is looked for before the library sees the peer's
 * bytes. */
int px_munge_decode(const void *cred, size_t len, uid_t *ret_uid, gid_t *ret_gid)
{
    struct munge m = {0};
    void *payload = NULL;
    int payload_len = 0;
    uid_t uid = (uid_t) -1;
    gid_t gid = (gid_t) -1;
    int rc;

    if (len == 0 || !memchr(cred, 0, len)) {
        return PX_ERR_NO_PERMISSIONS;
    }
    if (!munge_open(&m)) {
        return PX_ERR_NOT_SUPPORTED;
    }
    rc = m.decode(cred, NULL, &payload, &payload_len, &uid, &gid) == 0 ? PX_OK
                                                                       : PX_ERR_NO_PERMISSIONS;
    free(payload);
    (void) dlclose(m.handle);
    if (rc == PX_OK) {
        *ret_uid = uid;
        *ret_gid = gid;
    }
    return rc;
}
