/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_STATUS_H
#define PX_BASE_STATUS_H

/* The statuses of what does not include the public headers (shmem, loop, most of base). Each equals
 * the public constant of the same name; test/unit/base/status.c checks that. Functions return 0 or
 * a negative one of these. */
enum px_status {
    PX_OK = 0,
    PX_ERROR = -1,
    PX_ERR_WOULD_BLOCK = -15,
    PX_ERR_UNPACK_FAILURE = -20,
    PX_ERR_NO_PERMISSIONS = -23,
    PX_ERR_TIMEOUT = -24,
    PX_ERR_UNREACH = -25,
    PX_ERR_BAD_PARAM = -27,
    PX_ERR_RESOURCE_BUSY = -28,
    PX_ERR_OUT_OF_RESOURCE = -29,
    PX_ERR_INIT = -31,
    PX_ERR_NOMEM = -32,
    PX_ERR_NOT_FOUND = -46,
    PX_ERR_NOT_SUPPORTED = -47,
    PX_ERR_LOST_CONNECTION = -61,
};

#endif
