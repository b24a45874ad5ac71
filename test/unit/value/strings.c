/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: STR-001 STR-002 STR-004 */
/* Names of codes, states and attributes: the texts that programs of the 4.2 and 6.1 series
 * print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pmix.h>

#include "src/value/strings_gen.h"

static void a_status_prints_as_its_macro(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Error_string(PMIX_SUCCESS), "PMIX_SUCCESS");
    assert_string_equal(PMIx_Error_string(PMIX_ERR_NOT_FOUND), "PMIX_ERR_NOT_FOUND");
    assert_string_equal(PMIx_Error_string(1), "ERROR STRING NOT FOUND");
    assert_string_equal(PMIx_Error_string(PMIX_EXTERNAL_ERR_BASE - 1), "ERROR STRING NOT FOUND");
    assert_string_equal(PMIx_Error_string(INT32_MIN), "ERROR STRING NOT FOUND");
}

static void a_shared_status_has_one_name(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Error_string(PMIX_EXISTS), "PMIX_ERR_EXISTS");
    assert_string_equal(PMIx_Error_string(PMIX_ERR_NODE_DOWN), "PMIX_EVENT_NODE_DOWN");
    assert_string_equal(PMIx_Error_string(-400), "PMIX_ERR_PROC_KILLED_BY_CMD");
}

static void a_name_gives_its_status(void **state)
{
    const struct px_status_row *row;

    (void) state;
    for (row = px_status_rows; row->name != NULL; row++) {
        assert_int_equal(PMIx_Error_code(row->name), row->code);
        assert_int_equal(PMIx_Error_code(PMIx_Error_string(row->code)), row->code);
    }
    assert_int_equal(PMIx_Error_code("pmix_err_timeout"), PMIX_ERR_TIMEOUT);
    assert_int_equal(PMIx_Error_code("PMIX_NONE"), INT32_MIN);
    assert_int_equal(PMIx_Error_code(""), INT32_MIN);
    assert_int_equal(PMIx_Error_code(NULL), INT32_MIN);
}

static void states_have_texts(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Proc_state_string(PMIX_PROC_STATE_CALLED_ABORT),
                        "PROC CALLED PMIx_Abort");
    assert_string_equal(PMIx_Proc_state_string(200), "UNKNOWN STATE");
    assert_string_equal(PMIx_Job_state_string(1), "PREPPED FOR LAUNCH");
    assert_string_equal(PMIx_Job_state_string(200), "UNKNOWN");
    assert_string_equal(PMIx_Link_state_string(PMIX_LINK_UP), "ACTIVE");
    assert_string_equal(PMIx_Link_state_string(9), "UNKNOWN");
    assert_string_equal(PMIx_Device_type_string(PMIX_DEVTYPE_COPROC), "COPROCESSOR");
    assert_string_equal(PMIx_Device_type_string(3), "UNKNOWN");
}

static void scopes_and_ranges_have_texts(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Scope_string(PMIX_GLOBAL), "SHARE ACROSS ALL NODES");
    assert_string_equal(PMIx_Scope_string(9), "UNKNOWN SCOPE");
    assert_string_equal(PMIx_Persistence_string(PMIX_PERSIST_INVALID), "INVALID");
    assert_string_equal(PMIx_Persistence_string(9), "UNKNOWN PERSISTENCE");
    assert_string_equal(PMIx_Data_range_string(PMIX_RANGE_LOCAL), "AVAIL ON LOCAL NODE ONLY");
    assert_string_equal(PMIx_Data_range_string(9), "UNKNOWN");
}

static void directives_have_texts(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Alloc_directive_string(PMIX_ALLOC_EXTEND), "EXTEND");
    assert_string_equal(PMIx_Alloc_directive_string(99), "UNSPECIFIED");
    assert_string_equal(PMIx_Alloc_inheritance_string(PMIX_ALLOC_INHERIT_CHILD_DEFAULT),
                        "CHILD_DEFAULT");
    assert_string_equal(PMIx_Alloc_inheritance_string(PMIX_ALLOC_INHERIT_NONE), "NONE");
    assert_string_equal(PMIx_Alloc_inheritance_string(99), "UNSPECIFIED");
    assert_string_equal(PMIx_Resource_block_directive_string(PMIX_RESOURCE_BLOCK_REMOVE), "REMOVE");
    assert_string_equal(PMIx_Resource_block_directive_string(99), "UNSPECIFIED");
    assert_string_equal(PMIx_Value_comparison_string(PMIX_VALUE1_GREATER), "VALUE1 GREATER");
    assert_string_equal(PMIx_Value_comparison_string((pmix_value_cmp_t) 77), "UNKNOWN VALUE");
    assert_string_equal(PMIx_Group_operation_string(PMIX_GROUP_NONE), "NONE");
    assert_string_equal(PMIx_Group_operation_string((pmix_group_operation_t) 77), "UNKNOWN VALUE");
}

static void every_data_type_is_named(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Data_type_string(PMIX_UNDEF), "PMIX_UNDEF");
    assert_string_equal(PMIx_Data_type_string(PMIX_NODE_STATS), "PMIX_NODE_STATS");
    assert_string_equal(PMIx_Data_type_string(PMIX_NODE_PID), "PMIX_NODE_PID");
    assert_string_equal(PMIx_Data_type_string(29), "UNKNOWN");
    assert_string_equal(PMIx_Data_type_string(UINT16_MAX), "UNKNOWN");
}

static void channels_add_up(void **state)
{
    (void) state;
    assert_string_equal(PMIx_IOF_channel_string(PMIX_FWD_NO_CHANNELS), "NONE");
    assert_string_equal(PMIx_IOF_channel_string(PMIX_FWD_STDERR_CHANNEL), "STDERR ");
    assert_string_equal(PMIx_IOF_channel_string(PMIX_FWD_ALL_CHANNELS),
                        "STDIN STDOUT STDERR STDDIAG ");
    assert_string_equal(PMIx_IOF_channel_string(0x10), "NONE");
}

static void directives_print(pmix_info_directives_t directives, const char *expected)
{
    char *text;

    text = PMIx_Info_directives_string(directives);
    assert_string_equal(text, expected);
    free(text);
}

static void info_directives_add_up(void **state)
{
    (void) state;
    directives_print(0, "OPTIONAL");
    directives_print(PMIX_INFO_REQD | PMIX_INFO_ARRAY_END, "REQUIRED:END");
    directives_print(PMIX_INFO_REQD_PROCESSED | PMIX_INFO_ARRAY_END, "OPTIONAL:PROCESSED:END");
    directives_print(PMIX_INFO_QUALIFIER | PMIX_INFO_REQD, "QUALIFIER");
    directives_print(PMIX_INFO_DIR_RESERVED, "OPTIONAL");
}

static void every_attribute_is_found(void **state)
{
    const struct px_attribute_row *row;

    (void) state;
    for (row = px_attribute_rows; row->name != NULL; row++) {
        if (row > px_attribute_rows && strcmp(row->name, row[-1].name) == 0) {
            /* its string in series 7 */
            assert_string_equal(PMIx_Get_attribute_name(row->string), row->name);
            continue;
        }
        assert_string_equal(PMIx_Get_attribute_string(row->name), row->string);
        assert_string_equal(PMIx_Get_attribute_string(PMIx_Get_attribute_name(row->string)),
                            row->string);
    }
    assert_string_equal(PMIx_Get_attribute_string("pmix_rank"), PMIX_RANK);
    assert_string_equal(PMIx_Get_attribute_name("PMIX.RANK"), "PMIX_RANK");
}

