/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a resource manager does between its daemons. Each host has a pipe for its mail; a letter is
 * small, and what it points to lies in the shared memory. A collective is one letter from each host
 * concerned to each of them: whoever has all, or one that says failure, answers its own upcall. */

#include "inside.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ORDER "pmix.grp.finord" /* PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, which 4.2 has not got */

enum letter_kind { SHARE, WANTED, FOUND, EVENT, STOP };

struct letter {
    enum letter_kind kind;
    int from;
    int status;
    uint32_t serial; /* of collectives with the same name; of an event its range; of what is wanted
                        its time limit */
    uint64_t name;   /* of a collective */
    pmix_proc_t proc;
    const char *bytes;
    size_t n_bytes;
    struct upcall *ask; /* of the host that wants something; NULL in the share of another */
    uint32_t nodes;
};

struct collective {
    struct collective *next;
    uint64_t name;
    uint32_t serial;
    uint32_t come;
    uint32_t nodes;
    int status;
    bool answered;
    struct upcall *ask;
    struct letter shares[MAX_NODES];
};

static int mail[MAX_NODES][2];
static pthread_t postman;
static struct collective *collectives; /* postman */
static unsigned seed;                  /* postman */

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

static void post(int to, const struct letter *letter)
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

/* An upcall that outlives its call; what is borrowed is taken from the record instead. */
static struct upcall *keep(const struct upcall *ask)
{
    struct upcall *kept = calloc(1, sizeof(*kept));

    if (kept == NULL) {
        abort();
    }
    *kept = (struct upcall){.record = ask->record,
                            .entry = ask->entry,
                            .reply = ask->reply,
                            .cbdata = ask->cbdata,
                            .number = ask->number};
    return kept;
}

/* ---- infos in a letter */

static void close_bytes(pmix_data_buffer_t *buffer, struct letter *letter)
{
    letter->bytes = board_bytes(buffer->base_ptr, buffer->bytes_used);
    letter->n_bytes = buffer->bytes_used;
    PMIX_DATA_BUFFER_DESTRUCT(buffer);
}

static void open_bytes(pmix_data_buffer_t *buffer, const struct letter *letter)
{
    char *bytes = malloc(letter->n_bytes + 1);

    if (bytes == NULL) {
        abort();
    }
    memcpy(bytes, letter->bytes != NULL ? letter->bytes : "", letter->n_bytes);
    PMIX_DATA_BUFFER_CONSTRUCT(buffer);
    PMIX_DATA_BUFFER_LOAD(buffer, bytes, letter->n_bytes);
}

static void unpack_infos(pmix_data_buffer_t *buffer, struct infos *list)
{
    pmix_info_t info;
    int32_t one = 1;

    while (buffer->unpack_ptr < buffer->base_ptr + buffer->bytes_used &&
           PMIx_Data_unpack(NULL, buffer, &info, &one, PMIX_INFO) == PMIX_SUCCESS) {
        add_true(list, info.key);
        list->at[list->n - 1] = info; /* with what it points to */
    }
}

/* ---- collectives */

static int compare_procs(const void *a, const void *b)
{
    const pmix_proc_t *x = a;
    const pmix_proc_t *y = b;
    int d = strcmp(x->nspace, y->nspace);

    return d != 0 ? d : (x->rank > y->rank) - (x->rank < y->rank);
}

static uint64_t collective_name(const struct upcall *ask)
{
    const struct record *r = ask->record;
    pmix_proc_t *sorted = calloc(r->n_procs + 1, sizeof(*sorted));
    char text[PMIX_MAX_NSLEN + 64];
    uint64_t name;

    if (sorted == NULL) {
        abort();
    }
    memcpy(sorted, r->procs, r->n_procs * sizeof(*sorted));
    qsort(sorted, r->n_procs, sizeof(*sorted), compare_procs);
    snprintf(text, sizeof(text), "%d %d %.200s", r->entry, r->entry == ON_GROUP ? r->number : 0,
             r->text);
    name = hash_text(text);
    for (size_t i = 0; i < r->n_procs && r->entry != ON_GROUP; i++) {
        snprintf(text, sizeof(text), "%s:%u", sorted[i].nspace, sorted[i].rank);
        name = name * 31 + hash_text(text);
    }
    free(sorted);
    return name;
}

static uint32_t nodes_of(const struct record *r)
{
    uint32_t nodes = 0;

    for (size_t i = 0; i < r->n_procs; i++) {
        const struct job *job = find_job(r->procs[i].nspace);

        for (int n = 0; job != NULL && n < n_nodes(); n++) {
            bool here = r->procs[i].rank == PMIX_RANK_WILDCARD
                            ? job->ranks[n] > 0
                            : job_node(job, r->procs[i].rank) == n;
            nodes |= here ? 1u << n : 0;
        }
    }
    return nodes | 1u << self.node;
}

