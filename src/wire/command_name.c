/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "command_name.h"

#include <stddef.h>

#include "message.h"

const char *px_command_name(uint8_t command)
{
    static const char *const names[] = {
        [PX_CMD_REQ] = "job information",
        [PX_CMD_ABORT] = "abort",
        [PX_CMD_COMMIT] = "commit",
        [PX_CMD_FENCE] = "fence",
        [PX_CMD_GET] = "get",
        [PX_CMD_FINALIZE] = "finalize",
        [PX_CMD_PUBLISH] = "publish",
        [PX_CMD_LOOKUP] = "lookup",
        [PX_CMD_UNPUBLISH] = "unpublish",
        [PX_CMD_SPAWN] = "spawn",
        [PX_CMD_CONNECT] = "connect",
        [PX_CMD_DISCONNECT] = "disconnect",
        [PX_CMD_NOTIFY] = "notify",
        [PX_CMD_REGEVENTS] = "register events",
        [PX_CMD_DEREGEVENTS] = "deregister events",
        [PX_CMD_QUERY] = "query",
        [PX_CMD_LOG] = "log",
        [PX_CMD_ALLOC] = "allocate",
        [PX_CMD_JOB_CONTROL] = "job control",
        [PX_CMD_MONITOR] = "monitor",
        [PX_CMD_GET_CREDENTIAL] = "get credential",
        [PX_CMD_VALIDATE_CREDENTIAL] = "validate credential",
        [PX_CMD_IOF_PULL] = "pull output",
        [PX_CMD_IOF_PUSH] = "push input",
        [PX_CMD_GROUP_CONSTRUCT] = "group construct",
        [PX_CMD_GROUP_LEAVE] = "group leave",
        [PX_CMD_GROUP_DESTRUCT] = "group destruct",
        [PX_CMD_IOF_DEREG] = "stop output",
        [PX_CMD_FABRIC_REGISTER] = "register fabric",
        [PX_CMD_FABRIC_UPDATE] = "update fabric",
        [PX_CMD_DEVICE_DISTANCES] = "device distances",
        [PX_CMD_REFRESH_CACHE] = "refresh",
        [PX_CMD_RESBLOCK] = "resource block",
        [PX_CMD_SESSION_CTRL] = "session control",
        [PX_CMD_RESOLVE_PEERS] = "resolve peers",
        [PX_CMD_RESOLVE_NODES] = "resolve nodes",
    };
    const char *name = command < sizeof(names) / sizeof(names[0]) ? names[command] : NULL;

    return name ? name : "unknown";
}
