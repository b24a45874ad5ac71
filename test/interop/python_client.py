# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# One of two ranks in Python's binding of PMIx (4.2 and 5.0). One line "ok - what" or "not ok - what" a check; the exit status says
# whether all held.

import os
import sys
import threading
import warnings

warnings.simplefilter("ignore")
from pmix import *

EVENT = -3000
INVALID_NAMESPACE = -44 # this version has no name for it
# The handler of an event sets a flag, then returns to the binding. The thread that waits for the flag must not run in
# between: it would enter a call that keeps Python's lock, for which the handler then waits.
sys.setswitchinterval(60)
failed = []


def check(held, what, is_=""):
    line = "%s - rank %d: %s %s\n" % ("ok" if held else "not ok", me["rank"], what, "" if held else is_)
    os.write(1, line.encode())
    if not held:
        failed.append(what)


def same(want, is_, what):
    check(want == is_, what, "%r instead of %r" % (is_, want))


def text(key, value):
    return [{"key": key, "value": value, "val_type": PMIX_STRING, "flags": 0}]


# The values under a key, flat ones only. The names of keys are bytes, keys in results are text.
def values(result, key):
    name = key.decode("ascii") if isinstance(key, bytes) else key
    return [info["value"] for info in result[1] if info["key"] == name]


def exchange():
    same(0, client.put(PMIX_GLOBAL, "number", {"value": 10 + me["rank"], "val_type": PMIX_INT32}), "put")
    same(0, client.commit(), "commit")
    same(0, client.fence([], [{"key": PMIX_COLLECT_DATA, "value": True, "val_type": PMIX_BOOL, "flags": 0}]), "fence")
    same((0, {"value": 10 + other["rank"], "val_type": PMIX_INT32}), client.get(other, "number", []), "get")
    same((0, {"value": 2, "val_type": PMIX_UINT32}), client.get(job, PMIX_JOB_SIZE, []), "job size")


# The binding of 5.0 takes no call without a node's name.
def peers_here(nspace):
    try:
        return client.resolve_peers(None, nspace)
    except TypeError:
        return client.resolve_peers(os.uname().nodename, nspace)


def resolve():
    same((0, both), peers_here(me["nspace"]), "peers of this node")
    same((0, both), client.resolve_peers(os.uname().nodename, me["nspace"]), "peers of a node by its name")
    same((0, os.uname().nodename), client.resolve_nodes(me["nspace"]), "nodes")
    same(INVALID_NAMESPACE, peers_here("none")[0], "peers of nobody")
    same((0, [both[1]]), peers_here("moved"), "peers that the host names")
    same((0, []), peers_here("empty"), "no peers, as the host says")
    same((0, "here,there"), client.resolve_nodes("moved"), "nodes that the host names")
    same((PMIX_ERR_NO_PERMISSIONS, []), peers_here("refused"), "peers that the host refuses")


def publishing():
    same(0, client.publish(text("of-%d" % me["rank"], "data")), "publish")
    same(0, client.fence([], []), "fence")
    rc, data = client.lookup([{"key": "of-%d" % other["rank"]}], [])
    same(0, rc, "lookup")
    same("data", data[0].get("value"), "what was published") # by whom, the binding's host does not pass on
    same(PMIX_ERR_NOT_FOUND, client.lookup([{"key": "of-nobody"}], [])[0], "lookup of nothing")
    same(0, client.unpublish(["of-%d" % me["rank"]], []), "unpublish")


def queries():
    known = client.query([{"keys": ["python.known"], "qualifiers": []}])
    same((0, ["answer"]), (known[0], values(known, "python.known")), "a key of the host")
    names = client.query([{"keys": [PMIX_QUERY_NAMESPACES], "qualifiers": []}])
    same((0, [me["nspace"]]), (names[0], values(names, PMIX_QUERY_NAMESPACES)), "a key of the server")
    same((PMIX_ERR_NOT_FOUND, []), client.query([{"keys": ["python.unknown"], "qualifiers": []}]), "a key of nobody")
    same((PMIX_ERR_NO_PERMISSIONS, []), client.query([{"keys": ["python.refused"], "qualifiers": []}]), "a key that the host refuses")


# Of itself, of its server; what has no value.
def itself():
    name, rank = client.get(me, PMIX_NSPACE, []), client.get(me, PMIX_RANK, [])
    same((0, {"value": me["nspace"], "val_type": PMIX_STRING}), name, "its namespace")
    same((0, {"value": me["rank"], "val_type": PMIX_PROC_RANK}), rank, "its rank")
    same((0, {"value": "python-server", "val_type": PMIX_STRING}), client.get(me, PMIX_SERVER_NSPACE, []), "its server")
    rc, uri = client.get(me, PMIX_SERVER_URI, [])
    same(0, rc, "its server's address")
    check(uri["value"].startswith("python-server.7;"), "its server's name in it", repr(uri))
    same(PMIX_ERR_NOT_FOUND, client.get(other, "none", text(PMIX_OPTIONAL, "true"))[0], "what nobody has posted")


def groups():
    rc, results = client.group_construct("pair", both, [])
    same(0, rc, "group_construct")
    members = values((rc, results), PMIX_GROUP_MEMBERSHIP)
    same([0, 1], [proc["rank"] for proc in members[0]["array"]] if members else None, "members")
    same(0, client.group_destruct("pair", []), "group_destruct")
    same(0, client.connect(both, []), "connect")
    same(0, client.disconnect(both, []), "disconnect")


# Only the other rank has a handler: the binding waits for the notification with Python's lock held, and a handler of the
# same process needs it.
def events():
    came = threading.Event()
    seen = []

    def handler(_, status, source, info, __):
        seen.append((status, source))
        came.set()
        return PMIX_EVENT_ACTION_COMPLETE, []

    if me["rank"] == 1:
        rc, _ = client.register_event_handler([EVENT], [], handler)
        same(0, rc, "register_event_handler")
    same(0, client.fence([], []), "fence")
    if me["rank"] == 0:
        same(0, client.notify_event(EVENT, me, PMIX_RANGE_NAMESPACE, []), "notify_event")
    else:
        check(came.wait(60), "the event came")
        same([(EVENT, other)], seen, "its status and source")


# Neither ends anything: the host only notes them.
def requests():
    rc, infos = client.allocation_request(PMIX_ALLOC_NEW, [{"key": PMIX_ALLOC_NUM_NODES, "value": 1, "val_type": PMIX_UINT64, "flags": 0}])
    same((0, [42]), (rc, values((rc, infos), "python.allocated")), "allocation_request")
    same(0, client.abort(3, "no reason", [other]), "abort of the other")


def spawn():
    app = {"cmd": "/bin/true", "argv": ["/bin/true"], "env": [], "maxprocs": 1, "cwd": "/", "info": []}
    rc, name = client.spawn([], [app])
    same(0, rc, "spawn")
    same("python-child", name.decode("ascii") if isinstance(name, bytes) else name, "the job that was spawned")


client = PMIxClient()
rc, me = client.init([])
if rc != PMIX_SUCCESS:
    print("not ok - init", rc, flush=True)
    sys.exit(1)
both = [{"nspace": me["nspace"], "rank": rank} for rank in range(2)]
other = both[1 - me["rank"]]
job = {"nspace": me["nspace"], "rank": PMIX_RANK_WILDCARD}
exchange()
resolve()
publishing()
queries()
itself()
groups()
events()
if me["rank"] == 0:
    requests()
    spawn()
same(0, client.fence([], []), "fence")
same(0, client.finalize([]), "finalize")
sys.exit(1 if failed else 0)
