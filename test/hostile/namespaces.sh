#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Clients in namespaces of each kind, alone and in pairs, at each door of a server outside: the table of docs/containers.md is
# what comes out. A row that differs is shown; the right one is behind "got".
. "$PX_TOP_SRCDIR/test/lib/tap.sh"

page=$PX_TOP_SRCDIR/docs/containers.md
host=$PX_TOP_BUILDDIR/test/interop/host
client=$PX_TOP_BUILDDIR/test/hostile/namespaces

# All are the same user, who is not root, as the numbers of a namespace would be those outside then. Who has CAP_SYS_ADMIN may
# make the other namespaces without one of users; a process in them has given it up.
as_user=
if [ "$(id -u)" = 0 ]; then
    as_user='setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=+sys_admin --ambient-caps=+sys_admin'
    chmod 711 "$SCRATCH"
fi
$as_user test -x "$client" 2>/dev/null || skip_all 'another user cannot execute what is in this tree'
$as_user unshare -Ur true 2>/dev/null || skip_all 'user namespaces are not to be had here'

# --- the rows, one for each two ranks
kinds='user pid mount ipc uts net'
{
    echo none
    rest=$kinds
    for one in $kinds; do
        echo "$one"
    done
    for one in $kinds; do
        rest=${rest#"$one"}
        rest=${rest# }
        for other in $rest; do
            echo "$one, $other"
        done
    done
    echo 'user, pid, mount, ipc, uts'
    echo 'user, pid, mount, ipc, uts, net'
    echo 'bubblewrap, network of the host'
    echo 'bubblewrap'
} >"$SCRATCH/rows"
rows=$(wc -l <"$SCRATCH/rows")

# can ROW: whether such a container can be made here.
can() {
    case $1 in
    bubblewrap*) command -v bwrap >/dev/null && $as_user setpriv --inh-caps=-all --ambient-caps=-all bwrap --dev-bind / / --unshare-all true ;;
    none | user*) true ;;
    *) $as_user unshare -i true ;;
    esac 2>/dev/null
}

# What a rank executes.
cat >"$SCRATCH/enter" <<'END'
#!/bin/sh
row=$(sed -n "$((PMIX_RANK / 2 + 1))p" "$1")
set -- "$2" "$PMIX_RANK" "$3"
case $row in
bubblewrap) set -- bwrap --dev-bind / / --unshare-all "$@" ;;
bubblewrap*) set -- bwrap --dev-bind / / --unshare-all --share-net "$@" ;;
esac
[ -z "$SHED" ] || set -- setpriv --inh-caps=-all --ambient-caps=-all "$@"
case $row in *pid*) set -- --pid --fork --kill-child "$@" ;; esac
case $row in *pid*mount*) set -- --mount-proc "$@" ;; esac
case $row in user*) set -- --user --map-root-user "$@" ;; esac
for kind in mount ipc uts net; do
    case $row in
    bubblewrap*) ;;
    *"$kind"*) set -- "--$kind" "$@" ;;
    esac
done
case $1 in --*) set -- unshare "$@" ;; esac
exec "$@"
END
chmod 755 "$SCRATCH/enter"
chmod 644 "$SCRATCH/rows"
SHED=$as_user
export SHED

# door NAME PARAMETER...: a job with all rows at a server that has only this door.
mkdir -m 1777 "$SCRATCH/shared"
door() {
    name=$1
    shift
    limit 100 $as_user env "$@" "$host" $((2 * rows)) "$SCRATCH/enter" "$SCRATCH/rows" "$client" $((2 * rows)) \
        >"$SCRATCH/$name" 2>"$SCRATCH/err" </dev/null
    # A row that cannot be made fails, and says so.
    sed 's/^/# /' "$SCRATCH/err"
}
door unix PMIX_MCA_shmix_door_tcp=0
door tcp PMIX_MCA_shmix_door_unix=0
door path PMIX_MCA_shmix_door_tcp=0 PMIX_MCA_shmix_door_unix_path="$SCRATCH/shared/door"

# cell DOOR N: how the clients of a row fared.
cell() {
    sed -n "s/^$2 //p" "$SCRATCH/$1"
}

n=0
while read -r row; do
    if ! can "$row"; then
        skip "$row" 'cannot be made here'
    else
        got="| $row | $(cell unix $n) | $(cell tcp $n) | $(cell path $n) |"
        if by_messages; then # then nothing comes by memory
            same "$row" "$(grep -x "| $row |.*" "$page" | sed 's/memory/messages/g')" "$got"
        else
            same "$row" "$(grep -x "| $row |.*" "$page")" "$got"
        fi
    fi
    n=$((n + 1))
done <"$SCRATCH/rows"
same 'the page has these rows, and no others' "$(cat "$SCRATCH/rows")" \
    "$(sed -n '/^| namespaces of its own |/,/^$/p' "$page" | sed -e '1,2d' -e '/^$/d' -e 's/^| \([^|]*\) |.*/\1/')"
finish
