#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The commands of the field with the distribution's library: ours at a host that links it, and the same sources built
# against it, at that host and at ours.
. "${PX_TOP_SRCDIR:?}/test/lib/field.sh"
[ -n "$(stock_flags)" ] || skip_all 'no libpmix-dev on this machine'
job=$PX_TOP_BUILDDIR/test/t/field_job
stock=$SCRATCH/stock
mkdir "$stock"

build() {
    for command in palloc pattrs pctrl pevent plookup pps pquery; do
        # shellcheck disable=SC2086
        stock_build "$stock/$command" -I"$PX_TOP_BUILDDIR" "$PX_TOP_SRCDIR/src/tools/field/$command.c" $shared || return 1
    done
}
shared=
for file in answer field names names_gen read servers value; do shared="$shared $PX_TOP_SRCDIR/src/tools/field/$file.c"; done
for file in options out quote std; do shared="$shared $PX_TOP_SRCDIR/src/tools/$file.c"; done
check "build the commands against the distribution's library" build
check 'build a host against it' stock_build "$SCRATCH/host" "$PX_TOP_SRCDIR"/test/interop/host*.c "$PX_TOP_SRCDIR"/src/host/*.c
check 'and a process of a job' stock_build "$SCRATCH/field_job" "$PX_TOP_SRCDIR/test/t/field_job.c"

# begin_host HOST LIBRARY PROGRAM: job "interop-job" of two processes with that library; leaves $runner.
begin_host() {
    rm -f "$SCRATCH/gate" "$SCRATCH/job.out"
    mkfifo "$SCRATCH/gate"
    HOST_TOOLS=1 CLIENT_LIBRARY_PATH=$2 "$1" 2 "$3" "$SCRATCH/gate" >"$SCRATCH/job.out" 2>"$SCRATCH/job.err" </dev/null &
    runner=$!
    exec 9<>"$SCRATCH/gate"
    until_lines 2 "$SCRATCH/job.out" || cat "$SCRATCH/job.err"
}

try() { # try WHAT: all commands at the host
    code "$1: namespaces" 0 pquery --parsable PMIX_QUERY_NAMESPACES
    has 'are there' 'results:0:value:interop-job'
    code 'a key that the host does not have' 5 pquery no.such.key
    code 'processes' 0 pps --json
    python 'with their names' '[(j["nspace"], [p["rank"] for p in j["processes"]], j["processes"][1]["executable"]) for j in d["jobs"]]' \
        "[('interop-job', [0, 1], 'program')]"
    code 'a job that is not there' 5 pps none
    code 'published names' 0 plookup --json port number
    python 'with their values' 'sorted((r["key"], r["value"], r["proc"]["nspace"]) for r in d["results"])' \
        "[('number', 4242, 'interop-job'), ('port', 'one', 'interop-job')]"
    code 'a name that nobody publishes' 5 plookup nobody
    # Release 4.2 calls back twice for an event.
    code 'an event' 0 pevent --targets 'interop-job:*' --info my.number:uint32=3 -- -3001
    check 'is told' until_lines 4 "$SCRATCH/job.out"
    same 'with its info' 2 "$(grep -c '^event -3001 number 3$' "$SCRATCH/job.out")"
    code 'an allocation' 0 palloc --nodes 2
    same 'with its id' 'PMIX_ALLOC_ID: "seventeen"' "$out"
    code 'what the host does not do' 4 pctrl --targets interop-job:0 --pause
    said 'is said by name' 'pctrl: job control: not supported by the server or its host: PMIX_ERR_NOT_SUPPORTED'
    if [ "$tools" = "$stock" ]; then
        skip 'attributes' 'release 4.2 crashes when it is asked for PMIX_QUERY_ATTRIBUTE_SUPPORT'
    else
        code 'calls of the client' 0 pattrs --client
        has 'are there' '  PMIx_Fence'
        code 'attributes of a call' 0 pattrs --client PMIx_Get
    fi
    code 'an end' 0 pctrl --targets interop-job:0,interop-job:1 --kill
    check 'is the end' gone "$runner"
    exec 9>&-
    wait "$runner" 2>/dev/null
}

ours=$tools
begin_host "$SCRATCH/host" "$(stock_library)" "$SCRATCH/field_job"
try "our commands at the distribution's server"
tools=$stock
begin_host "$SCRATCH/host" "$(stock_library)" "$SCRATCH/field_job"
try "the distribution's library at its own server"
begin_host "$PX_TOP_BUILDDIR/test/interop/host" "$PX_TOP_BUILDDIR/.libs" "$job"
try "the distribution's library at our server"
tools=$ours
begin_host "$PX_TOP_BUILDDIR/test/interop/host" "$PX_TOP_BUILDDIR/.libs" "$job"
try 'ours at ours'
finish
