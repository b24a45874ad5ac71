#!/bin/sh
# Instructions of a read, the release of its result included, of a resolve call, a put and a commit, as callgrind counts them. A count
# does not depend on the load of the machine, but on its C library and compiler: bounds are what it was and 4 %.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
! by_messages || skip_all "the bounds are those of reading in a segment"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own instructions would be counted"
command -v valgrind >/dev/null 2>&1 || skip_all "no valgrind here"
valgrind --tool=callgrind --callgrind-out-file=/dev/null true >/dev/null 2>&1 || skip_all "valgrind does not work here"

host=$PX_TOP_BUILDDIR/test/interop/host
program=$PX_TOP_BUILDDIR/test/budget/instructions
pmixrun=$PX_TOP_BUILDDIR/src/tools/pmixrun
reads=10000
ranks=9
PMIX_MCA_shmix_segment_size=1073741824 # more than valgrind can map otherwise
HOST_OTHER_JOB=1 # for the cases "foreign"
export PMIX_MCA_shmix_segment_size HOST_OTHER_JOB

cat >"$SCRATCH/rank" <<EOF
#!/bin/sh
[ "\$PMIX_RANK" = 0 ] || exec "$program"
case \$1 in
put*) set -- "\$1" --toggle-collect=PMIx_Put --toggle-collect=PMIx_Commit ;;
*) set -- "\$1" --toggle-collect=PMIx_Get --toggle-collect=PMIx_Value_free --toggle-collect=PMIx_Resolve_peers \\
    --toggle-collect=PMIx_Resolve_nodes ;;
esac
name=\$1
shift
exec valgrind --tool=callgrind --callgrind-out-file="$SCRATCH/count" "\$@" "$program" "\$name" $ranks
EOF
chmod +x "$SCRATCH/rank"

# count CASE BOUND: in a job of one node, or for CASE@nodes of three
count() {
    rm -f "$SCRATCH/count"
    case $1 in
    *@nodes) limit 100 "$pmixrun" --nodes 3 -n $ranks "$SCRATCH/rank" "${1%@nodes}" >"$SCRATCH/out" 2>&1 ;;
    *) limit 100 "$host" $ranks "$SCRATCH/rank" "$1" >"$SCRATCH/out" 2>&1 ;;
    esac
    code=$?
    total=$(sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$SCRATCH/count" 2>/dev/null | tail -1)
    each=$((${total:-0} / reads))
    echo "# $1: $each instructions"
    [ $code -eq 0 ] && [ -n "$total" ] && [ "$each" -gt 50 ] && [ "$each" -le "$2" ]
    report $? "$1: at most $2 instructions"
}

# What a job's processes read most, one line for each way that it takes. Numbers: some 300, of which the allocation, its
# release and the comparison of the key's name take 150; in a job of several nodes a rank's are in an array. "new": another
# key each time, so that the thread has cached none of them. A put is one of a number whose key waits already; put_commit
# is a put and its commit, without what the progress thread does: 8,560 to 8,700 alone, up to 9,020 beside other work.
while read -r name bound; do
    count "$name" "$bound" </dev/null
done <<EOF
job_size 300
random_rank 300
random_rank@nodes 325
local_size 300
posted32 300
posted32_new 750
own 285
own_new 955
static 225
optional 370
miss 207
pointer 194
jobid 668
hostname 645
hostname@nodes 676
node 1053
miss_new 630
pointer_new 690
put 597
put_commit 9100
posted64 778
foreign 920
resolve_peers 2607
EOF
finish
