# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# For the tests that type what a page shows: source it after tap.sh. In a page a line that begins with $ is typed; the indented
# lines that follow are what it prints, in any order; # behind it is a remark, and "# exit code N" says how it ends, if not with 0.

# type_lines DIRECTORY: types the lines of $SCRATCH/lines there, in one shell that goes on if a line fails; what each prints is in
# $SCRATCH/said.N, its exit code in $SCRATCH/code.N. Reports each line.
type_lines() {
    rm -f "$SCRATCH"/said.* "$SCRATCH"/code.* "$SCRATCH"/shown.* # of another page
    n=0
    while IFS= read -r line; do
        n=$((n + 1))
        printf '{ %s\n} >"%s" 2>&1 </dev/null; echo $? >"%s"\n' "$line" "$SCRATCH/said.$n" "$SCRATCH/code.$n"
    done <"$SCRATCH/lines" >"$SCRATCH/script"
    (cd "$1" && limit 300 bash "$SCRATCH/script" >"$SCRATCH/out" 2>&1 </dev/null)
    n=0
    while IFS= read -r line; do
        n=$((n + 1))
        want=$(printf '%s\n' "$line" | sed -n 's/.*# exit code \([0-9]*\).*/\1/p')
        same "$line" "${want:-0}" "$(cat "$SCRATCH/code.$n" 2>/dev/null || cat "$SCRATCH/out")"
        [ "${want:-0}" = "$(cat "$SCRATCH/code.$n")" ] || sed 's/^/# /' "$SCRATCH/said.$n"
    done <"$SCRATCH/lines"
    [ $n -gt 0 ] || report 1 'a line is typed'
}

# number LINE: of the first typed line that begins so
number() { grep -n -m 1 "^$1" "$SCRATCH/lines" | cut -d: -f1; }
# printed LINE: what the typed line that begins so has printed
printed() { cat "$SCRATCH/said.$(number "$1")"; }

# plain: lines with # for each number, one space for several, no state of a process that may be another one the next time.
plain() {
    host=$(hostname)
    sed -e "s|$PX_TOP_BUILDDIR/.libs|/opt/shmix/lib|g" -e "s/\\<${host%%.*}\\>/node1/g" -e 's/[0-9][0-9.]*[kMG]\{0,1\}/#/g' -e 's/\<[RSD] ([^)]*)/S/g' -e 's/\<T ([^)]*)/T/g' \
        -e 's/# [RSD] #/# S #/' -e 's/  */ /g' -e 's/^ //' -e 's/ $//' | sort
}
# elsewhere FILE: without lines about a library of the distribution, which this machine may not have, and the advice on it.
elsewhere() { awk '/lib\/x86_64/ { left = 1; next } left && /what to do/ { left = 0; next } { left = 0; print }' "$1"; }
# shown_by PAGE: each line that is shown to print something has printed these lines at least; ... in one of them is anything.
shown_by() {
    awk -v at="$SCRATCH/shown." '/^ +\$ / { n++; file = at n; next }
        /^    / && file { print > file; next }
        { file = "" }' "$1"
    n=0
    while IFS= read -r line; do
        n=$((n + 1))
        [ -s "$SCRATCH/shown.$n" ] || continue
        plain <"$SCRATCH/said.$n" >"$SCRATCH/said"
        elsewhere "$SCRATCH/shown.$n" | plain >"$SCRATCH/wanted"
        same "it prints what is shown: $line" '' "$(while IFS= read -r want; do
            pattern=$(printf '%s\n' "$want" | sed -e 's/\.\.\./\t/g' -e 's/[][\\.*^$]/\\&/g' -e 's/\t/.*/g')
            [ "$(grep -cx -e "$pattern" "$SCRATCH/said")" -ge "$(grep -cxF -e "$want" "$SCRATCH/wanted")" ] || printf '%s\n' "$want"
        done <"$SCRATCH/wanted")"
    done <"$SCRATCH/lines"
}
