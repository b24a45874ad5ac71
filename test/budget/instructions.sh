#!/bin/sh
# Instructions of a read, the release of its result included, as callgrind counts them, and of a resolve call. A count
# does not depend on the load of the machine, but on its C library and compiler: bounds are what it was and 5 %.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
! by_messages || skip_all "the bounds are those of reading in a segment"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own instructions would be counted"
command -v valgrind >/dev/null 2>&1 || skip_all "no valgrind here"
valgrind --tool=callgrind --callgrind-out-file=/dev/null true >/dev/null 2>&1 || skip_all "valgrind does not work here"

host=$PX_TOP_BUILDDIR/test/interop/host
program=$PX_TOP_BUILDDIR/test/budget/instructions
reads=2000
ranks=9
PMIX_MCA_shmix_segment_size=1073741824 # more than valgrind can map otherwise
HOST_OTHER_JOB=1 # for the cases "foreign"
export PMIX_MCA_shmix_segment_size HOST_OTHER_JOB

cat >"$SCRATCH/rank" <<EOF
#!/bin/sh
[ "\$PMIX_RANK" = 0 ] || exec "$program"
exec valgrind --tool=callgrind --callgrind-out-file="$SCRATCH/count" --toggle-collect=PMIx_Get \\
    --toggle-collect=PMIx_Value_free --toggle-collect=PMIx_Resolve_peers --toggle-collect=PMIx_Resolve_nodes \\
    "$program" "\$1" $ranks
EOF
chmod +x "$SCRATCH/rank"

# count CASE BOUND
count() {
    rm -f "$SCRATCH/count"
    limit 100 "$host" $ranks "$SCRATCH/rank" "$1" >"$SCRATCH/out" 2>&1
    total=$(sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$SCRATCH/count" 2>/dev/null | tail -1)
    each=$((${total:-0} / reads))
    echo "# $1: $each instructions"
    [ -n "$total" ] && [ "$each" -gt 50 ] && [ "$each" -le "$2" ]
    report $? "$1: at most $2 instructions"
}

# Scalars: the aim itself, of which the allocation, its release and the comparison of the key's name take 160.
while read -r name bound; do
    count "$name" "$bound" </dev/null
done <<EOF
job_size 300
job_size_posted 318
local_rank 300
random_rank 300
nodeid 395
own 515
jobid 560
hostname 600
static 485
static_posted 505
optional 625
pointer 580
node 1020
miss 590
miss_posted 810
posted64 640
posted64_posted 650
pointer64 655
pointer64k 655
foreign 855
foreign_rank 860
foreign_text 1060
resolve_peers 3230
resolve_nodes 895
EOF
finish
