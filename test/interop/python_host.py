# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A host in Python's binding of PMIx (4.2 and 5.0): two ranks of one job, and the upcalls that the binding offers. One line "upcall
# NAME" each. usage: python_host.py CLIENT; returns the first exit status that is not 0.
#
# A list of results must not be shorter than the list of queries, since the binding takes it for as long, and the main thread
# must not wait for an upcall, since it has Python's lock. Upcalls that the binding never answers, or cannot be given, are left
# out: log, job_control, monitor, credentials, tool_connected, notify_event.

# Every info has flags: without, the binding leaves those that it finds in memory.

import os
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")
from pmix import *

NSPACE = "python-job"
RANKS = 2
published = []


# One write a line: the clients write to the same file.
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def said(name, result):
    def upcall(*_):
        say("upcall", name)
        return result

    return upcall


def publish(args):
    say("upcall publish")
    for info in args["directives"]:
        if not info["key"].startswith("pmix"):
            published.append({"proc": args["proc"], "key": info["key"], "value": info["value"],
                              "val_type": info["val_type"], "flags": 0})
    return PMIX_SUCCESS


def lookup(args):
    say("upcall lookup")
    keys = [key.decode("ascii") for key in args["keys"]]
    found = [data for data in published if data["key"] in keys]
    return (PMIX_SUCCESS if found else PMIX_ERR_NOT_FOUND), found


def peers(key, ranks):
    procs = [{"nspace": NSPACE, "rank": rank} for rank in ranks]
    return PMIX_SUCCESS, [{"key": key, "value": {"type": PMIX_PROC, "array": procs}, "val_type": PMIX_DATA_ARRAY, "flags": 0}]


# What this host answers for some names; for others it says success without the key that was asked.
# The binding of 4.2 has two arguments, that of 5.0 a dictionary.
def query(*args):
    queries = args[1] if len(args) == 2 else args[0]["queries"]
    key = queries[0]["keys"][0]
    names = [info["value"] for info in queries[0]["qualifiers"] if info["key"] == "pmix.nspace"]
    name = names[0] if names else ""
    say("upcall query", key, name)
    if key == "python.known":
        return PMIX_SUCCESS, [{"key": key, "value": "answer", "val_type": PMIX_STRING, "flags": 0}]
    if key == "python.refused" or name == "refused":
        return PMIX_ERR_NO_PERMISSIONS, []
    if key == PMIX_QUERY_RESOLVE_PEERS and name in ("moved", "empty"):
        return peers(key, [1] if name == "moved" else [])
    if key == PMIX_QUERY_RESOLVE_NODE and name == "moved":
        return PMIX_SUCCESS, [{"key": key, "value": "here,there", "val_type": PMIX_STRING, "flags": 0}]
    if key in (PMIX_QUERY_RESOLVE_PEERS, PMIX_QUERY_RESOLVE_NODE):
        return PMIX_SUCCESS, [{"key": "python.beside", "value": "x", "val_type": PMIX_STRING, "flags": 0}]
    return PMIX_ERR_NOT_FOUND, []


def allocate(args):
    say("upcall allocate", args["action"], args["source"]["rank"])
    return PMIX_SUCCESS, [{"key": "python.allocated", "value": 42, "val_type": PMIX_UINT32, "flags": 0}]


def abort(args):
    say("upcall abort", args["caller"]["rank"], args["status"])
    return PMIX_SUCCESS


PMIX_QUERY_RESOLVE_PEERS = "pmix.qry.peers"  # the names came with 5.0
PMIX_QUERY_RESOLVE_NODE = "pmix.qry.node"

UPCALLS = {
    "clientconnected": said("clientconnected", PMIX_OPERATION_SUCCEEDED),
    "clientfinalized": said("clientfinalized", PMIX_OPERATION_SUCCEEDED),
    "publish": publish,
    "lookup": lookup,
    "unpublish": said("unpublish", PMIX_SUCCESS),
    "query": query,
    "allocate": allocate,
    "abort": abort,
    "spawn": said("spawn", (PMIX_SUCCESS, "python-child")),
    "connect": said("connect", PMIX_SUCCESS),
    "disconnect": said("disconnect", PMIX_SUCCESS),
    "registerevents": said("registerevents", PMIX_SUCCESS),
    "deregisterevents": said("deregisterevents", PMIX_SUCCESS),
}


def need(what, rc):
    if rc != PMIX_SUCCESS:
        say("not ok - host:", what, rc)
        sys.exit(1)


def main():
    server = PMIxServer()
    need("init", server.init([
        {"key": PMIX_SERVER_NSPACE, "value": "python-server", "val_type": PMIX_STRING, "flags": 0},
        {"key": PMIX_SERVER_RANK, "value": 7, "val_type": PMIX_PROC_RANK, "flags": 0},
    ], UPCALLS))
    need("register_nspace", server.register_nspace(NSPACE, RANKS, [
        {"key": PMIX_JOB_SIZE, "value": RANKS, "val_type": PMIX_UINT32, "flags": 0},
        {"key": PMIX_LOCAL_SIZE, "value": RANKS, "val_type": PMIX_UINT32, "flags": 0},
        {"key": PMIX_LOCAL_PEERS, "value": "0,1", "val_type": PMIX_STRING, "flags": 0},
    ]))
    clients = []
    for rank in range(RANKS):
        proc = {"nspace": NSPACE, "rank": rank}
        env = os.environ.copy()
        need("register_client", server.register_client(proc, os.getuid(), os.getgid()))
        need("setup_fork", server.setup_fork(proc, env))
        clients.append(subprocess.Popen([sys.executable] + sys.argv[1:], env=env))
    ends = [client.wait() for client in clients]
    say("ends", ends)
    rc, value = server.get({"nspace": NSPACE, "rank": PMIX_RANK_WILDCARD}, PMIX_JOB_SIZE, [])
    need("get", rc if value["value"] == RANKS else PMIX_ERROR)
    rc, value = server.get({"nspace": NSPACE, "rank": 1}, "number", [])
    need("get of what a rank posted", rc if value["value"] == 11 else PMIX_ERROR)
    rc, value = server.get({"nspace": "python-server", "rank": 7}, PMIX_SERVER_URI, [])
    need("get of its own address", rc if value["value"].startswith("python-server.7;") else PMIX_ERROR)
    need("finalize", server.finalize())
    sys.exit(next((end for end in ends if end != 0), 0))


main()
