#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Debian's Slurm (12: 22.05; 13: 24.11) on this machine: one controller, two slurmd that each believe to be a node, srun --mpi=pmix
# of our test programs and of an unmodified Open MPI program, with slurmstepd on our library. Slurm's plugin opens libpmix by an
# absolute path; preloading ours into slurmd makes its calls ours (docs/slurm.md says what an administrator does).
# With PX_SLURM_LIBRARY=FOLDER nothing is preloaded, slurmstepd has to have a library of that folder by itself, and only the Open MPI
# program is run (test/t/packages.sh, in a copy of the system with our packages).
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitized library cannot be loaded into a program that is not"
for tool in slurmctld slurmd srun munged mpicc; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null 2>&1 || skip_all "no $tool on this machine"
done
[ "$(id -u)" = 0 ] || skip_all "slurmd has to be started by root"
PATH=$PATH:/usr/sbin:/sbin
ls /usr/lib/*/slurm-wlm/mpi_pmix_v[45].so >/dev/null 2>&1 || skip_all "Slurm has no PMIx plugin here"

library=${PX_SLURM_LIBRARY:-$PX_TOP_BUILDDIR/.libs}
preload=
[ -n "${PX_SLURM_LIBRARY:-}" ] || preload=$library/libpmix.so.2
munged=
daemons=
end() {
    # shellcheck disable=SC2086
    [ -z "$munged" ] || stop $daemons $munged
    rm -rf "$SCRATCH"
}
trap end EXIT

chmod 755 "$SCRATCH"
dd if=/dev/urandom of="$SCRATCH/key" bs=1024 count=1 2>/dev/null
chmod 400 "$SCRATCH/key"
host=$(hostname -s)
version=$(slurmctld -V | sed 's/^[^0-9]*\([0-9]*\.[0-9]*\).*/\1/')

