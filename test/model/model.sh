#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The models of the segment's protocol, of its generations, of the progress thread's sleep, of an invitation to a group and of its new leader hold in
# every state, and each deliberate mistake is found.
# Covers: SHM-004 SHM-005
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all "nothing of this build is looked at"
command -v spin >/dev/null 2>&1 || skip_all 'spin is not installed'
models=$PX_TOP_SRCDIR/test/model
cd "$SCRATCH" || exit 99

# search -D...: what the checker says of a model made with these definitions.
search() {
    rm -f pan pan.*
    spin -a "$@" "$model" >spin.out 2>&1 || { cat spin.out; return 1; }
    $CC ${PX_LONG:+-O2} -w -DSAFETY -DCOLLAPSE -DVECTORSZ=1024 -o pan pan.c || return 1
    limit "${PX_LONG:+1}300" ./pan -m10000 >pan.out 2>&1 || { tail -n 5 pan.out; return 1; }
    ! grep -E 'max search depth|out of memory|hash table full' pan.out
}

holds() {
    search "$@" || return 1
    grep -E 'assertion violated|invalid end state \(' pan.out
    grep -q 'errors: 0$' pan.out && grep -Eq '[0-9]+ states, stored' pan.out
}

# A mistake is found by an assertion, not by the model getting stuck.
fails() {
    search "$@" || return 1
    grep -q 'assertion violated' pan.out
}

found() {
    mistakes=$(sed -n 's/^#define \([A-Z_]*\) [0-9]* *\/\* .*mistake: .*/\1/p' "$model")
    same "${model##*/}: all its mistakes are tried" "$(grep -c '^#define .*mistake: ' "$model")" "$(echo "$mistakes" | grep -c .)"
    [ -n "$mistakes" ] || report 1 "${model##*/} has mistakes to find"
    for mistake in $mistakes; do
        check "found: $mistake" fails "-DBROKEN=$mistake"
    done
}

model=$models/segment.pml
check 'one reader, three lookups' holds -DLOOKUPS=3
check 'two readers' holds -DREADERS=2 -DLOOKUPS=1 -DPUBLICATIONS=2
if [ -n "${PX_LONG-}" ]; then
    check 'two readers, two lookups each' holds -DREADERS=2 -DLOOKUPS=2 -DPUBLICATIONS=2
fi
for publication in 1 2 3 4; do
    check "the words of publication $publication in every order" holds -DANY_ORDER=$publication
done
found

model=$models/moves.pml
two='-DGENERATIONS=2'
check 'two generations' holds $two
check 'two generations, two readers' holds $two -DREADERS=2 -DVISITS=1 -DMOST=1
check 'three generations' holds -DVISITS=1
check 'a reader that looks at no state' holds $two -DLOOKS_AT_STATE=0
check 'a single that is not cleared' holds $two -DCLEARS_FAST_STORE=0
if [ -n "${PX_LONG-}" ]; then
    check 'three generations, two visits' holds
    check 'three generations, three publications' holds -DVISITS=1 -DMOST=3
    check 'two generations, two readers, two publications' holds $two -DREADERS=2 -DVISITS=1
fi
found

model=$models/sleep.pml
check 'every task wakes the loop' holds
check 'three threads push' holds -DPOSTERS=3
found

model=$models/invitation.pml
check 'one invitee, two invitations, two calls' holds
check 'two invitees that live' holds -DINVITEES=2 -DROUNDS=1 -DJOINS=1 -DDEATHS=0
if [ -n "${PX_LONG-}" ]; then
    check 'two invitees' holds -DINVITEES=2 -DROUNDS=1 -DJOINS=1
    check 'one invitee, three invitations, three calls, two deaths' holds -DROUNDS=3 -DJOINS=3 -DDEATHS=2
    check 'two invitees, two invitations' holds -DINVITEES=2 -DJOINS=1
fi
found

model=$models/succession.pml
check 'two invitees that lose their leader, and may die' holds
if [ -n "${PX_LONG-}" ]; then
    check 'three invitees that lose their leader' holds -DINVITEES=3 -DDEATHS=0
fi
found
finish
