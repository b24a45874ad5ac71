/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a resource manager does between its daemons. Each host has a pipe for its mail; a letter is
 * small, and what it points to lies in the shared memory. Collectives are gathered at node 0
 * (gather.c), which is told of every process that has ended, too. */

#include "relay.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int mail[MAX_NODES][2];
static pthread_t postman;

void relay_prepare(int nodes)
{
    for (int i = 0; i < MAX_NODES; i++) {
        mail[i][0] = mail[i][1] = -1;
        if (i < nodes && pipe(mail[i]) < 0) {
            perror("conform: pipe");
            _exit(99);
        }
    }
}

void relay_forget(void)
{
    for (int i = 0; i < MAX_NODES; i++) {
        for (int end = 0; end < 2 && mail[i][end] >= 0; end++) {
            close(mail[i][end]);
        }
    }
}

void relay_post(int to, const struct letter *letter)
{
    struct letter copy = *letter;
    ssize_t n;

    copy.from = self.node;
    do {
        n = write(mail[to][1], &copy, sizeof(copy)); /* whole: shorter than PIPE_BUF */
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t) sizeof(copy)) {
        board_line(true, "the relay lost a letter to node %d", to);
    }
}

/* Upcalls that outlive their calls. One that is made when the hosts end has no answer: the list
 * still has it then. */
static struct kept {
    struct upcall ask; /* first: what is handed out */
    struct kept *next;
} * kept_asks; /* kept_lock */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

/* What is borrowed is taken from the record instead. */
struct upcall *relay_keep(const struct upcall *ask)
{
    struct kept *kept = calloc(1, sizeof(*kept));

    if (kept == NULL) {
        abort();
    }
    kept->ask = (struct upcall){.record = ask->record,
                                .entry = ask->entry,
                                .reply = ask->reply,
                                .cbdata = ask->cbdata,
                                .number = ask->number};
    pthread_mutex_lock(&kept_lock);
    kept->next = kept_asks;
    kept_asks = kept;
    pthread_mutex_unlock(&kept_lock);
    return &kept->ask;
}

void relay_release(struct upcall *ask)
{
    struct kept **link = &kept_asks;
    struct kept *kept;

    pthread_mutex_lock(&kept_lock);
    while (&(*link)->ask != ask) {
        link = &(*link)->next;
    }
    kept = *link;
    *link = kept->next;
    pthread_mutex_unlock(&kept_lock);
    free(kept);
}

/* ---- infos in a letter */

void relay_close_bytes(pmix_data_buffer_t *buffer, struct letter *letter)
{
    letter->bytes = board_bytes(buffer->base_ptr, buffer->bytes_used);
    letter->n_bytes = buffer->bytes_used;
    PMIX_DATA_BUFFER_DESTRUCT(buffer);
}

void relay_open_bytes(pmix_data_buffer_t *buffer, const char *bytes, size_t n)
{
    char *copy = malloc(n + 1);

    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes != NULL ? bytes : "", n);
    PMIX_DATA_BUFFER_CONSTRUCT(buffer);
    PMIX_DATA_BUFFER_LOAD(buffer, copy, n);
}

void relay_unpack_infos(pmix_data_buffer_t *buffer, struct infos *list)
{
    pmix_info_t info;
    int32_t one = 1;

    while (buffer->unpack_ptr < buffer->base_ptr + buffer->bytes_used &&
           PMIx_Data_unpack(NULL, buffer, &info, &one, PMIX_INFO) == PMIX_SUCCESS) {
        add_true(list, info.key);
        list->at[list->n - 1] = info; /* with what it points to */
    }
}

/* ---- data of a process of another node */

pmix_status_t relay_modex(struct upcall *ask)
{
    const struct job *job = find_job(ask->proc->nspace);
    /* what is wanted of a whole job is where its first process is */
    pmix_rank_t rank = ask->proc->rank == PMIX_RANK_WILDCARD ? 0 : ask->proc->rank;
    int owner = job != NULL ? job_node(job, rank) : -1;
    struct letter letter = {.kind = WANTED, .proc = *ask->proc};
    const struct note *wanted;

    if (owner < 0 || owner == self.node) {
        return PMIX_ERR_NOT_FOUND;
    }
    wanted = record_info(ask->record, PMIX_REQUIRED_KEY);
    if (wanted != NULL) {
        letter.bytes = wanted->text;
    }
    wanted = record_info(ask->record, PMIX_TIMEOUT);
    letter.number = wanted != NULL ? (uint32_t) wanted->number : 0;
    letter.ask = relay_keep(ask);
    relay_post(owner, &letter);
    return PMIX_SUCCESS;
}

static void modex_came(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    struct letter *letter = cbdata;

    letter->kind = FOUND;
    letter->status = status;
    letter->bytes = board_bytes(data, n);
    letter->n_bytes = n;
    relay_post(letter->from, letter);
    free(letter);
}

/* The key that is required is waited for here, as long as the asker wants. The other library's
 * servers do not wait. */
