# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
"""Families that need a launcher: output, standard input, and programs of Open MPI. Ours is pmixrun, the other is Debian's mpirun,
with the library that it comes with and, for MPI, with ours."""

import collections, os, re, resource, shutil, signal, subprocess, time, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
OUTPUT_BYTES = 1 << 24
INPUT_BYTES = 1 << 26
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def launchers(build):
    ours = {"LD_LIBRARY_PATH": os.path.abspath(os.path.join(build, ".libs"))}
    found = {"ours": ([os.path.abspath(os.path.join(build, "src/tools/.libs/pmixrun"))], ours)}
    if shutil.which("mpirun"):
        found.update({"mpirun, ours": (MPIRUN, ours), "theirs": (MPIRUN, {})})
    return found


def run(command, env, patience, source=subprocess.DEVNULL, target=subprocess.PIPE):
    """Wall time and processor time in ns, and what it prints; None and why."""
    cpu = env.get("BENCH_CPU")
    pin = (lambda: os.sched_setaffinity(0, {int(cpu)})) if cpu else None
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic_ns()
    done = subprocess.Popen(command, env=dict(os.environ, **env), stdin=source, stdout=target, stderr=subprocess.PIPE, text=True,
                            errors="replace", start_new_session=True, preexec_fn=pin)
    try:
        out, err = done.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        done.communicate()
        return None, "not over after %d s" % patience
    wall, after = time.monotonic_ns() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None, "exit code %d" % done.returncode
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (wall, seconds * 1e9, out, err), None


def figures(**values):
    """What is not among them is not offered."""
    return {name: (value, value) for name, value in values.items()}, None


def output(launcher, env, size, more, folder, patience, program):
    """Ranks write numbered lines, and each has to come out whole, once."""
    n, length = size[1], int(more[0])
    lines = OUTPUT_BYTES // length // n
    path = os.path.join(folder, "output")
    with open(path, "w") as f:
        told, why = run([*launcher, "-n", str(n), program, "write", str(lines), str(length)], env, patience, target=f)
    if not told:
        return {}, why
    with open(path, "rb") as f:
        found = collections.Counter(f.read().split(b"\n"))
    want = {b"%03d %08d " % (rank, i) for rank in range(n) for i in range(lines)}
    heads = collections.Counter(line[:13] for line in found if len(line) == length - 1)
    if found.pop(b"", 0) != 1 or set(heads) != want or sum(found.values()) != len(want):
        return {}, "wrong"
    return figures(output_bytes_per_s=lines * n * length * 1e9 / told[0], output_lines_per_s=lines * n * 1e9 / told[0])


def stdin(launcher, env, size, more, folder, patience, program):
    """A file as the launcher's standard input, to rank 0 or to all, who say what they have read."""
    path, who = os.path.join(folder, "input"), more[0]
    if not os.path.exists(path):
        with open(path, "wb") as f:
            f.write(os.urandom(INPUT_BYTES))
    with open(path, "rb") as f:
        expected = "%d %d" % (INPUT_BYTES, zlib.adler32(f.read()))
        f.seek(0)
        told, why = run([*launcher, "-n", str(size[1]), "--stdin", who, program, "read"], env, patience, source=f)
    if not told:
        return {}, why
    readers = size[1] if who == "all" else 1
    if told[2].split("\n").count(expected) != readers:
        return {}, "wrong"
    return figures(stdin_bytes_per_s=INPUT_BYTES * 1e9 / told[0])


def mpi_program(folder):
    out = os.path.join(folder, "mpi_start")
    if not os.path.exists(out):
        subprocess.run(["mpicc", "-O2", "-o", out, os.path.join(HERE, "mpi_start.c")], check=True)
    return out


def opens_in_sys(command, env, folder, n, patience):
    """Files of /sys that a rank opens, the launcher's among them; None without strace."""
    path = os.path.join(folder, "strace")
    if not shutil.which("strace") or n > 16:
        return None
    told, _ = run(["strace", "-f", "-qq", "-e", "trace=open,openat", "-o", path, *command], env, patience)
    with open(path, errors="replace") as f:
        return sum('"/sys/' in line for line in f) / n if told else None


def mpi(launcher, env, size, more, folder, patience, program):
    """MPI_Init and MPI_Finalize, which each rank times."""
    n = size[1]
    command = [*launcher, "-n", str(n), mpi_program(folder)]
    told, why = run(command, env, patience)
    if not told:
        return {}, why
    ranks = [dict(zip(words[::2], map(int, words[1::2]))) for words in map(str.split, told[2].splitlines()) if words[:1] == ["rank"]]
    if len({r["rank"] for r in ranks}) != n:
        return {}, "wrong"
    found = {"mpi_wall": told[0], "mpi_cpu": told[1], "mpi_init_slowest": max(r["init_ns"] for r in ranks),
             "mpi_finalize_slowest": max(r["finalize_ns"] for r in ranks), "mpi_peak": 1024 * max(r["peak_kb"] for r in ranks)}
    opens = opens_in_sys(command, env, folder, n, patience)
    found.update({"mpi_sys_opens": opens} if opens is not None else {})
    if launcher[0].endswith("pmixrun"):
        told, _ = run([launcher[0], "--report", *command[1:]], env, patience)
        sent = [sum(map(int, pair)) for pair in re.findall(r"(\d+) messages sent, (\d+) received", told[3])] if told else []
        fences = re.findall(r": fence \d+: ", told[3]) if told else []
        found.update({"mpi_messages": sum(sent) / n, "mpi_fences": len(fences)} if sent else {})
    return figures(**found)


KINDS = {"output": output, "stdin": stdin, "mpi": mpi}


def runners(family, build, folder):
    """label -> a function of size, arguments, environment and patience that gives metrics, and why one that is not there is not."""
    program = os.path.abspath(os.path.join(build, "bench", "family"))
    def runner(launcher, libraries):
        return lambda size, more, env, patience: KINDS[family.kind](launcher, dict(env, **libraries), size, more, folder, patience,
                                                                    program)
    return {label: runner(*of) for label, of in launchers(build).items() if family.kind == "mpi" or label != "mpirun, ours"}
