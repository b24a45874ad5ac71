#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The static probes: those of docs/tools.md are in the library, each is a nop, and a debugger that stops at them sees the
# stages of a collective.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
lib=$PX_TOP_BUILDDIR/.libs/libpmix.so
LC_ALL=C
export LC_ALL
grep -q '^#define PX_WITH_PROBES 1' "$PX_TOP_BUILDDIR/config.h" || skip_all 'no probes are compiled in: there is no <sys/sdt.h>'
command -v readelf >/dev/null 2>&1 || skip_all 'readelf is not here'

# NAME NUMBER-OF-ARGUMENTS
documented() {
    awk -F '|' '/^## / { here = /^## Probes/ }
        here && $2 ~ /^ `/ { gsub(/[` ]/, "", $2); print $2, split($3, arguments, ",") }' "$PX_TOP_SRCDIR/docs/tools.md"
}
# ADDRESS NAME NUMBER-OF-ARGUMENTS
compiled() {
    readelf -nW "$lib" 2>/dev/null | awk '/ Provider: / { ours = / Provider: shmix$/ }
        $1 == "Name:" { name = $2 }
        $1 == "Location:" { at = $2; sub(/,$/, "", at) }
        $1 == "Arguments:" && ours { print at, name, NF - 1 }'
}
documented | sort >"$SCRATCH/documented"
compiled >"$SCRATCH/compiled"
check 'some are documented' test -s "$SCRATCH/documented"
same 'those that are documented are compiled in, with their arguments' "$(cat "$SCRATCH/documented")" \
    "$(cut -d ' ' -f 2- "$SCRATCH/compiled" | sort -u)"

# that_is_a_nop ADDRESS: one instruction there, which does nothing
that_is_a_nop() {
    objdump -d --no-show-raw-insn --start-address="$1" --stop-address=$(($1 + 1)) "$lib" | grep -qE ':[[:space:]]+x?nop'
}
if command -v objdump >/dev/null 2>&1; then
    others=
    while read -r at name rest; do
        that_is_a_nop "$at" || others="$others $name"
    done <"$SCRATCH/compiled"
    same 'each is a nop' '' "$others"
else
    skip 'each is a nop' 'objdump is not here'
fi

# --- a debugger stops at them in a server
stops() {
    printf 'set breakpoint pending on\nset pagination off\nset debuginfod enabled off\nset print thread-events off\n'
    while read -r name text; do
        printf 'break -probe-stap shmix:%s\ncommands\nsilent\nprintf %s\ncontinue\nend\n' "$name" "$text"
    done <<'END'
proc_connect "probe connect %s:%u\n", (char *) $_probe_arg0, (unsigned) $_probe_arg1
proc_commit "probe commit %s:%u %d\n", (char *) $_probe_arg0, (unsigned) $_probe_arg1, (int) $_probe_arg2
coll_join "probe join %s %s:%u %d\n", (char *) $_probe_arg1, (char *) $_probe_arg2, (unsigned) $_probe_arg3, $_probe_arg4 != 0
coll_closed "probe closed %#lx\n", (long) $_probe_arg0
coll_ask "probe ask %#lx\n", (long) $_probe_arg0
host_answer "probe answer %#lx %d\n", (long) $_probe_arg0, (int) $_probe_arg1
coll_over "probe over %#lx %d\n", (long) $_probe_arg0, (int) $_probe_arg1
proc_finalize "probe finalize %s:%u\n", (char *) $_probe_arg0, (unsigned) $_probe_arg1
proc_gone "probe gone %s:%u\n", (char *) $_probe_arg0, (unsigned) $_probe_arg1
END
    echo run
}
# shows PATTERN: the lines of the debugger that begin so, sorted, in one
shows() { sed -n "s/^probe //p" "$SCRATCH/out" | grep -E "^($1)" | sort | tr '\n' ' '; }
stages='the stages of a job'
if [ -n "$PX_SANITIZED" ]; then
    skip "$stages" 'a sanitizer does not work below a debugger'
elif ! gdb -nx -batch -ex run --args true 2>/dev/null | grep -q 'exited normally'; then
    skip "$stages" 'there is no gdb that works'
else
    stops >"$SCRATCH/stops"
    PMIX_MCA_pmix_server_fence_localonly_opt=0 # else the fence of one node is nothing for the host
    export PMIX_MCA_pmix_server_fence_localonly_opt
    LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs run gdb -nx -batch -x "$SCRATCH/stops" --args \
        "$PX_TOP_BUILDDIR/src/tools/.libs/pmixrun" -n 2 --nspace probed "$examples/hello"
    same "$stages: processes" 'commit probed:0 0 commit probed:1 0 connect probed:0 connect probed:1 finalize probed:0 finalize probed:1 gone probed:0 gone probed:1 ' \
        "$(shows 'connect|commit|finalize|gone')"
    same "$stages: all of a fence arrive" 'join fence probed:0 0 join fence probed:1 0 ' "$(shows join)"
    id=$(sed -n 's/^probe closed //p' "$SCRATCH/out")
    same "$stages: it is complete here, goes to the host, is answered, ends" \
        "join join closed $id ask $id answer $id 0 over $id 0" \
        "$(sed -n 's/^probe //; s/^join .*/join/p; /^closed/p; /^ask/p; /^over/p; /^answer '"$id"'/p' "$SCRATCH/out" | tr '\n' ' ' | sed 's/ $//')"
fi
finish
