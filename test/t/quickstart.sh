#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The parts of quickstart that can be tried without installing anything: other people's commands are replaced.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
[ -e "$PX_TOP_SRCDIR/quickstart" ] || skip_all 'no quickstart in this tree'

# A tree of its own, with a make that prints what automake would.
tree=$SCRATCH/tree
mkdir -p "$tree/bin" "$tree/include" "$tree/src" "$tree/shmem" "$tree/gds" "$tree/bench" "$tree/examples" \
    "$tree/scripts" "$tree/test" "$tree/m4"
cp "$PX_TOP_SRCDIR/quickstart" "$tree/"
touch "$tree/Makefile.am" "$tree/configure.ac" "$tree/m4/px_x.m4"
stub() {
    cat >"$tree/bin/$1"
    chmod +x "$tree/bin/$1"
}
stub dpkg-query <<'END'
#!/bin/sh
case $* in *"${MISSING:-none}"*) exit 1 ;; esac
echo 'install ok installed'
END
stub id <<'END'
#!/bin/sh
echo 1000
END
stub sudo <<'END'
#!/bin/sh
exit 1
END
stub make <<'END'
#!/bin/sh
case $* in
*check*)
    [ -n "$NOTHING" ] || printf '# TOTAL: 9\n# PASS:  %d\n# SKIP:  1\n# XFAIL: 1\n# FAIL:  %d\n# XPASS: 0\n# ERROR: 0\n' 7 "${FAILS:-0}"
    [ "${FAILS:-0}" = 0 ] ;;
esac
END
cat >"$tree/autogen.sh" <<'END'
#!/bin/sh
printf '#!/bin/sh\ntouch config.status\n' >configure
chmod +x configure
touch Makefile.in
END
chmod +x "$tree/autogen.sh"
PATH=$tree/bin:$PATH
export PATH

run "$tree/quickstart"
same 'without a word it explains itself' '2 1' "$code $(printf '%s\n' "$err" | grep -c '^usage:')"
run "$tree/quickstart" --help
same 'help' 0 "$code"

MISSING=libcmocka-dev run "$tree/quickstart" check
same 'neither root nor sudo: it fails' 1 "$code"
same 'and says which package is missing' 1 "$(printf '%s\n' "$err" | grep -c 'please install: libcmocka-dev')"

run "$tree/quickstart" check
same 'the totals are added up' '8 passed, 0 failed, 1 skipped' "$(tail -n 1 "$SCRATCH/out")"
same 'success' 0 "$code"
FAILS=2 run "$tree/quickstart" check
same 'a failure is counted' '8 passed, 2 failed, 1 skipped' "$(tail -n 1 "$SCRATCH/out")"
same 'and fails' 1 "$code"
NOTHING=1 run "$tree/quickstart" check
same 'no test at all fails' '1 0 passed, 0 failed, 0 skipped' "$code $(tail -n 1 "$SCRATCH/out")"
MISSING=openmpi-bin run "$tree/quickstart" check
same 'a package that only some tests use is not needed' 0 "$code"
finish
