# mutants.awk - awk -f mutants.awk LIST...: the mutants as lines of fields with tabs, for run-mutants; complaints to stderr.
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
function wrong(what)
{
    printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
    failed = 1
}

function end()
{
    if (id == "") {
        return
    }
    if (id in seen) {
        wrong(id " is there twice")
    }
    seen[id] = 1
    if (fate == "" && test != "") {
        fate = "test"
    }
    if (ids == "" || file == "" || from == "" || !has_to || fate == "") {
        wrong(id ": breaks, file, -, + and one of test, equivalent, survives are needed")
    } else if (from == to) {
        wrong(id " changes nothing")
    } else {
        print list "\t" line "\t" id "\t" fate "\t" (test == "" ? " " : test) "\t" ids "\t" file "\t" (in_function == "" ? " " : in_function) "\t" from "\t" (to == "" ? " " : to)
    }
    id = ids = file = in_function = from = to = fate = test = ""
    has_to = 0
}

function rest()
{
    return substr($0, index($0, " ") + 1)
}

/\t/ { wrong("a tab"); next }
/^#/ { next }
/^ *$/ { end(); next }
$1 == "mutant" && NF == 2 { end(); id = $2; list = FILENAME; line = FNR; next }
id == "" { wrong("a stanza begins with `mutant ID`"); next }
$1 == "breaks" && NF > 1 { ids = rest(); next }
$1 == "file" && NF == 2 { file = $2; next }
$1 == "in" && NF == 2 { in_function = $2; next }
/^- / && from == "" { from = substr($0, 3); next }
/^\+( |$)/ && !has_to { to = substr($0, 3); has_to = 1; next }
$1 == "test" && NF > 1 && test == "" { test = rest(); next }
$1 ~ /^(equivalent|survives)$/ && NF > 1 && fate == "" { fate = $1; next }
{ wrong("not understood: " $0) }

END {
    end()
    exit failed
}
