/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The version text is composed once, at the first call. The declared OpenPMIx series is the one
 * whose headers and behaviour this library follows. */

#include "version.h"

#include <pmix_common.h>
#include <pmix_version.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

static char text[160];

static void make_text(void)
{
    snprintf(text, sizeof(text),
             "OpenPMIx %ld.%ld.%ld, repo rev: shmix-%s (PMIx Standard: %s, Stable ABI: %s, "
             "Provisional ABI: %s)",
             (long) PMIX_VERSION_MAJOR, (long) PMIX_VERSION_MINOR, (long) PMIX_VERSION_RELEASE,
             PACKAGE_VERSION, PX_STANDARD_VERSION, PX_STABLE_ABI, PX_PROVISIONAL_ABI);
}

const char *px_version_text(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void) pthread_once(&once, make_text); /* cannot fail with these arguments */
    return text;
}

void px_version_read(const char *version, unsigned ret[3])
{
    const char *at = version[0] == 'v' ? version + 1 : version;

    for (int i = 0; i < 3 && *at >= '0' && *at <= '9'; i++) {
        char *end;
        unsigned long n = strtoul(at, &end, 10);

        ret[i] = n > UINT16_MAX ? UINT16_MAX : (unsigned) n;
        at = end[0] != '\0' ? end + 1 : end;
    }
}

const char *px_abi_version(const char *key)
{
    if (strcmp(key, PMIX_QUERY_STABLE_ABI_VERSION) == 0) {
        return PX_STABLE_ABI;
    }
    return strcmp(key, PMIX_QUERY_PROVISIONAL_ABI_VERSION) == 0 ? PX_PROVISIONAL_ABI : NULL;
}
