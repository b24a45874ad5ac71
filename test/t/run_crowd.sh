#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Processes with many threads at work at once.
# Covers: SHM-004
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
crowd=$PX_TOP_BUILDDIR/test/t/crowd
rounds=${PX_LONG:+1000}

# threads WHAT ARGUMENT...: pmixrun with the arguments, and a crowd
threads() {
    what=$1
    shift
    run "$pmixrun" "$@" "$crowd" "${rounds:-30}"
    same "$what" 0 "$code"
    [ "$code" -eq 0 ] || printf '%s\n' "$err" | head -n 20 | sed 's/^/# /'
}

threads 'one process' -n 1
threads 'three processes' -n 3
threads 'two nodes' --nodes 2 -n 4
threads 'by messages' -n 3 -x PMIX_MCA_gds=hash
finish
