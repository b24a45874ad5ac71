#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Signals, and what is left behind: nothing, however pmixrun ends.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
env --default-signal=INT true 2>/dev/null || skip_all 'env has no --default-signal (coreutils 8.31)'

# A process that says its pid and that of one it has started, and what signals it gets. The second SIGTERM, which the
# first to exit brings upon the others, may come while they deal with the first.
cat >"$SCRATCH/stay" <<'END'
#!/bin/sh
dir=$1
trap 'trap "" INT TERM; echo int >>$dir/got; exit 3' INT
trap 'trap "" INT TERM; echo term >>$dir/got; exit 4' TERM
trap 'echo usr1 >>$dir/got' USR1
sleep 1000 >/dev/null &
echo $! >>$dir/pids
echo $$ >>$dir/pids
while :; do wait; done
END
chmod +x "$SCRATCH/stay"

# start N: in the background, until all processes are there; leaves $runner and $pids.
start() {
    rm -f "$SCRATCH/pids" "$SCRATCH/got"
    # A shell without job control lets what it starts in the background ignore SIGINT.
    env --default-signal=INT "$pmixrun" -n "$1" "$SCRATCH/stay" "$SCRATCH" >"$SCRATCH/out" 2>"$SCRATCH/err" \
        </dev/null &
    runner=$!
    until_lines $((2 * $1)) "$SCRATCH/pids"
    pids=$(cat "$SCRATCH/pids")
}

# ended N PID...: N of them are not alive.
ended() {
    n_ended=-$1
    shift
    for pid in "$@"; do
        alive "$pid" || n_ended=$((n_ended + 1))
    done
    [ $n_ended -ge 0 ]
}

start 3
kill -TERM $runner
wait $runner
same 'SIGTERM is passed on' 4 $?
same 'to everybody' 'term
term
term' "$(cat "$SCRATCH/got")"
check 'and nothing stays' gone $pids

start 2
kill -INT $runner
wait $runner
same 'SIGINT is passed on' 3 $?
same 'and another one would end the job' 1 "$(grep -c '^pmixrun: SIGINT is passed on .*another one ends the job' "$SCRATCH/err")"
check 'nothing stays after SIGINT' gone $pids

start 2
kill -USR1 $runner
check 'SIGUSR1 is passed on' until_lines 2 "$SCRATCH/got"
kill -TERM $runner
wait $runner
check 'nothing stays after both' gone $pids

start 2
kill -KILL $runner
wait $runner 2>/dev/null
check 'nothing stays when pmixrun is killed' gone $pids

# Files, and sockets in the file system: none is made in the directories for them.
mkdir "$SCRATCH/tmp"
in_shm() { # what other jobs and libraries have there comes and goes
    find /dev/shm -mindepth 1 -user "$(id -u)" ! -path '*/pmixrun-*' \( -name '*pmix*' -o -name '*shmix*' \) 2>/dev/null | wc -l
}
before=$(in_shm)
(
    TMPDIR=$SCRATCH/tmp
    export TMPDIR
    start 2
    find "$SCRATCH/tmp" -mindepth 1 ! -name 'pmix.*.tool*' >"$SCRATCH/files"
    kill -KILL $runner
    wait $runner 2>/dev/null
    gone $pids
)
same 'no file is made while a job runs, but those by which tools find it' '' "$(cat "$SCRATCH/files")"
no_files() { [ -z "$(find "$SCRATCH/tmp" -mindepth 1)" ]; }
check 'nor left when pmixrun is killed' until_true 'no file is left' no_files
[ "$(in_shm)" -le "$before" ]
report $? 'nor in /dev/shm'

# The directories that emulated nodes have for Open MPI go, too, with what is in them.
# shellcheck disable=SC2016
"$pmixrun" --nodes 2 -n 2 sh -c 'd=$OMPI_MCA_btl_vader_backing_directory; : >"$d/file"; echo "$d" >>"$1"; exec sleep 1000' \
    sh "$SCRATCH/dirs" </dev/null &
runner=$!
check 'two nodes have directories' until_lines 2 "$SCRATCH/dirs"
shared=$(dirname "$(head -n 1 "$SCRATCH/dirs")")
check 'below one' [ -d "$shared" ]
kill -KILL $runner
wait $runner 2>/dev/null
check 'which does not stay when pmixrun is killed' until_true "$shared is removed" [ ! -e "$shared" ]

# Processes that ignore it: the second one ends the job.
env --default-signal=INT "$pmixrun" sh -c 'trap "" INT; echo up; exec tail -f /dev/null' >"$SCRATCH/up" 2>"$SCRATCH/err" </dev/null &
runner=$!
check 'it ignores SIGINT' until_lines 1 "$SCRATCH/up"
kill -INT $runner
check 'which is passed on' until_lines 1 "$SCRATCH/err"
kill -INT $runner
wait $runner
same 'and a second SIGINT ends the job' 130 $?

# A signal that was passed on long ago does not make a reader that is only slow one who is stuck. Rank 0 fails; ranks 1 to 3
# have written more than their reader's pipe holds; what rank 3, which ignores SIGTERM, ends with is another SIGCHLD.
mkfifo "$SCRATCH/slow" "$SCRATCH/fail" "$SCRATCH/last"
cat >"$SCRATCH/fill" <<'END'
#!/bin/sh
trap '' USR1
[ "$PMIX_RANK" != 3 ] || trap '' TERM
[ "$PMIX_RANK" = 0 ] || head -c 60000 /dev/zero | tr '\0' "$PMIX_RANK"
echo $$ >>"$1/filled"
case $PMIX_RANK in
0) read -r word <"$1/fail"; exit 7 ;;
3) read -r word <"$1/last"; exit 0 ;;
*) exec tail -f /dev/null ;;
esac
END
chmod +x "$SCRATCH/fill"
exec 3<>"$SCRATCH/slow"
"$pmixrun" -n 4 "$SCRATCH/fill" "$SCRATCH" >"$SCRATCH/slow" 2>"$SCRATCH/err" </dev/null &
runner=$!
check 'four processes have written' until_lines 4 "$SCRATCH/filled"
kill -USR1 $runner
echo >"$SCRATCH/fail"
check 'one of them fails' until_lines 1 "$SCRATCH/err"
# shellcheck disable=SC2046
check 'and ends the others, of which one ignores SIGTERM' until_true 'three have ended' ended 3 $(cat "$SCRATCH/filled")
exec 5<>"$SCRATCH/last"
echo >&5
# shellcheck disable=SC2046
check 'until it ends, too' gone $(cat "$SCRATCH/filled")
exec 4<"$SCRATCH/slow" 3>&-
cat <&4 >"$SCRATCH/read"
wait $runner
same 'a reader that is slow gets all, also after a signal' '7 60000 60000 60000' \
    "$?$(for rank in 1 2 3; do printf ' %s' "$(tr -dc $rank <"$SCRATCH/read" | wc -c | tr -d ' ')"; done)"
exec 4<&- 5>&-

# A process that leaves its group and its session is found in the end.
mkfifo "$SCRATCH/away" # written when it has left
cat >"$SCRATCH/leave" <<'END'
#!/bin/sh
echo $$ >"$1/escaped"
echo >"$1/away"
exec tail -f /dev/null
END
chmod +x "$SCRATCH/leave"
# shellcheck disable=SC2016
run "$pmixrun" sh -c 'setsid "$1/leave" "$1" >/dev/null 2>&1 & read -r word <"$1/away"; exit 0' sh "$SCRATCH"
same 'a job that leaves somebody behind ends' 0 "$code"
check 'and nobody stays' gone "$(cat "$SCRATCH/escaped")"
finish
