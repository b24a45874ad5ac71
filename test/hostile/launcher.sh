#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A launcher and a process of another user: its jobs are not his.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'

said_by '' "$PX_TOP_BUILDDIR/test/hostile/launcher"
finish
