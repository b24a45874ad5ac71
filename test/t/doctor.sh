#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmix_info --doctor in shells in which something is wrong: what it says of it, and how it ends.
. "${PX_TOP_SRCDIR:?}/test/lib/field.sh"
info=$tools/pmix_info
actor=$PX_TOP_BUILDDIR/test/t/field_job
lib=$PX_TOP_BUILDDIR/.libs
host=$(hostname)
HOME=$SCRATCH
SLURM_CONF=$SCRATCH/no.conf
export HOME SLURM_CONF
unset PMIX_MCA_gds SLURM_STEP_ID LD_LIBRARY_PATH
for name in $(env | sed -n 's/^\(PMIX_[A-Z0-9_]*\)=.*/\1/p'); do unset "$name"; done

# finding WHAT SEVERITY TEXT CODE [VARIABLE=VALUE...]: the doctor, with these, says this (a basic expression), with a
# remedy, and ends so.
finding() {
    what=$1 severity=$2 text=$3 want=$4
    shift 4
    run env "$@" "$info" --doctor
    same "$what" "$want 1" "$code $(grep -A1 "^  $severity: $text" "$SCRATCH/out" | grep -c '^    what to do: .')"
    [ "$code" = "$want" ] || sed 's/^/# /' "$SCRATCH/out"
}

# --- a shell of which nothing is wrong
finding 'a shell that no server has started' note 'PMIx_Init in this shell ends with PMIX_ERR_UNREACH' 0
same 'nothing else' '' "$(grep -E '^  (warning|problem): ' "$SCRATCH/out" | grep -v 'programs without a path of their own get')"
same 'no word of complaint' '' "$err"
has 'no servers' '  none'
same 'the library of the command' 1 "$(grep -c "^  this command: .*libpmix.so.2 (OpenPMIx [0-9.]*, repo rev: shmix-[0-9.]*)" "$SCRATCH/out")"
run "$info" --doctor --json
python 'as JSON' 'sorted(d) + [d["findings"][-1]["severity"]]' "['findings', 'libraries', 'servers', 'note']"
run "$info" --doctor --parsable
same 'for scripts' 1 "$(grep -c '^findings:[0-9]*:severity:note$' "$SCRATCH/out")"
run "$info" --json
same 'JSON is of the doctor only' 2 "$code"

# --- variables of a job that is no more, half of one, and of an old server
dead="PMIX_NAMESPACE=gone PMIX_RANK=0 PMIX_SERVER_URI41=gone.0;tcp4://127.0.0.1:1"
finding 'a dead job' problem 'PMIx_Init ends with PMIX_ERR_UNREACH: the server of PMIX_SERVER_URI41 does not answer' 1 $dead
same "and it is true" 1 "$(env $dead "$examples/hello" 2>&1 | grep -c PMIX_ERR_UNREACH)"
finding 'no rank' problem 'PMIx_Init ends with PMIX_ERR_UNREACH: of PMIX_NAMESPACE and PMIX_RANK' 1 PMIX_NAMESPACE=gone
finding 'no server' problem 'PMIx_Init ends with PMIX_ERR_UNREACH: PMIX_NAMESPACE is set' 1 PMIX_NAMESPACE=gone PMIX_RANK=0
finding 'an old server' problem 'PMIx_Init ends with PMIX_ERR_UNREACH: PMIX_SERVER_URI21 is of a server of release 2 or 3' 1 \
    PMIX_NAMESPACE=gone PMIX_RANK=0 'PMIX_SERVER_URI21=gone.0;tcp4://127.0.0.1:1'
finding 'no rank that is one' problem 'PMIx_Init ends with PMIX_ERR_UNREACH: PMIX_RANK cannot be .*one' 1 \
    PMIX_NAMESPACE=gone PMIX_RANK=one 'PMIX_SERVER_URI41=gone.0;tcp4://127.0.0.1:1'
finding 'no contact string' problem 'PMIx_Init ends with an error: PMIX_SERVER_URI41 is no contact string' 1 \
    PMIX_NAMESPACE=gone PMIX_RANK=0 PMIX_SERVER_URI41=rubbish
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
peer = listener.accept()[0]
peer.recv(1)
peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 4)
peer.recv(1000000)' >"$SCRATCH/port" &
    listener=$!
    until_true 'it listens' test -s "$SCRATCH/port"
    finding 'a server of another trade' problem 'PMIx_Init ends with an error: PMIX_SERVER_URI41 is no PMIx server' 1 \
        PMIX_NAMESPACE=gone PMIX_RANK=0 "PMIX_SERVER_URI41=gone.0;tcp4://127.0.0.1:$(cat "$SCRATCH/port")"
    stop $listener
else
    skip 'a server of another trade' 'python3 is not here'
