#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A program that is built from our headers loads on any library of the release that they declare: every macro of tables/ up to
# that release, every inline function of the headers, and programs that use most of them, call only functions that tables/
# has for that release. For each release that configure can declare, and for each layout of the server module with the one of
# this build. tables/ says since when a library exports a function, not since when a header declares it.
# Covers: MAC-015
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
. "$PX_TOP_SRCDIR/test/lib/declared.sh"
LC_ALL=C
export LC_ALL
headers="-I$PX_TOP_BUILDDIR/include -I$PX_TOP_SRCDIR/include"
tables=$PX_TOP_SRCDIR/tables

printf '#include <pmix.h>\n#include <pmix_server.h>\n#include <pmix_tool.h>\n' >"$SCRATCH/all.c"
# declared_by FLAG...: the release that the headers declare.
declared_by() {
    # shellcheck disable=SC2086
    { cat "$SCRATCH/all.c" && echo 'px_declared PMIX_VERSION_MAJOR PMIX_VERSION_MINOR PMIX_VERSION_RELEASE'; } |
        $CC "$@" $headers -E -P -xc - | awk '$1 == "px_declared" { gsub(/L/, ""); print $2 "." $3 "." $4 }'
}
built=$(declared_by)

# later RELEASE: of the lines "who function", those whose function is not in RELEASE, or in no table.
later() {
    awk -F '\t' -v release="$1" -v functions="$tables/functions.tsv" '
        function number(text, part) { split(text, part, "."); return part[1] * 10000 + part[2] * 100 + part[3] }
        BEGIN { while ((getline line <functions) > 0) { split(line, column, "\t"); since[column[1]] = column[3] } }
        !($2 in since) || number(since[$2]) > number(release) { print $1 ": " $2 " " since[$2] }' | sort -u
}

# A sign that later() finds anything at all.
same 'a function of 6.1 is none of 5.0, nor is a name that no table has' 'x: PMIx_Heartbeat 6.1.0
x: pmix_none ' "$(printf 'x\tPMIx_Heartbeat\nx\tPMIx_Get\nx\tpmix_none\n' | later 5.0.0)"

# imports OBJECT WHO: a line "WHO function" for each symbol that is ours, or that looks so.
imports() {
    nm -u "$1" | awk -v who="$2" 'tolower($NF) ~ /^(pmix|px)_/ { print who "\t" $NF }'
}

# tables/ against a library that is not ours: what they have for its release, and nothing else, is what it exports. The
# distribution's, or the one in PX_STOCK_PMIX, a folder with include and lib.
stock=
for at in ${PX_STOCK_PMIX:-} /usr/lib/*/pmix2; do
    if [ -e "$at/include/pmix_version.h" ] && [ -e "$at/lib/libpmix.so.2" ] && ! grep -q shmix "$at/lib/libpmix.so.2"; then
        stock=$at
        break
    fi
done
if [ -n "$stock" ]; then
    release=$(awk '$2 ~ /^PMIX_VERSION_(MAJOR|MINOR|RELEASE)$/ { gsub(/L/, "", $3); printf "%s%s", sep, $3; sep = "." }' \
        "$stock/include/pmix_version.h")
    nm -D --defined-only "$stock/lib/libpmix.so.2" | awk '{ sub(/@.*/, "", $NF) } $NF ~ /^PMIx_/ { print $NF }' |
        sort >"$SCRATCH/exported"
    same "what $release exports is in the tables" '' "$(sed 's/^/exported\t/' "$SCRATCH/exported" | later "$release")"
    awk -F '\t' 'NR > 1 { print "x\t" $1 }' "$tables/functions.tsv" | later "$release" | awk '{ print $2 }' | sort >"$SCRATCH/later"
    same "what the tables have for $release is exported" '' "$(
        # 6.0 has dropped the functions of the structures of usage.
        awk -F '\t' -v major="${release%%.*}" 'NR > 1 && (major < 6 || $1 !~ /_stats_/) { print $1 }' \
            "$tables/functions.tsv" | sort | comm -23 - "$SCRATCH/later" | comm -23 - "$SCRATCH/exported"
    )"
fi

# imports_of RELEASE LAYOUT FLAG...: what macros, inline functions and programs import when they are compiled so.
imports_of() {
    against=$1
    as="$1, layout $2"
    shift 2
    # Every macro, as it is defined, with the names of its parameters as arguments.
    $CC "$@" -E -dM "$SCRATCH/all.c" | awk -v release="$against" -v macros="$tables/macros.tsv" '
        BEGIN {
            while ((getline line <macros) > 0) {
                split(line, column, "\t")
                wanted[column[1]] = column[2] != "kind" && column[3] + 0 <= release + 0
            }
        }
        {
            name = $2
            sub(/\(.*/, "", name)
            if (!wanted[name]) { next }
            use = name
            if (match($0, "^#define " name "\\([^)]*\\)")) { use = substr($0, 9, RLENGTH - 8) }
            print "px_use \"" name "\" " use
        }' >"$SCRATCH/uses"
    cat "$SCRATCH/all.c" "$SCRATCH/uses" | $CC "$@" -E -P -xc - | awk '
        $1 == "px_use" { macro = $2 }
        macro {
            while (match($0, /PMIx_[A-Za-z0-9_]+/)) {
                print macro "\t" substr($0, RSTART, RLENGTH)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' >"$SCRATCH/calls"
    [ "$(wc -l <"$SCRATCH/uses")" -ge 150 ] && [ "$(wc -l <"$SCRATCH/calls")" -ge 100 ]
    report $? "there are macros to look at, $as"
    same "macros call what the release has, $as" '' "$(later "$against" <"$SCRATCH/calls")"
    $CC -w -O0 -fkeep-inline-functions "$@" -c "$SCRATCH/all.c" -o "$SCRATCH/all.o" &&
        imports "$SCRATCH/all.o" inline >"$SCRATCH/calls"
    same "inline functions call what the release has, $as" '0 ' "$? $(later "$against" <"$SCRATCH/calls")"
    for program in "$PX_TOP_SRCDIR"/test/abi/macros.c "$PX_TOP_SRCDIR"/examples/*.c; do
        $CC -w -O0 -D_GNU_SOURCE -DPX_SYSTEM_HEADERS "$@" -c "$program" -o "$SCRATCH/program.o" &&
            imports "$SCRATCH/program.o" program >"$SCRATCH/calls" && [ -s "$SCRATCH/calls" ]
        same "${program##*/} imports what the release has, $as" '0 ' "$? $(later "$against" <"$SCRATCH/calls")"
    done
}

for level in 42 50 61; do
    # shellcheck disable=SC2086
    imports_of "$built" $level $headers -DPMIX_SERVER_MODULE_LEVEL=$level
done
for release in $(releases); do
    declare_release "$release" "$SCRATCH/pmix_version.h"
    declared=$(declared_by -include "$SCRATCH/pmix_version.h")
    # A known gap: what our macros call is inline in 4.2.2, and exported since 4.2.3.
    [ "$declared" != 4.2.2 ] || declared=4.2.3
    # shellcheck disable=SC2086
    imports_of "$declared" 'its own' -include "$SCRATCH/pmix_version.h" $headers
done
finish
