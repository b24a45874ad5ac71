#!/bin/sh
# Open MPI's own launcher on our library: orted hosts our server half, every process is our client.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
command -v mpirun >/dev/null 2>&1 && command -v mpicc >/dev/null 2>&1 || skip_all "no Open MPI on this machine"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitized library cannot be loaded into a program that is not"

OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_btl_vader_single_copy_mechanism=none
OMPI_MCA_btl=self,vader
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_btl
check "build the ring" mpicc -O1 -o "$SCRATCH/ring" "$PX_TOP_SRCDIR/test/interop/ring.c"
want=$(for r in 0 1 2 3; do echo "ring rank $r of 4, 4 on this node, right"; done)

# The launcher shows which library it has mapped while the job runs.
cat >"$SCRATCH/job" <<END
#!/bin/sh
[ "\$PMIX_RANK" = 0 ] && grep -h 'r-xp.*libpmix' "/proc/\$PPID/maps" | sed 's/.* \//host \//'
exec "$SCRATCH/ring"
END
chmod +x "$SCRATCH/job"
LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs RING_MAPS=1 \
    timeout -k 5 150 mpirun --oversubscribe -n 4 "$SCRATCH/job" >"$SCRATCH/out" 2>"$SCRATCH/err"
same "exit code" 0 $?
same "every rank" "$want" "$(grep '^ring' "$SCRATCH/out" | sort)"
same "our library is mapped in every process" 4 \
    "$(grep '^library' "$SCRATCH/out" | grep -c "$PX_TOP_BUILDDIR/.libs/")"
same "our library is mapped in the host daemon" 1 "$(grep '^host' "$SCRATCH/out" | grep -c "$PX_TOP_BUILDDIR/.libs/")"
sed 's/^/# /' "$SCRATCH/err" | tail -n 40
finish
