#!/bin/sh
# How the work on what peers send grows with its number, in instructions as callgrind counts them: four times as many things
# may take six times as much (a sort), not sixteen times.
. "$PX_TOP_SRCDIR/test/lib/tap.sh"
[ -z "$PX_SANITIZED" ] || skip_all "a sanitizer's own instructions would be counted"
command -v valgrind >/dev/null 2>&1 || skip_all "no valgrind here"
valgrind --tool=callgrind --callgrind-out-file=/dev/null true >/dev/null 2>&1 || skip_all "valgrind does not work here"

# count FUNCTION PROGRAM ARG...: instructions of that function and those that it calls; nothing if it failed
count() {
    function=$1
    program=$PX_TOP_BUILDDIR/test/budget/$2
    shift 2
    rm -f "$SCRATCH/count"
    limit 100 valgrind --tool=callgrind --callgrind-out-file="$SCRATCH/count" --toggle-collect="$function" \
        "$program" "$@" >"$SCRATCH/out" 2>&1 || return
    sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$SCRATCH/count" | tail -1
}

# grows NAME N FEW MANY: the instructions for N things and for four times as many
grows() {
    echo "# $1: ${3:-?} instructions for $2, ${4:-?} for $((4 * $2))"
    [ -n "$3" ] && [ -n "$4" ] && [ "$3" -gt "$2" ] && [ "$4" -le $((6 * $3)) ]
    report $? "$1: four times as many take at most six times as long"
}

# same NAME N FEW MANY: the same, and the work hardly depends on the number (a search)
same() {
    echo "# $1: ${3:-?} instructions for $2, ${4:-?} for $((4 * $2))"
    [ -n "$3" ] && [ -n "$4" ] && [ "$4" -le $((3 * $3 / 2)) ]
    report $? "$1: four times as many take hardly longer"
}

for name in list_procs overlap_procs register_codes put_keys name_groups name_members; do
    grows "$name" 2000 "$(count "$name" growth "$name" 2000)" "$(count "$name" growth "$name" 8000)"
done

# A whole server: keys of one query, nodes of one key, members of groups of one name, names in subscriptions to output, names of a
# custom range, codes of a handler, gets that wait, fences that do not end, large
# values by message. Each is counted with what the server's thread does for the connection.
PMIX_MCA_shmix_peer_pulls=4000
PMIX_MCA_shmix_peer_requests=1000000000 # each fence counts 256 KiB
export PMIX_MCA_shmix_peer_pulls PMIX_MCA_shmix_peer_requests
for name in query nodes groups pulls range codes gets fences; do
    grows "$name" 500 "$(count progress asked "$name" 500)" "$(count progress asked "$name" 2000)"
done
grows replies 25 "$(count progress asked replies 25)" "$(count progress asked replies 100)"

# The members of a group are told of all: the list is packed once for those that get the same bytes.
grows group_replies 50 "$(count px_group_reply group_replies 50)" "$(count px_group_reply group_replies 200)"

# Connections of others beside a fence of many names, groups of many members of which one is of this node, and leaders that wait for
# another one and add many members.
for name in clones members parts; do
    grows "$name" 100 "$(count px_colls_recount recounts "$name" 100)" "$(count px_colls_recount recounts "$name" 400)"
done
# The end of a process that has no part in a fence of many.
same others 1000 "$(count px_colls_peer_disconnected recounts others 1000)" \
    "$(count px_colls_peer_disconnected recounts others 4000)"

# Gets that wait for other nodes: each answer ends its own. Requests of other nodes: a commit answers those for its process.
while read -r name function; do
    grows "$name" 500 "$(count "$function" modexes "$name" 500)" "$(count "$function" modexes "$name" 2000)"
done <<END
answers px_gets_modex_done
renewals px_gets_renewed
givings px_dmodex_requests_committed
END

# Covers: GRP-087
grows groups_end 500 "$(count progress groups_end 500)" "$(count progress groups_end 2000)"
limit 60 "$PX_TOP_BUILDDIR/test/budget/groups_end"
report $? "a member of 2000 groups ends, half of which are being taken apart"

finish
