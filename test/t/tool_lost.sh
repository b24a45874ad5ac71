#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A tool whose primary server dies finds another one.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
TMPDIR=$SCRATCH
export TMPDIR
run "$PX_TOP_BUILDDIR/test/t/tool_lost"
same 'the next server is the primary one' '0 ' "$code $err"
finish
