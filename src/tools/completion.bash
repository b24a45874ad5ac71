# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# Completion for bash of the commands of this library. What a command knows is read from its own --help when it is completed,
# so that nothing here has to follow it.

# The options of a command, as its help has them.
_shmix_options() {
    "$1" --help 2>&1 </dev/null | grep -oE -- '(^|[[ ,|])--?[A-Za-z][A-Za-z:-]*' | grep -oE -- '--?[A-Za-z].*' | sort -u
}

# The words that an option takes, if they are few; "" is for file names.
_shmix_values() {
    case $1:$2 in
    pmixrun:--map-by) echo 'slot node ppr:' ;;
    pmixrun:--rank-by) echo 'slot node' ;;
    pmixrun:--bind-to) echo 'none core' ;;
    pmixrun:--stdin) echo 'all none' ;;
    pmix-shm:--level) echo '0 1 2' ;;
    *) return 1 ;;
    esac
}

# The words that are no options.
_shmix_words() {
    case $1 in
    pmix-shm) "$2" --help 2>/dev/null | sed -n 's/^\(usage:\)\{0,1\} *pmix-shm \([a-z]*\).*/\2/p' ;;
    esac
}

# What follows the program of a pmixrun is the program's.
_shmix_program_seen() {
    local i word
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
        -n | -np | -x | --map-by | --rank-by | --host | --hostfile | --wdir | --env-file | --nodes | --stdin | --output | \
            --output-only | --timeout | --bind-to | --nspace | --script | --record | --trace) ((i++)) ;;
        -*) ;;
        *) return 0 ;;
        esac
    done
    return 1
}

_shmix() {
    local path=$1 name=${1##*/} word=$2 before=$3 words=
    COMPREPLY=()
    if [[ $name == pmixrun ]] && _shmix_program_seen; then
        return
    fi
    if words=$(_shmix_values "$name" "$before"); then
        :
    elif [[ $word == -* ]]; then
        words=$(_shmix_options "$path")
    elif [[ $name == pmixrun && $before != -* ]]; then
        words=$(compgen -c -- "$word")
    elif ((COMP_CWORD == 1)); then
        words=$(_shmix_words "$name" "$path")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _shmix palloc pattrs pctrl pevent plookup pmix-shm pmix_info pmixcc pmixrun pps pquery
