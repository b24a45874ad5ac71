#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# The suite of mpi4py, with the distribution's mpi4py and Open MPI as they are, under pmixrun with our library: for one process and
# for three. With PX_LONG all of it, else the parts that ask most of PMIx. It is in the source package only, which apt brings;
# MPI4PY_SOURCE=DIR takes one that is there, of the version of the package.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitized library cannot be loaded into a program that is not"
python=/usr/bin/python3
version=$("$python" -c 'import mpi4py; print(mpi4py.__version__)' 2>/dev/null) || skip_all 'no python3-mpi4py on this machine'

# fetch: the source package, by lists of its own; leaves $suite.
fetch() {
    command -v apt-get >/dev/null 2>&1 && command -v dpkg-source >/dev/null 2>&1 || return 1
    mkdir -p "$SCRATCH/lists/partial" "$SCRATCH/source" && cd "$SCRATCH/source" || return 1
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' 'Origin: Debian' |
        sort -u >"$SCRATCH/sources"
    set -- -o "Dir::Etc::sourcelist=$SCRATCH/sources" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$SCRATCH/lists" \
        -o "APT::Sandbox::User=$(id -un)" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    limit 60 apt-get "$@" update && limit 60 apt-get "$@" source mpi4py && suite=$(echo "$PWD"/mpi4py-*/test)
}
suite=${MPI4PY_SOURCE:+$MPI4PY_SOURCE/test}
[ -n "$suite" ] || { fetch >"$SCRATCH/fetched" 2>&1; }
[ -f "$suite/runtests.py" ] || skip_all "no source of mpi4py: $(tail -n 1 "$SCRATCH/fetched")"

OMPI_MCA_btl=self,vader,tcp
OMPI_MCA_btl_tcp_if_include=lo
OMPI_MCA_btl_vader_single_copy_mechanism=none
LD_LIBRARY_PATH=$PX_TOP_BUILDDIR/.libs
export OMPI_MCA_btl OMPI_MCA_btl_tcp_if_include OMPI_MCA_btl_vader_single_copy_mechanism LD_LIBRARY_PATH
parts=
[ -n "${PX_LONG:-}" ] || parts='-i test_dynproc -i test_spawn'
for n in 1 3; do
    # shellcheck disable=SC2086
    limit 900 "$PX_TOP_BUILDDIR/src/tools/pmixrun" -n $n "$python" "$suite/runtests.py" --no-builddir $parts \
        >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
    same "mpi4py $version, $n processes: exit code" 0 $?
    same "mpi4py $version, $n processes: each ends well" $n "$(cat "$SCRATCH/out" "$SCRATCH/err" | grep -c '^OK')"
    grep -hE '^(Ran|FAILED|ERROR|FAIL)' "$SCRATCH/out" "$SCRATCH/err" | sort | uniq -c | sed 's/^/# /'
done
finish
