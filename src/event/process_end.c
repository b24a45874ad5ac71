/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "process_end.h"

#include "registry.h"

#include "src/value/infos.h"
#include "src/value/procs.h"

const pmix_status_t px_end_codes[] = {
    PMIX_EVENT_PROC_TERMINATED,          PMIX_ERR_PROC_ABORTED,       PMIX_ERR_PROC_ABORTED_BY_SIG,
    PMIX_ERR_PROC_FAILED_TO_START,       PMIX_ERR_PROC_KILLED_BY_CMD, PMIX_ERR_PROC_REQUESTED_ABORT,
    PMIX_ERR_PROC_SENSOR_BOUND_EXCEEDED, PMIX_ERR_PROC_TERM_WO_SYNC,  PMIX_ERR_EXIT_NONZERO_TERM,
};
const size_t px_n_end_codes = sizeof(px_end_codes) / sizeof(px_end_codes[0]);

bool px_event_is_end(pmix_status_t code)
{
    for (size_t i = 0; i < px_n_end_codes; i++) {
        if (px_end_codes[i] == code) {
            return true;
        }
    }
    return false;
}

void px_event_each_ended(const struct px_event *event,
                         void (*fn)(void *arg, const pmix_proc_t *proc), void *arg)
{
    static const char *const keys[] = {PMIX_EVENT_AFFECTED_PROC, PMIX_EVENT_AFFECTED_PROCS};
    bool of_others = px_info_find(event->info, event->ninfo, PX_KEY_END_BY_CLIENT) == NULL;
    bool named = false;

    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        const pmix_info_t *at = NULL;
        struct px_procs procs;

        while ((at = px_infos_next(event->info, event->ninfo, at, keys[k])) != NULL) {
            if (!px_value_procs(&at->value, &procs)) {
                continue;
            }
            for (size_t i = 0; i < procs.n; i++) {
                if (of_others || px_proc_equal(&procs.at[i], &event->source)) {
                    fn(arg, &procs.at[i]);
                }
            }
            named = named || procs.at != NULL;
        }
    }
    if (!named) {
        fn(arg, &event->source);
    }
}
