#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# What `make install` installs is hardened, and enough to build and run a program by README's lines, and by pmixcc; with
# libpmix.a alone, too, if the build has one.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
command -v pkg-config >/dev/null 2>&1 || skip_all 'no pkg-config on this machine'
[ -z "$PX_SANITIZED" ] || skip_all 'a program would need the sanitizer that the library has'
unset MAKEFLAGS MFLAGS DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR

# The library in a prefix of its own, and what configure --prefix=$prefix would have made of pmix.pc and pmixcc.
prefix=$SCRATCH/opt/shmix
install_there() {
    at=$(sed -n 's/^prefix = //p' "$PX_TOP_BUILDDIR/Makefile")
    make -s -C "$PX_TOP_BUILDDIR" DESTDIR="$SCRATCH/dest" install-libLTLIBRARIES install-includeHEADERS \
        install-nobase_includeHEADERS install-nodist_includeHEADERS || return 1
    mkdir -p "$SCRATCH/opt" && mv "$SCRATCH/dest$at" "$prefix" || return 1
    mkdir -p "$prefix/lib/pkgconfig" "$prefix/bin" || return 1
    sed "s|^S\\[\"prefix\"\\]=.*|S[\"prefix\"]=\"$prefix\"|" "$PX_TOP_BUILDDIR/config.status" >"$SCRATCH/config.status"
    (cd "$SCRATCH" && sh config.status --file="$prefix/lib/pkgconfig/pmix.pc:$PX_TOP_SRCDIR/pmix.pc.in" \
        --file="$prefix/bin/pmixcc:$PX_TOP_SRCDIR/src/tools/pmixcc.in") || return 1
    chmod +x "$prefix/bin/pmixcc"
    ln -s "$pmixrun" "$prefix/bin/pmixrun"
}
check 'the library is installed' install_there

# Commands and their pages come and go with `make install` and `make uninstall`.
commands='palloc pattrs pctrl pevent plookup pmix-shm pmix_info pmixrun pps pquery'
all() { make -s -C "$PX_TOP_BUILDDIR" DESTDIR="$SCRATCH/all" "$@" >"$SCRATCH/make.out" 2>&1 || cat "$SCRATCH/make.out"; }
all install-binPROGRAMS install-manual install-pages
same 'the commands are installed' "$commands" "$(cd "$SCRATCH/all" && find . -path '*/bin/*' -type f | sed 's,.*/,,' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
for command in $commands; do
    find "$SCRATCH/all" -path "*/man1/$command.1" | grep -q . || echo "$command"
done >"$SCRATCH/pageless"
same 'each with its page' '' "$(cat "$SCRATCH/pageless")"

