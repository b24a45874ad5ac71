#!/bin/sh
# Our client under our server, through each door and in each form of the store; then both libraries in one job.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"

host=$PX_TOP_BUILDDIR/test/interop/host
peer=$PX_TOP_BUILDDIR/test/interop/peer
form='with segments'
if by_messages; then form='by messages'; fi
check "$form" limit 100 "$host" 4 "$peer"
check "clients that resolve" limit 100 "$host" 3 "$peer" resolve
check "the same by messages" env PMIX_MCA_gds=hash timeout 100 "$host" 3 "$peer" resolve
check "by TCP only" env PMIX_MCA_shmix_door_unix=0 timeout 100 "$host" 4 "$peer"
check "by AF_UNIX only" env PMIX_MCA_shmix_door_tcp=0 timeout 100 "$host" 4 "$peer"
check "PMIX_MCA_gds=hash" env PMIX_MCA_gds=hash timeout 100 "$host" 4 "$peer"
check "no shared memory at the server" env PMIX_MCA_shmix_shared=0 timeout 100 "$host" 4 "$peer"
limit 100 "$host" 3 "$peer" abort >"$SCRATCH/abort" 2>&1
same "abort gives its status" 43 $?
if [ -n "$(stock_flags)" ]; then
    check "build a second client" stock_build "$SCRATCH/stock-peer" "$PX_TOP_SRCDIR/test/interop/peer.c"
    cat >"$SCRATCH/mixed" <<END
#!/bin/sh
case \$((PMIX_RANK % 2)) in
0) exec "$peer" ;;
*) LD_LIBRARY_PATH=$(stock_library) exec "$SCRATCH/stock-peer" ;;
esac
END
    chmod +x "$SCRATCH/mixed"
    check "both libraries in one job" limit 100 "$host" 4 "$SCRATCH/mixed"
else
    skip "both libraries in one job" "no libpmix-dev on this machine"
fi
finish
