/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Upcalls come on the library's progress thread and must not wait there; they are queued here for
 * the main thread, which owns everything else. */

#include <pthread.h>
#include <stdlib.h>

#include "src/base/bell.h"
#include "run.h"

static struct {
    pthread_mutex_t lock;
    struct px_run_task *first;
    struct px_run_task **last;
    int fd;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &queue.first, .fd = -1};

int px_run_tasks_open(void)
{
    queue.fd = px_bell_open();
    return queue.fd;
}

pmix_status_t px_run_task_post(const struct px_run_task *task)
{
    struct px_run_task *copy = malloc(sizeof(*copy));
    if (copy == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *copy = *task;
    copy->next = NULL;
    pthread_mutex_lock(&queue.lock);
    *queue.last = copy;
    queue.last = &copy->next;
    pthread_mutex_unlock(&queue.lock);
    px_bell_ring(queue.fd);
    return PMIX_SUCCESS;
}

void px_run_tasks_do(void)
{
    px_bell_reset(queue.fd);
    pthread_mutex_lock(&queue.lock);
    struct px_run_task *task = queue.first;
    queue.first = NULL;
    queue.last = &queue.first;
    pthread_mutex_unlock(&queue.lock);
    while (task != NULL) {
        struct px_run_task *next = task->next;
        task->run(task);
        free(task);
        task = next;
    }
}
