/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A host that registers a job wrongly: "type", a value of a wrong type within an array of a
 * process; "array", an application without its number; "map", a map that is none. 0: it was
 * refused. */

#include <pmix_server.h>
#include <string.h>

static pmix_server_module_t module;

static void load_array(pmix_info_t *info, const char *key, pmix_info_t *inner, size_t n)
{
    pmix_data_array_t array = {.type = PMIX_INFO, .size = n, .array = inner};

    PMIX_INFO_LOAD(info, key, &array, PMIX_DATA_ARRAY);
}

int main(int argc, char **argv)
{
    pmix_nspace_t nspace = "bad-job";
    const char *how = argc > 1 ? argv[1] : "";
    pmix_rank_t rank = 0;
    pmix_info_t inner[2];
    pmix_info_t info;
    pmix_status_t rc = PMIx_server_init(&module, NULL, 0);

    if (rc != PMIX_SUCCESS) {
        return 1;
    }
    if (strcmp(how, "type") == 0) {
        PMIX_INFO_LOAD(&inner[0], PMIX_RANK, &rank, PMIX_PROC_RANK);
        PMIX_INFO_LOAD(&inner[1], PMIX_LOCAL_RANK, "zero", PMIX_STRING);
        load_array(&info, PMIX_PROC_DATA, inner, 2);
    } else if (strcmp(how, "array") == 0) {
        PMIX_INFO_LOAD(&inner[0], PMIX_APP_SIZE, &(uint32_t){1}, PMIX_UINT32);
        load_array(&info, PMIX_APP_INFO_ARRAY, inner, 1);
    } else {
        PMIX_INFO_LOAD(&info, PMIX_PROC_MAP, "pmix[no", PMIX_STRING);
    }
    rc = PMIx_server_register_nspace(nspace, 1, &info, 1, NULL, NULL);
    (void) PMIx_server_finalize();
    return rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED;
}