fi
finding 'a step without PMIx' problem 'PMIx_Init ends with PMIX_ERR_UNREACH: this is a step of Slurm without PMIx' 1 SLURM_STEP_ID=0

# --- settings
finding 'a store of another library' warning 'gds names ds21' 0 PMIX_MCA_gds=ds21
finding 'messages' note 'gds=hash' 0 PMIX_MCA_gds=hash
finding 'a parameter of another library' warning 'PMIX_MCA_ptl_tcp_if_include is a parameter of OpenPMIx' 0 PMIX_MCA_ptl_tcp_if_include=eth0
finding 'a parameter of none' warning 'PMIX_MCA_shmix_speed: no parameter' 0 PMIX_MCA_shmix_speed=11
finding 'a value of none' warning 'ptl_base_max_msg_size cannot be .*many' 0 PMIX_MCA_ptl_base_max_msg_size=many
mkdir "$HOME/.pmix"
printf 'shmix_speed = 11\nptl_tcp_if_include = lo\n' >"$HOME/.pmix/mca-params.conf"
finding 'a parameter of none in a file' warning "shmix_speed of $HOME/.pmix/mca-params.conf: no parameter" 0
finding 'and of another library' warning "ptl_tcp_if_include of $HOME/.pmix/mca-params.conf is a parameter of OpenPMIx" 0
mv "$HOME/.pmix/mca-params.conf" "$SCRATCH/params"
finding 'in files that are named' warning "shmix_speed of $SCRATCH/params: no parameter" 0 "PMIX_MCA_mca_base_param_files=/no/such:$SCRATCH/params"
finding 'of which one is not there' warning 'PMIX_MCA_mca_base_param_files names /no/such, which cannot be read' 0 \
    "PMIX_MCA_mca_base_param_files=/no/such:$SCRATCH/params"
finding 'no listener' problem 'shmix_door_unix and shmix_door_tcp are both 0' 1 PMIX_MCA_shmix_door_unix=0 PMIX_MCA_shmix_door_tcp=0
finding 'no directory' warning 'PMIX_SERVER_TMPDIR is /no/such, which is no directory' 0 PMIX_SERVER_TMPDIR=/no/such
finding 'a store that the server has not' warning 'PMIX_MCA_gds is shmix, and the server of this shell offers hash only' 0 \
    PMIX_MCA_gds=shmix PMIX_GDS_MODULE=hash

# --- libraries
mkdir "$SCRATCH/other"
cp "$lib/libpmix.so.2" "$SCRATCH/other/libpmix.so.2"
# A sanitizer takes a second copy of its library in one process for a mistake.
copies() { [ -z "$PX_SANITIZED" ] || { skip "$1" 'a process with a sanitizer has one copy of the library'; return 1; }; }
copies 'two libraries' && finding 'two libraries' warning "LD_LIBRARY_PATH has two libraries, $lib/libpmix.so.2 and $SCRATCH/other/libpmix.so.2" 0 \
    "LD_LIBRARY_PATH=$lib:$SCRATCH/other"
# The loader is told the command's library, and the programs that it looks at another one.
loader=$(ldd /bin/true 2>/dev/null | sed -n 's,^[^/]*\(/[^ ]*ld-linux[^ ]*\) .*,\1,p')
if ! copies 'another library than that of the command'; then
    :
elif [ -x "$PX_TOP_BUILDDIR/src/tools/.libs/pmix_info" ] && [ -x "$loader" ]; then
    run env "LD_LIBRARY_PATH=$SCRATCH/other" "$loader" --library-path "$lib" "$PX_TOP_BUILDDIR/src/tools/.libs/pmix_info" --doctor
    same 'another library than that of the command' "0 1" \
        "$code $(grep -c "^  warning: programs without a path of their own get $SCRATCH/other/libpmix.so.2, not $lib/" "$SCRATCH/out")"
else
    skip 'another library than that of the command' 'the loader or the command is not known'
fi
command=$PX_TOP_BUILDDIR/src/tools/.libs/pmix_info
if [ -n "$(stock_library)" ] && [ -x "$command" ] && [ -z "$PX_SANITIZED" ]; then
    run env "LD_LIBRARY_PATH=$(stock_library)" "$command" --doctor
    same "it runs with the distribution's library, too, and says so" '0 1' \
        "$code $(grep -c "^  warning: this command gets $(stock_library)/libpmix.so.2, a library of another project" "$SCRATCH/out")"
else
    skip "it runs with the distribution's library, too" 'there is none, or the command cannot load another'
fi
mkdir "$SCRATCH/slurm"
printf 'x\0/no/such/libpmix.so.2\0libpmix.so\0' >"$SCRATCH/slurm/mpi_pmix_v9.so"
printf 'ClusterName=c\nPluginDir=%s:/no/such\n' "$SCRATCH/slurm" >"$SCRATCH/slurm.conf"
finding "Slurm's plugin leads nowhere" problem "Slurm's plugin $SCRATCH/slurm/mpi_pmix_v9.so opens /no/such/libpmix.so.2" 1 \
    "SLURM_CONF=$SCRATCH/slurm.conf"