static void look_for(const struct letter *letter)
{
    struct letter *kept = malloc(sizeof(*kept));
    const char *key = letter->bytes;

    if (kept == NULL) {
        abort();
    }
    *kept = *letter;
#ifdef CONFORM_THEIRS
    key = NULL;
#endif
    px_host_fetch(&kept->proc, key, (int) kept->number, modex_came, kept);
}

/* ---- events */

static void delivered(pmix_status_t status, void *cbdata)
{
    struct infos *list = cbdata;

    (void) status;
    free_infos(list);
    free(list);
}

static void post_event(struct letter *letter, const pmix_info_t *infos, size_t n, bool here)
{
    pmix_data_buffer_t buffer;

    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    for (size_t i = 0; i < n; i++) {
        (void) PMIx_Data_pack(NULL, &buffer, (void *) &infos[i], 1, PMIX_INFO);
    }
    relay_close_bytes(&buffer, letter);
    for (int to = 0; to < n_nodes(); to++) {
        if (here || to != self.node) {
            relay_post(to, letter);
        }
    }
}

/* Collectives of a group do not wait for who has left it. */
static void tell_of_departure(const struct upcall *ask)
{
    struct letter letter = {.kind = LEFT, .proc = *ask->proc};

    for (size_t i = 0; i < ask->n_infos; i++) {
        const pmix_value_t *v = &ask->infos[i].value;

        if (PMIX_CHECK_KEY(&ask->infos[i], PMIX_GROUP_ID)) {
            letter.text = board_text(v->data.string);
        } else if (PMIX_CHECK_KEY(&ask->infos[i], PMIX_EVENT_AFFECTED_PROC)) {
            letter.proc = *v->data.proc;
        }
    }
    if (letter.text != NULL) {
        relay_post(0, &letter);
    }
}

pmix_status_t relay_event(struct upcall *ask)
{
    struct letter letter = {
        .kind = EVENT, .proc = *ask->proc, .status = ask->number, .number = (uint32_t) ask->range};

    if (ask->number == PMIX_GROUP_LEFT) {
        tell_of_departure(ask);
    }
    post_event(&letter, ask->infos, ask->n_infos, false);
    return PMIX_OPERATION_SUCCEEDED;
}

void hosts_say(pmix_status_t code, const pmix_proc_t *about, const struct infos *list)
{
    struct letter letter = {
        .kind = EVENT, .proc = *about, .status = code, .number = PMIX_RANGE_SESSION};

    post_event(&letter, list->at, list->n, true);
}

void relay_ended(const pmix_proc_t *proc)
{
    relay_post(0, &(struct letter){.kind = ENDED, .proc = *proc});
}

void relay_started(const pmix_proc_t *proc)
{
    relay_post(0, &(struct letter){.kind = STARTED, .proc = *proc});
}

static void deliver(const struct letter *letter)
{
    struct infos *list = calloc(1, sizeof(*list));
    pmix_data_buffer_t buffer;
    pmix_status_t rc;

    if (list == NULL) {
        abort();
    }
    relay_open_bytes(&buffer, letter->bytes, letter->n_bytes);
    relay_unpack_infos(&buffer, list);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    rc = PMIx_Notify_event(letter->status, &letter->proc, (pmix_data_range_t) letter->number,
                           list->at, list->n, delivered, list);
    if (rc != PMIX_SUCCESS) {
        delivered(rc, list);
    }
}

/* ---- the thread */

static void open_letter(const struct letter *letter)
{
    switch (letter->kind) {
    case SHARE:
        gather_share(letter->share);
        break;
    case ENDED:
        gather_ended(&letter->proc);
        break;
    case STARTED:
        gather_started(&letter->proc);
        break;
    case LEFT:
        gather_left(letter->text, &letter->proc);
        break;
    case GATHERED:
        share_answer(letter);
        break;
    case WANTED:
        look_for(letter);
        break;
    case EVENT:
        deliver(letter);
        break;
    default:
        reply_bytes(letter->ask, letter->status, letter->bytes, letter->n_bytes);
        relay_release(letter->ask);
    }
}

static void *run(void *arg)
{
    struct pollfd in = {.fd = mail[self.node][0], .events = POLLIN};
    struct letter letter = {.kind = SHARE};
    int n;

    (void) arg;
    while (letter.kind != STOP) {
        n = poll(&in, 1, gather_wait_ms());
        gather_expire();
        if (n <= 0) {
            continue;
        }
        if (read(in.fd, &letter, sizeof(letter)) != (ssize_t) sizeof(letter)) {
            break;
        }
        if (letter.kind != STOP) {
            open_letter(&letter);
        }
    }
    return NULL;
}

void relay_start(void)
{
    if (pthread_create(&postman, NULL, run, NULL) != 0) {
        abort();
    }
}

void relay_stop(void)
{
    relay_post(self.node, &(struct letter){.kind = STOP});
    pthread_join(postman, NULL);
    gather_free();
}
