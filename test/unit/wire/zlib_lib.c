/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: PKG-006 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "src/wire/compress.h"
#include "test/unit/opened_library.h"

/* This program is not linked with zlib, as the library is not. */

#define NAME "libz.so.1"

static char text[1000]; /* of zeros */

static void it_is_loaded_when_it_is_needed(void **state)
{
    void *packed;
    void *back;
    size_t n;

    (void) state;
    assert_false(library_is_mapped("/libz.so."));
    assert_int_equal(px_deflate(text, sizeof(text), &packed, &n), 0);
    assert_true(library_is_mapped("/libz.so."));
    assert_int_equal(px_inflate(packed, n, &back, &n), 0);
    assert_int_equal(n, sizeof(text));
    free(packed);
    free(back);
}

/* What this program does in place of its tests when it is executed with an argument: the directory
 * that has an empty file in place of zlib. zlib is opened after the file has been removed. */
static int without_zlib(const char *folder)
{
    unsigned char bytes[sizeof(text)] = {sizeof(text) % 256, sizeof(text) / 256};
    char path[4096];
    void *ret;
    size_t n;

    check(px_deflate(text, sizeof(text), &ret, &n) == PMIX_ERR_NOT_SUPPORTED);
    check(px_inflate(bytes, sizeof(bytes), &ret, &n) == PMIX_ERR_NOT_SUPPORTED);
    check(px_inflate_stream(bytes, sizeof(bytes), &ret, &n) == PMIX_ERR_NOT_SUPPORTED);
    (void) snprintf(path, sizeof(path), "%s/" NAME, folder);
    check(unlink(path) == 0);
    check(px_inflate(bytes, sizeof(bytes), &ret, &n) == PMIX_ERR_UNPACK_FAILURE);
    check(px_deflate(text, sizeof(text), &ret, &n) == PMIX_SUCCESS);
    free(ret);
    return 0;
}

static void without_it_nothing_is_supported(void)
{
    execute_without(NAME);
}
CASE(in_scratch, without_it_nothing_is_supported)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_loaded_when_it_is_needed),
        cmocka_unit_test(test_without_it_nothing_is_supported),
    };

    if (argc > 1) {
        return without_zlib(argv[1]);
    }
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
