#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Clients in containers: in namespaces in which their user and group have other numbers, and with the variables that a
# container's hook makes of the server's offers. Ours and the distribution's, through either door.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"

host=$PX_TOP_BUILDDIR/test/interop/host
peer=$PX_TOP_BUILDDIR/test/interop/peer
unshare=$(command -v unshare)
stock=
if [ -n "$(stock_flags)" ]; then
    stock=$SCRATCH/stock-peer
    check "build the client against the distribution's library" stock_build "$stock" "$PX_TOP_SRCDIR/test/interop/peer.c"
fi
# As root, the numbers of a namespace are those outside: another user is needed to see a difference.
as_user=
if [ "$(id -u)" = 0 ]; then
    as_user='setpriv --reuid 1000 --regid 1000 --clear-groups'
    chmod 755 "$SCRATCH"
fi

# quiet WHAT COMMAND...: succeeds, and nothing is printed to standard error.
quiet() {
    what=$1
    shift
    limit 100 "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    same "$what" '0 ' "$? $(cat "$SCRATCH/err")"
}

# each WHAT COMMAND...: ours through each door, and in the form by messages; the distribution's, through TCP.
each() {
    where=$1
    shift
    quiet "ours, $where" $as_user "$host" 2 "$@" "$peer"
    quiet "ours by TCP, $where" $as_user env PMIX_MCA_shmix_door_unix=0 "$host" 2 "$@" "$peer"
    quiet "ours by messages, $where" $as_user env PMIX_MCA_shmix_shared=0 "$host" 2 "$@" "$peer"
    if [ -n "$stock" ]; then
        quiet "the distribution's, $where" $as_user env CLIENT_LIBRARY_PATH="$(stock_library)" "$host" 2 "$@" "$stock"
    else
        skip "the distribution's, $where" "no libpmix-dev on this machine"
    fi
}

# --- namespaces
if $as_user test -x "$peer" && $as_user "$unshare" -Ur true 2>/dev/null; then
    each 'in a user namespace as root' "$unshare" -Ur
    each 'in a user namespace as nobody' "$unshare" -U
    if $as_user "$unshare" -U --map-user=12345 true 2>/dev/null; then
        each 'in a user namespace as another' "$unshare" -U --map-user=12345
    fi
    each 'in namespaces of all kinds but that of the network' "$unshare" -Urpfmiu
else
    skip 'clients in namespaces' 'user namespaces are not to be had here, or not with this tree'
fi

# --- a hook's variables
cat >"$SCRATCH/hook" <<'END'
#!/bin/sh
PMIX_MCA_gds=$PMIX_GDS_MODULE PMIX_MCA_psec=$PMIX_SECURITY_MODE
export PMIX_MCA_gds PMIX_MCA_psec
exec "$@"
END
cat >"$SCRATCH/wish" <<'END'
#!/bin/sh
PMIX_MCA_gds=hash exec "$@"
END
chmod 755 "$SCRATCH/hook" "$SCRATCH/wish"
each "behind a container's hook" "$SCRATCH/hook"
quiet 'the offers are words that everybody knows' "$host" 1 /bin/sh -c \
    '[ "$PMIX_GDS_MODULE/$PMIX_SECURITY_MODE" = hash/native ] || { echo "$PMIX_GDS_MODULE/$PMIX_SECURITY_MODE" >&2; exit 1; }'
if by_messages; then
    skip "a hook's copy is nobody's wish" 'there are no segments'
    skip "a user's wish is heard" 'there are no segments'
else
    # With this a client that has no segment says so.
    PMIX_MCA_gds_base_verbose=1
    export PMIX_MCA_gds_base_verbose
    quiet "a hook's copy is nobody's wish" "$host" 2 "$SCRATCH/hook" "$peer"
    limit 100 "$host" 2 "$SCRATCH/wish" "$peer" >"$SCRATCH/out" 2>"$SCRATCH/err"
    same "a user's wish is heard" '0 2' "$? $(grep -c 'comes by messages' "$SCRATCH/err")"
    unset PMIX_MCA_gds_base_verbose
fi
if [ -n "$stock" ]; then
    check "build a host against the distribution's library" stock_build "$SCRATCH/stock-host" "$PX_TOP_SRCDIR"/test/interop/host*.c "$PX_TOP_SRCDIR"/src/host/*.c
    quiet "ours on the distribution's server, behind a hook" env CLIENT_LIBRARY_PATH="$PX_TOP_BUILDDIR/.libs" \
        "$SCRATCH/stock-host" 2 "$SCRATCH/hook" "$peer"
else
    skip "ours on the distribution's server, behind a hook" "no libpmix-dev on this machine"
fi
finish
