#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Connections that processes inherit, and what may happen to them before they are used.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

# what pmixrun's processes find in their environment
inherits() { limit 60 "$pmixrun" -n 1 sh -c 'echo ${PMIX_SHMIX_INHERIT+something}' 2>&1; }

if by_messages; then
    same 'by messages nothing is inherited' '' "$(inherits)"
    finish
    exit
fi
chmod 755 "$SCRATCH"
said_by '' "$PX_TOP_BUILDDIR/test/hostile/inherit"
same 'pmixrun lets its processes inherit' something "$(inherits)"
same 'unless it is told not to' '' "$(PMIX_MCA_shmix_inherit=0 inherits)"
same 'or processes shall not use AF_UNIX' '' "$(PMIX_MCA_shmix_door_unix=0 inherits)"
same 'or shall read by messages' '' "$(PMIX_MCA_gds=hash inherits)"
finish
