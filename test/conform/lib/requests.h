/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One plain call of each kind that takes directives, with those given; its results are released.
 * Processes are those of job A, all of it where a call is collective; what it names is theirs. */

#ifndef PX_CONFORM_LIB_REQUESTS_H
#define PX_CONFORM_LIB_REQUESTS_H

#include "conform.h"

enum { BY_CLIENT = 1, BY_TOOL = 2, BY_SERVER = 4, BY_ALL = 7 };

struct request {
    const char *call;
    pmix_status_t (*make)(const pmix_info_t *info, size_t n);
    enum entry entry; /* whom it is for; N_ENTRIES: the library does it alone where it can */
    unsigned by;      /* who may make it */
};

extern const struct request requests[];
extern const int n_requests;

pmix_status_t request_publish(const pmix_info_t *info, size_t n);
pmix_status_t request_lookup(const pmix_info_t *info, size_t n);
pmix_status_t request_unpublish(const pmix_info_t *info, size_t n);
pmix_status_t request_spawn(const pmix_info_t *info, size_t n);
pmix_status_t request_connect(const pmix_info_t *info, size_t n);
pmix_status_t request_log(const pmix_info_t *info, size_t n);
pmix_status_t request_allocate(const pmix_info_t *info, size_t n);
pmix_status_t request_control(const pmix_info_t *info, size_t n);
pmix_status_t request_monitor(const pmix_info_t *info, size_t n);
pmix_status_t request_credential(const pmix_info_t *info, size_t n);
pmix_status_t request_validate(const pmix_info_t *info, size_t n);
pmix_status_t request_fabric(const pmix_info_t *info, size_t n);
pmix_status_t request_pull(const pmix_info_t *info, size_t n);
pmix_status_t request_push(const pmix_info_t *info, size_t n);

/* A handler that has done all there is to do. */
void ignore_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t *results, size_t nresults,
                  pmix_event_notification_cbfunc_fn_t done, void *cbdata);

#endif
