#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# pmix_info in its two forms; where a parameter's value comes from.
# Covers: SHM-019 S36
. "${PX_TOP_SRCDIR:?}/test/t/run.sh"
info=${PX_TOOLS:-$PX_TOP_BUILDDIR/src/tools}/pmix_info
HOME=$SCRATCH
export HOME
unset PMIX_MCA_gds # what is said of it is asked below
mkdir "$SCRATCH/.pmix"

value() { # value PARAMETER FIELD, of the last run
    sed -n "s/^mca:[a-z]*:base:param:$1:$2://p" "$SCRATCH/out"
}

run "$info"
same 'text' 0 "$code"
same 'has the version' 1 "$(grep -c '^ *PMIx version: [0-9]*\.[0-9]*\.[0-9]*$' "$SCRATCH/out")"
same 'has parameters' 1 "$(grep -c 'parameter: gds (type: string, default: "", current: ""' "$SCRATCH/out")"

run "$info" --all --parsable
same 'every parameter has its seven lines' 0 "$(grep -c '^mca:.*:param:' "$SCRATCH/out" | awk '{ print $1 % 7 }')"
same 'a default' default "$(value gds source)"
same 'a type' int "$(value ptl_base_max_msg_size type)"

same 'the build is there' "config:arch config:assertions config:compiler config:date config:host config:hwloc config:options config:sanitizers config:zlib" \
    "$(sed -n 's/^\(config:[a-z]*\):..*/\1/p' "$SCRATCH/out" | sort | tr '\n' ' ' | sed 's/ $//')"
same 'a level' '6:tuner/all 9:dev/all 3:user/all' \
    "$(value shmix_segment_first level) $(value ptl_base_verbose level) $(value ptl_base_max_msg_size level)"
all=$(grep -c ':level:' "$SCRATCH/out")
run "$info" --param all all --level 6 --parsable
same 'up to a level' '0 0' "$code $(grep -c 'param:[a-z_]*_verbose:' "$SCRATCH/out")"
same 'the others stay' "$all" "$(($(grep -c ':level:' "$SCRATCH/out") + $("$info" --all --parsable | grep -c ':level:9')))"
run "$info" --param shmix all --level 3
same 'none of that level' '1 pmix_info: --param: no framework shmix has parameters of a component all up to this level' "$code $err"
run "$info" --level 10
same 'no such level' 2 "$code"
run "$info" --param all all --parsable
mv "$SCRATCH/out" "$SCRATCH/plain"
run "$info" --param all all --parsable --internal --selected-only --pretty-print
check 'no parameter is internal, no component unselected' cmp "$SCRATCH/plain" "$SCRATCH/out"
run "$info" --arch --hostname --parsable
same 'two facts' 'config:arch config:host' "$(cut -d: -f1,2 "$SCRATCH/out" | tr '\n' ' ' | sed 's/ $//')"
run "$info" -c
same 'the configuration for people' '0 9' "$code $(wc -l <"$SCRATCH/out")"
run "$info" --param all
same 'a framework without a component' 2 "$code"
run "$info" --param all --parsable
same 'an option in its place' 2 "$code"
PMIX_MCA_gds=hash run "$info" --param gds base --parsable
same 'from the environment' hash "$(value gds value)"
same 'which it says' environment "$(value gds source)"
same 'of this framework only' 0 "$(grep -vc '^mca:gds:' "$SCRATCH/out")"

printf '# a comment\nptl_base_max_msg_size = 7\n' >"$SCRATCH/.pmix/mca-params.conf"
run "$info" --param all all --parsable
same 'from the user'"'"'s file' '7 user file' "$(value ptl_base_max_msg_size value) $(value ptl_base_max_msg_size source)"
PMIX_MCA_ptl_base_max_msg_size=9 run "$info" --param ptl base --parsable
same 'the environment comes first' 9 "$(value ptl_base_max_msg_size value)"
PMIX_MCA_ptl_base_max_msg_size=many run "$info" --param ptl base --parsable
same 'a malformed value is passed over' 'many' "$(value ptl_base_max_msg_size rejected)"
same 'and the default stands' 32 "$(value ptl_base_max_msg_size value)"

