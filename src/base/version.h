/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_VERSION_H
#define PX_BASE_VERSION_H

/* What this library reports about the PMIx Standard: its version and its ABIs. 0.0: the Standard
 * has not defined one yet. */
#define PX_STANDARD_VERSION "5.0"
#define PX_STABLE_ABI       "0.0"
#define PX_PROVISIONAL_ABI  "0.0"

/* The result of PMIx_Get_version: "OpenPMIx <series declared>, repo rev: shmix-<our version> (PMIx
 * Standard: ...)". Programs parse this form. Static storage; any thread, at any time. */
const char *px_version_text(void);

/* Reads the numbers of a release ("v5.0.2", "4.2"): major, minor, release. Those that are missing,
 * and all behind one that is none, stay as they are; one above 65535 is 65535. */
void px_version_read(const char *version, unsigned ret[3]);

/* The answer to a query of an ABI version (static); NULL: the key is another one. */
const char *px_abi_version(const char *key);

#endif
