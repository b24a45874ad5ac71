/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "outbox.h"

#include <stdlib.h>
#include <string.h>

struct px_outbox_item {
    size_t len;
    unsigned char bytes[]; /* one KVAL operation */
};

/* Qualified values all come under one key; their bytes tell them apart. */
static int put_one(struct px_outbox *box, const char *key, const void *bytes, size_t len)
{
    bool qualified = strcmp(key, PMIX_QUALIFIED_VALUE) == 0;
    const void *name = qualified ? bytes : key;
    size_t name_len = qualified ? len : strlen(key);
    struct px_outbox_item *item = malloc(sizeof(*item) + len);
    struct px_outbox_item *old = px_map_find(&box->keys, name, name_len);

    if (!item || px_map_set(&box->keys, name, name_len, item)) {
        free(item);
        return PMIX_ERR_NOMEM;
    }
    item->len = len;
    memcpy(item->bytes, bytes, len);
    free(old);
    return PMIX_SUCCESS;
}

int px_outbox_put(struct px_outbox *box, const struct px_buf *kvals)
{
    struct px_in in = px_in_make(kvals->data, kvals->len, PX_WIRE_PLAIN);
    int rc = PMIX_SUCCESS;

    px_buf_fini(&box->packed);
    while (!rc && px_in_left(&in)) {
        const unsigned char *start = in.at;
        pmix_value_t value;
        char *key = NULL;

        rc = px_unpack_kval(&in, &key, &value);
        if (!rc) {
            rc = key ? put_one(box, key, start, (size_t) (in.at - start)) : PMIX_ERR_UNPACK_FAILURE;
            PMIx_Value_destruct(&value);
            free(key);
        }
    }
    return rc;
}

static int append(void *arg, const void *key, size_t len, void *value)
{
    const struct px_outbox_item *item = value;
    struct px_buf *buf = arg;

    (void) key;
    (void) len;
    px_buf_append(buf, item->bytes, item->len);
    return px_buf_ok(buf) ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

int px_outbox_packed(struct px_outbox *box, const struct px_buf **ret)
{
    int rc = PMIX_SUCCESS;

    if (!box->packed.len) {
        rc = px_map_each(&box->keys, append, &box->packed);
    }
    if (rc) {
        px_buf_fini(&box->packed);
        return rc;
    }
    *ret = &box->packed;
    return PMIX_SUCCESS;
}

static int release(void *arg, const void *key, size_t len, void *value)
{
    (void) arg;
    (void) key;
    (void) len;
    free(value);
    return 0;
}

void px_outbox_fini(struct px_outbox *box)
{
    (void) px_map_each(&box->keys, release, NULL);
    px_map_fini(&box->keys);
    px_buf_fini(&box->packed);
}
