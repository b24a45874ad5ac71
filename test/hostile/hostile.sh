#!/bin/sh
# Bad input at both doors: the server answers or closes, says nothing, leaks nothing, and serves the others.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"

host=$PX_TOP_BUILDDIR/test/interop/host
peer=$PX_TOP_BUILDDIR/test/interop/peer
hostile=$PX_TOP_BUILDDIR/test/hostile/hostile
HOST_COUNT_FDS=1 HOST_OTHER_JOB=1
export HOST_COUNT_FDS HOST_OTHER_JOB
limit 200 "$host" 1 "$hostile" /bin/true >"$SCRATCH/out" 2>"$SCRATCH/err"
same "the attacks alone" 0 $?
grep '^not ok' "$SCRATCH/out" | sed 's/^/# /'
same "every attack was made" 56 "$(grep -c '^ok' "$SCRATCH/out")"
same "the server says nothing of it" "" "$(cat "$SCRATCH/err")"
same "no descriptor is left" "host: 0 descriptors more" "$(grep descriptors "$SCRATCH/out")"

# Rank 0 attacks before it becomes a client, while the others are at work: as a stranger only, since a client that
# is admitted and dies ends their collectives, as it should.
HOSTILE_OUTSIDE=1
export HOSTILE_OUTSIDE
cat >"$SCRATCH/job" <<END
#!/bin/sh
[ "\$PMIX_RANK" = 0 ] && exec "$hostile" "$peer"
exec "$peer"
END
chmod +x "$SCRATCH/job"
limit 200 "$host" 3 "$SCRATCH/job" >"$SCRATCH/out" 2>"$SCRATCH/err"
same "the others are served meanwhile" 0 $?
grep '^not ok' "$SCRATCH/out" | sed 's/^/# /'
tail -n 20 "$SCRATCH/err" | sed 's/^/# /'
same "no descriptor is left then either" "host: 0 descriptors more" "$(grep descriptors "$SCRATCH/out")"
finish
