/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_COMMAND_NAME_H
#define PX_WIRE_COMMAND_NAME_H

#include <stdint.h>

/* The name of a command, for messages to people: "fence"; "unknown" if there is none. */
const char *px_command_name(uint8_t command);

#endif
