#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmixrun's options and exit codes.
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"

code_is() { # code_is WHAT CODE COMMAND...
    what=$1
    want=$2
    shift 2
    run "$@"
    same "$what" "$want" "$code"
}

code_is 'success is 0' 0 "$pmixrun" -n 2 true
code_is 'a process fails' 7 "$pmixrun" -n 3 sh -c '[ $PMIX_RANK != 1 ] || exit 7'
code_is 'the others end when one fails' 7 "$pmixrun" -n 3 sh -c '[ $PMIX_RANK != 1 ] || exit 7; exec sleep 1000'
code_is 'a process dies of a signal' 139 "$pmixrun" sh -c 'kill -SEGV $$'
same 'which is said' 1 "$(printf '%s\n' "$err" | grep -c 'rank 0 was ended by signal 11')"
code_is 'no such program' 127 "$pmixrun" -n 2 /nonexistent/program
code_is 'no program at all' 126 "$pmixrun" "$SCRATCH"
code_is 'the time is over' 124 "$pmixrun" --timeout 1 sleep 1000
code_is 'help' 0 "$pmixrun" --help
code_is 'help, short' 0 "$pmixrun" -h
code_is 'no program given' 2 "$pmixrun" -n 2
code_is 'zero processes' 2 "$pmixrun" -n 0 true
code_is 'a number that is none' 2 "$pmixrun" -n 4x true
code_is 'an unknown option' 2 "$pmixrun" --no-such-option true
code_is 'an unknown binding' 2 "$pmixrun" --bind-to moon true
code_is 'a variable that is not there' 2 "$pmixrun" -x NO_SUCH_VARIABLE_HERE true
code_is 'a bad namespace' 2 "$pmixrun" --nspace 'a b' true
code_is 'options of the program are its own' 3 "$pmixrun" -n 1 sh -c 'exit $1' -- 3
code_is 'a process that ignores SIGTERM is killed in the end' 5 "$pmixrun" -n 2 \
    sh -c '[ $PMIX_RANK = 0 ] && exit 5; trap "" TERM; while :; do sleep 1000; done'
finish
