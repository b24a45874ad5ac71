#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The system server, the scheduler and a session's server, each killed and started again ten times (a hundred times with PX_LONG,
# make check-long) while clients and tools come. Repeat with SEED.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMIX_SERVER_TMPDIR PMIX_SYSTEM_TMPDIR
rounds=10
[ -z "${PX_LONG:-}" ] || rounds=100
[ -z "${PX_SANITIZED:-}" ] || rounds=5
SEED=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
echo "# SEED=$SEED"
said_seconds=900
for role in system scheduler session; do
    mkdir "$SCRATCH/$role"
    said_by '' "$PX_TOP_BUILDDIR/test/t/roles" drive $role $rounds "$SEED" "$SCRATCH/$role"
done
finish
