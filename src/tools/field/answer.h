/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_FIELD_ANSWER_H
#define PX_TOOLS_FIELD_ANSWER_H

#include <pthread.h>

#include "field.h"

/* The answer to one non-blocking request. The functions of the library's callback types take it as
 * cbdata; they are called on the library's thread. */
struct px_field_answer {
    struct px_field_answer *next; /* of all, for the life of the process */
    pthread_mutex_t lock;
    pthread_cond_t come;
    bool done; /* lock; the members below are set before, and not changed after */
    pmix_status_t status;
    pmix_info_t *infos; /* the library's, until px_field_answer_destroy */
    size_t n_infos;
    pmix_pdata_t *data; /* ours */
    size_t n_data;
    pmix_release_cbfunc_t release;
    void *release_cbdata;
};

/* NULL: no memory. */
struct px_field_answer *px_field_answer_create(void);

/* Waits for the answer of a request that has returned `started`, at most as long as --timeout says.
 * Returns its status; PMIX_ERR_TIMEOUT with field->expired: none came, and the answer may not be
 * destroyed. */
pmix_status_t px_field_wait(struct px_field *field, struct px_field_answer *answer,
                            pmix_status_t started);

/* Releases what came, but not the answer itself: some libraries call back twice. Leaves one alone
 * that may still come. NULL is allowed. */
void px_field_answer_destroy(const struct px_field *field, struct px_field_answer *answer);

void px_field_on_status(pmix_status_t status, void *cbdata);
void px_field_on_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                       pmix_release_cbfunc_t release_fn, void *release_cbdata);
void px_field_on_data(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata);

/* Begins the output of a request: "status", in JSON also for a failure. What follows goes on in the
 * same object, until px_field_close_output. */
void px_field_open_output(pmix_status_t status);
void px_field_close_output(void);

/* What a command asks of the library. */
struct px_field_question {
    const char *what; /* for a complaint */
    /* Makes the call, with the answer as cbdata, and returns its status. */
    pmix_status_t (*start)(struct px_field *field, struct px_field_answer *answer);
    /* Prints the answer between open_output and close_output. NULL as the answer: none came in
     * time. NULL as the function: prints the infos. */
    void (*print)(struct px_field *field, const struct px_field_answer *answer);
};

/* Asks, waits and prints. Returns an exit code, after a complaint if it is not 0. */
int px_field_ask(struct px_field *field, const struct px_field_question *question);

#endif