/* How often this node has entered a collective of this name. */
static uint32_t next_serial(uint64_t name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        uint64_t name;
        uint32_t n;
    } seen[1024];
    uint32_t serial = 0;
    size_t i = 0;

    pthread_mutex_lock(&lock);
    while (seen[i].n > 0 && seen[i].name != name && i < 1023) {
        i++;
    }
    seen[i].name = name;
    serial = seen[i].n++;
    pthread_mutex_unlock(&lock);
    return serial;
}

/* What a node gives: the data of a fence, or the infos of a group that all have to see. */
static void load_share(struct letter *letter, const struct upcall *ask)
{
    pmix_data_buffer_t buffer;

    letter->bytes = ask->record->blob;
    letter->n_bytes = ask->record->n_blob;
    if (ask->entry != ON_GROUP) {
        return;
    }
    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    for (size_t i = 0; i < ask->n_infos; i++) {
        const pmix_info_t *info = &ask->infos[i];

        if (PMIX_CHECK_KEY(info, PMIX_GROUP_ENDPT_DATA) ||
            PMIX_CHECK_KEY(info, PMIX_GROUP_ASSIGN_CONTEXT_ID) ||
            PMIX_CHECK_KEY(info, PMIX_EVENT_AFFECTED_PROCS) ||
            PMIX_CHECK_KEY(info, "pmix.grp.info") || PMIX_CHECK_KEY(info, "pmix.grp.infoarray") ||
            PMIX_CHECK_KEY(info, "pmix.grp.jinfo") || PMIX_CHECK_KEY(info, ORDER)) {
            (void) PMIx_Data_pack(NULL, &buffer, (void *) info, 1, PMIX_INFO);
        }
    }
    close_bytes(&buffer, letter);
}

/* A group that is to be made without those who are lost. */
static bool survives(const struct record *r)
{
    return r->entry == ON_GROUP && r->number == PMIX_GROUP_CONSTRUCT &&
           (record_info(r, "pmix.grp.ftcoll") != NULL ||
            record_info(r, PMIX_GROUP_OPTIONAL) != NULL);
}

pmix_status_t relay_collect(struct upcall *ask)
{
    const struct note *failed = record_info(ask->record, PMIX_LOCAL_COLLECTIVE_STATUS);
    struct letter letter = {
        .kind = SHARE, .name = collective_name(ask), .nodes = nodes_of(ask->record)};

    letter.serial = next_serial(letter.name);
    letter.status = failed != NULL && !survives(ask->record) ? (int) failed->number : PMIX_SUCCESS;
    load_share(&letter, ask);
    for (int n = 0; n < n_nodes(); n++) {
        if (letter.nodes & 1u << n) {
            letter.ask = n == self.node ? keep(ask) : NULL;
            post(n, &letter);
        }
    }
    return PMIX_SUCCESS;
}

static struct collective *find_collective(const struct letter *letter)
{
    struct collective *c = collectives;

    while (c != NULL && (c->name != letter->name || c->serial != letter->serial)) {
        c = c->next;
    }
    if (c == NULL) {
        c = calloc(1, sizeof(*c));
        if (c == NULL) {
            abort();
        }
        *c = (struct collective){
            .next = collectives, .name = letter->name, .serial = letter->serial};
        collectives = c;
    }
    return c;
}

/* The shares in an order that nobody can rely on. */
static void shuffle(struct collective *c, int *order, int *n)
{
    *n = 0;
    for (int i = 0; i < MAX_NODES; i++) {
        if (c->come & 1u << i) {
            order[(*n)++] = i;
        }
    }
    for (int i = *n - 1; i > 0; i--) {
        int j = (int) ((unsigned) rand_r(&seed) % (unsigned) (i + 1));
        int other = order[j];

        order[j] = order[i];
        order[i] = other;
    }
}

static void answer_bytes(struct collective *c)
{
    size_t n = 0;
    int order[MAX_NODES];
    int n_order;
    char *all;

    shuffle(c, order, &n_order);
    for (int i = 0; i < n_order; i++) {
        n += c->shares[order[i]].n_bytes;
    }
    all = malloc(n + 1);
    if (all == NULL) {
        abort();
    }
    n = 0;
    for (int i = 0; i < n_order; i++) {
        const struct letter *share = &c->shares[order[i]];

        if (share->n_bytes > 0) {
            memcpy(all + n, share->bytes, share->n_bytes);
        }
        n += share->n_bytes;
    }
    reply_bytes(c->ask, PMIX_SUCCESS, all, n);
    free(all);
}

/* The order in which members want to be listed; two are a contradiction. */
static pmix_status_t choose_order(const struct infos *list, pmix_data_array_t *members)
{
    const pmix_data_array_t *chosen = NULL;

    for (size_t i = 0; i < list->n; i++) {
        const pmix_data_array_t *order = list->at[i].value.data.darray;

        if (!PMIX_CHECK_KEY(&list->at[i], ORDER)) {
            continue;
        }
        if (chosen != NULL &&
            (chosen->size != order->size ||
             memcmp(chosen->array, order->array, order->size * sizeof(pmix_proc_t)) != 0)) {
            return PMIX_ERR_BAD_PARAM;
        }
        chosen = order;
        *members = *order;
    }
    return PMIX_SUCCESS;
}

