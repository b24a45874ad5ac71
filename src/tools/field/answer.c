/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "answer.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "names.h"
#include "src/tools/out.h"
#include "value.h"

static struct px_field_answer *answers; /* main thread */

struct px_field_answer *px_field_answer_create(void)
{
    struct px_field_answer *answer = calloc(1, sizeof(*answer));
    pthread_condattr_t attributes;

    if (answer == NULL) {
        return NULL;
    }
    pthread_mutex_init(&answer->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&answer->come, &attributes);
    pthread_condattr_destroy(&attributes);
    answer->next = answers;
    answers = answer;
    return answer;
}

void px_field_answer_destroy(const struct px_field *field, struct px_field_answer *answer)
{
    if (answer == NULL || field->expired) {
        return;
    }
    pthread_mutex_lock(&answer->lock);
    answer->done = true; /* a callback that comes now is too late */
    pthread_mutex_unlock(&answer->lock);
    if (answer->release != NULL) {
        answer->release(answer->release_cbdata);
    }
    PMIX_PDATA_FREE(answer->data, answer->n_data);
}

/* ---- waiting */

static bool wait_until_done(struct px_field_answer *answer, uint32_t timeout_s)
{
    struct timespec deadline;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += timeout_s;
    pthread_mutex_lock(&answer->lock);
    while (!answer->done && rc != ETIMEDOUT) {
        rc = timeout_s > 0 ? pthread_cond_timedwait(&answer->come, &answer->lock, &deadline)
                           : pthread_cond_wait(&answer->come, &answer->lock);
    }
    bool done = answer->done;
    pthread_mutex_unlock(&answer->lock);
    return done;
}

pmix_status_t px_field_wait(struct px_field *field, struct px_field_answer *answer,
                            pmix_status_t started)
{
    if (started != PMIX_SUCCESS) {
        return started == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : started;
    }
    if (!wait_until_done(answer, field->timeout_s)) {
        field->expired = true;
        return PMIX_ERR_TIMEOUT;
    }
    return answer->status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : answer->status;
}

/* False: the library has called back before, or nobody waits any more. Answers are filled on the
 * library's thread alone, so nothing changes between this and finish. */
static bool is_first(struct px_field_answer *answer)
{
    pthread_mutex_lock(&answer->lock);
    bool first = !answer->done;
    pthread_mutex_unlock(&answer->lock);
    return first;
}

static void finish(struct px_field_answer *answer, pmix_status_t status)
{
    pthread_mutex_lock(&answer->lock);
    answer->status = status;
    answer->done = true;
    pthread_cond_signal(&answer->come);
    pthread_mutex_unlock(&answer->lock);
}

/* ---- the callbacks */

void px_field_on_status(pmix_status_t status, void *cbdata)
{
    if (is_first(cbdata)) {
        finish(cbdata, status);
    }
}

void px_field_on_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                       pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    struct px_field_answer *answer = cbdata;

    if (!is_first(answer)) {
        if (release_fn != NULL) {
            release_fn(release_cbdata);
        }
        return;
    }
    answer->infos = info;
    answer->n_infos = info != NULL ? ninfo : 0;
    answer->release = release_fn;
    answer->release_cbdata = release_cbdata;
    finish(answer, status);
}

void px_field_on_data(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata)
{
    struct px_field_answer *answer = cbdata;
    pmix_pdata_t *copy = NULL;

    if (!is_first(answer)) {
        return;
    }
    if (ndata > 0) {
        PMIX_PDATA_CREATE(copy, ndata);
    }
    for (size_t i = 0; copy != NULL && i < ndata; i++) {
        copy[i].proc = data[i].proc;
        PMIX_LOAD_KEY(copy[i].key, data[i].key);
        if (PMIx_Value_xfer(&copy[i].value, &data[i].value) != PMIX_SUCCESS) {
            copy[i].value.type = PMIX_UNDEF;
        }
    }
    answer->data = copy;
    answer->n_data = copy != NULL ? ndata : 0;
    finish(answer, ndata > 0 && copy == NULL ? PMIX_ERR_NOMEM : status);
}

/* ---- what is common to all output */

void px_field_open_output(pmix_status_t status)
{
    px_out_open(NULL);
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_text("status", px_field_status_name(status));
    }
}

void px_field_close_output(void)
{
    px_out_close();
    px_out_end();
}

static void print_infos(struct px_field *field, const struct px_field_answer *answer)
{
    (void) field;
    if (answer != NULL) {
        px_field_print_infos("results", answer->infos, answer->n_infos);
    }
}

int px_field_ask(struct px_field *field, const struct px_field_question *question)
{
    struct px_field_answer *answer = px_field_answer_create();
    pmix_status_t rc;

    if (answer == NULL) {
        return px_field_fail(field, question->what, PMIX_ERR_NOMEM);
    }
    rc = px_field_wait(field, answer, question->start(field, answer));
    px_field_open_output(rc);
    (question->print != NULL ? question->print : print_infos)(field,
                                                              field->expired ? NULL : answer);
    px_field_close_output();
    px_field_answer_destroy(field, answer);
    return rc != PMIX_SUCCESS ? px_field_fail(field, question->what, rc) : 0;
}
