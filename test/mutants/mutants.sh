#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The lists of mutants can be read, fit the sources, and name requirements and tests that exist; every requirement of resolve,
# fence, get and query (two of these are among those of tools) has a mutant that dies. With PX_LONG all mutants are tried; with
# MUTANT_SEED=NUMBER six of them, chosen by it.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
awk=${AWK:-awk}
cd "$PX_TOP_SRCDIR" || exit 99
run_mutants() { MUTANT_WORK=$SCRATCH/work sh "$PX_TOP_SRCDIR/scripts/run-mutants" "$@"; }

fit() { run_mutants -l && $awk -f scripts/mutants.awk test/mutants/*.list >"$SCRATCH/list"; }
check 'the lists are well-formed, and each text is in its file exactly once' fit

# Ids, files and tests of the list. A program of test/conform must have a case of each requirement that the mutant breaks, and of
# each id among its words. If a word is a scenario, only the words are looked for.
has_case() { # has_case SOURCE ID
    grep -q "ids = .*$2" "$1"
}
lacks_case() { # lacks_case SOURCE 'ID...' 'WORD...': prints those without a case
    asked="$2 $3"
    case $3 in *S[0-9][0-9]*) asked=$3 ;; esac
    for one in $asked; do
        case $one in
        [A-Z]*[0-9]) has_case "$1" "$one" || echo "$one" ;;
        esac
    done
}
named() {
    status=0
    cut -f1 tables/requirements.tsv >"$SCRATCH/ids"
    while IFS='	' read -r list line id fate test ids rest; do
        where="$(basename "$list"):$line: $id:"
        for one in $ids; do
            [ "$one" = - ] || grep -qx -- "$one" "$SCRATCH/ids" || { echo "$where $one is no requirement"; status=1; }
        done
        program=${test%% *}
        case $program in
        '') continue ;;
        *.t) source=${program%.t}.c ;;
        *.sh) source=$program ;;
        *) source=$program.c ;;
        esac
        [ -e "$source" ] || { echo "$where there is no $source"; status=1; continue; }
        case $fate:$program in test:test/conform/*) ;; *) continue ;; esac
        for one in $(lacks_case "$source" "$ids" "${test#"$program"}"); do
            echo "$where $source has no case of $one"
            status=1
        done
    done <"$SCRATCH/list"
    return $status
}
check 'what the lists name exists' named

# test/mutants/none says which requirements no change of a source file can break, and why.
all_broken() {
    $awk -F'\t' '$4 == "test" { print $6 }' "$SCRATCH/list" | tr ' ' '\n' | sort -u >"$SCRATCH/broken"
    sed -n 's/^\([A-Z]*-[0-9]*\) .*/\1/p' test/mutants/none | sort >"$SCRATCH/none"
    sed -n 's/^\(\(RES\|FEN\|GET\|QRY\)-[0-9]*\|TOOL-062\|TOOL-065\)	.*/\1/p' tables/requirements.tsv | sort >"$SCRATCH/wanted"
    sort -u "$SCRATCH/broken" "$SCRATCH/none" | comm -13 - "$SCRATCH/wanted" | sed 's/$/: no mutant/' >"$SCRATCH/missing"
    comm -12 "$SCRATCH/broken" "$SCRATCH/none" | sed 's/$/: in test\/mutants\/none, and has a mutant/' >>"$SCRATCH/missing"
    cat "$SCRATCH/missing"
    [ ! -s "$SCRATCH/missing" ]
}
check 'every requirement of resolve, fence, get and query has a mutant that dies' all_broken

# The machinery: what it must say of a list.
lists=$SCRATCH/lists
mkdir "$lists"
stanza() { # stanza ID FROM TO LINE...
    printf 'mutant %s\nbreaks RES-047\nfile src/nspace/resolve.c\nin short_length\n- %s\n+ %s\n' "$1" "$2" "$3"
    shift 3
    printf '%s\n' "$@" ''
}
says() { # says PATTERN [OPTION...]
    pattern=$1
    shift
    MUTANT_LISTS=$lists run_mutants "$@" >"$SCRATCH/said" 2>&1 && { echo 'returned 0'; return 1; }
    grep -E "$pattern" "$SCRATCH/said"
}
unit='test test/unit/nspace/resolve.t'
stanza gone 'no such text' x "$unit" >"$lists/a.list"
check 'a text that is not there is found' says 'a.list:1: gone is stale' -l
stanza wrong 'strcspn(name, ".")' 0 >"$lists/a.list"
check 'a stanza without a test is found' says 'wrong: .* are needed' -l

if [ -n "${PX_SANITIZED-}" ]; then
    skip 'mutants are tried' 'not with a sanitizer'
    finish
fi
stanza lives 'strcspn(name, ".")' '0 + strcspn(name, ".")' "$unit" >"$lists/a.list"
check 'a mutant that survives is found' says '^SURVIVED	lives'
stanza dies 'strcspn(name, ".")' 'strlen(name)' "$unit" 'survives no reason' >"$lists/a.list"
check 'a mutant that no longer survives is found' says '^KILLED, BUT LISTED AS SURVIVING	dies'
stanza broken 'strcspn(name, ".")' 'strcspn(name' "$unit" >"$lists/a.list"
check 'a mutant that cannot be compiled is found' says '^DOES NOT COMPILE	broken'
stanza one 'strcspn(name, ".")' 'strlen(name)' "$unit" >"$lists/a.list"
stanza two 'strcspn(name, ".")' '0' "$unit" >>"$lists/a.list"
half() {
    MUTANT_LISTS=$lists run_mutants -n 50% -s 7 >"$SCRATCH/said" 2>&1 &&
        grep -qx '# -n 50% -s 7' "$SCRATCH/said" && [ "$(grep -c '^killed' "$SCRATCH/said")" = 1 ]
}
check 'a share of them is chosen at random, and the seed is said' half
late() {
    MUTANT_MINUTES=0 MUTANT_LISTS=$lists run_mutants >"$SCRATCH/said" 2>&1 &&
        [ "$(grep -c '^not tried' "$SCRATCH/said")" = 2 ]
}
check 'when the time is over no other is tried' late

if [ -z "${PX_LONG-}${MUTANT_SEED-}" ]; then
    skip 'mutants are killed' 'takes long; with PX_LONG, or some of them with MUTANT_SEED'
    finish
fi
tried() {
    if [ -n "${PX_LONG-}" ]; then
        run_mutants >"$SCRATCH/results" 2>&1
    else
        MUTANT_JOBS=2 run_mutants -n 6 -s "$MUTANT_SEED" >"$SCRATCH/results" 2>&1
    fi
    result=$?
    grep -v '^killed' "$SCRATCH/results"
    return $result
}
check "mutants are killed (${PX_LONG:+all}${MUTANT_SEED:+MUTANT_SEED=$MUTANT_SEED})" tried
finish
