/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/base/library.h"

#include <dlfcn.h>

void *px_library_open(const char *name, const char *const *names, size_t n, void **ret)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    for (size_t i = 0; handle && i < n; i++) {
        ret[i] = dlsym(handle, names[i]);
        if (!ret[i]) {
            (void) dlclose(handle);
            handle = NULL;
        }
    }
    return handle;
}