# The system's file, in a file system of its own that only the command sees.
"$info" --path sysconfdir --parsable >"$SCRATCH/out" </dev/null
sysconf=$(sed -n 's/^path:sysconfdir://p' "$SCRATCH/out")
place=$sysconf
while [ ! -d "$place" ]; do place=$(dirname "$place"); done
[ "$(id -u)" = 0 ] && apart='unshare -m' || apart='unshare -rm'

# with_system TEXT COMMAND...: runs it, as run does
with_system() {
    text=$1
    shift
    # shellcheck disable=SC2016
    run $apart sh -c 'mount -t tmpfs none "$1" && mkdir -p "$2" && printf "$3" >"$2/pmix-mca-params.conf" && shift 3 && exec "$@"' \
        sh "$place" "$sysconf" "$text" "$@"
}

case "$PX_TOP_BUILDDIR/ $PX_TOP_SRCDIR/ $SCRATCH/" in
*"$place"/*) apart=false ;;
esac
if $apart sh -c 'mount -t tmpfs none "$1"' sh "$place" 2>/dev/null; then
    with_system 'ptl_base_max_msg_size = 5\nno_such_thing = 1\n' "$info" --param ptl base --parsable
    same 'the user'"'"'s file comes before the system'"'"'s' '7 user file' \
        "$(value ptl_base_max_msg_size value) $(value ptl_base_max_msg_size source)"
    rm "$SCRATCH/.pmix/mca-params.conf"
    with_system 'ptl_base_max_msg_size = 5\nno_such_thing = 1\n' "$info" --param ptl base --parsable
    same 'from the system'"'"'s file' '5 system file' \
        "$(value ptl_base_max_msg_size value) $(value ptl_base_max_msg_size source)"
    same 'an unknown name is passed over' '' "$err"
    PMIX_MCA_ptl_base_max_msg_size=9 with_system 'ptl_base_max_msg_size = 5\n' "$info" --param ptl base --parsable
    same 'the environment comes before that too' '9 environment' \
        "$(value ptl_base_max_msg_size value) $(value ptl_base_max_msg_size source)"
    with_system 'ptl_base_max_msg_size = many\n' "$info" --param ptl base --parsable
    same 'a malformed value of the system means the default' '32 many' \
        "$(value ptl_base_max_msg_size value) $(value ptl_base_max_msg_size rejected)"
else
    skip 'the system'"'"'s file' "no file system of its own can be mounted at $place"
fi

run "$info" --show-version full
same 'one version' 1 "$(grep -c '^[0-9]*\.[0-9]*\.[0-9]*$' "$SCRATCH/out")"
run "$info" --path libdir --parsable
same 'one path' 1 "$(grep -c '^path:libdir:/' "$SCRATCH/out")"
run "$info" --param gds
same 'half a parameter' 2 "$code"
run "$info" --path mandir --parsable
same 'another' 1 "$(grep -c '^path:mandir:/' "$SCRATCH/out")"
run "$info" --no-such-option
same 'an unknown option' 2 "$code"
same 'in the name of the program' 1 "$(grep -c '^pmix_info: .*no-such-option' "$SCRATCH/err")"
run "$info" --param nosuch all
same 'an unknown framework' '1 pmix_info: --param: no framework nosuch has parameters of a component all' "$code $err"
run "$info" --param shmix segment_siz --parsable
same 'an unknown component' '1 1' "$code $(printf '%s\n' "$err" | grep -c 'component segment_siz')"
run "$info" --param shmix segment_size --parsable
same 'the rest of a name is one' '0 7' "$code $(wc -l <"$SCRATCH/out")"

# One parameter, one call, and what is set without effect.
run "$info" shmix_segment_size PMIX_MCA_shmix_fence_piece
same 'parameters by their names' '0 2' "$code $(grep -c 'parameter: ' "$SCRATCH/out")"
same 'with bounds in units' 1 "$(grep -c 'from 1 MiB; default 64 GiB$' "$SCRATCH/out")"
same 'or words' 1 "$(grep -c 'words: auto,yes,no$' "$SCRATCH/out")"
same 'and how they are set' 1 "$(grep -c 'set it by PMIX_MCA_shmix_segment_size=VALUE' "$SCRATCH/out")"
run "$info" gds nosuch
same 'one that is none' '1 pmix_info: there is no parameter "nosuch" (pmix_info --param all all lists them)' "$code $err"
PMIX_MCA_shmix_fence_piece=perhaps run "$info" shmix_fence_piece --parsable
same 'a word that is none' 'auto perhaps' "$(value shmix_fence_piece value) $(value shmix_fence_piece rejected)"
run "$info" --attributes PMIx_Fence
same 'attributes of a call' '0 PMIx_Fence' "$code $(head -n 1 "$SCRATCH/out")"
same 'who has them' 2 "$(grep -cE '^  PMIX_(TIMEOUT  pmix.timeout  PMIX_INT  \(client, server, tool|COLLECT_DATA  pmix.collect  PMIX_BOOL  \(server)\)$' "$SCRATCH/out")"
same 'and what they mean' 1 "$(grep -c '^      seconds that the call may take; 0: no limit$' "$SCRATCH/out")"
run "$info" --attributes PMIx_Put --parsable
same 'for scripts' '0 attribute:PMIx_Put:PMIX_QUALIFIED_VALUE:pmix.qual.val:PMIX_DATA_ARRAY:client, tool:a value with the qualifiers that tell it from others of its key' "$code $out"
run "$info" --attributes PMIx_Commit
same 'a call without any' '0 2' "$code $(wc -l <"$SCRATCH/out")"
run "$info" --attributes PMIx_Nope
same 'no call' '1 1' "$code $(printf '%s\n' "$err" | grep -c 'there is no call PMIx_Nope')"
printf 'shmix_nosuch = 1\nan old line\nds21_locks = 2\n' >"$SCRATCH/.pmix/mca-params.conf"
PMIX_MCA_shmix_other=1 PMIX_MCA_gds=bogus run "$info" --parsable
same 'what has no effect' "complaint:$SCRATCH/.pmix/mca-params.conf:1: there is no parameter \"shmix_nosuch\"
complaint:$SCRATCH/.pmix/mca-params.conf:2: not of the form NAME = VALUE: \"an old line\"
complaint:$SCRATCH/.pmix/mca-params.conf:3: there is no parameter \"ds21_locks\"
complaint:PMIX_MCA_shmix_other: there is no such parameter
complaint:gds is \"bogus\", which has a word that is not known" "$(grep '^complaint:' "$SCRATCH/out")"
PMIX_MCA_shmix_other=1 run "$pmixrun" -n 2 true
same 'pmixrun says once which are mistakes' "pmixrun: $SCRATCH/.pmix/mca-params.conf:1: there is no parameter \"shmix_nosuch\"
pmixrun: $SCRATCH/.pmix/mca-params.conf:2: not of the form NAME = VALUE: \"an old line\"
pmixrun: PMIX_MCA_shmix_other: there is no such parameter" "$err"
rm "$SCRATCH/.pmix/mca-params.conf"
if [ -c /dev/full ]; then
    for option in --all --help --version; do
        "$info" $option >/dev/full 2>"$SCRATCH/err"
        same "no room for $option" 1 $?
        # The reason is not known if the write that failed was not the last one.
        same 'which is said' 1 "$(grep -Ec '^pmix_info: cannot write to standard output(: No space left.*)?$' "$SCRATCH/err")"
    done
else
    skip 'no room' 'no /dev/full'
fi
"$info" >&- 2>"$SCRATCH/err"
same 'a closed output' 1 $?
same 'which is said, too' 1 "$(grep -c '^pmix_info: cannot write to standard output' "$SCRATCH/err")"
run "$info" --help
same 'help' 0 "$code"
finish