# The pages for users, too. Links between them hold; those that lead into the sources are of a few known kinds.
pages=$(find "$SCRATCH/all" -name README.md -exec dirname {} \;)
same 'pages are below docdir' "$SCRATCH/all$(make -s -C "$PX_TOP_BUILDDIR" print-docdir)" "$pages"
there() { # there: those of all that are not installed
    (cd "$PX_TOP_SRCDIR" && ls README.md NEWS.md SECURITY.md LICENSE docs/*.md docs/decisions/*.md docs/img/*.svg) | while read -r page; do
        cmp -s "$PX_TOP_SRCDIR/$page" "$pages/$page" || echo "$page"
    done
}
same 'all of them' '' "$(there)"
astray() { # links of installed pages to what is not installed
    (cd "$pages" && find . -name '*.md') | while read -r page; do
        grep -o '](\([^):]*\))' "$pages/$page" | sed 's/^](//; s/)$//; s/#.*//' | sort -u | while read -r link; do
            [ -e "$pages/${page%/*}/$link" ] || echo "$page: $link"
        done
    done
}
same 'their links lead to what is installed, or into the sources' '' \
    "$(astray | grep -v -E ': (\.\./)*(HACKING\.md|(bench|test|src|scripts|tables|contrib)/[a-z/_.A-Z]*)$')"

# What is installed is hardened, by what the linker and the compiler write into each file, and looks for libraries in no
# folder of the build.
soft() { # soft: the faults of the installed objects, a line each
    find "$SCRATCH/all" -type f \( -path '*/bin/*' -o -name '*.so.*' \) | while read -r object; do
        readelf -hldWs "$object" >"$SCRATCH/elf" 2>/dev/null || continue
        grep -q ' GNU_RELRO ' "$SCRATCH/elf" || echo "$object: no RELRO"
        grep -qE '\(FLAGS(_1)?\).*NOW' "$SCRATCH/elf" || echo "$object: symbols are bound when they are used"
        grep -q ' __stack_chk_fail' "$SCRATCH/elf" || echo "$object: no stack protector"
        grep -qE ' __[a-z]+_chk(@|$)' "$SCRATCH/elf" || echo "$object: no fortified function"
        grep -q 'GNU_STACK .* RWE ' "$SCRATCH/elf" && echo "$object: the stack can be executed"
        if $shadow_stack; then
            readelf -n "$object" 2>/dev/null | grep -q 'x86 feature:.*SHSTK' || echo "$object: no mark for shadow stacks"
        fi
        grep -E '\((RUNPATH|RPATH)\)' "$SCRATCH/elf" | grep -vF "[$libdir]" | sed "s|^|$object: |"
    done
}
# Shadow stacks. The linker is told to mark each file that it writes, so the test looks at the objects of the library, too.
shadow_stack=false
grep -q '^PX_HARDEN_CFLAGS = .*-fcf-protection=return' "$PX_TOP_BUILDDIR/Makefile" && shadow_stack=true
unmarked() { # unmarked: those of them that have no mark, a line each
    find "$PX_TOP_BUILDDIR/src" "$PX_TOP_BUILDDIR/gds" "$PX_TOP_BUILDDIR/shmem" -name '*.o' -exec readelf -n {} + 2>/dev/null |
        awk '/^File: / { if (file != "") { print file } file = $2 }
            /x86 feature:.*SHSTK/ { file = "" }
            END { if (file != "") { print file } }'
}
libdir=$(sed -n 's/^libdir = //p' "$PX_TOP_BUILDDIR/Makefile" | sed "s|\${exec_prefix}|$at|")
if ! command -v readelf >/dev/null 2>&1; then
    skip 'what is installed is hardened' 'no readelf here'
elif grep -q '^PX_HARDEN_CFLAGS = *$' "$PX_TOP_BUILDDIR/Makefile"; then
    skip 'what is installed is hardened' 'configured with --disable-hardening'
else
    all install-libLTLIBRARIES
    same 'what is installed is hardened' '' "$(soft)"
    if $shadow_stack; then
        same 'and compiled for shadow stacks' '' "$(unmarked)"
    else
        skip 'and compiled for shadow stacks' 'the compiler has none here'
    fi
    check 'the library is there' [ -e "$SCRATCH/all$libdir/libpmix.so.2" ]
    same 'and linked with no hwloc' '' "$(readelf -d "$SCRATCH/all$libdir/libpmix.so.2" | grep hwloc)"
fi
all uninstall-binPROGRAMS uninstall-libLTLIBRARIES uninstall-manual uninstall-pages
same 'and all go' '' "$(find "$SCRATCH/all" ! -type d | head)"

mkdir "$SCRATCH/work"
cd "$SCRATCH/work" || exit 99
cp "$PX_TOP_SRCDIR/examples/hello.c" .
sed -n '/^## Use/,/^## /s|^    ||p' "$PX_TOP_SRCDIR/README.md" | sed -n '/PKG_CONFIG_PATH/,/pmixrun/p' |
    sed "s|/opt/shmix|$prefix|g; s|\\<cc |$CC |" >lines
same "README's lines" 3 "$(wc -l <lines)"

# right: it ran as four processes that read in memory or by messages.
right() {
    [ "$code" = 0 ] && [ "$(grep -c '^rank [0-3] of 4 on ' "$SCRATCH/out")" = 4 ] || { cat "$SCRATCH/out" "$SCRATCH/err"; return 1; }
}
run sh -e lines
check 'a program built and run by them' right
same 'it has this library' "$prefix/lib/libpmix.so.2" "$(ldd ./hello | sed -n 's/.*libpmix[^ ]* => \([^ ]*\) .*/\1/p')"
run "$prefix/bin/pmixcc" -o wrapped hello.c
same 'pmixcc' "0 $prefix/lib/libpmix.so.2" "$code $(ldd ./wrapped | sed -n 's/.*libpmix[^ ]* => \([^ ]*\) .*/\1/p')"

if [ ! -e "$prefix/lib/libpmix.a" ]; then
    skip 'libpmix.a alone' 'this build has none: configure --enable-static'
    finish
fi
rm "$prefix"/lib/libpmix.so* "$prefix"/lib/libpmix.la
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
run $CC -o archive hello.c $(pkg-config --cflags --static --libs pmix)
same 'with libpmix.a alone, by pkg-config --static' 0 "$code"
run "$pmixrun" -n 4 ./archive
check 'it runs' right
run "$prefix/bin/pmixcc" -o wrapped hello.c
same 'with libpmix.a alone, by pmixcc' 0 "$code"
run "$pmixrun" -n 4 ./wrapped
check 'that runs, too' right
finish
