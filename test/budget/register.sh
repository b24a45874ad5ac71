#!/bin/sh
# Budgets of a registration of 10,000 ranks on 100 nodes: allocations go by nodes and keys, not by ranks; the segment
# has a byte or two per rank for what differs, and nothing for ranks in a row.
# Covers: SHM-014 SHM-015
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own calls would be counted"

limit 100 "$PX_TOP_BUILDDIR/test/budget/register" >"$SCRATCH/out" 2>"$SCRATCH/err"
same "registered" 0 $?
allocations=$(sed -n 's/^allocations //p' "$SCRATCH/out")
bytes=$(sed -n 's/^bytes //p' "$SCRATCH/out")
same "at most 1500 allocations ($allocations)" yes "$([ "$allocations" -gt 0 ] && [ "$allocations" -le 1500 ] && echo yes)"
same "at most 160000 bytes ($bytes)" yes "$([ "$bytes" -gt 0 ] && [ "$bytes" -le 160000 ] && echo yes)"
finish
