#!/bin/sh
# Unmodified Open MPI programs under pmixrun: with the distribution's client library and with ours.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
command -v mpicc >/dev/null 2>&1 || skip_all "no mpicc on this machine"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitized library cannot be loaded into a program that is not"

OMPI_MCA_btl_vader_single_copy_mechanism=none
OMPI_MCA_btl=self,vader
OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_btl OMPI_MCA_btl_base_warn_component_unused
check "build the ring" mpicc -O1 -o "$SCRATCH/ring" "$PX_TOP_SRCDIR/test/interop/ring.c"
want=$(for r in 0 1 2 3; do echo "ring rank $r of 4, 4 on this node, right"; done)
run=$PX_TOP_BUILDDIR/src/tools/pmixrun

limit 120 "$run" -n 4 "$SCRATCH/ring" >"$SCRATCH/out" 2>"$SCRATCH/err"
same "the distribution's client library: exit code" 0 $?
same "the distribution's client library: every rank" "$want" "$(grep '^ring' "$SCRATCH/out" | sort)"
limit 120 "$run" -n 4 --report -x LD_LIBRARY_PATH= "$SCRATCH/ring" >"$SCRATCH/out" 2>"$SCRATCH/err"
same "the report says that another library was there" "0 1" "$? $(grep -c ': 4 ranks did not report: their program has another libpmix' "$SCRATCH/err")"
LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs RING_MAPS=1 timeout -k 5 120 "$run" -n 4 "$SCRATCH/ring" \
    >"$SCRATCH/out" 2>>"$SCRATCH/err"
same "our client library: exit code" 0 $?
same "our client library: every rank" "$want" "$(grep '^ring' "$SCRATCH/out" | sort)"
same "our library is the one that is mapped" 4 "$(grep '^library' "$SCRATCH/out" | grep -c "$PX_TOP_BUILDDIR/.libs/")"

# docs/decisions/0009-missing-keys.md: rank 0 asks for an address that rank 1 does not have.
OMPI_MCA_btl_tcp_if_include=lo
export OMPI_MCA_btl_tcp_if_include
limit 60 "$run" -n 2 sh -c '[ "$PMIX_RANK" = 1 ] || export OMPI_MCA_btl=self,vader,tcp; exec "$0"' "$SCRATCH/ring" \
    >"$SCRATCH/out" 2>>"$SCRATCH/err"
same "ranks with different transports: exit code" 0 $?
same "ranks with different transports: both ranks" 2 "$(grep -c '^ring' "$SCRATCH/out")"
# The topology comes from the server: a rank that has none looks for it below /sys. libnuma and the C library read these files
# in any process.
reads() {
    grep -oE '"/sys/[^"]*"' "$1" | grep -vcE '^"/sys/devices/system/(cpu/possible|node|node/node[0-9]+/meminfo)"$'
}
# shellcheck disable=SC2016
traced='exec strace -f -e trace=open,openat,readlink -o "$SCRATCH/files.$PMIX_RANK" "$SCRATCH/ring"'
export SCRATCH
if strace -o /dev/null true 2>/dev/null; then
    limit 60 strace -f -e trace=open,openat,readlink -o "$SCRATCH/alone" "$SCRATCH/ring" >/dev/null 2>>"$SCRATCH/err"
    check "a process without a server reads below /sys ($(reads "$SCRATCH/alone"))" test "$(reads "$SCRATCH/alone")" -gt 100
    for library in '' "$PX_TOP_BUILDDIR/.libs"; do
        rm -f "$SCRATCH"/files.*
        LD_LIBRARY_PATH=$library limit 60 "$run" -n 2 sh -c "$traced" >"$SCRATCH/out" 2>>"$SCRATCH/err"
        same "${library:+our client library: }MPI_Init reads nothing below /sys" "0 2 0 0" \
            "$? $(grep -c '^ring' "$SCRATCH/out") $(reads "$SCRATCH/files.0") $(reads "$SCRATCH/files.1")"
    done
else
    echo '# strace is not here, or may not trace: files below /sys are not counted'
fi
sed 's/^/# /' "$SCRATCH/err" | tail -n 40
finish
