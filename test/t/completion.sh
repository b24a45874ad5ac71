#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Completion for bash: every option that a command says it has is offered, values of options that have few, words of pmix-shm;
# arguments of a program that pmixrun starts are the program's. It is installed under each command's name, and goes.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
command -v bash >/dev/null 2>&1 || skip_all 'no bash on this machine'
tools=$PX_TOP_BUILDDIR/src/tools
commands='palloc pattrs pctrl pevent plookup pmix-shm pmix_info pmixcc pmixrun pps pquery'

# offered WORD...: what bash would offer for the last word, sorted, on a line.
offered() {
    PATH=$tools:$PATH bash --norc -c '
        . "$0" || exit 1
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _shmix "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' "$PX_TOP_SRCDIR/src/tools/completion.bash" "$@" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'
}

for command in $commands; do
    offered $command -- | tr ' ' '\n' >"$SCRATCH/offered"
    "$tools/$command" --help 2>&1 | grep -oE -e '--[a-z][a-z-]*' | sort -u >"$SCRATCH/known"
    same "$command: every long option of its help" '' "$(grep -vxF -f "$SCRATCH/offered" "$SCRATCH/known")"
    [ -s "$SCRATCH/known" ] || report 1 "$command: its help has options"
done
same 'one option' '--keep-going' "$(offered pmixrun --kee)"
same 'values of an option' 'core none' "$(offered pmixrun --bind-to '')"
same 'after others' 'node ppr: slot' "$(offered pmixrun -n 4 --map-by '')"
same 'words of pmix-shm' 'list save show stats top verify waits' "$(offered pmix-shm '')"
same 'a part of one' 'show stats' "$(offered pmix-shm s | sed 's/save //')"
same 'arguments of a program are not ours' '' "$(offered pmixrun -n 4 ./program --kee)"

make_there() { make -s -C "$PX_TOP_BUILDDIR" DESTDIR="$SCRATCH/dest" "$@" >"$SCRATCH/make.out" 2>&1 || cat "$SCRATCH/make.out"; }
unset MAKEFLAGS MFLAGS
make_there install-completion
for command in $commands; do
    find "$SCRATCH/dest" -path "*/bash-completion/completions/$command" | grep -q . || echo "$command"
done >"$SCRATCH/absent"
same 'it is installed for each command' '' "$(cat "$SCRATCH/absent")"
same 'links lead to it' '' "$(find "$SCRATCH/dest" -type l ! -exec test -e {} \; -print)"
make_there uninstall-completion
same 'and goes' '' "$(find "$SCRATCH/dest" ! -type d)"
finish
