/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The only exported variable of the library: names that Open MPI reads
 * (include/pmix/src/include/pmix_frameworks.h). The library itself does not use them. */
#include <stddef.h>

#include <pmix/src/include/pmix_frameworks.h>

PMIX_EXPORT char *pmix_framework_names[] = {
    "bfrops",       "gds",     "pcompress", "pdl",   "pfexec", "pgpu", "pif",
    "pinstalldirs", "plog",    "pmdl",      "pnet",  "preg",   "prm",  "psec",
    "psensor",      "psquash", "pstat",     "pstrg", "ptl",    NULL,
};
