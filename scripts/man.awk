# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
# man.awk - what the generators of manual pages share: gen-man-calls (section 3) and gen-man-pages (the rest).
# Pages are mdoc. Comments of headers are text in paragraphs; an indented line "name: text" is an item of a list, and
# goes on in lines that are indented further.

# Text for mdoc: backslashes and leading dots mean nothing.
function escape(text) {
    gsub(/\\/, "\\e", text)
    if (text ~ /^[.']/) text = "\\\\&" text
    return text
}

# The same with names set in bold, calls with the section of their page, and the words in own[] (arguments) in italics.
function mark(text, own,    out, word, before, c) {
    out = ""
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
        word = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        c = substr(text, 1, 1)
        if (word in header_of) {
            out = out "\\%\\fB" word "\\fP" (c == "(" ? "" : "(3)")
        } else if (word ~ /^PMIX_[A-Z0-9_]+$/ || word ~ /^PMIx_[A-Za-z_]+$/) {
            out = out "\\%\\fB" word "\\fP"
        } else if (word in own && before !~ /["\/.<]/ && c != "(") {
            out = out "\\%\\fI" word "\\fP"
        } else {
            out = out word
        }
    }
    return out text
}
function line(text, own) { return mark(escape(text), own) }

function sentence(text) {
    if (match(text, /[.:;] /)) text = substr(text, 1, RSTART - 1)
    sub(/[.:;]$/, "", text)
    if (text ~ /^[A-Z][a-z]* / || text ~ /^[A-Z][a-z]*$/) text = tolower(substr(text, 1, 1)) substr(text, 2)
    return text
}

# The attributes that the library itself reads, in attrs[call] as "NAME levels" with newlines between: what
# scripts/list-directives prints. The one place that knows it.
function read_directives(top,    command, row, f) {
    command = "\"" (awk == "" ? "awk" : awk) "\" -f \"" top "/scripts/list-directives\" \"" top "/src/value/directives.def\""
    while ((command | getline row) > 0) {
        split(row, f, "\t")
        if (f[2] != "-") attrs[f[1]] = attrs[f[1]] f[2] " " f[4] "\n"
    }
    close(command)
}
function read_by(levels) {
    if (levels ~ /waiting/) return "the blocking form only"
    if (levels == "client,server,tool") return ""
    gsub(/,/, ", ", levels)
    return levels
}

# tables/functions.tsv, tables/attributes.tsv, tables/standard.tsv, by column names.
function read_table(file, kind,    row, f, n, i, head) {
    while ((getline row < file) > 0) {
        n = split(row, f, "\t")
        if (!head) {
            for (i = 1; i <= n; i++) at[kind, f[i]] = i
            head = 1
        } else if (kind == "functions") {
            header_of[f[at[kind, "name"]]] = f[at[kind, "header"]]
            area_of[f[at[kind, "name"]]] = f[at[kind, "area"]]
            since_of[f[at[kind, "name"]]] = f[at[kind, "since"]]
            status_of[f[at[kind, "name"]]] = f[at[kind, "standard"]]
            functions[++n_functions] = f[at[kind, "name"]]
        } else if (kind == "attributes") {
            type_of[f[at[kind, "name"]]] = f[at[kind, "type"]]
        } else if (kind == "meanings") {
            means[f[at[kind, "name"]]] = f[at[kind, "meaning"]]
        } else if (kind == "standard") {
            section_of[f[at[kind, "name"]]] = f[at[kind, "section"]]
            chapter_of[f[at[kind, "name"]]] = f[at[kind, "chapter"]]
        }
    }
    close(file)
}

# A paragraph, in lines that end with a sentence or before column 78. Marks leave no blank in a word.
function write_words(text, own, out,    words, n, i, now) {
    n = split(line(text, own), words, / +/)
    now = ""
    for (i = 1; i <= n; i++) {
        if (now != "" && length(now) + length(words[i]) > 78) { write_line(now, out); now = "" }
        now = now (now == "" ? "" : " ") words[i]
        if (words[i] ~ /[.?!]\)?$/) { write_line(now, out); now = "" }
    }
    if (now != "") write_line(now, out)
}
function write_line(text, out) {
    if (text ~ /^[.']/) text = "\\&" text
    print text > out
}

# The text of a comment. Items whose name is a status go to statuses[] and meaning[], others into a list in place; the
# section of the Standard is left to STANDARDS.
function write_text(text, own, out,    lines, n, i, s, in_list, tag, para, written) {
    sub(/[ \n]*Std[ \n]+[0-9.]+\.$/, "", text)
    n = split(text, lines, "\n")
    for (i = 1; i <= n + 1; i++) {
        s = i <= n ? lines[i] : ""
        if (s ~ /^  +[^ ]/ && s !~ /^     / && match(s, /^  +[A-Za-z_][A-Za-z0-9_*\/, ()]*: /)) {
            tag = substr(s, 1, RLENGTH - 2)
            sub(/^ +/, "", tag)
            s = substr(s, RLENGTH + 1)
            while (i < n && lines[i + 1] ~ /^     /) {
                i++
                sub(/^ +/, "", lines[i])
                s = s " " lines[i]
            }
            if (para != "") { write_words(para, own, out); para = ""; written = 1 }
            if (tag ~ /^PMIX_/ || tag == "another status") {
                n_statuses++
                statuses[n_statuses] = tag
                meaning[n_statuses] = s
                continue
            }
            if (!in_list) { print ".Bl -tag -width Ds" > out; in_list = 1 }
            if (tag ~ /\(/) tag = "\\fB" tag
            else gsub(/, /, " , Fa ", tag)
            print ".It " (tag ~ /\(/ ? tag "\\fP" : "Fa " tag) > out
            write_words(s, own, out)
            continue
        }
        if (s == "") {
            if (para != "") { write_words(para, own, out); para = ""; written = 1 }
            continue
        }
        if (in_list) { print ".El" > out; in_list = 0 }
        sub(/^ +/, "", s)
        if (para == "" && written) print ".Pp" > out
        para = para (para == "" ? "" : " ") s
    }
    if (in_list) print ".El" > out
}
