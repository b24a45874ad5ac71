#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmix_info in its two forms; where a parameter's value comes from.
# Covers: SHM-019
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
info=$PX_TOP_BUILDDIR/src/tools/pmix_info
HOME=$SCRATCH
export HOME
unset PMIX_MCA_gds # what is said of it is asked below
mkdir "$SCRATCH/.pmix"

value() { # value PARAMETER FIELD, of the last run
    sed -n "s/^mca:[a-z]*:base:param:$1:$2://p" "$SCRATCH/out"
}

run "$info"
same 'text' 0 "$code"
same 'has the version' 1 "$(grep -c '^ *PMIx version: [0-9]*\.[0-9]*\.[0-9]*$' "$SCRATCH/out")"
same 'has parameters' 1 "$(grep -c 'parameter: gds (type: string, default: "", current: ""' "$SCRATCH/out")"

run "$info" --all --parsable
same 'every parameter has its six lines' 0 "$(grep -c '^mca:.*:param:' "$SCRATCH/out" | awk '{ print $1 % 6 }')"
same 'a default' default "$(value gds source)"
same 'a type' int "$(value ptl_base_max_msg_size type)"

PMIX_MCA_gds=hash run "$info" --param gds base --parsable
same 'from the environment' hash "$(value gds value)"
same 'which it says' environment "$(value gds source)"
same 'of this framework only' 0 "$(grep -vc '^mca:gds:' "$SCRATCH/out")"

printf '# a comment\nptl_base_max_msg_size = 7\n' >"$SCRATCH/.pmix/mca-params.conf"
run "$info" --param all all --parsable
same 'from the user'"'"'s file' '7 user file' "$(value ptl_base_max_msg_size value) $(value ptl_base_max_msg_size source)"
PMIX_MCA_ptl_base_max_msg_size=9 run "$info" --param ptl base --parsable
same 'the environment comes first' 9 "$(value ptl_base_max_msg_size value)"
PMIX_MCA_ptl_base_max_msg_size=many run "$info" --param ptl base --parsable
same 'a malformed value is passed over' 'many' "$(value ptl_base_max_msg_size rejected)"
same 'and the default stands' 32 "$(value ptl_base_max_msg_size value)"

run "$info" --show-version full
same 'one version' 1 "$(grep -c '^[0-9]*\.[0-9]*\.[0-9]*$' "$SCRATCH/out")"
run "$info" --path libdir --parsable
same 'one path' 1 "$(grep -c '^path:libdir:/' "$SCRATCH/out")"
run "$info" --param gds
same 'half a parameter' 2 "$code"
run "$info" --no-such-option
same 'an unknown option' 2 "$code"
run "$info" --help
same 'help' 0 "$code"
finish
