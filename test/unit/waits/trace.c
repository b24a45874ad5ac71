/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Records of a trace: what was written is read, and what nobody has written is refused. */
#include "support.h"

#include <sys/resource.h>

#include "src/base/status.h"
#include "src/waits/trace.h"
#include "test/unit/process.h"

static const struct px_trace_record record = {.kind = PX_TRACE_JOIN,
                                              .op = PX_WAITS_FENCE,
                                              .ns = 5,
                                              .id = 7,
                                              .key = 9,
                                              .node = 1,
                                              .rank = 2,
                                              .number = -3};
static struct px_trace_item item;
static FILE *file;

static int make_file(void **state)
{
    (void) state;
    file = tmpfile();
    /* The descriptor is written to beside the stream. */
    return file ? setvbuf(file, NULL, _IONBF, 0) : -1;
}

static int close_file(void **state)
{
    (void) state;
    return fclose(file);
}

static void write_record(const struct px_trace_record *r, const char *nspace, const char *text)
{
    px_trace_write(fileno(file), r, nspace, text);
}

/* With the default action of SIGXFSZ. */
static void beyond_the_limit(void)
{
    const struct rlimit limit = {sizeof(record) + 3, sizeof(record) + 3};

    file = tmpfile();
    check(file && setrlimit(RLIMIT_FSIZE, &limit) == 0);
    write_record(&record, "job", NULL);
    write_record(&record, "job", NULL);
    check(lseek(fileno(file), 0, SEEK_END) == (off_t) limit.rlim_cur);
}
CASE(in_process, beyond_the_limit)

static void records_are_read_as_they_were_written(void **state)
{
    (void) state;
    write_record(&record, "job", "a group\n\"");
    write_record(&record, NULL, NULL);
    assert_int_equal(fseek(file, 0, SEEK_SET), 0);
    assert_int_equal(px_trace_read(file, &item), 1);
    assert_int_equal(item.head.kind, PX_TRACE_JOIN);
    assert_int_equal(item.head.op, PX_WAITS_FENCE);
    assert_int_equal(item.head.ns, 5);
    assert_int_equal(item.head.id, 7);
    assert_int_equal(item.head.key, 9);
    assert_int_equal(item.head.node, 1);
    assert_int_equal(item.head.rank, 2);
    assert_int_equal(item.head.number, -3);
    assert_string_equal(item.nspace, "job");
    assert_string_equal(item.text, "a group\n\"");
    assert_int_equal(px_trace_read(file, &item), 1);
    assert_string_equal(item.nspace, "");
    assert_string_equal(item.text, "");
    assert_int_equal(px_trace_read(file, &item), 0);
}

static void long_texts_are_cut(void **state)
{
    char longest[1000];

    (void) state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    write_record(&record, longest, longest);
    write_record(&record, "next", NULL);
    assert_int_equal(fseek(file, 0, SEEK_SET), 0);
    assert_int_equal(px_trace_read(file, &item), 1);
    assert_int_equal(strlen(item.nspace), PX_TRACE_NAME);
    assert_int_equal(strlen(item.text), PX_TRACE_TEXT);
    assert_int_equal(px_trace_read(file, &item), 1);
    assert_string_equal(item.nspace, "next");
}

/* The record, changed at a byte of its head, or cut there. */
static int read_changed(size_t at, int byte, size_t len)
{
    unsigned char bytes[sizeof(record) + 3];

    rewind(file);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    write_record(&record, "job", NULL);
    rewind(file);
    assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
    bytes[at] = (unsigned char) byte;
    rewind(file);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    rewind(file);
    return px_trace_read(file, &item);
}

static void damaged_records_are_refused(void **state)
{
    size_t whole = sizeof(record) + 3;

    (void) state;
    assert_int_equal(read_changed(offsetof(struct px_trace_record, kind), PX_TRACE_JOIN, whole), 1);
    for (size_t len = 1; len < whole; len++) {
        assert_int_equal(read_changed(sizeof(record), 'j', len), PX_ERR_UNPACK_FAILURE);
    }
    assert_int_equal(read_changed(0, 0, whole), PX_ERR_UNPACK_FAILURE);
    assert_int_equal(read_changed(offsetof(struct px_trace_record, kind), 0, whole),
                     PX_ERR_UNPACK_FAILURE);
    assert_int_equal(read_changed(offsetof(struct px_trace_record, kind), PX_TRACE_KINDS, whole),
                     PX_ERR_UNPACK_FAILURE);
    assert_int_equal(read_changed(offsetof(struct px_trace_record, nspace_len) + 1, 1, whole),
                     PX_ERR_UNPACK_FAILURE);
    assert_int_equal(read_changed(offsetof(struct px_trace_record, text_len) + 1, 1, whole),
                     PX_ERR_UNPACK_FAILURE);
}

/* A length beyond the room, and as many bytes. */
static void too_long_texts_are_refused(void **state)
{
    static const char bytes[PX_TRACE_NAME + 1];
    struct px_trace_record head = record;

    (void) state;
    head.magic = PX_TRACE_MAGIC;
    for (int i = 0; i < 2; i++) {
        head.nspace_len = i == 0 ? sizeof(bytes) : 0;
        head.text_len = i == 1 ? sizeof(bytes) : 0;
        rewind(file);
        assert_int_equal(fwrite(&head, 1, sizeof(head), file), sizeof(head));
        assert_int_equal(fwrite(bytes, 1, sizeof(bytes), file), sizeof(bytes));
        rewind(file);
        assert_int_equal(px_trace_read(file, &item), PX_ERR_UNPACK_FAILURE);
    }
}

/* Whatever the file has, reading it ends, with texts that end. */
static void any_bytes_can_be_read(void **state)
{
    unsigned seed = 1;
    int rc = 1;

    (void) state;
    for (int round = 0; round < 200; round++) {
        rewind(file);
        assert_int_equal(ftruncate(fileno(file), 0), 0);
        write_record(&record, "job", "text");
        for (int i = 0; i < 500; i++) {
            seed = seed * 1103515245 + 12345;
            (void) putc((int) (seed >> 16), file);
        }
        rewind(file);
        for (rc = 1; rc > 0;) {
            rc = px_trace_read(file, &item);
            assert_true(rc <= 0 || strlen(item.nspace) + strlen(item.text) <= 510);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(records_are_read_as_they_were_written, make_file,
                                        close_file),
        cmocka_unit_test_setup_teardown(long_texts_are_cut, make_file, close_file),
        cmocka_unit_test_setup_teardown(damaged_records_are_refused, make_file, close_file),
        cmocka_unit_test_setup_teardown(too_long_texts_are_refused, make_file, close_file),
        cmocka_unit_test_setup_teardown(any_bytes_can_be_read, make_file, close_file),
        cmocka_unit_test(test_beyond_the_limit),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
