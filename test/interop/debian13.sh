#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# With PX_LONG: the next Debian in a folder, in which this library is built: its Open MPI 5 under our pmixrun, with its client
# library and ours; our client, and its programs with it, under its prterun, which keeps its own library.
# DEBIAN13_TREE=DIR takes a tree that is there (made by the same command), and leaves it.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -n "${PX_LONG:-}" ] || skip_all 'make check-long does'
[ -z "${PX_SANITIZED:-}" ] || skip_all 'a sanitized library cannot be loaded into a program that is not'
[ "$(id -u)" = 0 ] || skip_all 'only root can make a Debian in a folder'
unshare --mount --pid --fork true 2>/dev/null || skip_all 'no mount namespaces here'
tree=${DEBIAN13_TREE:-$SCRATCH/tree}
packages=openmpi-bin,libopenmpi-dev,gcc,libc6-dev,make,zlib1g-dev,libhwloc-dev,libatomic-ops-dev,pkgconf
if [ ! -d "$tree" ]; then
    command -v mmdebstrap >/dev/null 2>&1 || skip_all 'no mmdebstrap on this machine'
    [ "$(df -Pk "$SCRATCH" | awk 'NR == 2 { print $4 }')" -gt 3000000 ] || skip_all 'less than 3 GB of disk'
    limit 900 mmdebstrap --variant=minbase --include="$packages" trixie "$tree" \
        'deb http://deb.debian.org/debian trixie main' >"$SCRATCH/made" 2>&1 ||
        skip_all "it cannot be made: $(tail -n 1 "$SCRATCH/made")"
fi

# What runs there: a share of /tmp, no other change of the tree.
cat >"$SCRATCH/inside" <<'END'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HOME=/root OMPI_MCA_btl=self,sm OMPI_MCA_btl_sm_backing_directory=/tmp OMPI_MCA_pml=ob1
cd /tmp/shmix && mkdir b && cd b && ../src/configure --prefix=/tmp/shmix/i >log 2>&1 && make -j2 install >>log 2>&1 || { tail log; exit 1; }
make examples/hello examples/put_get >>log 2>&1
mpicc -O1 -o ring ../src/test/interop/ring.c && mpicc -O1 -o calls ../src/test/interop/mpi_calls.c || exit 1
run=/tmp/shmix/i/bin/pmixrun
ours=/tmp/shmix/i/lib
# tried WHAT WANT COMMAND...: how often the text is in its output, and its code.
tried() {
    what=$1 want=$2
    shift 2
    timeout -k 5 120 "$@" >out 2>err </dev/null
    echo "tried $what: $? $(grep -c "$want" out)"
    head -n 5 err | sed 's/^/# /'
}
right='^ring.*of 4, 4 on this node, right'
tried 'pmixrun' "$right" $run -n 4 ./ring
tried 'pmixrun, ours' "$right" env LD_LIBRARY_PATH=$ours $run -n 4 ./ring
tried 'pmixrun, ours is what it has' "$ours/libpmix" env RING_MAPS=1 LD_LIBRARY_PATH=$ours $run -n 4 ./ring
tried 'prterun' "$right" prterun --map-by :oversubscribe -n 4 ./ring
tried 'prterun, ours' "$right" prterun --map-by :oversubscribe -x LD_LIBRARY_PATH=$ours -n 4 ./ring
tried 'prterun, ours is what it has' "$ours/libpmix" prterun --map-by :oversubscribe -x RING_MAPS=1 -x LD_LIBRARY_PATH=$ours -n 4 ./ring
tried 'prterun, our hello' ' of 4 on ' prterun --map-by :oversubscribe -n 4 ./examples/hello
tried 'prterun, our put_get' 'values of 4' prterun --map-by :oversubscribe -n 4 ./examples/put_get
END
cat >"$SCRATCH/try" <<'END'
set -e
mount -t proc proc "$1/proc"
mount -t sysfs sysfs "$1/sys"
mount --rbind /dev "$1/dev"
mount -t tmpfs none "$1/tmp"
mkdir "$1/tmp/shmix"
tar -C "$3" --exclude=./build --exclude=./build-asan --exclude=./build-tsan --exclude=./.git -cf - . | { mkdir "$1/tmp/shmix/src"; tar -C "$1/tmp/shmix/src" -xf -; }
cp "$2/inside" "$1/tmp/shmix"
chroot "$1" sh /tmp/shmix/inside
END
limit 1200 unshare --mount --propagation private --pid --fork --kill-child sh "$SCRATCH/try" "$tree" "$SCRATCH" "$PX_TOP_SRCDIR" >"$SCRATCH/tried" 2>&1
grep -v '^tried' "$SCRATCH/tried" | sed 's/^#* */# /'
for what in 'pmixrun' 'pmixrun, ours' 'pmixrun, ours is what it has' 'prterun' 'prterun, ours' 'prterun, ours is what it has' \
    'prterun, our hello' 'prterun, our put_get'; do
    same "$what" '0 4' "$(sed -n "s/^tried $what: //p" "$SCRATCH/tried")"
done
finish
