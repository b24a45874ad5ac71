#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Many small requests for large answers, of one who does not read them, in both forms.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
by_messages && skip_all 'both forms are tried'
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'

said_by 'with segments' "$PX_TOP_BUILDDIR/test/hostile/gets"
PMIX_MCA_gds=hash
export PMIX_MCA_gds
said_by 'by messages' "$PX_TOP_BUILDDIR/test/hostile/gets"
finish
