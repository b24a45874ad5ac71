#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Two users and one server: nobody passes for somebody else, or keeps another from being served.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'

chmod 755 "$SCRATCH"
said_by '' "$PX_TOP_BUILDDIR/test/hostile/users" "$SCRATCH"
finish
