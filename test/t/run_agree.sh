#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Random posts and reads in both forms against a model. SEED in the environment repeats a run.
# Covers: SHM-013 SHM-017
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
seed=${SEED:-$$}
echo "# SEED=$seed"
agree=$PX_TOP_BUILDDIR/test/t/agree
rounds=20
times=1
[ -z "${PX_LONG-}" ] || times=100
cat >"$SCRATCH/mixed" <<END
#!/bin/sh
[ \$((PMIX_RANK % 2)) = 0 ] || export PMIX_MCA_gds=hash
exec "$agree" "\$@"
END
chmod +x "$SCRATCH/mixed"

while [ $times -gt 0 ]; do
    run "$pmixrun" -n 4 "$SCRATCH/mixed" "$seed" $rounds 1
    same "one node, seed $seed" '0 ' "$code $err"
    run "$pmixrun" --nodes 2 -n 4 "$SCRATCH/mixed" "$seed" $rounds 2
    same "two nodes, seed $seed" '0 ' "$code $err"
    times=$((times - 1))
    seed=$((seed + 1))
done
finish
