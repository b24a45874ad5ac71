# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# TAP for shell tests: source it, call check / skip_all, end with finish. Everything a test makes goes into
# $SCRATCH, which is removed at the end however the test ends.

: "${PX_TOP_SRCDIR:?set by the test driver}" "${PX_TOP_BUILDDIR:?set by the test driver}"
CC=${CC:-cc}
TAP_COUNT=0
TAP_FAILED=0
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/shmix-test.XXXXXX") || exit 99
trap 'rm -rf "$SCRATCH"' EXIT
trap 'exit 99' HUP INT TERM

# skip_all REASON: the whole test cannot run here.
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# report STATUS WHAT: one TAP line.
report() {
    TAP_COUNT=$((TAP_COUNT + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $TAP_COUNT - $2"
    else
        echo "not ok $TAP_COUNT - $2"
        TAP_FAILED=1
    fi
}

# check WHAT COMMAND...: the command must succeed; what it printed is shown when it does not.
check() {
    what=$1
    shift
    "$@" >"$SCRATCH/check.out" 2>&1
    result=$?
    report $result "$what"
    if [ $result -ne 0 ]; then
        echo "# $* returned $result"
        tail -n 40 "$SCRATCH/check.out" | sed 's/^/# /'
    fi
    return 0
}

# same WHAT WANT GOT
same() {
    [ "$2" = "$3" ]
    report $? "$1"
    if [ "$2" != "$3" ]; then
        printf '%s\n' "want:" "$2" "got:" "$3" | sed 's/^/# /'
    fi
    return 0
}

# skip WHAT REASON
skip() {
    TAP_COUNT=$((TAP_COUNT + 1))
    echo "ok $TAP_COUNT - $1 # SKIP $2"
}

# by_messages: the processes of this test read by messages, not in a segment (make check-messages).
by_messages() {
    [ "${PMIX_MCA_gds-}" = hash ]
}

# limit SECONDS COMMAND...: ends the command with its process group when it takes too long.
limit() {
    seconds=$1
    shift
    timeout -k 5 "$seconds" "$@"
}

# said_by WHAT PROGRAM...: a program that writes "ok - TEXT" or "not ok - TEXT" for each thing that it tries, with or without
# a number before the dash, and "# TEXT" for who reads the log; WHAT begins each name. It must end with 0, within $said_seconds
# (300), and write nothing to standard error.
said_by() {
    said_of=${1:+$1: }
    shift
    limit "${said_seconds:-300}" "$@" >"$SCRATCH/said" 2>"$SCRATCH/complaints"
    said_code=$?
    grep '^#' "$SCRATCH/said"
    while read -r result what; do
        [ "$result" = ok ]
        report $? "$said_of${what#*- }"
    done <<EOF2
$(sed -n '/^#/!s/^not ok/not_ok/; /^#/!p' "$SCRATCH/said")
EOF2
    same "${said_of}it ends, and complains of nothing" '0 ' "$said_code $(cat "$SCRATCH/complaints")"
}

# alive PID: runs, and is not a zombie.
alive() {
    state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null)
    [ -n "$state" ] && [ "$state" != Z ] && [ "$state" != X ]
}

# until_true WHAT COMMAND...: runs the command until it succeeds. After a minute it prints WHAT, which has not come true,
# and returns 1. It polls: a shell cannot wait for a line in a file that another process writes, for the state of a process
# that is not its child, or for the end of one.
until_true() {
    until_what=$1
    shift
    until_end=$(($(date +%s) + 60))
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt $until_end ] || { echo "not within a minute: $until_what"; return 1; }
        sleep 0.1
    done
}

dead() {
    ! alive "$1"
}

# gone PID...: waits until none is alive; gives up after a minute. Fails without a PID.
gone() {
    [ $# -gt 0 ] || { echo 'no process is named'; return 1; }
    for gone_pid in "$@"; do
        [ -n "$gone_pid" ] || { echo 'a process without a number'; return 1; }
        until_true "process $gone_pid ends" dead "$gone_pid" || return 1
    done
}

# stop PID...: asks children of this shell to end, and ends those that have not after a minute.
stop() {
    kill "$@" 2>/dev/null
    gone "$@" || kill -9 "$@" 2>/dev/null
    wait "$@" 2>/dev/null
}

finish() {
    [ "$TAP_COUNT" -gt 0 ] || echo "Bail out! nothing was tested"
    echo "1..$TAP_COUNT"
    exit $TAP_FAILED
}

# The distribution's PMIx, to compare and to interoperate with.
stock_flags() {
    PKG_CONFIG_PATH='' pkg-config --cflags --libs pmix 2>/dev/null
}

stock_library() {
    PKG_CONFIG_PATH='' pkg-config --variable=libdir pmix 2>/dev/null
}

# stock_build OUTPUT SOURCE...: a program of ours against the distribution's headers and library.
stock_build() {
    stock_output=$1
    shift
    # shellcheck disable=SC2046
    $CC -std=gnu11 -O1 -D_GNU_SOURCE -I"$PX_TOP_SRCDIR" -o "$stock_output" "$@" $(stock_flags) -lpthread
}
