/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_TMPDIR_H
#define PX_BASE_TMPDIR_H

/* The directory of rendezvous files as the environment has it: that variable, or TMPDIR, TEMPDIR,
 * TEMP, TMP, the first that is set and not empty; else /tmp. Servers, launchers and tools must
 * agree about it. Borrowed from the environment. */
const char *px_tmpdir_peek(const char *variable);

#endif
