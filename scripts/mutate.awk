# mutate.awk - FUNCTION= FROM= TO= awk -f mutate.awk FILE: the file with the one line that has FROM changed.
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# With FUNCTION only the lines of that function's definition count. Fails when FROM is not in exactly one line.
BEGIN {
    function_name = ENVIRON["FUNCTION"]
    from = ENVIRON["FROM"]
    to = ENVIRON["TO"]
    start = "(^|[ *])" function_name "\\("
}

# A definition begins in the first column, and has its brace there, too; a prototype ends with a semicolon.
function_name != "" && /^[A-Za-z]/ && $0 ~ start { head = 1 }
head && /;[ \t]*$/ { head = 0 }
head && /^\{/ { head = 0; inside = 1 }

(function_name == "" || inside) && (at = index($0, from)) {
    found++
    $0 = substr($0, 1, at - 1) to substr($0, at + length(from))
}
inside && /^\}/ { inside = 0 }
{ print }

END { exit found == 1 ? 0 : 1 }
