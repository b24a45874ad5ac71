/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Commands of `attend` that pull output and push input. */

#include "attend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int n_ended; /* lock */

static bool is_end(const pmix_byte_object_t *bo, const pmix_info_t *info, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_IOF_COMPLETE)) {
            return true;
        }
    }
    return bo == NULL || bo->size == 0;
}

static void on_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                      pmix_byte_object_t *bo, pmix_info_t info[], size_t ninfo)
{
    (void) id;
    pthread_mutex_lock(&lock);
    if (is_end(bo, info, ninfo)) {
        n_ended++;
        pthread_cond_broadcast(&more);
    } else {
        const char *at = bo->bytes;
        const char *end = bo->bytes + bo->size;
        while (at < end) {
            const char *line = memchr(at, '\n', (size_t) (end - at));
            size_t n = line != NULL ? (size_t) (line - at) : (size_t) (end - at);
            printf("%u %s: %.*s\n", source->rank,
                   (channel & PMIX_FWD_STDERR_CHANNEL) != 0 ? "err" : "out", (int) n, at);
            at += n + 1;
        }
        fflush(stdout);
    }
    pthread_mutex_unlock(&lock);
}

/* pull NSPACE RANK out|err|both */
void do_pull(char **words, int n)
{
    pmix_proc_t source;
    pmix_iof_channel_t channels = strcmp(words[3], "out") == 0 ? PMIX_FWD_STDOUT_CHANNEL
                                  : strcmp(words[3], "err") == 0
                                      ? PMIX_FWD_STDERR_CHANNEL
                                      : PMIX_FWD_STDOUT_CHANNEL | PMIX_FWD_STDERR_CHANNEL;

    (void) n;
    load_proc(&source, words[1], words[2]);
    pmix_status_t rc = PMIx_IOF_pull(&source, 1, NULL, 0, channels, on_output, NULL, NULL);
    printf("pull: %s\n", rc >= 0 ? "PMIX_SUCCESS" : PMIx_Error_string(rc));
}

/* until N: until that many outputs have ended */
void do_until(char **words, int n)
{
    (void) n;
    pthread_mutex_lock(&lock);
    while (n_ended < atoi(words[1])) {
        pthread_cond_wait(&more, &lock);
    }
    pthread_mutex_unlock(&lock);
}

/* push NSPACE RANK[,RANK]... [TEXT]: a line, or our own input to its end */
void do_push(char **words, int n)
{
    enum { MOST = 8 };
    static char bytes[65536];
    pmix_proc_t targets[MOST];
    size_t n_targets = 0;
    pmix_byte_object_t bo = {.bytes = bytes};
    pmix_info_t info;
    pmix_status_t rc = PMIX_SUCCESS;
    bool yes = true;
    ssize_t got;

    for (char *rank = strtok(words[2], ","); rank != NULL && n_targets < MOST;
         rank = strtok(NULL, ",")) {
        load_proc(&targets[n_targets++], words[1], rank);
    }
    if (n > 3) {
        bo.size = (size_t) snprintf(bytes, sizeof(bytes), "%s\n", words[3]);
        rc = PMIx_IOF_push(targets, n_targets, &bo, NULL, 0, NULL, NULL);
        printf("push: %s\n", PMIx_Error_string(rc));
        return;
    }
    while (rc == PMIX_SUCCESS && (got = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
        bo.size = (size_t) got;
        rc = PMIx_IOF_push(targets, n_targets, &bo, NULL, 0, NULL, NULL);
    }
    if (rc == PMIX_SUCCESS) {
        must(PMIx_Info_load(&info, PMIX_IOF_COMPLETE, &yes, PMIX_BOOL), "load");
        rc = PMIx_IOF_push(targets, n_targets, NULL, &info, 1, NULL, NULL);
    }
    printf("push: %s\n", PMIx_Error_string(rc));
}

/* read: until our own input has another line, or ends */
void do_read(char **words, int n)
{
    char byte;

    (void) words;
    (void) n;
    while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n') {
    }
}