# configure PORT: Slurm for two nodes with three ports from PORT on.
configure() {
    rm -rf "$SCRATCH/state" "$SCRATCH"/*n1 "$SCRATCH"/*n2
    mkdir "$SCRATCH/state"
    for n in n1 n2; do
        configure_node "$1" $n
    done
}

# configure_node PORT NAME
configure_node() {
    n=$2
    mkdir "$SCRATCH/$n" "$SCRATCH/spool.$n" "$SCRATCH/tmp.$n"
    echo "PMIxCliTmpDirBase=$SCRATCH/tmp.$n" >"$SCRATCH/$n/mpi.conf"
    case $version in 22.* | 23.02) ;; *) echo CgroupPlugin=disabled >"$SCRATCH/$n/cgroup.conf" ;; esac
    cat >"$SCRATCH/$n/slurm.conf" <<END
ClusterName=shmix
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$SCRATCH/munge.sock
SlurmctldPort=$1
SlurmctldPidFile=$SCRATCH/ctld.pid
SlurmdPidFile=$SCRATCH/%n.pid
SlurmdSpoolDir=$SCRATCH/spool.%n
StateSaveLocation=$SCRATCH/state
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + 1)) CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + 2)) CPUs=2 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES State=UP OverSubscribe=FORCE
END
}
SLURM_CONF=$SCRATCH/n1/slurm.conf
export SLURM_CONF

munged --force -F --socket="$SCRATCH/munge.sock" --key-file="$SCRATCH/key" --pid-file="$SCRATCH/munged.pid" \
    --log-file="$SCRATCH/munged.log" --seed-file="$SCRATCH/seed" >/dev/null 2>&1 &
munged=$!

until_true 'munged listens' test -S "$SCRATCH/munge.sock"

# begin: the daemons; leaves their pids in $daemons.
begin() {
    slurmctld -D -L "$SCRATCH/ctld.log" >/dev/null 2>&1 &
    daemons=$!
    for n in n1 n2; do
        LD_PRELOAD=$preload SLURM_CONF=$SCRATCH/$n/slurm.conf \
            slurmd -D -N $n -L "$SCRATCH/$n.log" >/dev/null 2>&1 &
        daemons="$daemons $!"
    done
}

# A daemon ends when another program has its port. sinfo asks for some ten seconds before it gives up.
both_idle() { [ "$(timeout 20 sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; }
one_ended() { for pid in $daemons; do alive $pid || return 0; done; return 1; }
settled() { one_ended || both_idle; }

# Ports that the kernel gives to nobody who asks for any.
tries=0
configure $((10000 + $$ % 7000 * 3))
begin
until { until_true 'the daemons have settled' settled && ! one_ended; }; do
    tries=$((tries + 1))
    [ $tries -lt 5 ] || skip_all "Slurm does not come up here: $(tail -n 1 "$SCRATCH/ctld.log")"
    # shellcheck disable=SC2086
    stop $daemons
    configure $((10000 + ($$ + tries * 1009) % 7000 * 3))
    begin
done
# The two nodes are one machine: shared memory between them would be taken for the network, so it is not used.
OMPI_MCA_btl=self,tcp
OMPI_MCA_btl_tcp_if_include=lo
export OMPI_MCA_btl OMPI_MCA_btl_tcp_if_include
check "build the ring" mpicc -O1 -o "$SCRATCH/ring" "$PX_TOP_SRCDIR/test/interop/ring.c"
want=$(for r in 0 1 2 3; do echo "ring rank $r of 4, 2 on this node, right"; done)
cat >"$SCRATCH/job" <<END
#!/bin/sh
[ "\$PMIX_RANK" = 0 ] && grep -h 'r-xp.*libpmix' "/proc/\$PPID/maps" | sed 's/.* \//host \//'
exec "$SCRATCH/ring"
END
chmod +x "$SCRATCH/job"

ring() { # ring "what" LIBRARY_PATH
    LD_LIBRARY_PATH=$2 timeout -k 5 60 srun --mpi=pmix -N2 -n4 "$SCRATCH/job" >"$SCRATCH/out" 2>"$SCRATCH/err"
    same "$1: exit code" 0 $?
    same "$1: every rank" "$want" "$(grep '^ring' "$SCRATCH/out" | sort)"
    same "$1: slurmstepd has the library" 1 "$(grep '^host' "$SCRATCH/out" | grep -c "$library/")"
    sed 's/^/# /' "$SCRATCH/err" | tail -n 20
}
ring "the client library of the system" ''
[ -z "${PX_SLURM_LIBRARY:-}" ] || finish
ring "our client library" "$PX_TOP_BUILDDIR/.libs"

mkdir "$SCRATCH/seen"
mkfifo "$SCRATCH/seen/words"
LD_LIBRARY_PATH='' timeout -k 5 60 srun --mpi=pmix -N2 -n4 "$PX_TOP_BUILDDIR/test/interop/across" "$SCRATCH/seen" \
    >"$SCRATCH/out" 2>"$SCRATCH/err"
same "fences, direct modex and maps over two nodes" 0 $?
same "nobody passed a fence before the last came" 3 "$(grep -c '^ok.*waits for the other node' "$SCRATCH/out")"
grep -v '^ok' "$SCRATCH/out" | sed 's/^/# /'
tail -n 10 "$SCRATCH/err" | sed 's/^/# /'
# example NAME TEXT: an example of ours as a job of four on two nodes. Slurm's plugin offers no publish, and passes no
# events between nodes.
example() {
    LD_LIBRARY_PATH='' timeout -k 5 60 srun --mpi=pmix -N2 -n4 "$PX_TOP_BUILDDIR/examples/$1" >"$SCRATCH/out" 2>"$SCRATCH/err"
    same "examples/$1: exit code" 0 $?
    same "examples/$1: every rank" 4 "$(grep -c "$2" "$SCRATCH/out")"
    tail -n 10 "$SCRATCH/err" | sed 's/^/# /'
}
example hello 'of 4 on'
example put_get 'has read the values of 4 processes'
example fence 'has passed all fences'

# Other tests may run steps of their own, which have another build's library.
no_step() {
    for pid in $(pgrep -f '^slurmstepd'); do
        ! grep -q "$PX_TOP_BUILDDIR/.libs/libpmix" "/proc/$pid/maps" 2>/dev/null || return 1
    done
}
check "no step is left" until_true 'no step is there' no_step
finish
