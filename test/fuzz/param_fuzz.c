/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A configuration file of any bytes: whatever it says, each parameter has a value in its bounds. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "src/base/param.h"

static const struct bounds {
    enum px_param_type type;
    int64_t min;
    int64_t max;
} bounds[PX_PARAMS] = {
#define PX_PARAM(symbol, name, type, dflt, min, max, help)                                         \
    [PX_P_##symbol] = {PX_PARAM_##type, min, max},
#include "src/base/param.def"
#undef PX_PARAM
};

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* An empty file is opened once: the path is in the environment. */
static int make_file(void)
{
    char path[64];
    int file = memfd_create("fuzz", MFD_CLOEXEC);

    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    fuzz_environment();
    (void) setenv("PMIX_MCA_mca_base_param_files", path, 1);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;

    file = file < 0 ? make_file() : file;
    require(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t) size);
    require(px_param_load() == 0);
    for (enum px_param p = 0; p < PX_PARAMS; p++) {
        if (bounds[p].type == PX_PARAM_STRING) {
            require(px_param_string(p) != NULL);
        } else if (bounds[p].type != PX_PARAM_BOOL) {
            require(px_param_int(p) >= bounds[p].min && px_param_int(p) <= bounds[p].max);
        }
    }
    return 0;
}
