# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# trace.py FILE [CHECK...]: the file is a trace of pmixrun --trace, whole and in order, and each CHECK, an expression in
# Python over what is below, is true. Complains and ends with 1 otherwise.
import json
import sys


def fail(what):
    sys.exit("trace.py: " + what)


with open(sys.argv[1], encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]

rows = {}  # name of a process -> its spans
nodes = {}  # pid -> name
servers = {}  # name of a node -> spans of its server
marks = {}  # name of a process -> its moments
colls = []  # (node, name, arguments, begin, end)
names = {}
open_colls = {}

for e in events:
    if e["ph"] == "M" and e["name"] == "process_name":
        nodes[e["pid"]] = e["args"]["name"]
    elif e["ph"] == "M":
        key = e["pid"], e["tid"]
        if key in names:
            fail("two rows are one: %s" % e)
        names[key] = e["args"]["name"]
        if names[key] != "server":
            if names[key] in rows:
                fail("two rows for %s" % names[key])
            rows[names[key]], marks[names[key]] = [], []

for e in events:
    row = names.get((e["pid"], e["tid"]))
    if row is None:
        fail("an event of no row: %s" % e)
    if e["ph"] != "M" and e["ts"] < 0 or e.get("dur", 0) < 0:
        fail("before the beginning: %s" % e)
    if e["ph"] == "X" and row == "server":
        servers.setdefault(nodes[e["pid"]], []).append(e)
    elif e["ph"] == "X":
        rows[row].append(e)
    elif e["ph"] == "i":
        marks[row].append(e)
    elif e["ph"] == "b":
        open_colls[e["id"]] = e
    elif e["ph"] == "e":
        b = open_colls.pop(e["id"])
        colls.append((nodes[b["pid"]], b["name"], b["args"], b["ts"], e["ts"]))
        if b["pid"] != e["pid"] or b["ts"] > e["ts"]:
            fail("a collective that ends wrongly: %s %s" % (b, e))
if open_colls:
    fail("collectives without an end: %s" % open_colls)


def end(span):
    return span["ts"] + span["dur"]


# Spans of a row are each within another, or apart; times are of three digits behind the point.
for name, spans in rows.items():
    spans.sort(key=lambda s: s["ts"])  # those of one moment stay as they stand: the widest first
    if not spans or spans[0]["name"] != name:
        fail("%s has no life: %s" % (name, spans))
    stack = []
    for s in spans:
        while stack and end(stack[-1]) <= s["ts"] + 0.0005:
            stack.pop()
        if stack and end(s) > end(stack[-1]) + 0.0015:
            fail("%s: %s is half in %s" % (name, s, stack[-1]))
        stack.append(s)
    for m in marks[name]:
        if not spans[0]["ts"] <= m["ts"] <= end(spans[0]) + 0.0015:
            fail("%s: after its life: %s" % (name, m))


def order(name):
    """Names of the spans of a process in order, without those that are within others."""
    inner, found = 0, []
    for s in rows[name][1:]:
        if s["ts"] >= inner - 0.0005:
            found.append(s["name"])
            inner = end(s)
    return found


def life(name):
    return rows[name][0]["args"]


def of(name, what):
    """The spans, or the moments, of this name."""
    return [s for s in rows[name] + marks[name] if s["name"] == what]


for check in sys.argv[2:]:
    try:
        right = eval(check)
    except (LookupError, TypeError) as error:
        right = False
        print(repr(error))
    if not right:
        for name in rows:
            print(name, order(name), life(name))
        fail("not so: " + check)
