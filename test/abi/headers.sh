#!/bin/sh
# The same sources compiled against the system's PMIx headers (4.2 or later) and against ours: they
# print the same sizes, offsets, values and strings, as C and as C++; and each of our headers compiles
# alone, without a warning, as C99, C11 and C++17. With each release that configure can declare, the headers have what
# tables/ has of it, and its capability flags.
# Covers: MAC-001 MAC-015 MAC-016 RES-001
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
PX_TOP_SRCDIR=${PX_TOP_SRCDIR:-.}
top=$PX_TOP_SRCDIR
build=${PX_TOP_BUILDDIR:-.}
. "$top/test/lib/declared.sh"
cc=${CC:-cc}
cxx=${CXX:-c++}
ours="-I$build/include -I$top/include"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
: >"$scratch/log"
: >"$scratch/ours.txt"
echo "1..$((9 + 3 * $(releases | wc -l)))"

number=0
# verdict STATUS TEXT
verdict() {
    number=$((number + 1))
    if [ "$1" -ne 0 ]; then
        sed 's/^/# /' "$scratch/log"
        printf 'not '
    fi
    echo "ok $number - $2"
    : >"$scratch/log"
}

# alone STANDARD COMPILER - each header by itself
alone() {
    bad=0
    for header in pmix.h pmix_common.h pmix_constants.h pmix_deprecated.h pmix_keys.h pmix_macros.h \
        pmix_server.h pmix_status.h pmix_tool.h pmix_types.h pmix_version.h \
        pmix/src/include/pmix_frameworks.h; do
        case $2 in
        "$cxx") source=$scratch/alone.cc ;;
        *) source=$scratch/alone.c ;;
        esac
        printf '#include <%s>\nextern int px_alone;\n' $header >"$source"
        # shellcheck disable=SC2086
        $2 -std=$1 -pedantic -Wall -Wextra -Wshadow -Wundef -Wredundant-decls -Werror $ours \
            -fsyntax-only "$source" >>"$scratch/log" 2>&1 || bad=1
    done
    verdict $bad "each header compiles alone as $1"
}

system=
for dir in $(pkg-config --variable=includedir pmix 2>/dev/null) \
    /usr/lib/*/pmix2/include /usr/include/pmix /usr/include; do
    if [ -e "$dir/pmix_server.h" ] && grep -q PMIX_VERSION_MAJOR "$dir/pmix_version.h" 2>/dev/null; then
        system=$dir
        break
    fi
done

# compare COMPILER EXTENSION
compare() {
    if [ -z "$system" ]; then
        number=$((number + 2))
        echo "ok $((number - 1)) # SKIP libpmix-dev is absent"
        echo "ok $number # SKIP libpmix-dev is absent"
        return
    fi
    cp "$top/test/abi/facts.c" "$scratch/facts.$2"
    bad=0
    # shellcheck disable=SC2086
    {
        $1 -w -D_GNU_SOURCE -DPX_LEVEL=42 "-I$system" "-I$top/test/abi" "$scratch/facts.$2" \
            -o "$scratch/theirs" &&
            $1 -w -D_GNU_SOURCE -DPX_LEVEL=42 -DPMIX_SERVER_MODULE_LEVEL=42 $ours "-I$top/test/abi" \
                "$scratch/facts.$2" -o "$scratch/ours"
    } >>"$scratch/log" 2>&1 || bad=1
    verdict $bad "prototypes are those of $system ($2)"
    if [ $bad = 0 ]; then
        "$scratch/theirs" --print >"$scratch/theirs.txt" || bad=1
        "$scratch/ours" --print >"$scratch/ours.txt" || bad=1
        diff "$scratch/theirs.txt" "$scratch/ours.txt" >>"$scratch/log" 2>&1 || bad=1
    fi
    verdict $bad "$(wc -l <"$scratch/ours.txt") facts print alike ($2)"
}

# levels - the layouts that the declared series have
levels() {
    bad=0
    for level in 42 50 61; do
        # shellcheck disable=SC2086
        if $cc -w -D_GNU_SOURCE -DPMIX_SERVER_MODULE_LEVEL=$level $ours "-I$top/test/abi" \
            "$top/test/abi/facts.c" -o "$scratch/level" >>"$scratch/log" 2>&1; then
            "$scratch/level" >>"$scratch/log" || bad=1
        else
            bad=1
        fi
    done
    grep -q '^not ok' "$scratch/log" && bad=1
    verdict $bad "the server module has the length of its series"
}

# facts COMPILER SOURCE RELEASE: the values and layouts of a declared release.
facts() {
    bad=0
    # shellcheck disable=SC2086
    $1 -w -D_GNU_SOURCE -include "$scratch/pmix_version.h" $ours "-I$top/test/abi" "$2" -o "$scratch/declared" \
        >>"$scratch/log" 2>&1 && "$scratch/declared" >>"$scratch/log" || bad=1
    grep -q '^not ok' "$scratch/log" && bad=1
    verdict $bad "declared $3: layout, values and prototypes are those of tables/ (${2##*.})"
}

# flags RELEASE: which capability flags a program finds.
flags() {
    # shellcheck disable=SC2086
    echo '#include <pmix.h>' | $cc -include "$scratch/pmix_version.h" $ours -E -dM -xc - 2>>"$scratch/log" |
        awk '$2 ~ /^PMIX_CAP(_|ABILITIES$)/ { print $2 }' | sort >"$scratch/defined"
    awk -F '\t' -v release="$1" '$3 == "capability" && $5 + 0 <= release + 0 && $7 != "absent" { print $1 }' \
        "$top/tables/constants.tsv" | sort | diff - "$scratch/defined" >>"$scratch/log"
    verdict $? "declared $1: the capability flags are those of tables/, $(wc -l <"$scratch/defined")"
}

alone c99 "$cc"
alone c11 "$cc"
alone c++17 "$cxx"
levels
compare "$cc" c
compare "$cxx" cc
if [ -z "$system" ]; then
    number=$((number + 1))
    echo "ok $number # SKIP libpmix-dev is absent"
else
    # shellcheck disable=SC2086
    $cc -w -D_GNU_SOURCE -DPX_SYSTEM_HEADERS "-I$system" -fsyntax-only "$top/test/abi/macros.c" \
        >>"$scratch/log" 2>&1
    verdict $? "test/abi/macros.c is a program for the system's headers too"
fi
for release in $(releases); do
    declare_release "$release" "$scratch/pmix_version.h" >>"$scratch/log" 2>&1 || echo "no header for $release" >>"$scratch/log"
    facts "$cc" "$top/test/abi/facts.c" "$release"
    facts "$cxx" "$top/test/abi/facts_cxx.cc" "$release"
    flags "$release"
done
