# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
#
# terminal.py COMMAND...: runs the command in the background of a terminal. When it has written "up" and waits, it gets the
# terminal, as by fg; it has to read a line from there, which it writes, and the end, and to end with 0.
import os
import pty
import signal
import sys
import time

ours, theirs = pty.openpty()
out, into = os.pipe()
session = os.fork()
if session == 0:  # a shell: leads the session of the terminal
    signal.alarm(60)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.setsid()
    os.close(os.open(os.ttyname(theirs), os.O_RDWR))  # now it is the terminal of the session
    job = os.fork()
    if job == 0:
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.setpgid(0, 0)
        os.dup2(theirs, 0)
        os.dup2(into, 1)
        os.closerange(3, 64)
        os.execvp(sys.argv[1], sys.argv[1:])
    os.close(into)
    if os.read(out, 64) != b"up\n":
        os._exit(2)
    while open("/proc/%d/stat" % job).read().rsplit(") ", 1)[1][0] != "S":
        time.sleep(0.01)
    os.tcsetpgrp(theirs, job)
    os.write(ours, b"hello\n\x04")
    word = os.read(out, 64)
    _, status = os.waitpid(job, 0)
    os._exit(0 if word == b"hello\n" and status == 0 else 3)
_, status = os.waitpid(session, 0)
sys.exit(0 if status == 0 else "terminal.py: status %d" % status)
