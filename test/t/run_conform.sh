#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The conformance suite as others get it: its tarball is built against the distribution's library, outside of its folder, and
# says what it found in each form of output. And a library that answers wrongly, crashes, hangs or cannot begin: exactly the
# requirement of which this is true fails, and no other.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
by_messages && skip_all 'the programs choose their form'
unset MAKEFLAGS
conform=$PX_TOP_BUILDDIR/test/conform

# ---- the tarball

unpack() {
    make -s -C "$PX_TOP_BUILDDIR" dist-conform conform_to="$SCRATCH/" && cd "$SCRATCH" && gzip -dc pmix-conform-*.tar.gz | tar xf - &&
        mv pmix-conform-*[0-9] source && mkdir build
}
check 'the tarball is made and unpacked' unpack

# A program whose every case ended there when its results were kept: $drawn, by SEED.
column=$PX_TOP_SRCDIR/test/conform/results/distribution.tsv
SEED=${SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
drawn=$(awk -F'\t' '
    /^#/ { next }
    { n[$1]++ }
    $4 == "hang" || $4 == "crash" || $4 == "setup" { left_out[$1] = 1 }
    END { for (p in n) if (n[p] > 5 && !(p in left_out)) print p }' "$column" | sort |
    awk -v seed="$SEED" '{ line[NR] = $0 } END { print line[seed % NR + 1] }')
drawn=${drawn##*/}
drawn=${drawn%.c}
echo "# SEED=$SEED: $drawn"
build() {
    cd "$SCRATCH/build" && sh ../source/configure CC="$CC" CFLAGS=-O0 --prefix=/conform && make -s PROGRAMS="fence put $drawn" &&
        ls programs/fence programs/put "programs/$drawn"
}
# Whatever the library does, it is told; 1 says that a requirement failed.
suite() { # suite OUTPUT WORD...
    (cd "$SCRATCH/build" && output=$1 && shift && limit 200 ./pmix-conform --seconds 10 "$@" >"$SCRATCH/$output" && return
        [ $? -eq 1 ])
}
n_ids=$(grep -c '^[A-Z]*-[0-9]' "$PX_TOP_SRCDIR/tables/requirements.tsv")
plain() {
    suite plain --results "$SCRATCH/results" fence FEN-026 FEN-003 && grep "^together .* $n_ids " "$SCRATCH/plain" &&
        [ "$(grep -c '^together' "$SCRATCH/plain")" -eq 2 ]
}
kept() {
    grep '^# library: OpenPMIx' "$SCRATCH/results" && grep '^test/conform/fence.c	FEN-026	default	[a-z]*$' "$SCRATCH/results" &&
        grep '^test/conform/fence.c	FEN-003	messages	[a-z]*$' "$SCRATCH/results"
}
tap() {
    suite tap --format tap --form default fence FEN-026 FEN-003 && cat "$SCRATCH/tap" && [ "$(grep -c 'ok [0-9]* - FEN-0' "$SCRATCH/tap")" -eq 2 ] &&
        grep '^1\.\.2$' "$SCRATCH/tap"
}
json() {
    suite json --format json --form default fence put FEN-026 PUT-002 || return 1
    python3 - "$SCRATCH/json" "$n_ids" <<'EOF'
import json, sys
told = json.load(open(sys.argv[1]))
n_ids = int(sys.argv[2])
assert len(told["requirements"]) == n_ids, len(told["requirements"])
assert sum(told["totals"]["default"].values()) == n_ids, told["totals"]
by_id = {r["id"]: r["default"] for r in told["requirements"]}
assert by_id["FEN-026"] not in ("untested", "not run") and by_id["GRP-110"] == "untested" and by_id["FEN-001"] == "not run"
assert {c["program"] for c in told["cases"]} == {"fence", "put"}
EOF
}
# Two programs at once are as one after the other.
at_once() {
    suite plain --jobs 2 --results "$SCRATCH/two" --form default fence put FEN-026 PUT-002 &&
        suite plain --results "$SCRATCH/one" --form default fence put FEN-026 PUT-002 &&
        [ "$(grep -c '	run	' "$SCRATCH/two")" -eq 2 ] && grep -v '^# jobs' "$SCRATCH/one" | sort >"$SCRATCH/alone" &&
        grep -v '^# jobs' "$SCRATCH/two" | sort | cmp - "$SCRATCH/alone"
}
# What docs/conformance.md says of the distribution is what its library does: at most one result in ten differs.
as_kept() {
    suite plain --results "$SCRATCH/again" "$drawn" || return 1
    awk -F'\t' -v program="test/conform/$drawn.c" '
        $1 != program || $2 == "run" { next }
        { sub(/^not run: .*/, "not run", $4) }
        NR == FNR { kept[$2 FS $3] = $4; next }
        { n++ }
        kept[$2 FS $3] != $4 { differ++; print $2, $3 ": " $4 ", kept: " kept[$2 FS $3] }
        END { print n + 0, "results,", differ + 0, "differ"; exit !(n > 0 && differ * 10 <= n) }' "$column" "$SCRATCH/again"
}
installed() {
    make -s -C "$SCRATCH/build" install PROGRAMS="fence put $drawn" DESTDIR="$SCRATCH/installed" &&
        PMIX_CONFORM_PROGRAMS=$SCRATCH/installed/conform/libexec/pmix-conform "$SCRATCH/installed/conform/bin/pmix-conform" --programs >"$SCRATCH/put" &&
        [ "$(sort "$SCRATCH/put")" = "$(printf '%s\n' fence put "$drawn" | sort -u)" ]
}
if [ -n "$(stock_flags)" ]; then
    check 'it is built against the library of the distribution' build
    check 'plain text has the totals' plain
    check 'results are kept by requirement and form' kept
    if grep -qFx "$(grep '^# library' "$SCRATCH/results")" "$column"; then
        check "a program drawn at random has the results that are kept of the distribution's library" as_kept
    else
        skip "results that are kept of the distribution's library" 'they are of another release'
    fi
    check 'TAP has a line for each requirement' tap
    if command -v python3 >/dev/null; then
        check 'JSON can be read, and has every requirement' json
    else
        skip 'JSON' 'no python3'
    fi
    check 'two programs at once' at_once
    check 'it is installed' installed
else
    skip 'the suite with another library' 'the distribution has no libpmix for development here (libpmix-dev)'
fi

# ---- parts, and programs that do not run to their end

no_part() {
    for part in 2/2 -1/2 0/0 0/2x 1; do
        limit 60 "$conform/fence.t" --part "$part" >"$SCRATCH/part" 2>&1 && return 1
        [ $? -eq 2 ] && grep '^usage:' "$SCRATCH/part" || return 1
    done
}
broken() {
    folder=$SCRATCH/broken
    mkdir "$folder" && cp -r "$SCRATCH/build/programs" "$SCRATCH/build/pmix-conform" "$folder" && rm -f "$folder/programs/put" || return 1
    # shellcheck disable=SC2016
    printf '#!/bin/sh\ncase $* in --list) exec "%s" --list;; esac\nexit 3\n' "$SCRATCH/build/programs/put" >"$folder/programs/put"
    chmod +x "$folder/programs/put"
    (cd "$folder" && PMIX_CONFORM_PROGRAMS=$folder/programs limit 60 ./pmix-conform --seconds 10 --form default --results "$SCRATCH/results" fence put FEN-026 PUT-002) \
        >"$SCRATCH/plain" 2>"$SCRATCH/errors"
    [ $? -eq 2 ] || return 1
    cat "$SCRATCH/errors"
    grep 'left out: put$' "$SCRATCH/errors" && grep 'FEN-026' "$SCRATCH/results" && ! grep 'put.c' "$SCRATCH/results"
}
check 'a part that no program has is refused' no_part
if [ -n "$(stock_flags)" ]; then
    check 'of a program that does not run to its end nothing is told' broken
fi

# ---- another's host starts the ranks

form=default
! by_messages || form=messages
other_host() {
    limit 60 "$conform/fence.t" --form $form --host "$PX_TOP_BUILDDIR/src/tools/pmixrun -n %n %p" FEN-003 >"$SCRATCH/hosted" || return 1
    cat "$SCRATCH/hosted"
    grep "^ok 1 - FEN-003 .* # $form\$" "$SCRATCH/hosted" && grep '# SKIP needs its own host: several nodes$' "$SCRATCH/hosted"
}
check 'ranks are started by the command of another host; a case of two nodes is skipped' other_host

# ---- turns of programs that run at once

taken() {
    (
        exec 9>"$SCRATCH/turns" && flock 9 || exit 1
        "$conform/resolve_build.t" --form default --turns "$SCRATCH/turns" RES-046 >"$SCRATCH/said" 9>&- &
        until_true 'it waits for its turn' grep -e "-> FLOCK .* $! " /proc/locks && ! [ -s "$SCRATCH/said" ] || exit 1
        exec 9>&-
        wait $! && grep '^ok 1' "$SCRATCH/said"
    )
}
check 'a case begins when another program gives its turn back' taken

# ---- wrong libraries

cat >"$SCRATCH/wrong.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int is(const char *mode) { const char *m = getenv("WRONG"); return m != NULL && strcmp(m, mode) == 0; }
int PMIx_Init(void *proc, void *info, size_t n)
{
    int (*real)(void *, void *, size_t) = (int (*)(void *, void *, size_t)) dlsym(RTLD_NEXT, "PMIx_Init");
    return is("init") ? -25 : real(proc, info, n);
}
int PMIx_Resolve_nodes(const char *nspace, char **list)
{
    int (*real)(const char *, char **) = (int (*)(const char *, char **)) dlsym(RTLD_NEXT, "PMIx_Resolve_nodes");
    int rc;
    if (nspace != NULL && strcmp(nspace, "nosuch") == 0) {
        while (is("hang")) { pause(); }
        if (is("crash")) { abort(); }
    }
    rc = real(nspace, list);
    if (rc == 0 && *list != NULL && strcmp(*list, "n3,n1,n2") == 0 && is("order")) {
        memcpy(*list, "n1,n2,n3", 8);
    }
    return rc;
}
EOF
# wrong MODE CASE WANT: what comes out for the ids that did not pass, in order, as "ID=RESULT".
wrong() {
    rm -f "$SCRATCH/wrong"
    seconds=60
    [ "$1" != hang ] || seconds=10
    limit 100 env WRONG="$1" LD_PRELOAD="$SCRATCH/wrong.so" "$conform/resolve_build.t" --form default --seconds $seconds \
        --results "$SCRATCH/wrong" "$2" >"$SCRATCH/said"
    got=$(awk -F'\t' '$1 == "id" && $3 != "pass" { printf "%s=%s ", $4, $3 }' "$SCRATCH/wrong")
    [ "$got" = "$3" ] || { echo "got: $got"; cat "$SCRATCH/said"; return 1; }
    if [ "$1" = none ]; then
        grep -q '^ok ' "$SCRATCH/said" && ! grep -q '^not ok' "$SCRATCH/said"
    else
        grep -q '^not ok' "$SCRATCH/said"
    fi
}
waits() {
    WRONG=hang LD_PRELOAD=$SCRATCH/wrong.so "$conform/resolve_build.t" --form default --seconds 20 --turns "$SCRATCH/turn" RES-046 >"$SCRATCH/said" &
    until_true 'it has its turn' grep ": FLOCK .* $! " /proc/locks &&
        until_true 'its turn ends' flock -n "$SCRATCH/turn" true && alive $! && ! [ -s "$SCRATCH/said" ]
    waited=$?
    wait $!
    return $waited
}
ids='RES-042 RES-043 RES-033 RES-034 RES-046 RES-010 RES-040 RES-041'
all_but() { for id in $ids; do [ "$id" = "$1" ] && printf '%s=%s ' "$id" "$2" || printf '%s=setup ' "$id"; done; }
if $CC -shared -fPIC -o "$SCRATCH/wrong.so" "$SCRATCH/wrong.c" -ldl 2>"$SCRATCH/cc" &&
    LD_PRELOAD=$SCRATCH/wrong.so "$conform/resolve_build.t" --list >"$SCRATCH/list" 2>&1; then
    check 'nothing wrong: all pass' wrong none RES- ''
    check 'a wrong order fails the requirement of the order alone' wrong order RES- 'RES-038=fail '
    check 'a crash is that of the requirement that was tried; the others of the case are not decided' wrong crash RES-046 "$(all_but RES-033 crash)"
    check 'likewise a call without an end' wrong hang RES-046 "$(all_but RES-033 hang)"
    check 'a case that only waits gives its turn back' waits
    check 'what cannot begin fails nothing' wrong init RES-046 "$(all_but none fail)"
else
    skip 'wrong libraries, and a case that only waits' 'nothing can be loaded before this build'
fi
finish
