#!/bin/sh
# Instructions of a read, the release of its result included, as callgrind counts them; printed for people, bounded
# for the common reads. A count does not depend on the load of the machine, but on its C library: there is room.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
! by_messages || skip_all "the bounds are those of reading in a segment"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own instructions would be counted"
command -v valgrind >/dev/null 2>&1 || skip_all "no valgrind here"
valgrind --tool=callgrind --callgrind-out-file=/dev/null true >/dev/null 2>&1 || skip_all "valgrind does not work here"

host=$PX_TOP_BUILDDIR/test/interop/host
program=$PX_TOP_BUILDDIR/test/budget/instructions
reads=2000
PMIX_MCA_shmix_segment_size=1073741824 # more than valgrind can map otherwise
export PMIX_MCA_shmix_segment_size

cat >"$SCRATCH/rank" <<EOF
#!/bin/sh
[ "\$PMIX_RANK" = 0 ] || exec "$program"
exec valgrind --tool=callgrind --callgrind-out-file="$SCRATCH/count" --toggle-collect=PMIx_Get \\
    --toggle-collect=PMIx_Value_free "$program" "\$1"
EOF
chmod +x "$SCRATCH/rank"

# count CASE BOUND
count() {
    rm -f "$SCRATCH/count"
    limit 100 "$host" 4 "$SCRATCH/rank" "$1" >"$SCRATCH/out" 2>&1
    total=$(sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$SCRATCH/count" 2>/dev/null | tail -1)
    each=$((${total:-0} / reads))
    echo "# $1: $each instructions"
    [ -n "$total" ] && [ "$each" -gt 50 ] && [ "$each" -le "$2" ]
    report $? "$1: at most $2 instructions"
}

count job_size 300
count local_rank 300
count nodeid 400
count own 550
count jobid 600
count hostname 700
count static 700
count pointer 750
count miss 750
count node 1400
finish
