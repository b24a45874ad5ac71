# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A host in Python's binding of PMIx (4.2): two ranks of one job, and the upcalls that the binding offers. One line "upcall
# NAME" each. usage: python_host.py CLIENT; returns the first exit status that is not 0.
#
# A list of results must not be shorter than the list of queries, since the binding takes it for as long, and the main thread
# must not wait for an upcall, since it has Python's lock.

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
                              "val_type": info["val_type"]})
    return PMIX_SUCCESS


def lookup(args):
    say("upcall lookup")
    keys = [key.decode("ascii") for key in args["keys"]]
    found = [data for data in published if data["key"] in keys]
    return (PMIX_SUCCESS if found else PMIX_ERR_NOT_FOUND), found


# Success without the key that was asked, for what this host has never heard of.
def query(_, queries):
    key = queries[0]["keys"][0]
    say("upcall query", key)
    if key == "python.known":
        return PMIX_SUCCESS, [{"key": key, "value": "answer", "val_type": PMIX_STRING}]
    if key in (PMIX_QUERY_RESOLVE_PEERS, PMIX_QUERY_RESOLVE_NODE):
        return PMIX_SUCCESS, [{"key": "python.beside", "value": "x", "val_type": PMIX_STRING}]
    return PMIX_ERR_NOT_FOUND, []


PMIX_QUERY_RESOLVE_PEERS = "pmix.qry.peers"  # the names came with 5.0
PMIX_QUERY_RESOLVE_NODE = "pmix.qry.node"

UPCALLS = {
    "clientconnected": said("clientconnected", PMIX_OPERATION_SUCCEEDED),
    "clientfinalized": said("clientfinalized", PMIX_OPERATION_SUCCEEDED),
    "publish": publish,
    "lookup": lookup,
    "unpublish": said("unpublish", PMIX_SUCCESS),
    "query": query,
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
    need("init", server.init([], UPCALLS))
    need("register_nspace", server.register_nspace(NSPACE, RANKS, [
        {"key": PMIX_JOB_SIZE, "value": RANKS, "val_type": PMIX_UINT32},
        {"key": PMIX_LOCAL_SIZE, "value": RANKS, "val_type": PMIX_UINT32},
        {"key": PMIX_LOCAL_PEERS, "value": "0,1", "val_type": PMIX_STRING},
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
    need("finalize", server.finalize())
    sys.exit(next((end for end in ends if end != 0), 0))


main()