static void answer_group(struct collective *c)
{
    pmix_data_array_t members = {.type = PMIX_PROC,
                                 .size = c->ask->record->n_procs,
                                 .array = (void *) c->ask->record->procs};
    struct infos list = {0};
    size_t id = (size_t) (c->name % 1000000) + c->serial;
    bool wants_id = false;
    pmix_data_buffer_t buffer;

    for (int i = 0; i < MAX_NODES; i++) {
        open_bytes(&buffer, &c->shares[i]);
        unpack_infos(&buffer, &list);
        PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    }
    if (choose_order(&list, &members) != PMIX_SUCCESS) {
        reply_status(c->ask, PMIX_ERR_BAD_PARAM);
        free_infos(&list);
        return;
    }
    for (size_t i = 0; i < list.n; i++) {
        wants_id = wants_id || (PMIX_CHECK_KEY(&list.at[i], PMIX_GROUP_ASSIGN_CONTEXT_ID) &&
                                PMIX_INFO_TRUE(&list.at[i]));
    }
    drop(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    if (wants_id) {
        add(&list, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    }
    if (c->ask->number == PMIX_GROUP_CONSTRUCT) {
        add(&list, PMIX_GROUP_MEMBERSHIP, &members, PMIX_DATA_ARRAY);
    }
    drop(&list, ORDER);
    reply_infos(c->ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
}

static void take_share(const struct letter *letter)
{
    struct collective *c = find_collective(letter);

    c->shares[letter->from] = *letter;
    c->come |= 1u << letter->from;
    c->status = c->status != PMIX_SUCCESS ? c->status : letter->status;
    if (letter->from == self.node) {
        c->ask = letter->ask;
        c->nodes = letter->nodes;
    }
    if (c->answered || c->ask == NULL || (c->come != c->nodes && c->status == PMIX_SUCCESS)) {
        return;
    }
    c->answered = true;
    if (c->status != PMIX_SUCCESS) {
        reply_status(c->ask, c->status);
    } else if (c->ask->entry == ON_FENCE) {
        answer_bytes(c);
    } else if (c->ask->entry == ON_GROUP) {
        answer_group(c);
    } else {
        reply_status(c->ask, PMIX_SUCCESS);
    }
    free(c->ask);
    c->ask = NULL;
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
    letter.serial = wanted != NULL ? (uint32_t) wanted->number : 0;
    letter.ask = keep(ask);
    post(owner, &letter);
    return PMIX_SUCCESS;
}

static void modex_came(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    struct letter *letter = cbdata;

    letter->kind = FOUND;
    letter->status = status;
    letter->bytes = board_bytes(data, n);
    letter->n_bytes = n;
    post(letter->from, letter);
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
    px_host_fetch(&kept->proc, key, (int) kept->serial, modex_came, kept);
}

/* ---- events */

static void delivered(pmix_status_t status, void *cbdata)
{
    struct infos *list = cbdata;

    (void) status;
    free_infos(list);
    free(list);
}

pmix_status_t relay_event(struct upcall *ask)
{
    struct letter letter = {
        .kind = EVENT, .proc = *ask->proc, .status = ask->number, .serial = (uint32_t) ask->range};
    pmix_data_buffer_t buffer;

    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    for (size_t i = 0; i < ask->n_infos; i++) {
        (void) PMIx_Data_pack(NULL, &buffer, (void *) &ask->infos[i], 1, PMIX_INFO);
    }
    close_bytes(&buffer, &letter);
    for (int n = 0; n < n_nodes(); n++) {
        if (n != self.node) {
            post(n, &letter);
        }
    }
    return PMIX_OPERATION_SUCCEEDED;
}

static void deliver(const struct letter *letter)
{
    struct infos *list = calloc(1, sizeof(*list));
    pmix_data_buffer_t buffer;
    pmix_status_t rc;

    if (list == NULL) {
        abort();
    }
    open_bytes(&buffer, letter);
    unpack_infos(&buffer, list);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    rc = PMIx_Notify_event(letter->status, &letter->proc, (pmix_data_range_t) letter->serial,
                           list->at, list->n, delivered, list);
    if (rc != PMIX_SUCCESS) {
        delivered(rc, list);
    }
}

/* ---- the thread */

static void *run(void *arg)
{
    struct letter letter = {.kind = SHARE};

    (void) arg;
    seed = board->seed + (unsigned) self.node;
    while (read(mail[self.node][0], &letter, sizeof(letter)) == (ssize_t) sizeof(letter) &&
           letter.kind != STOP) {
        switch (letter.kind) {
        case SHARE:
            take_share(&letter);
            break;
        case WANTED:
            look_for(&letter);
            break;
        case EVENT:
            deliver(&letter);
            break;
        default:
            reply_bytes(letter.ask, letter.status, letter.bytes, letter.n_bytes);
            free(letter.ask);
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
    post(self.node, &(struct letter){.kind = STOP});
    pthread_join(postman, NULL);
    while (collectives != NULL) {
        struct collective *c = collectives;

        collectives = c->next;
        free(c);
    }
}
