#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# With PX_LONG: the next Debian in a folder, in which this library is built, and our scripts run as they run here: its Open MPI 5,
# Slurm 24.11, mpi4py, Python binding and library of release 5.0. Then what is there only: our client, and its programs with it, under
# its prterun, which keeps its own library.
# DEBIAN13_TREE=DIR takes a tree that is there (made by the same command), and leaves it. DEBIAN13_SCRIPTS='NAME...' chooses.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -n "${PX_LONG:-}" ] || skip_all 'make check-long does'
[ -z "${PX_SANITIZED:-}" ] || skip_all 'a sanitized library cannot be loaded into a program that is not'
[ "$(id -u)" = 0 ] || skip_all 'only root can make a Debian in a folder'
unshare --mount --pid --fork true 2>/dev/null || skip_all 'no mount namespaces here'
tree=${DEBIAN13_TREE:-$SCRATCH/tree}
packages=openmpi-bin,libopenmpi-dev,gcc,libc6-dev,make,zlib1g-dev,libhwloc-dev,libatomic-ops-dev,pkgconf,procps,hostname
packages=$packages,libpmix-dev,python3-pmix,python3-mpi4py,hpcc,netpipe-openmpi
packages=$packages,slurmctld,slurmd,slurm-client,slurm-wlm-basic-plugins,munge
scripts=${DEBIAN13_SCRIPTS-openmpi_pmixrun openmpi_nodes openmpi_programs slurm python stock_client stock_server ours}
if [ ! -d "$tree" ]; then
    command -v mmdebstrap >/dev/null 2>&1 || skip_all 'no mmdebstrap on this machine'
    [ "$(df -Pk "$SCRATCH" | awk 'NR == 2 { print $4 }')" -gt 3000000 ] || skip_all 'less than 3 GB of disk'
    limit 900 mmdebstrap --variant=minbase --include="$packages" trixie "$tree" >"$SCRATCH/made" 2>&1 ||
        skip_all "it cannot be made: $(tail -n 1 "$SCRATCH/made")"
fi

# What runs there has $share as its /tmp, and changes nothing else of the tree. Its processes end with it.
share=$SCRATCH/share
mkdir "$share" "$share/b" "$share/src"
chmod 1777 "$share"
cat >"$SCRATCH/enter" <<'END'
set -e
mount -t proc proc "$1/proc"
mount -t sysfs sysfs "$1/sys"
mount --rbind /dev "$1/dev"
mount --bind "$2" "$1/tmp"
exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,sm,tcp OMPI_MCA_btl_tcp_if_include=lo \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    PX_TOP_SRCDIR=/tmp/src PX_TOP_BUILDDIR=/tmp/b sh -c "cd /tmp/b && $3"
END
# inside SECONDS COMMAND
inside() {
    rm -rf "$share"/prte* "$share"/ompi* # of launchers that were ended; process ids come again
    limit "$1" unshare --mount --propagation private --pid --fork --kill-child sh "$SCRATCH/enter" "$tree" "$share" "$2"
}
tar -C "$PX_TOP_SRCDIR" --exclude=./build --exclude=./build-asan --exclude=./build-tsan --exclude=./.git -cf - . | tar -C "$share/src" -xf -
programs=$(cd "$PX_TOP_SRCDIR" && echo examples/*.c test/interop/host.c test/interop/peer.c test/interop/across.c | sed 's/\.c\b//g')
check 'build there' inside 900 "{ ../src/configure --prefix=/tmp/i && make -j2 && make -j2 $programs && make install; } >log 2>&1 || { tail log; exit 1; }"

# Each of our scripts. A part that is skipped has failed, since the tree has all that it needs.
for script in $scripts; do
    inside 600 "sh ../src/test/interop/$script.sh" >"$SCRATCH/said_there" 2>&1
    said_by "$script" sh -c "sed '/^1\.\.[1-9]/d; s/^ok \(.* # SKIP\)/not ok \1/' '$SCRATCH/said_there'; exit $?"
done

# tried WHAT WANT COMMAND...: with 0, and a text in four lines of its output.
tried() {
    inside 120 "prterun --map-by :oversubscribe $3 2>err </dev/null" >"$SCRATCH/out"
    same "prterun: $1" '0 4' "$? $(grep -c "$2" "$SCRATCH/out")"
    head -n 5 "$share/b/err" | sed 's/^/# /'
}
ours='-x LD_LIBRARY_PATH=/tmp/i/lib'
check 'build the ring' inside 60 "mpicc -O1 -o ring ../src/test/interop/ring.c"
right='^ring.*of 4, 4 on this node, right'
tried 'its own library' "$right" '-n 4 ./ring'
tried 'our library' "$right" "$ours -n 4 ./ring"
tried 'our library is what they have' '/tmp/i/lib/libpmix' "$ours -x RING_MAPS=1 -n 4 ./ring"
tried 'our hello' ' of 4 on ' '-n 4 ./examples/hello'
tried 'our put_get' 'values of 4' '-n 4 ./examples/put_get'
finish
