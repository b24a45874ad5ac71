#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Every pair of libraries, as server and as client or tool, in every area: a table. Ours, the distribution's, and those of
# INTEROP_PREFIXES='LABEL=PREFIX ...' (PREFIX/lib/pkgconfig/pmix.pc). INTEROP_TABLE=FILE keeps the table.
# docs/compatibility.md has the table of ours and the distribution's: it must be what comes out, if the versions are those.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all 'the pairs with a sanitized library are in the other scripts'
here=$PX_TOP_SRCDIR/test/interop
page=$PX_TOP_SRCDIR/docs/compatibility.md
job_areas='init job exchange publish events groups queries resolve spawn'
tool_areas='attach output'
libraries=
# Tools read all there is below this folder, in search of servers, and newer servers do not start where one that was killed has
# left the file of a system server: each run finds it empty.
TMPDIR=$SCRATCH/tmp
mkdir "$TMPDIR"
export TMPDIR

# library LABEL PKG_CONFIG_PATH: host, peer and visitor against it, in $SCRATCH/LABEL.
library() {
    dir=$SCRATCH/$1
    mkdir "$dir" || return 1
    flags=$(PKG_CONFIG_PATH=$2 pkg-config --cflags --libs pmix 2>/dev/null) || return 1
    PKG_CONFIG_PATH=$2 pkg-config --variable=libdir pmix >"$dir/path"
    PKG_CONFIG_PATH=$2 pkg-config --modversion pmix >"$dir/version"
    for program in host peer visitor; do
        sources=$here/$program.c
        [ $program != host ] || sources="$here/host*.c $PX_TOP_SRCDIR/src/host/*.c"
        # shellcheck disable=SC2086
        $CC -std=gnu11 -O1 -D_GNU_SOURCE -I"$PX_TOP_SRCDIR" -o "$dir/$program" $sources $flags \
            -Wl,-rpath,"$(cat "$dir/path")" -lpthread || return 1
    done
    libraries="$libraries $1"
}

ours() {
    mkdir "$SCRATCH/shmix" || return 1
    for program in host peer visitor; do ln -s "$PX_TOP_BUILDDIR/test/interop/$program" "$SCRATCH/shmix/$program" || return 1; done
    echo "$PX_TOP_BUILDDIR/.libs" >"$SCRATCH/shmix/path"
    libraries="$libraries shmix"
}

word() { # word STATUS: what a cell says
    case $1 in 0) echo ok ;; 124 | 142) echo hangs ;; *) echo fails ;; esac
}

job() { # job SERVER CLIENT AREA
    CLIENT_LIBRARY_PATH=$(cat "$SCRATCH/$2/path") limit 30 "$SCRATCH/$1/host" --tools 2 "$SCRATCH/$2/peer" "$3" \
        >"$SCRATCH/out" 2>&1 </dev/null
    word $?
}

at_gate() { grep -q 'rank 0: waits at the gate' "$SCRATCH/job.out" || dead "$1"; }
tool() { # tool SERVER TOOL AREA: while a job of the server's library runs
    rm -f "$SCRATCH/gate"
    : >"$SCRATCH/job.out" # the last job waited at the gate, too
    mkfifo "$SCRATCH/gate"
    stdio=
    [ "$3" = attach ] || stdio=--stdio
    INTEROP_GATE=$SCRATCH/gate CLIENT_LIBRARY_PATH=$(cat "$SCRATCH/$1/path") \
        setsid "$SCRATCH/$1/host" --tools $stdio 2 "$SCRATCH/$1/peer" talk >"$SCRATCH/job.out" 2>&1 </dev/null &
    host=$!
    until_true 'the job runs' at_gate $host >&2
    LD_LIBRARY_PATH=$(cat "$SCRATCH/$2/path") limit 10 "$SCRATCH/$2/visitor" $host "$3" "$SCRATCH/gate" >"$SCRATCH/out" 2>&1 </dev/null
    result=$?
    word $result
    [ $result = 0 ] || kill $host 2>/dev/null # one that answers nobody
    echo go | limit 5 tee "$SCRATCH/gate" >/dev/null 2>&1 & # if the tool has not
    opener=$!
    gone $host >&2 || kill $host
    wait $host 2>/dev/null
    # Processes of a host that was killed may still wait, at the gate or for their server.
    kill -KILL -- -$host 2>/dev/null
    for proc in /proc/[0-9]*; do # also those that are not in the host's group, by their program, which only this test has
        case $(tr '\0' ' ' 2>/dev/null <"$proc/cmdline") in "$SCRATCH/"*"/peer talk "*) kill -KILL "${proc#/proc/}" 2>/dev/null ;; esac
    done
    kill $opener 2>/dev/null
    wait
}

check 'ours' ours
if [ -n "$(stock_flags)" ]; then
    check "the distribution's" library distribution ''
else
    skip "the distribution's" 'no libpmix-dev on this machine'
fi
for given in ${INTEROP_PREFIXES-}; do
    check "$given" library "${given%%=*}" "${given#*=}/lib/pkgconfig"
done

once() { # once AREA: of $server and $client
    rm -rf "$TMPDIR" && mkdir "$TMPDIR" || return
    case " $job_areas " in
    *" $1 "*) job "$server" "$client" "$1" ;;
    *) tool "$server" "$client" "$1" ;;
    esac
}

# The same; where ours meets another library, what counts is three failures: the other one has races of its own.
cell() {
    tries=1
    [ "$server" = "$client" ] || tries=3
    while
        result=$(once "$1")
        [ "$result" != ok ]
    do
        sed "s|^|# $server/$client $1: |" "$SCRATCH/out" | tail -n 5 >&2
        tries=$((tries - 1))
        [ $tries -gt 0 ] || break
    done
    echo "$result"
}

{
    printf '| server | client, tool |'
    for area in $job_areas $tool_areas; do printf ' %s |' "$area"; done
    printf '\n|---|---|'
    for area in $job_areas $tool_areas; do printf -- '---|'; done
    echo
} >"$SCRATCH/table"
for server in $libraries; do
    for client in $libraries; do
        line="| $server | $client |"
        for area in $job_areas $tool_areas; do
            result=$(cell "$area")
            line="$line $result |"
            if [ "$server/$client" = shmix/shmix ]; then
                same "ours with ours: $area" ok "$result"
            fi
        done
        echo "$line" >>"$SCRATCH/table"
    done
done
sed 's/^/# /' "$SCRATCH/table"
[ -z "${INTEROP_TABLE-}" ] || cp "$SCRATCH/table" "$INTEROP_TABLE"

version=$(cat "$SCRATCH/distribution/version" 2>/dev/null)
if [ -n "$version" ] && grep -q "^\`distribution\` is $version\$" "$page"; then
    # What the distribution's does with itself is not ours to keep.
    rows() { grep -E '^\| (shmix \| (shmix|distribution)|distribution \| shmix) \|' "$1"; }
    same 'the rows of docs/compatibility.md' "$(rows "$page")" "$(rows "$SCRATCH/table")"
else
    skip 'the rows of docs/compatibility.md' "they are of another release than ${version:-none}"
fi
finish
