#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The distribution's Python binding as it is, host and clients on our library, and processes without a server.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "${PX_SANITIZED:-}" ] || skip_all "Python is not built for a sanitizer"
here=$PX_TOP_SRCDIR/test/interop
python=/usr/bin/python3 # the distribution's: its packages are for no other
LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs
export LD_LIBRARY_PATH
[ -e "$LD_LIBRARY_PATH/libpmix.so.2" ] || skip_all "no shared library was built"
# Debian 13's package puts it where Python does not look.
for egg in /usr/lib/python3/dist-packages/pypmix-*.egg; do
    [ ! -d "$egg" ] || PYTHONPATH=$egg${PYTHONPATH:+:$PYTHONPATH}
done
export PYTHONPATH
"$python" -W ignore -c 'import pmix' 2>/dev/null || skip_all "no Python binding of PMIx on this machine (python3-pmix)"

check "the binding has loaded our library" "$python" -W ignore -c '
import pmix
with open("/proc/self/maps") as maps:
    assert any(line.rstrip().split(" ")[-1].startswith("'"$(cd "$LD_LIBRARY_PATH" && pwd -P)"'/libpmix.so") for line in maps)'

# job FORM [NAME=VALUE]: the whole job; the clients must all end well, the host must have been asked.
job() {
    form=$1
    shift
    limit 120 env "$@" "$python" "$here/python_host.py" "$here/python_client.py" >"$SCRATCH/out" 2>"$SCRATCH/err"
    same "host and clients end well, $form" 0 $?
    same "every check holds, $form" '' "$(grep -a 'not ok' "$SCRATCH/out")"
    same "the ranks had them all, $form" 'ends [0, 0]' "$(grep -a '^ends' "$SCRATCH/out")"
    for upcall in clientconnected publish lookup unpublish spawn connect disconnect clientfinalized registerevents \
        deregisterevents 'allocate 1 0' 'abort 0 3' 'query pmix.qry.peers python-job' 'query pmix.qry.peers empty' \
        'query pmix.qry.node python-job' 'query pmix.qry.node moved' 'query python.known' 'query python.refused'; do
        grep -aq "upcall $upcall" "$SCRATCH/out"
        report $? "upcall $upcall, $form"
    done
    [ $TAP_FAILED = 0 ] || sed 's/^/# /' "$SCRATCH/out" "$SCRATCH/err"
}

job shared PMIX_MCA_gds=
job messages PMIX_MCA_gds=hash
for role in client tool; do
    limit 60 env -u PMIX_NAMESPACE -u PMIX_RANK "$python" "$here/python_alone.py" "$role" >"$SCRATCH/out" 2>"$SCRATCH/err"
    same "a $role without a server ends well" 0 $?
    same "every check holds, a $role without a server" '' "$(grep -a 'not ok' "$SCRATCH/out")"
done
finish
