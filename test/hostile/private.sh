#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Jobs of two users at one server, in both forms: neither gets the other's data and events by message.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
by_messages && skip_all 'both forms are tried'
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'

said_by 'with segments' "$PX_TOP_BUILDDIR/test/hostile/private"
PMIX_MCA_gds=hash
export PMIX_MCA_gds
said_by 'by messages' "$PX_TOP_BUILDDIR/test/hostile/private"
finish
