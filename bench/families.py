# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
"""The families of metrics: what bench/compare runs for each, and how bench/report shows it.

A family of kind "job" is a name of bench/family, which bench/job runs; the other kinds are functions in launch.py. A metric's unit says whether the
higher or the lower of two figures is better."""

from collections import namedtuple

Unit = namedtuple("Unit", "name higher_is_better")
NS, BYTES, NUMBER = Unit("ns", False), Unit("bytes", False), Unit("number", False)
PER_S, BYTES_PER_S = Unit("per_s", True), Unit("bytes_per_s", True)

# sizes: (nodes, processes of a node). variants: (label on the page, arguments). metrics: name -> (label on the page, unit).
# crowded: the most rounds that are run where more than two processes share one CPU; None: as many as anywhere.
Family = namedtuple("Family", "name kind title sizes variants metrics environment crowded")


def family(name, title, sizes, metrics, variants=(("", ()),), kind="job", environment=None, crowded=None):
    return Family(name, kind, title, [tuple(map(int, size.split("x"))) for size in sizes], variants, metrics,
                  environment or {}, crowded)


def rounds_of(family, size, pinned, rounds):
    """How many of the rounds that are asked for are run."""
    if family.crowded and pinned and size[0] * size[1] > 2:
        return min(family.crowded, rounds)
    return rounds


def size_text(size):
    return "%d KiB" % (size // 1024) if size >= 1024 else "%d B" % size


# What a construct is asked for: suffix of the metric, label on the page.
GROUP_FORMS = [("", ""), ("_id", ", context id"), ("_id_info", ", context id and 64 B of each")]

FAMILIES = [
    family("event", "Events", ["1x2", "1x512", "8x64"], {
        "event_one": ("one process to another", NS),
        "event_one_per_s": ("to another, events in a second", PER_S),
        "event_all": ("one process to all others", NS),
        "event_all_per_s": ("to all others, events in a second", PER_S)}),
    family("group", "Groups", ["1x2", "1x64", "1x512", "8x8", "8x64"], {
        "group_%s%s" % (what, suffix): (what + label, NS)
        for suffix, label in GROUP_FORMS for what in ("construct", "destruct")}),
    family("connect", "Two jobs connect", ["1x1", "1x16"], {
        "connect": ("connect", NS),
        "disconnect": ("disconnect", NS)}),
    family("fence", "Fences", ["1x2", "1x64", "2x2", "8x2", "8x8", "32x2"], {
        "fence_first": ("first", NS),
        "fence_20th": ("20th", NS),
        "fence_plain": ("20th without PMIX_COLLECT_DATA", NS),
        "fence_post": ("post", NS),
        "fence_read": ("read", NS),
        "fence_handed": ("handed", BYTES),
        "fence_pack_per_kib": ("pack, each KiB", NS),
        "fence_carry_per_kib": ("carry, each KiB", NS),
        "fence_publish_per_kib": ("publish, each KiB", NS)},
        variants=[("%d x %s" % (keys, size_text(size)), (str(keys), str(size)))
                  for keys, size in ((0, 0), (1, 1), (1, 64), (8, 64), (1, 4096), (8, 4096), (1, 65536), (1, 524288))],
        crowded=1),
    family("allgather", "Allgather", ["1x2", "1x64", "8x8"], {
        "allgather_second": ("the second", NS),
        "allgather_20th": ("the 20th", NS),
        "allgather_20": ("all twenty", NS)},
        variants=[(size_text(size), (str(size),)) for size in (64, 4096)]),
    family("spawn", "Spawn", ["1x1"], {
        "spawn": ("one process, until its PMIx_Init returns", NS),
        "spawn_posix": ("posix_spawn of the program, until it has ended", NS),
        "spawn_bare": ("the same of a program without PMIx", NS)}),
    family("publish", "Publish and look up", ["1x1", "8x1"], {
        "publish": ("publish", NS),
        "lookup": ("lookup", NS),
        "unpublish": ("unpublish", NS)}),
    family("query", "Query", ["1x1", "8x1"], {"query": ("the namespaces, which the host knows", NS)}),
    family("attach", "Tools", ["1x1"], {
        "attach": ("the first attachment of a process", NS),
        "attach_again": ("its second", NS)}, environment={"BENCH_TOOLS": "1"}),
    family("pull", "Output that a tool pulls", ["1x1"], {
        "pull_bytes_per_s": ("bytes", BYTES_PER_S),
        "pull_lines_per_s": ("lines", PER_S)},
        variants=[("lines of " + size_text(size), (str(size),)) for size in (64, 4096)], environment={"BENCH_TOOLS": "1"}),
    family("output", "Output", ["1x1", "1x8"], {
        "output_bytes_per_s": ("bytes", BYTES_PER_S),
        "output_lines_per_s": ("lines", PER_S)},
        variants=[("lines of " + size_text(size), (str(size),)) for size in (64, 4096)], kind="output"),
    family("stdin", "Standard input", ["1x1", "1x8"], {"stdin_bytes_per_s": ("input", BYTES_PER_S)},
           variants=[("to rank 0", ("0",)), ("to all", ("all",))], kind="stdin"),
    family("mpi", "MPI_Init and MPI_Finalize", ["1x4", "1x16", "1x64", "1x128"], {
        "mpi_wall": ("the whole command", NS),
        "mpi_cpu": ("its processor time", NS),
        "mpi_init_slowest": ("MPI_Init, slowest rank", NS),
        "mpi_finalize_slowest": ("MPI_Finalize, slowest rank", NS),
        "mpi_peak": ("memory of the largest rank", BYTES),
        "mpi_messages": ("messages of a rank", NUMBER),
        "mpi_fences": ("fences", NUMBER),
        "mpi_sys_opens": ("files of /sys opened, of each rank", NUMBER)}, kind="mpi"),
]
BY_NAME = {f.name: f for f in FAMILIES}
