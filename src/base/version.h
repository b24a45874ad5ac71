/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_VERSION_H
#define PX_BASE_VERSION_H

/* What we say about the Standard: its version, and the ABIs (0.0: the Standard has defined none
 * yet). */
#define PX_STANDARD_VERSION "5.0"
#define PX_STABLE_ABI       "0.0"
#define PX_PROVISIONAL_ABI  "0.0"

/* "OpenPMIx <series declared>, repo rev: shmix-<our version> (PMIx Standard: ...)": the form that
 * programs take apart. Static; any thread, any time. */
const char *px_version_text(void);

/* The answer to a query of an ABI version, or NULL when the key is another. */
const char *px_abi_version(const char *key);

#endif
