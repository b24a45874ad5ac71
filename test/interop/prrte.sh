#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# PRRTE's 2.0 line, unmodified, as host and as tools: prterun, and prte with prun and pterm. It is in no package; PRRTE_PREFIX names
# an installation that was configured with --with-pmix=PREFIX of ours (docs/compatibility.md). It runs with the library of this build.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -n "${PRRTE_PREFIX-}" ] || skip_all 'PRRTE_PREFIX does not name an installation of PRRTE 2.0'
[ -x "$PRRTE_PREFIX/bin/prterun" ] || skip_all "no prterun in $PRRTE_PREFIX/bin"
[ -z "${PX_SANITIZED:-}" ] || skip_all 'a sanitized library cannot be loaded into a program that is not'
interop=$PX_TOP_BUILDDIR/test/interop
examples=$PX_TOP_BUILDDIR/examples
bin=$PRRTE_PREFIX/bin
LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs
TMPDIR=$SCRATCH/tmp
PRTE_ALLOW_RUN_AS_ROOT=1
PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LD_LIBRARY_PATH TMPDIR PRTE_ALLOW_RUN_AS_ROOT PRTE_ALLOW_RUN_AS_ROOT_CONFIRM
mkdir "$TMPDIR"
daemon=
end() {
    [ -z "$daemon" ] || stop $daemon
    rm -rf "$SCRATCH"
}
trap end EXIT

. "$PX_TOP_SRCDIR/test/lib/words.sh"

# launch ARGUMENT...: with the launcher that is tried; leaves $code, $SCRATCH/out and $SCRATCH/err.
where=':oversubscribe'
launch() {
    # shellcheck disable=SC2086
    limit 60 "$bin/$launcher" --map-by $where "$@" <"$SCRATCH/in" >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
}
# example NAME TEXT: one of our examples, in four processes.
example() {
    launch -n 4 "$examples/$1"
    same "$launcher: examples/$1" '0 4' "$code $(grep -c "$2" "$SCRATCH/out")"
    sed 's/^/# /' "$SCRATCH/err"
}
# tried: what every launcher has to do.
tried() {
    launch -n 4 "$SCRATCH/words"
    same "$launcher: output, and input for rank 0" "0 $lines" "$code $(sorted out)"
    same "$launcher: errors" "$errors" "$(sorted err)"
    launch -n 4 "$SCRATCH/words" 7
    same "$launcher: ends as its processes do" 7 "$code"
    example hello ' of 4 on '
    example fence 'has passed all fences'
    example put_get 'has read the values of 4 processes'
    example publish 'published by rank 0'
    example event 'has heard that the water boils'
    launch -n 2 "$interop/peer" spawn
    same "$launcher: spawn" '0 1' "$code $(grep -c '^ok.*which is right' "$SCRATCH/out")"
    launch -n 2 "$interop/peer" abort
    same "$launcher: abort" 43 "$code"
    head -c 1000000 /dev/zero >"$SCRATCH/in"
    # prterun's main thread is not woken when the spawn is answered; it goes on when its job writes something.
    launch -n 1 sh -c 'echo begins; wc -c'
    same "$launcher: much input" '0 begins 1000000' "$code $(tr '\n' ' ' <"$SCRATCH/out" | sed 's/ $//')"
    seq 1 100000 >"$SCRATCH/want"
    launch -n 1 seq 1 100000
    check "$launcher: much output" cmp "$SCRATCH/want" "$SCRATCH/out"
    printf 'from the\ninput\n' >"$SCRATCH/in"
}

launcher=prterun
launch -n 1 grep -o 'libpmix.so.*' "/proc/self/maps"
same 'a process that knows nothing of PMIx' 1 "$code"
tried
if command -v mpicc >/dev/null 2>&1; then
    # Open MPI 4.1 takes a process for its own launcher's or a singleton unless told (docs/openmpi.md).
    OMPI_MCA_schizo=^orte
    OMPI_MCA_btl=self,vader
    OMPI_MCA_btl_vader_single_copy_mechanism=none
    export OMPI_MCA_schizo OMPI_MCA_btl OMPI_MCA_btl_vader_single_copy_mechanism
    check 'build the ring' mpicc -O1 -o "$SCRATCH/ring" "$PX_TOP_SRCDIR/test/interop/ring.c"
    launch -n 4 "$SCRATCH/ring"
    same 'prterun: an Open MPI program' '0 4' "$code $(grep -c '^ring.*of 4, 4 on this node, right' "$SCRATCH/out")"
    tail -n 5 "$SCRATCH/err" | sed 's/^/# /'
fi

# Two nodes made of one: an agent starts the daemon of each under a host name of its own.
if unshare --uts true 2>/dev/null; then
    cat >"$SCRATCH/agent" <<'END'
#!/bin/sh
host=$1
shift
exec unshare --uts sh -c 'hostname "$1"; shift; exec sh -c "$*"' sh "$host" "$@"
END
    chmod +x "$SCRATCH/agent"
    where='node --host nodea:2,nodeb:2'
    export PRTE_MCA_plm=ssh PRTE_MCA_plm_rsh_agent="$SCRATCH/agent"
    launch -n 4 "$examples/hello"
    same 'prterun: two nodes' '0 2' "$code $(grep -c ' of 4 on nodeb, peers 1,3' "$SCRATCH/out")"
    example fence 'has passed all fences'
    example put_get 'has read the values of 4 processes'
    example publish 'published by rank 0'
    example event 'has heard that the water boils'
    launch -n 4 "$interop/peer" exchange
    same 'prterun: fences on two nodes, but for what is local to the other' 'not ok interop-local 8' \
        "$(failures)"
    unset PRTE_MCA_plm PRTE_MCA_plm_rsh_agent
    where=':oversubscribe'
fi

launcher=prun
"$bin/prte" --report-uri "$SCRATCH/uri" >"$SCRATCH/dvm" 2>&1 </dev/null &
daemon=$!
until_true 'prte is ready' grep -q 'DVM ready' "$SCRATCH/dvm"
tried
launch --dvm-uri "file:$SCRATCH/uri" -n 2 echo found
same 'prun: by the file that --report-uri has written' '0 2' "$code $(grep -c found "$SCRATCH/out")"
"$PX_TOP_BUILDDIR/src/tools/pquery" PMIX_QUERY_NAMESPACES >"$SCRATCH/out" 2>"$SCRATCH/err"
same 'a tool of ours finds it' '0 PMIX_QUERY_NAMESPACES:' "$? $(cut -d' ' -f1 "$SCRATCH/out")"
limit 60 "$bin/pterm" >"$SCRATCH/out" 2>&1
same 'pterm ends it' 0 $?
check 'it is gone' gone $daemon
daemon=
same 'nothing is left' '' "$(find "$TMPDIR" -type f)"
finish
