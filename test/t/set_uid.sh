#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A program with more rights than its caller takes nothing from the caller's environment, neither a name in a job nor a
# server: it runs as one that nobody has launched.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
[ "$(id -u)" = 0 ] || skip_all 'only root can give a program to another user'

chmod 755 "$SCRATCH"
cp "$examples/hello" "$SCRATCH/hello" || exit 99
run "$pmixrun" -n 2 "$SCRATCH/hello"
same 'the program takes part in a job' 2 "$(grep -c '^rank [01] of 2 on ' "$SCRATCH/out")"

# alone WHAT: PMIx_Init finds nobody.
alone() {
    run "$pmixrun" -n 1 "$SCRATCH/hello"
    same "$1" 1 "$(grep -c 'init .*PMIX_ERR_UNREACH' "$SCRATCH/err")"
}
chown 0:1 "$SCRATCH/hello" && chmod 2755 "$SCRATCH/hello" || exit 99
alone "with set-gid it is on its own"
chown 1:0 "$SCRATCH/hello" && chmod 4755 "$SCRATCH/hello" || exit 99
alone "and with set-uid"

# The one place that may ask for variables as they are is a program.
plain() {
    ! grep -rnw 'getenv' --include='*.[ch]' "$PX_TOP_SRCDIR/include" "$PX_TOP_SRCDIR/shmem" "$PX_TOP_SRCDIR/gds" "$PX_TOP_SRCDIR/src" |
        grep -v '/src/tools/'
}
check 'no getenv in the library' plain
finish
