#!/bin/sh
# Programs of the distribution's PMIx as clients of our server.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -n "$(stock_flags)" ] || skip_all "no libpmix-dev on this machine"

host=$PX_TOP_BUILDDIR/test/interop/host
peer=$SCRATCH/peer
check "build the client against the distribution's library" stock_build "$peer" "$PX_TOP_SRCDIR/test/interop/peer.c"
CLIENT_LIBRARY_PATH=$(stock_library)
export CLIENT_LIBRARY_PATH
check "two clients" limit 100 "$host" 2 "$peer"
check "four clients" limit 100 "$host" 4 "$peer"
check "fully described buffers" env PMIX_MCA_bfrops_base_default_type=2 timeout 100 "$host" 2 "$peer"
limit 100 "$host" 3 "$peer" abort >"$SCRATCH/abort" 2>&1
same "abort gives its status" 43 $?
check "abort reaches the host with its message" grep -q 'host: abort 43: interop aborts' "$SCRATCH/abort"
finish
