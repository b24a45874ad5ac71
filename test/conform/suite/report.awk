# report.awk - what the programs of pmix-conform have written, as plain text, TAP, JSON, or results to be kept.
# usage: awk -v format=... -v version=... ... -f report.awk requirements.tsv list/PROGRAM... run/PROGRAM...
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A requirement is as good as the worst of its cases; `not run` (with why) is nothing, `setup` means that a case ended before
# the requirement was decided. Only fail, hang and crash are failures.
BEGIN {
    FS = "\t"
    n_forms = forms != "" ? split(forms, form_at, " ") : split("default messages", form_at, " ")
}
function order(result) {
    if (result == "") return -1
    if (result ~ /^not run/) return 0
    return index("pass  setup fail  hang  crash ", result " ") / 6 + 1
}
function failure(result) { return order(result) >= 3 }
function worse(a, b) { return order(b) > order(a) ? b : a }
function last_of(path) { sub(/.*\//, "", path); return path }

FNR == 1 { program = last_of(FILENAME); part = FILENAME ~ /requirements\.tsv$/ ? 1 : FILENAME ~ /\/list\/[^\/]*$/ ? 2 : 3 }
part == 1 { if (FNR > 1) { ids[++n_ids] = $1; level[$1] = $2; section[$1] = $3; what[$1] = $4 } next }
part == 2 {
    sub(/:.*/, "")
    k = split($0, word, " ")
    for (i = 1; i <= k; i++) tested[word[i]] = 1
    next
}
FNR == 1 { ran[++n_ran] = program }
$1 == "case" { n_cases++; c_form[n_cases] = $2; c_end[n_cases] = $3; c_ids[n_cases] = $4; c_what[n_cases] = $5; c_of[n_cases] = program }
$1 == "said" { said[n_cases] = said[n_cases] (said[n_cases] == "" ? "" : "\n") substr($0, 6) }
$1 == "id" {
    for (f = 1; f <= n_forms; f++) {
        if ($2 != "-" && $2 != form_at[f]) continue
        got[$4, form_at[f]] = worse(got[$4, form_at[f]], $3)
        kept[program, $4, form_at[f]] = worse(kept[program, $4, form_at[f]], $3)
        if (failure($3) || $3 == "setup") by[$4, form_at[f]] = by[$4, form_at[f]] " " n_cases
    }
    if (!((program, $4) in named)) { named[program, $4] = 1; of[program, ++n_of[program]] = $4 }
}

function result(id, form) { return (id, form) in got ? got[id, form] : tested[id] ? "not run" : "untested" }
function count(form,    i, r) {
    split("", n)
    split("", in_section)
    for (i = 1; i <= n_ids; i++) {
        r = result(ids[i], form)
        sub(/:.*/, "", r)
        n[r]++
        in_section[section[ids[i]], r]++
        in_section[section[ids[i]]]++
    }
}

# ---- results to be kept: source, id, form, result; and when a program ran

function keep(    i, j, f, id) {
    print "# label: " label "\n# library: " library "\n# suite: pmix-conform " version "\n# system: " system_ "\n# seconds: " seconds "\n# jobs: " jobs (jobs > 1 ? ", in turns" : "")
    if (host != "") print "# host: " host
    for (i = 1; i <= n_ran; i++) {
        print "test/conform/" ran[i] ".c\trun\t-\t" date
        for (j = 1; j <= n_of[ran[i]]; j++) {
            id = of[ran[i], j]
            for (f = 1; f <= n_forms; f++) {
                if ((ran[i], id, form_at[f]) in kept) print "test/conform/" ran[i] ".c\t" id "\t" form_at[f] "\t" kept[ran[i], id, form_at[f]]
            }
        }
    }
}

# ---- TAP: one line for a requirement in a form

function complaints(id, form, indent,    k, i, c, m, line, j) {
    k = split(by[id, form], c, " ")
    for (i = 1; i <= k; i++) {
        print indent c_of[c[i]] ": " c_what[c[i]] ": " c_end[c[i]]
        m = split(said[c[i]], line, "\n")
        for (j = 1; j <= m; j++) print indent "  " line[j]
    }
}
function tap(    i, f, r, number) {
    for (i = 1; i <= n_ids; i++) for (f = 1; f <= n_forms; f++) {
        r = result(ids[i], form_at[f])
        if (!((ids[i], form_at[f]) in got)) continue
        printf "%s %d - %s %s: %s", (failure(r) ? "not ok" : "ok"), ++number, ids[i], form_at[f], tap_text(what[ids[i]])
        print (failure(r) ? " (" r ")" : r == "pass" ? "" : " # SKIP " tap_text(r))
        if (failure(r)) complaints(ids[i], form_at[f], "# ")
    }
    print "1.." number + 0
}
function tap_text(text) { gsub(/#/, "\\#", text); return text }

# ---- JSON

function quoted(text,    i, c, to) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        to = to (c < " " && c != "" ? "\\u0020" : c)
    }
    return "\"" to "\""
}
function list_of(text, separator,    k, word, i, to) {
    k = split(text, word, separator)
    for (i = 1; i <= k; i++) to = to (i > 1 ? ", " : "") quoted(word[i])
    return "[" to "]"
}
function totals(form,    name, k, i, to) {
    count(form)
    k = split("pass,fail,hang,crash,setup,not run,untested", name, ",")
    for (i = 1; i <= k; i++) to = to (i > 1 ? ", " : "") quoted(name[i]) ": " n[name[i]] + 0
    return "{" to "}"
}
function json(    i, f) {
    print "{\n  \"suite\": \"pmix-conform\",\n  \"version\": " quoted(version) ",\n  \"library\": " quoted(library) ","
    print "  \"date\": " quoted(date) ",\n  \"system\": " quoted(system_) ",\n  \"seconds\": " seconds ","
    print "  \"host\": " (host != "" ? quoted(host) : "null") ",\n  \"totals\": {"
    for (f = 1; f <= n_forms; f++) print "    " quoted(form_at[f]) ": " totals(form_at[f]) (f < n_forms ? "," : "")
    print "  },\n  \"requirements\": ["
    for (i = 1; i <= n_ids; i++) {
        printf "    {\"id\": %s, \"level\": %s, \"section\": %s, \"what\": %s", quoted(ids[i]), quoted(level[ids[i]]),
            quoted(section[ids[i]]), quoted(what[ids[i]])
        for (f = 1; f <= n_forms; f++) printf ", %s: %s", quoted(form_at[f]), quoted(result(ids[i], form_at[f]))
        print "}" (i < n_ids ? "," : "")
    }
    print "  ],\n  \"cases\": ["
    for (i = 1; i <= n_cases; i++) {
        printf "    {\"program\": %s, \"ids\": %s, \"what\": %s, \"form\": %s, \"result\": %s, \"said\": %s}%s\n",
            quoted(c_of[i]), list_of(c_ids[i], " "), quoted(c_what[i]), quoted(c_form[i]), quoted(c_end[i]), list_of(said[i], "\n"),
            (i < n_cases ? "," : "")
    }
    print "  ]\n}"
}

# ---- plain

function plain(    i, f, r, s) {
    print "pmix-conform " version ", " library ", " date ", " seconds " s for a case" (host != "" ? ", host: " host : "")
    for (i = 1; i <= n_ids; i++) for (f = 1; f <= n_forms; f++) {
        r = result(ids[i], form_at[f])
        if (!failure(r) && r != "setup") continue
        printf "\n%-5s %s, %s: %s\n", r, ids[i], form_at[f], what[ids[i]]
        complaints(ids[i], form_at[f], "      ")
    }
    for (f = 1; f <= n_forms; f++) {
        count(form_at[f])
        printf "\n%-34s%6s%6s%6s%6s%6s%6s%9s%10s\n", form_at[f], "all", "pass", "fail", "hang", "crash", "setup", "not run", "untested"
        for (i = 1; i <= n_ids; i++) {
            s = section[ids[i]]
            if (s != before) printf "%-34s%6d%6d%6d%6d%6d%6d%9d%10d\n", s, in_section[s], in_section[s, "pass"], in_section[s, "fail"],
                in_section[s, "hang"], in_section[s, "crash"], in_section[s, "setup"], in_section[s, "not run"], in_section[s, "untested"]
            before = s
        }
        printf "%-34s%6d%6d%6d%6d%6d%6d%9d%10d\n", "together", n_ids, n["pass"], n["fail"], n["hang"], n["crash"], n["setup"],
            n["not run"], n["untested"]
    }
}

END {
    if (format == "results") keep()
    else if (format == "json") json()
    else if (format == "tap") tap()
    else plain()
    for (i = 1; i <= n_ids; i++) for (f = 1; f <= n_forms; f++) failed = failed || failure(result(ids[i], form_at[f]))
    exit format != "results" && failed
}
