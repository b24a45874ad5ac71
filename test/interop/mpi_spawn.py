# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
"""mpi4py: a reduction, objects, and children that are spawned and merged with their parents."""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
parent = MPI.Comm.Get_parent()


def say(what, right):
    sys.stdout.write("%s %d %s\n" % (what, world.rank, "right" if right else "wrong"))
    sys.stdout.flush()


if parent != MPI.COMM_NULL:
    everybody = parent.Merge(True)
    said = everybody.allgather("child %d" % world.rank)
    say("child", said[-1] == "child %d" % (world.size - 1))
    everybody.Free()
    parent.Disconnect()
else:
    total = world.allreduce(world.rank)
    children = world.Spawn(sys.executable, [sys.argv[0]], 2)
    everybody = children.Merge(False)
    said = everybody.allgather("parent %d" % world.rank)
    say("parent", total == world.size * (world.size - 1) // 2 and said[0] == "parent 0" and len(said) == world.size + 2)
    everybody.Free()
    children.Disconnect()
