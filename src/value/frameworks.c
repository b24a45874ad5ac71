/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The one exported variable: see include/pmix/src/include/pmix_frameworks.h for who reads it. */
#include <stddef.h>

#include <pmix/src/include/pmix_frameworks.h>

PMIX_EXPORT char *pmix_framework_names[] = {
    "bfrops",       "gds",     "pcompress", "pdl",   "pfexec", "pgpu", "pif",
    "pinstalldirs", "plog",    "pmdl",      "pnet",  "preg",   "prm",  "psec",
    "psensor",      "psquash", "pstat",     "pstrg", "ptl",    NULL,
};
