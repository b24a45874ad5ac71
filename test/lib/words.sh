# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# For tests of launchers: a program whose rank 0 copies its input, and which writes a line to each output and ends with the status that
# is its first word; its input; what four of them write; and what a job of test/interop/peer says. After test/lib/tap.sh.
printf 'from the\ninput\n' >"$SCRATCH/in"
cat >"$SCRATCH/words" <<'END'
#!/bin/sh
[ "$PMIX_RANK" != 0 ] || cat
echo "rank $PMIX_RANK"
echo "error $PMIX_RANK" >&2
exit "${1:-0}"
END
chmod +x "$SCRATCH/words"
lines='from the input rank 0 rank 1 rank 2 rank 3'
errors='error 0 error 1 error 2 error 3'
# sorted FILE: the lines of a file of the scratch directory, sorted, in one.
sorted() { sort "$SCRATCH/$1" | tr '\n' ' ' | sed 's/ $//'; }
# failures: what failed in a job of test/interop/peer, and in how many processes.
failures() { sed -n 's/^\(not ok\) - rank .: /\1 /p' "$SCRATCH/out" | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/'; }
