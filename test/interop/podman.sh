#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Clients in podman's containers, each process in one of its own, and their server outside: with the network of the host, and with none,
# where a file is the way to the server (docs/containers.md). A container's files are those of this machine: no image is needed.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
command -v podman >/dev/null || skip_all 'podman is not installed'
[ "$(id -u)" = 0 ] || skip_all 'only root has containers with the files of the machine'
[ -z "${PX_SANITIZED:-}" ] || skip_all "a sanitizer's runtime wants more than a container has"
interop=$PX_TOP_BUILDDIR/test/interop

# --- an empty root directory; what containers see of the machine is mounted in it, under the same names
mkdir "$SCRATCH/root" "$SCRATCH/shared"
(cd "$SCRATCH/root" && mkdir usr etc proc sys dev tmp run var root)
for directory in /bin /sbin /lib /lib64; do
    [ ! -L "$directory" ] || cp -P "$directory" "$SCRATCH/root"
done
cat >"$SCRATCH/enter" <<END
#!/bin/sh
exec podman --runtime "\$RUNTIME" --cgroup-manager cgroupfs --root "$SCRATCH/storage" --runroot "$SCRATCH/state" run --rm --env-host \\
    --network "\$NETWORK" --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 --volume /usr:/usr:ro --volume /etc:/etc:ro \\
    --volume "$PX_TOP_BUILDDIR:$PX_TOP_BUILDDIR" --volume "$SCRATCH/shared:$SCRATCH/shared" --rootfs "$SCRATCH/root" "\$@"
END
chmod +x "$SCRATCH/enter"
# Not every runtime of containers does with every arrangement of the kernel's control groups.
NETWORK=none
found=
export RUNTIME NETWORK
for RUNTIME in crun runc; do
    if limit 60 "$SCRATCH/enter" true >>"$SCRATCH/tried" 2>&1; then
        found=$RUNTIME
        break
    fi
done
if [ -z "$found" ]; then
    sed 's/^/# /' "$SCRATCH/tried"
    skip_all 'podman can run no container here'
fi
echo "# $(podman --version), with $RUNTIME"

# job WHAT NETWORK PARAMETER...: two processes get and do all that the client of this folder does, and the job's data.
way=memory
! by_messages || way=messages
job() {
    what=$1
    NETWORK=$2
    shift 2
    limit 100 env "$@" "$interop/host" 2 "$SCRATCH/enter" "$interop/peer" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    same "$what" '0 0 2' "$? $(grep -c '^not ok' "$SCRATCH/out") $(grep -c '^ok.*finalize$' "$SCRATCH/out")"
    sed 's/^/# /' "$SCRATCH/err"
    # shellcheck disable=SC2016
    limit 100 env "$@" "$interop/host" 2 "$SCRATCH/enter" sh -c 'exec "$0" "$PMIX_RANK" 2' "$PX_TOP_BUILDDIR/test/hostile/namespaces" \
        >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    same "$what: how data come" "0 $way" "$(cat "$SCRATCH/out" "$SCRATCH/err")"
}
job 'the network of the host' host
job 'no network, and a file for a door' none PMIX_MCA_shmix_door_unix_path="$SCRATCH/shared/door"
finish