static void the_current_name_of_a_shared_string(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Get_attribute_name("pmix.pdata"), "PMIX_PROC_INFO_ARRAY");
    assert_string_equal(PMIx_Get_attribute_name("pmix.alloc.net"), "PMIX_ALLOC_FABRIC");
    assert_string_equal(PMIx_Get_attribute_name("pmix.fab.coord"), "PMIX_FABRIC_COORDINATES");
    assert_string_equal(PMIx_Get_attribute_name("pmix.evname"), "PMIX_EVENT_HDLR_NAME");
    assert_string_equal(PMIx_Get_attribute_name("pmix.qry.quals"), "PMIX_QUERY_QUALIFIERS");
    assert_string_equal(PMIx_Get_attribute_name("pmix.qry.supqual"),
                        "PMIX_QUERY_SUPPORTED_QUALIFIERS");
}

static void an_unknown_attribute_comes_back(void **state)
{
    (void) state;
    assert_string_equal(PMIx_Get_attribute_string("site.key"), "site.key");
    assert_string_equal(PMIx_Get_attribute_name(""), "");
    assert_null(PMIx_Get_attribute_string(NULL));
    assert_null(PMIx_Get_attribute_name(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_prints_as_its_macro),
        cmocka_unit_test(a_shared_status_has_one_name),
        cmocka_unit_test(a_name_gives_its_status),
        cmocka_unit_test(states_have_texts),
        cmocka_unit_test(scopes_and_ranges_have_texts),
        cmocka_unit_test(directives_have_texts),
        cmocka_unit_test(every_data_type_is_named),
        cmocka_unit_test(channels_add_up),
        cmocka_unit_test(info_directives_add_up),
        cmocka_unit_test(every_attribute_is_found),
        cmocka_unit_test(the_current_name_of_a_shared_string),
        cmocka_unit_test(an_unknown_attribute_comes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
