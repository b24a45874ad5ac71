/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_FIELD_SERVERS_H
#define PX_TOOLS_FIELD_SERVERS_H

#include "field.h"

/* Says on standard error that several servers are on this node, with a line for each that names it
 * as the options choose it. False: there are not several, and nothing is said. The library is not
 * initialized, before and after. */
bool px_field_say_servers(const struct px_field *field);

#endif
