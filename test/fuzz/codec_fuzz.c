/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The codec against any bytes: byte 0 chooses the kind of buffer and the form of floats, byte 1 the
 * type, the rest is the message. A value that was read and could be written again reads and writes
 * as the same bytes. */
#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "fuzz.h"
#include "src/value/types.h"
#include "src/wire/codec.h"
#include "src/wire/compress.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "src/wire/kval_view.h"
#include "src/wire/view.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void fini(pmix_data_type_t type, void *element)
{
    px_type_fini(px_type_info(type), element);
}

/* Writing, reading and writing again gives the same bytes. */
static void write_and_read(bool exact, pmix_data_type_t type, void *element)
{
    struct px_buf first = {0};
    struct px_buf second = {0};
    char again[4096];
    struct px_in in;

    if (px_pack_raw(&first, exact, type, element) == 0) {
        in = px_in_make(first.data, first.len, PX_WIRE_PLAIN);
        in.exact = exact;
        require(px_unpack_raw(&in, type, again) == 0);
        require(px_in_left(&in) == 0);
        require(px_pack_raw(&second, exact, type, again) == 0);
        require(first.len == second.len &&
                (!first.len || memcmp(first.data, second.data, first.len) == 0));
        fini(type, again);
    }
    px_buf_fini(&first);
    px_buf_fini(&second);
}

static void read_type(struct px_in in, pmix_data_type_t type)
{
    char element[4096];

    while (px_in_left(&in) > 0 && px_unpack_one(&in, type, element) == 0) {
        write_and_read(in.exact, type, element);
        fini(type, element);
    }
}

/* What was read in place is the same as what was copied. What stays encoded may have longer numbers
 * than necessary. */
static void is_same(bool exact, pmix_value_t *viewed, pmix_value_t *copied)
{
    pmix_value_t value;
    struct px_in in;

    if (viewed->type != PX_TYPE_ENCODED) {
        require(viewed->type == copied->type);
        write_and_read(exact, PMIX_VALUE, viewed);
        return;
    }
    in = px_in_make(viewed->data.bo.bytes, viewed->data.bo.size, PX_WIRE_PLAIN);
    require(px_unpack_raw(&in, PMIX_VALUE, &value) == 0 && px_in_left(&in) == 0);
    require(PMIx_Value_compare(&value, copied) == PMIX_EQUAL);
    PMIx_Value_destruct(&value);
}

/* A view is the same as a copy. */
static void view_pair(struct px_in in)
{
    struct px_in copied = in;
    struct px_kval_view view;
    pmix_value_t value;
    char *key;
    int rc = px_unpack_kval(&copied, &key, &value);

    require(px_unpack_kval_view(&in, &view) == rc);
    require(in.status == copied.status && px_in_left(&in) == px_in_left(&copied));
    require(rc == 0 || px_in_left(&in) == 0);
    if (rc == 0) {
        require(view.key_len == strlen(key) && memcmp(view.key, key, view.key_len) == 0);
        is_same(in.exact, &view.value, &value);
        PMIx_Value_destruct(&value);
        free(key);
    }
    if (rc == 0) {
        px_view_free(&view.value, view.owns);
    }
}

static void read_messages(struct px_in in)
{
    const void *bytes;
    struct px_in inner;
    struct px_in at;
    pmix_value_t value;
    pmix_info_t *info;
    pmix_proc_t *procs;
    char *key;
    size_t n;

    view_pair(in);
    at = in;
    if (px_unpack_kval(&at, &key, &value) == 0) {
        (void) px_inflate_value(&value); /* either way the value is one to be released */
        PMIx_Value_destruct(&value);
        free(key);
    }
    at = in;
    if (px_unpack_buffer_view(&at, &inner) == 0) {
        (void) px_unpack_size(&inner, &n); /* must not leave the view */
    }
    at = in;
    if (px_unpack_view(&at, &bytes, &n) == 0) {
        require(n == 0 || (const unsigned char *) bytes + n <= in.end);
    }
    at = in;
    if (px_unpack_infos(&at, &info, &n) == 0) {
        PMIx_Info_free(info, n);
    }
    if (px_unpack_procs(&in, &procs, &n) == 0) {
        PMIx_Proc_free(procs, n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct px_in in;
    pmix_data_type_t type;

    if (size < 2) {
        return 0;
    }
    type = data[1];
    in = px_in_make(data + 2, size - 2, data[0] & 1 ? PX_WIRE_DESCRIBED : PX_WIRE_PLAIN);
    in.exact = (data[0] & 2) != 0;
    if (px_type_size(type) > 0) {
        read_type(in, type);
    } else {
        read_messages(in);
    }
    return 0;
}
