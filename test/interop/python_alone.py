# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# A process without a server in Python's binding of PMIx (4.2 and 5.0). usage: python_alone.py client|tool; one line "not ok - what" for
# each check that does not hold.

import os
import sys
import warnings

warnings.simplefilter("ignore")
from pmix import *


# The binding of 5.0 takes no call without a node's name.
def peers_here(nspace):
    try:
        return process.resolve_peers(None, nspace)
    except TypeError:
        return process.resolve_peers(os.uname().nodename, nspace)


def same(want, is_, what):
    if want != is_:
        print("not ok - %s %s: %r instead of %r" % (sys.argv[1], what, is_, want))


if sys.argv[1] == "tool":
    process = PMIxTool()
    rc, me = process.init([{"key": PMIX_TOOL_DO_NOT_CONNECT, "value": True, "val_type": PMIX_BOOL, "flags": 0}])
    same(PMIX_SUCCESS, rc, "init")
    same("", me["nspace"], "has no name that others know")
else:
    process = PMIxClient()
    rc, _ = process.init([])
    same(PMIX_ERR_UNREACH, rc, "init")
rc, name = process.get({"nspace": "", "rank": PMIX_RANK_INVALID}, PMIX_NSPACE, [])
same(PMIX_SUCCESS, rc, "name")
me = {"nspace": name["value"], "rank": 0}
job = {"nspace": me["nspace"], "rank": PMIX_RANK_WILDCARD}
same(True, len(me["nspace"]) > 0, "has a name")
same((0, {"value": 1, "val_type": PMIX_UINT32}), process.get(job, PMIX_JOB_SIZE, []), "job size")
same((0, {"value": 0, "val_type": PMIX_UINT16}), process.get(me, PMIX_LOCAL_RANK, []), "local rank")
same((0, [{"nspace": me["nspace"], "rank": 0}]), peers_here(me["nspace"]), "peers")
same(PMIX_SUCCESS, process.put(PMIX_GLOBAL, "number", {"value": 5, "val_type": PMIX_INT32}), "put")
same((0, {"value": 5, "val_type": PMIX_INT32}), process.get(me, "number", []), "get")
same(PMIX_SUCCESS, process.finalize() if sys.argv[1] == "tool" else process.finalize([]), "finalize")
