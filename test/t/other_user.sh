#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A segment against another user, and against what its own readers can do to it.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'
by_messages && skip_all 'there are no segments'
said_by '' "$PX_TOP_BUILDDIR/test/t/other_user"
same 'every attempt was made' 25 "$TAP_COUNT"
finish
