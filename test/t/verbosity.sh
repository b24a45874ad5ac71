#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Each parameter that makes the library talk does so, and none without it: what went wrong at level 1, what is done at 2, each
# message of a server at 3.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
own_tmpdir
bad_job=$PX_TOP_BUILDDIR/test/t/bad_job

# says PARAMETER LEVEL PATTERN COMMAND...: a line of the library has the pattern.
says() {
    parameter=$1
    level=$2
    pattern=$3
    shift 3
    env "PMIX_MCA_$parameter=$level" timeout -k 5 60 "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    grep -qE "^shmix\[[0-9]+\] [a-z]+: $pattern" "$SCRATCH/err"
    report $? "$parameter=$level: $pattern"
    grep -qE "^shmix\[[0-9]+\] [a-z]+: $pattern" "$SCRATCH/err" || head -n 20 "$SCRATCH/err" | sed 's/^/# /'
}
run "$pmixrun" -n 2 "$examples/put_get"
same 'nothing is said without' '0 ' "$code $err"

name='[^ ]+:[0-3]'
says pmix_client_base_verbose 2 "asks $name: commit, [0-9]+ bytes" "$pmixrun" -n 2 "$examples/put_get"
says pmix_client_base_verbose 2 'commit is answered: PMIX_SUCCESS' "$pmixrun" -n 2 "$examples/put_get"
says pmix_client_base_verbose 2 "get of $name, example.number: not among what this process has" \
    "$pmixrun" -n 2 --nodes 2 "$examples/put_get"
says pmix_client_base_verbose 1 'no server has started this process: PMIX_NAMESPACE and PMIX_RANK are not set' "$examples/put_get"
SLURM_STEP_ID=0 says pmix_client_base_verbose 1 '.*srun --mpi=pmix' "$examples/put_get"
PMIX_NAMESPACE=lost PMIX_RANK=0 says pmix_client_base_verbose 1 'PMIX_NAMESPACE is set and no PMIX_SERVER_URI' "$examples/put_get"
PMIX_NAMESPACE=lost PMIX_RANK=0 PMIX_SERVER_URI41='gone.0;tcp4://127.0.0.1:9' says ptl_base_verbose 1 'no connection to gone.0;tcp4://127.0.0.1:9: PMIX_ERR' \
    "$examples/put_get"
says pmix_client_base_verbose 1 'no credential: the server takes "native", and the parameter psec is "munge"' \
    "$pmixrun" -x PMIX_MCA_psec=munge -x PMIX_MCA_shmix_inherit=0 "$examples/put_get"
says ptl_base_verbose 2 'connected to .*; stores that are asked for: ' "$pmixrun" -x PMIX_MCA_shmix_inherit=0 -n 2 "$examples/put_get"
if ! by_messages; then
    says ptl_base_verbose 2 'uses the connection to .* that it has inherited' "$pmixrun" -n 2 "$examples/put_get"
    says gds_base_verbose 2 'reads a segment of .*: generation 1, [0-9]+ bytes in use' "$pmixrun" -n 2 "$examples/put_get"
fi
says pmix_server_base_verbose 2 "$name has connected: .*user $(id -u), PMIX*" "$pmixrun" -n 2 "$examples/put_get"
says pmix_server_base_verbose 2 "$name has gone\$" "$pmixrun" -n 2 "$examples/put_get"
says pmix_server_base_verbose 2 "$name has gone, without PMIx_Finalize" "$pmixrun" -n 4 --keep-going "$actor" quit
says pmix_server_base_verbose 2 "$name waits for example.number of $name: it is not of this node, the host is asked" "$pmixrun" -n 2 --nodes 2 "$examples/put_get"
says pmix_server_base_verbose 3 "$name asks: commit, [0-9]+ bytes, request" "$pmixrun" -n 2 "$examples/put_get"
says pmix_server_base_verbose 3 "answers $name: [0-9]+ bytes, request" "$pmixrun" -n 2 "$examples/put_get"
says pmix_event_verbose 2 "event [A-Z0-9_-]+ of $name goes to [0-9]+ peers" "$pmixrun" -n 2 "$examples/event"
says pmix_event_verbose 2 'asks the server for events of [0-9]+ codes: sent' "$pmixrun" -n 2 "$examples/event"
says pmix_event_verbose 2 "event .* of $name has arrived" "$pmixrun" -n 2 "$examples/event"
says shmix_param_verbose 1 'PMIX_MCA_shmix_nosuch: there is no such parameter' env PMIX_MCA_shmix_nosuch=1 "$examples/put_get"
says shmix_param_verbose 1 'pmix_max_events cannot be "lots": the default holds, "512"' env PMIX_MCA_pmix_max_events=lots "$examples/put_get"
# A registration that is refused names the key that is to blame.
says pmix_server_base_verbose 1 \
    'namespace bad-job refused: PMIX_ERR_TYPE_MISMATCH: the value of PMIX_LOCAL_RANK is of type PMIX_STRING, not PMIX_UINT16' "$bad_job" type
says pmix_server_base_verbose 1 'namespace bad-job refused: PMIX_ERR_BAD_PARAM: the value of PMIX_APP_INFO_ARRAY cannot be used' "$bad_job" array
says pmix_server_base_verbose 1 'namespace bad-job refused: PMIX_ERR_[A-Z_]*: the value of PMIX_PROC_MAP cannot be used' "$bad_job" map
finish
