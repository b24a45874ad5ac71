#!/bin/sh
# What libpmix.so.2 exports: every function of tables/functions.tsv, pmix_framework_names, nothing else.
# Covers: RES-001
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
# Covers: SHM-023
LC_ALL=C
export LC_ALL
top=${PX_TOP_SRCDIR:-.}
library=${PX_TOP_BUILDDIR:-.}/.libs/libpmix.so.2

if [ ! -e "$library" ]; then
    echo "1..0 # SKIP no shared library was built"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

echo 1..3
{
    awk -F '\t' 'FNR > 1 { print $1 }' "$top/tables/functions.tsv"
    echo pmix_framework_names
} | sort >"$scratch/wanted"
# A sanitizer's run-time may add its own weak symbols: they start with two underscores.
nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^__' | sort >"$scratch/exported"

# verdict NUMBER FILE TEXT - ok if FILE is empty.
verdict() {
    if [ -s "$2" ]; then
        sed 's/^/# /' "$2"
        echo "not ok $1 - $3"
    else
        echo "ok $1 - $3"
    fi
}
comm -23 "$scratch/wanted" "$scratch/exported" >"$scratch/missing"
verdict 1 "$scratch/missing" "all $(wc -l <"$scratch/wanted") names are exported"
comm -13 "$scratch/wanted" "$scratch/exported" >"$scratch/extra"
verdict 2 "$scratch/extra" "nothing else is exported"
nm -D --undefined-only "$library" | awk '{ print $NF }' | grep -i '^pmix_' >"$scratch/undefined"
verdict 3 "$scratch/undefined" "no call of the interface is left undefined"