printf 'x\0/no/such/lib\0%%s/\0libpmix.so\0' >"$SCRATCH/slurm/mpi_pmix_v9.so"
finding 'nor by a directory and a name' problem "Slurm's plugin $SCRATCH/slurm/mpi_pmix_v9.so opens /no/such/lib/libpmix.so" 1 \
    "SLURM_CONF=$SCRATCH/slurm.conf"
printf 'x\0%s/other/libpmix.so.2\0' "$SCRATCH" >"$SCRATCH/slurm/mpi_pmix_v9.so"
run env "SLURM_CONF=$SCRATCH/slurm.conf" "$info" --doctor
copies 'and somewhere' && same 'and somewhere' 1 "$(grep -c "^  Slurm's plugin $SCRATCH/slurm/mpi_pmix_v9.so: $SCRATCH/other/libpmix.so.2 (OpenPMIx" "$SCRATCH/out")"

# --- servers
begin 1 "$actor"
run "$info" --doctor
same 'a server that lives' 0 "$code"
same 'answers' yes "$(grep -q "^  $TMPDIR/pmix.$host.tool.$runner: answers (" "$SCRATCH/out" && echo yes || cat "$SCRATCH/out")"
kill -STOP "$runner"
finding 'a server that is stopped' problem "the server of $TMPDIR/pmix.$host.tool.$runner, process $runner, does not answer" 1 \
    PMIX_MCA_ptl_base_connection_wait_time=1
kill -CONT "$runner"
end
run "$pmixrun" -n 1 "$info" --doctor
same 'in a job' 0 "$code"
for copied in PMIX_MCA_psec=native PMIX_MCA_psec=none; do
    # shellcheck disable=SC2016
    run "$pmixrun" -n 1 -x PMIX_MCA_gds=hash -x $copied "$info" --doctor
    same "the parameters are the server's offers, with $copied" "$([ ${copied#*=} = none ] && echo 1 || echo 0)" "$(grep -c '^  note: gds=hash' "$SCRATCH/out")"
done
# shellcheck disable=SC2016
run "$pmixrun" -n 1 sh -c 'PMIX_NAMESPACE=${PMIX_NAMESPACE%?}x exec "$0" --doctor' "$info"
same 'the server has another job, whose name is as long' '1 1' \
    "$code $(grep -c 'problem: PMIx_Init ends with PMIX_ERR_UNREACH: the server of PMIX_SHMIX_URI has no job job-.*x$' "$SCRATCH/out")"
run "$pmixrun" -n 1 "$info" --doctor
same 'the server of the job' yes "$(grep -q '^  PMIX_SHMIX_URI: answers (' "$SCRATCH/out" && echo yes || cat "$SCRATCH/out")"

true &
gone=$!
wait "$gone"
printf 'x.0;tcp4://127.0.0.1:1\n5.0.0\n%s\n0:0\nonce\n' "$gone" >"$TMPDIR/pmix.$host.tool.x"
finding 'a server that has ended' warning "the server of $TMPDIR/pmix.$host.tool.x, process $gone, has ended" 0
printf 'rubbish\n' >"$TMPDIR/pmix.$host.tool.x"
finding 'no rendezvous file' warning "$TMPDIR/pmix.$host.tool.x cannot be read" 0
rm "$TMPDIR/pmix.$host.tool.x"
mkfifo "$TMPDIR/pmix.$host.tool.x"
finding 'nor a pipe' warning "$TMPDIR/pmix.$host.tool.x cannot be read" 0
rm "$TMPDIR/pmix.$host.tool.x"
if [ "$(id -u)" = 0 ]; then
    printf 'x.0;tcp4://127.0.0.1:1\n5.0.0\n1\n' >"$TMPDIR/pmix.sys.$host"
    chown 12345 "$TMPDIR/pmix.sys.$host"
    finding "another user's server" warning "$TMPDIR/pmix.sys.$host is of user 12345" 0
    rm "$TMPDIR/pmix.sys.$host"
else
    skip "another user's server" 'only root can write as another user'
fi

# --- the page for those who come from OpenPMIx has every row of the table
sed -n 's/^PX_FORMER("\([^"]*\)", "\([^"]*\)").*/| `\1` | \2 |/p' "$PX_TOP_SRCDIR/src/tools/info/former.def" >"$SCRATCH/rows"
same 'docs/migrating.md has every parameter' '' "$(grep -vxF -f "$PX_TOP_SRCDIR/docs/migrating.md" "$SCRATCH/rows")"
check 'there are some' test -s "$SCRATCH/rows"
finish
