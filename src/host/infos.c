/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "host.h"

static const pmix_info_t *find(const struct upcall *upcall, const char *key)
{
    for (size_t i = 0; i < upcall->n_infos; i++) {
        if (PMIX_CHECK_KEY(&upcall->infos[i], key)) {
            return &upcall->infos[i];
        }
    }
    return NULL;
}

const pmix_value_t *px_host_find(const struct upcall *upcall, const char *key)
{
    const pmix_info_t *info = find(upcall, key);

    return info != NULL ? &info->value : NULL;
}

bool px_host_flag(const struct upcall *upcall, const char *key)
{
    const pmix_info_t *info = find(upcall, key);

    return info != NULL && PMIX_INFO_TRUE(info);
}
