/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: PKG-006 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <string.h>

#include "src/wire/compress.h"
#include "test/unit/scratch.h"

/* This program is not linked with zlib, as the library is not. */

#define NAME "libz.so.1"
#define WAY  "LD_LIBRARY_PATH"

static char text[1000]; /* of zeros */

static bool is_mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    bool found = false;

    check(maps != NULL);
    while (fgets(line, sizeof(line), maps)) {
        found = found || strstr(line, "/libz.so.");
    }
    (void) fclose(maps);
    return found;
}

static void it_is_loaded_when_it_is_needed(void **state)
{
    void *packed;
    void *back;
    size_t n;

    (void) state;
    assert_false(is_mapped());
    assert_int_equal(px_deflate(text, sizeof(text), &packed, &n), 0);
    assert_true(is_mapped());
    assert_int_equal(px_inflate(packed, n, &back, &n), 0);
    assert_int_equal(n, sizeof(text));
    free(packed);
    free(back);
}

/* What this program does instead of its tests when it is started with the name of a folder that has
 * an empty file as zlib's library: which is asked for again when the file is gone. */
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
    check(close(open(scratch_path(NAME), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0);
    check(setenv(WAY, scratch, 1) == 0);
    (void) execl("/proc/self/exe", "zlib_lib", scratch, (char *) NULL);
    check(false);
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
