# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# json_names.py PAGE FILE...: each file has one JSON value or more. Every name of an object is made of lower-case letters, digits
# and underscores, is there once, and is in the section "Output for programs" of the page. Complains of the others and ends with
# 1; else prints how many names there are.
import json
import re
import sys

FORMAT = {"traceEvents", "displayTimeUnit", "otherData"}  # names of the trace's format, which are not ours
faults = []
names = set()


def look_at(pairs):
    for name, _ in pairs:
        if name in FORMAT:
            continue
        if not re.fullmatch("[a-z][a-z0-9_]*", name):
            faults.append("%s: %r is no name" % (path, name))
        if [other for other, _ in pairs].count(name) > 1:
            faults.append("%s: %r is there twice" % (path, name))
        names.add(name)
    return dict(pairs)


with open(sys.argv[1], encoding="utf-8") as page:
    section = re.search("\n## Output for programs\n(.*?)(\n## |$)", page.read(), re.S)
documented = set(re.findall("`([a-z0-9_]+)`", section[1])) if section else set()
decoder = json.JSONDecoder(object_pairs_hook=look_at)
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    if not text:
        faults.append("%s: it is empty" % path)
    while text:
        try:
            _, end = decoder.raw_decode(text)
        except ValueError as error:
            faults.append("%s: %s" % (path, error))
            break
        text = text[end:].lstrip()
faults += ["%r is not in %s" % (name, sys.argv[1]) for name in sorted(names - documented)]
print("\n".join(sorted(set(faults))) or len(names))
sys.exit(bool(faults))
