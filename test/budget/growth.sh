#!/bin/sh
# How the work on what peers send grows with its number, in instructions as callgrind counts them: four times as many things
# may take six times as much (a sort), not sixteen times.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own instructions would be counted"
command -v valgrind >/dev/null 2>&1 || skip_all "no valgrind here"
valgrind --tool=callgrind --callgrind-out-file=/dev/null true >/dev/null 2>&1 || skip_all "valgrind does not work here"

program=$PX_TOP_BUILDDIR/test/budget/growth

# count CASE N: instructions, less those of a start; nothing if it failed
count() {
    rm -f "$SCRATCH/count"
    limit 100 valgrind --tool=callgrind --callgrind-out-file="$SCRATCH/count" --toggle-collect="$1" \
        "$program" "$1" "$2" >"$SCRATCH/out" 2>&1 || return
    sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$SCRATCH/count" | tail -1
}

for name in list_procs register_codes name_groups name_members; do
    few=$(count "$name" 2000)
    many=$(count "$name" 8000)
    echo "# $name: $few instructions for 2000, $many for 8000"
    [ -n "$few" ] && [ -n "$many" ] && [ "$few" -gt 2000 ] && [ "$many" -le $((6 * few)) ]
    report $? "$name: four times as many take at most six times as long"
done

finish
