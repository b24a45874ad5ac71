#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Who may connect once more under the name of a process.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
by_messages && skip_all 'it is the same there'
[ "$(id -u)" = 0 ] || skip_all 'only root can be another user'

said_by '' "$PX_TOP_BUILDDIR/test/hostile/clones"
finish
