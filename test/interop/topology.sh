#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Open MPI asks PMIx for the topology of the node: its processes read nothing of it below /sys.
. "${PX_TOP_SRCDIR:?}/test/lib/tap.sh"
command -v mpicc >/dev/null 2>&1 || skip_all "no mpicc on this machine"
command -v strace >/dev/null 2>&1 || skip_all "no strace on this machine"
strace -o /dev/null true 2>/dev/null || skip_all "processes cannot be traced here"
[ -z "${PX_SANITIZED:-}" ] || skip_all "a sanitized library cannot be loaded into a program that is not"
OMPI_MCA_btl=self,vader
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_btl OMPI_MCA_btl_vader_single_copy_mechanism
check "build the ring" mpicc -O1 -o "$SCRATCH/ring" "$PX_TOP_SRCDIR/test/interop/ring.c"
