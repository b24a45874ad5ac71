# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# top.py PMIX-SHM PID ROWS MADE GONE: pmix-shm top on a terminal of so many rows. It has to show the server PID; when it has,
# the file MADE is written, and another server's id, which has to come, is read there; then GONE is written, and that server has
# to leave the table. At SIGINT the terminal has to be given back. Without a terminal (ROWS 0) it has to print plain tables.
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

shm, pid, rows, made, gone = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
ours, theirs = pty.openpty() if rows else os.pipe()
if rows:
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 60, 0, 0))
# A shell has its jobs in the background ignore SIGINT.
top = subprocess.Popen([shm, "top"], stdin=subprocess.DEVNULL, stdout=theirs,
                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
os.close(theirs)
text = b""
deadline = time.monotonic() + 60


def fail(what):
    top.kill()
    sys.exit("top.py: %s: %r" % (what, text[-3000:]))


def read():
    global text
    ready, _, _ = select.select([ours], [], [], max(0, deadline - time.monotonic()))
    if not ready:
        fail("nothing more within a minute")
    try:
        piece = os.read(ours, 65536)
    except OSError:  # a terminal that nobody has open any more
        piece = b""
    text += piece
    return piece


def frames():
    """The tables, the last of which may be half a one."""
    return text.decode().split("\033[H\033[J" if rows else "     pid s ")[1:]


def until(there, what, first=0):
    while not any(there(frame) for frame in frames()[first:-1]):
        if not read():
            fail(what)


def has(number):
    return lambda frame: re.search(r"^ *%s [A-Z] " % number, frame, re.M)


until(has(pid), "the server does not show")
if made != "-":
    open(made, "w").close()
    while not os.path.exists(made + ".pid"):
        read()
    other = open(made + ".pid").read().strip()
    until(has(other), "a new server does not show")
    open(gone, "w").close()
    text = b"\033[H\033[J" + text[-1:] if rows else text
    until(lambda frame: not has(other)(frame), "a server that has gone stays", len(frames()))
first = text[:40]
top.send_signal(signal.SIGINT)
while read():
    pass
if top.wait() != -signal.SIGINT:
    fail("it ended with %d" % top.returncode)
if rows:
    if made == "-" and not first.startswith(b"\033[?1049h\033[?25l\033[H\033[J"):
        fail("it has no screen of its own")
    if not text.endswith(b"\033[?25h\033[?1049l"):
        fail("the terminal is not given back")
    for frame in frames()[:-1]:
        lines = frame.replace("\r", "").split("\n")
        if len(lines) > rows or any(len(line) > 60 for line in lines):
            fail("it does not fit")
elif b"\033" in text:
    fail("control sequences, and no terminal")
