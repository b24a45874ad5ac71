#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The examples do what their comments say.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

# By messages each read of what a neighbour has posted asks whether it is still the newest.
reads='none took a message'
by_messages && reads='but some had to wait'
run "$pmixrun" -n 4 "$examples/hello"
same 'hello ends well' 0 "$code"
for rank in 0 1 2 3; do
    next=$(((rank + 1) % 4))
    same "hello, rank $rank" 1 "$(grep -c "^rank $rank of 4 on [^ ]*, peers 0,1,2,3; rank $next says \
\"greetings from rank $next\"; 3000 reads, $reads\$" "$SCRATCH/out")"
done
printf '%s\n' "$out" | sed 's/^/# /'

run "$pmixrun" -n 1 "$examples/hello"
same 'hello, alone' 0 "$code"

run "$pmixrun" -n 3 "$examples/put_get"
same 'put_get' 'rank 0 has read the values of 3 processes
rank 1 has read the values of 3 processes
rank 2 has read the values of 3 processes' "$(lines)"

run "$pmixrun" -n 5 "$examples/fence"
same 'fence' 5 "$(grep -c 'has passed all fences' "$SCRATCH/out")"

run "$pmixrun" -n 3 "$examples/publish"
same 'publish' 3 "$(grep -c 'finds here:4711, published by rank 0' "$SCRATCH/out")"

run "$pmixrun" -n 3 "$examples/event"
same 'event' 3 "$(grep -c 'has heard that the water boils' "$SCRATCH/out")"

run "$examples/host" 3 "$examples/hello"
same 'host' 0 "$code"
same 'and its processes' 3 "$(grep -c 'rank [0-2] of 3 on' "$SCRATCH/out")"
run "$examples/host" 2 /bin/false
same 'host passes failure on' 1 "$code"
run "$examples/hello"
same 'hello without a server says so' 1 "$(printf '%s\n' "$err" | grep -c 'is this program started by pmixrun')"
finish
