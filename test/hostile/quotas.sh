#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Quotas of a process and of a user at one server, in both forms: nobody takes another one's part, and nothing of it is lost.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
by_messages && skip_all 'both forms are tried'
[ "$(id -u)" = 0 ] || skip_all 'only root can be two users'

said_by 'with segments' "$PX_TOP_BUILDDIR/test/hostile/quotas"
PMIX_MCA_gds=hash
export PMIX_MCA_gds
said_by 'by messages' "$PX_TOP_BUILDDIR/test/hostile/quotas"

# The log names the parameter of each bound that refuses something.
PMIX_MCA_pmix_server_base_verbose=1 limit 300 "$PX_TOP_BUILDDIR/test/hostile/quotas" >/dev/null 2>"$SCRATCH/log"
same 'it ends with all that it says' 0 $?
for bound in rank_posted user_posted peer_requests user_requests peer_pulls user_groups max_query_keys max_codes max_directives max_jobs; do
    check "the log names shmix_$bound" grep -q "refused: .*(shmix_$bound)" "$SCRATCH/log"
done
finish
