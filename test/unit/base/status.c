/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix_common.h>

#include "src/base/status.h"

/* The lower layers' numbers are the public ones. */

static void numbers_agree(void **state)
{
    (void) state;
    assert_int_equal(PX_OK, PMIX_SUCCESS);
    assert_int_equal(PX_ERROR, PMIX_ERROR);
    assert_int_equal(PX_ERR_WOULD_BLOCK, PMIX_ERR_WOULD_BLOCK);
    assert_int_equal(PX_ERR_UNPACK_FAILURE, PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(PX_ERR_NO_PERMISSIONS, PMIX_ERR_NO_PERMISSIONS);
    assert_int_equal(PX_ERR_TIMEOUT, PMIX_ERR_TIMEOUT);
    assert_int_equal(PX_ERR_UNREACH, PMIX_ERR_UNREACH);
    assert_int_equal(PX_ERR_BAD_PARAM, PMIX_ERR_BAD_PARAM);
    assert_int_equal(PX_ERR_RESOURCE_BUSY, PMIX_ERR_RESOURCE_BUSY);
    assert_int_equal(PX_ERR_OUT_OF_RESOURCE, PMIX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(PX_ERR_INIT, PMIX_ERR_INIT);
    assert_int_equal(PX_ERR_NOMEM, PMIX_ERR_NOMEM);
    assert_int_equal(PX_ERR_NOT_FOUND, PMIX_ERR_NOT_FOUND);
    assert_int_equal(PX_ERR_NOT_SUPPORTED, PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(PX_ERR_LOST_CONNECTION, PMIX_ERR_LOST_CONNECTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_agree)};

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
