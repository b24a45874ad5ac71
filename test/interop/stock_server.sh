#!/bin/sh
# Our client under a host daemon that links the distribution's PMIx.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -n "$(stock_flags)" ] || skip_all "no libpmix-dev on this machine"

host=$SCRATCH/host
peer=$PX_TOP_BUILDDIR/test/interop/peer
check "build the host against the distribution's library" stock_build "$host" "$PX_TOP_SRCDIR"/test/interop/host*.c "$PX_TOP_SRCDIR"/src/host/*.c
CLIENT_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs
export CLIENT_LIBRARY_PATH
check "two clients" limit 100 "$host" 2 "$peer"
check "four clients" limit 100 "$host" 4 "$peer"
check "clients that resolve" limit 100 "$host" 3 "$peer" resolve
limit 100 "$host" 3 "$peer" abort >"$SCRATCH/abort" 2>&1
same "abort gives its status" 43 $?
check "abort reaches the host with its message" grep -q 'host: abort 43: interop aborts' "$SCRATCH/abort"
finish
