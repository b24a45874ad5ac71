/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a large job costs. usage: scale RANKS [--post|--move], one job per run; prints one line of
 * JSON.
 *
 * The host registers RANKS ranks with nine keys each, a node array per node and an app array, then
 * starts a first client, further ones one after another, and with --post two that take part in a
 * collecting fence whose result holds 64 bytes of every rank. With --move it only moves the segment
 * to new generations, again and again, while a client reads. Clients check what they read
 * (scale_client.c). Its input lies in one block, so that freeing it leaves no holes in the heap and
 * what stays is the library's. */

#include <pmix.h>
#include <pmix_server.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "layout.h"
#include "measure.h"
#include "scale.h"

enum {
    KEYS = 9,
    NODE_KEYS = 4,
    APP_KEYS = 3,
    JOB_KEYS = 7,
    NEXT_CLIENTS = 9,
    NAME = 32,
    MOVES = 20
};

static unsigned n_ranks;

/* --- input: one block for the infos, one for the strings --- */

struct input {
    pmix_info_t *infos;
    pmix_data_array_t *arrays;
    char *strings;
    size_t n_infos;
    size_t n_arrays;
    size_t n_chars;
};

static void *block(size_t n, size_t size)
{
    void *at = calloc(n, size);

    if (!at) {
        fprintf(stderr, "scale: no memory for the input\n");
        exit(70);
    }
    return at;
}

static pmix_info_t *take_infos(struct input *in, size_t n)
{
    in->n_infos += n;
    return in->infos + in->n_infos - n;
}

static char *take_string(struct input *in, const char *text)
{
    char *at = in->strings + in->n_chars;

    strcpy(at, text);
    in->n_chars += strlen(text) + 1;
    return at;
}

static pmix_info_t *set_key(pmix_info_t *info, const char *key, pmix_data_type_t type)
{
    strcpy(info->key, key);
    info->value.type = type;
    return info;
}

static void set_u32(pmix_info_t *info, const char *key, uint32_t v)
{
    set_key(info, key, PMIX_UINT32)->value.data.uint32 = v;
}

static void set_rank(pmix_info_t *info, const char *key, pmix_rank_t v)
{
    set_key(info, key, PMIX_PROC_RANK)->value.data.rank = v;
}

static void set_u16(pmix_info_t *info, const char *key, unsigned v)
{
    set_key(info, key, PMIX_UINT16)->value.data.uint16 = (uint16_t) v;
}

static void set_string(pmix_info_t *info, const char *key, char *v)
{
    set_key(info, key, PMIX_STRING)->value.data.string = v;
}

static pmix_info_t *set_array(struct input *in, pmix_info_t *info, const char *key, size_t n)
{
    pmix_data_array_t *array = &in->arrays[in->n_arrays++];

    array->type = PMIX_INFO;
    array->size = n;
    array->array = take_infos(in, n);
    set_key(info, key, PMIX_DATA_ARRAY)->value.data.darray = array;
    return array->array;
}

static void set_proc(struct input *in, pmix_info_t *info, unsigned rank)
{
    pmix_info_t *at = set_array(in, info, PMIX_PROC_DATA, KEYS);
    unsigned local = scale_local_rank(rank);
    char text[SCALE_TEXT];

    set_rank(&at[0], PMIX_RANK, rank);
    set_u32(&at[1], PMIX_APPNUM, 0);
    set_rank(&at[2], PMIX_GLOBAL_RANK, rank);
    set_rank(&at[3], PMIX_APP_RANK, rank);
    set_u16(&at[4], PMIX_LOCAL_RANK, local + daemon_corrupts());
    set_u16(&at[5], PMIX_NODE_RANK, local);
    set_u32(&at[6], PMIX_NODEID, scale_node(rank));
    scale_node_name(scale_node(rank), text);
    set_string(&at[7], PMIX_HOSTNAME, take_string(in, text));
    locality_of(local, text);
    set_string(&at[8], PMIX_LOCALITY_STRING, take_string(in, text));
}

static unsigned nodes(void)
{
    return scale_node(n_ranks - 1) + 1;
}

static char *peers_text(struct input *in, unsigned node, unsigned *ret_n)
{
    char *text = in->strings + in->n_chars;
    unsigned rank = node ? SCALE_LOCAL + (node - 1) * SCALE_PER_NODE : 0;
    unsigned n = 0;

    for (; rank < n_ranks && scale_node(rank) == node; rank++, n++) {
        in->n_chars += (size_t) sprintf(in->strings + in->n_chars, "%s%u", n ? "," : "", rank);
    }
    in->n_chars++;
    *ret_n = n;
    return text;
}

static void set_node(struct input *in, pmix_info_t *info, unsigned node)
{
    pmix_info_t *at = set_array(in, info, PMIX_NODE_INFO_ARRAY, NODE_KEYS);
    char text[SCALE_TEXT];
    unsigned n;

    scale_node_name(node, text);
    set_string(&at[0], PMIX_HOSTNAME, take_string(in, text));
    set_u32(&at[1], PMIX_NODEID, node);
    set_string(&at[2], PMIX_LOCAL_PEERS, peers_text(in, node, &n));
    set_u32(&at[3], PMIX_LOCAL_SIZE, n);
}

static void set_maps(pmix_info_t *at)
{
    char *names = block(nodes(), NAME);
    char *ranks = block(n_ranks, 12);
    char *regex = NULL;
    char *ppn = NULL;
    size_t len = 0;

    for (unsigned n = 0; n < nodes(); n++) {
        char text[SCALE_TEXT];

        scale_node_name(n, text);
        len += (size_t) sprintf(names + len, "%s%s", n ? "," : "", text);
    }
    len = 0;
    for (unsigned r = 0; r < n_ranks; r++) {
        const char *mark = !r ? "" : scale_node(r) != scale_node(r - 1) ? ";" : ",";

        len += (size_t) sprintf(ranks + len, "%s%u", mark, r);
    }
    PMIx_generate_regex(names, &regex);
    PMIx_generate_ppn(ranks, &ppn);
    set_string(&at[0], PMIX_NODE_MAP, regex);
    set_string(&at[1], PMIX_PROC_MAP, ppn);
    if (!strncmp(regex, "blob", 4)) {
        at[0].value.type = PMIX_REGEX;
        at[1].value.type = PMIX_REGEX;
    }
    free(names);
    free(ranks);
}

static size_t fill(struct input *in)
{
    size_t top = JOB_KEYS + 1 + nodes() + n_ranks;
    pmix_info_t *at;
    pmix_info_t *app;

    in->infos =
        block(top + (size_t) n_ranks * KEYS + nodes() * NODE_KEYS + APP_KEYS, sizeof(*in->infos));
    in->arrays = block(top, sizeof(*in->arrays));
    in->strings = block((size_t) n_ranks * (2 * SCALE_TEXT + 12) + nodes() * NAME, 1);
    at = take_infos(in, top);
    set_u32(at++, PMIX_JOB_SIZE, n_ranks);
    set_u32(at++, PMIX_UNIV_SIZE, n_ranks);
    set_u32(at++, PMIX_MAX_PROCS, n_ranks);
    set_u32(at++, PMIX_JOB_NUM_APPS, 1);
    set_u32(at++, PMIX_LOCAL_SIZE, SCALE_LOCAL);
    set_maps(at);
    at += 2;
    app = set_array(in, at++, PMIX_APP_INFO_ARRAY, APP_KEYS);
    set_u32(&app[0], PMIX_APPNUM, 0);
    set_u32(&app[1], PMIX_APP_SIZE, n_ranks);
    set_rank(&app[2], PMIX_APPLDR, 0);
    for (unsigned n = 0; n < nodes(); n++) {
        set_node(in, at++, n);
    }
    for (unsigned r = 0; r < n_ranks; r++) {
        set_proc(in, at++, r);
    }
    return top;
}

/* Reads key and value of each info once, arrays included, in the order in which they lie. Of texts
 * the length is found, which is the fastest way to look at every byte. Returns a sum of it all. */
static uint64_t read_input(const pmix_info_t *infos, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        const pmix_value_t *value = &infos[i].value;

        sum += strlen(infos[i].key);
        switch (value->type) {
        case PMIX_DATA_ARRAY:
            sum += read_input(value->data.darray->array, value->data.darray->size);
            break;
        case PMIX_STRING:
            sum += strlen(value->data.string);
            break;
        case PMIX_UINT16:
            sum += value->data.uint16;
            break;
        case PMIX_REGEX: /* no text, and one for the whole job */
            break;
        default: /* uint32_t and ranks */
            sum += value->data.uint32;
        }
    }
    return sum;
}

/* Registers the job. The host's own work, making the input, is told apart from the library's; of
 * that also the processor time, which other load on the machine disturbs less. Before it the input
 * is read once, which no library can leave out. */
static void register_job(void)
{
    struct input in = {.infos = NULL};
    uint64_t start = now_ns();
    size_t n = fill(&in);
    uint64_t filled = now_ns();
    volatile uint64_t sum = read_input(in.infos, n);
    uint64_t seen = now_ns();
    uint64_t cpu = cpu_ns();

    (void) sum;
    daemon_register_job(SCALE_NSPACE, SCALE_LOCAL, in.infos, n);
    printf(", \"host_input_ns\": %.0f, \"input_read_ns\": %.0f, \"register_ns\": %.0f, "
           "\"register_cpu_ns\": %.0f",
           (double) (filled - start), (double) (seen - filled), (double) (now_ns() - seen),
           (double) (cpu_ns() - cpu));
    free(in.infos);
    free(in.arrays);
    free(in.strings);
}

/* --- clients --- */

struct child {
    pid_t pid;
    FILE *said;
    int quit; /* closing it lets a staying client end */
};

static struct child start(char *self, unsigned rank, char *kind)
{
    char ranks[16];
    char *argv[] = {self, kind, ranks, NULL};
    struct child child;
    int in[2];
    int out[2];

    snprintf(ranks, sizeof(ranks), "%u", n_ranks);
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
        exit(70);
    }
    child.pid = daemon_spawn(SCALE_NSPACE, rank, argv, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    child.quit = in[1];
    child.said = fdopen(out[0], "r");
    return child;
}

/* What the client says up to its line "end": pairs of name and number, copied to the result. */
static bool listen_to(struct child *child, struct samples *init)
{
    char name[64];
    double value;
    char line[128];

    while (fgets(line, sizeof(line), child->said)) {
        if (!strcmp(line, "end\n")) {
            return true;
        }
        if (sscanf(line, "%63s %lf", name, &value) != 2) {
            return false;
        }
        if (init && !strcmp(name, "init_ns")) {
            sample_add(init, value);
        } else {
            printf(", \"%s\": %.1f", name, value);
        }
    }
    return false;
}

/* True if the last that a client says is "end"; the rest is not for the result. */
static bool ends(struct child *child)
{
    char line[128];
    bool good = false;

    while (fgets(line, sizeof(line), child->said)) {
        good = !strcmp(line, "end\n");
    }
    return good;
}

static bool finish(struct child *child)
{
    close(child->quit);
    fclose(child->said);
    return !daemon_wait(child->pid);
}

static bool next_clients(char *self)
{
    struct samples init = {.n = 0};
    bool good = true;

    for (unsigned i = 0; i < scaled(NEXT_CLIENTS) && good; i++) {
        struct child child = start(self, 1, "next");

        good = listen_to(&child, &init);
        good &= finish(&child);
    }
    printf(", \"next_init_ns\": %.0f", sample_median(&init));
    return good;
}

/* Making the fence's data is the host's own work too. */
static uint64_t blob_ns;
static uint64_t blob_cpu;

static char *timed_blob(const char *data, size_t len, size_t *ret_len)
{
    uint64_t start = now_ns();
    uint64_t cpu = cpu_ns();
    char *all = scale_blob(data, len, ret_len);

    blob_ns += now_ns() - start;
    blob_cpu += cpu_ns() - cpu;
    return all;
}

static bool posting_clients(char *self)
{
    uint64_t cpu = cpu_ns();
    struct child a = start(self, 0, "post");
    struct child b = start(self, 1, "post-too");
    bool good = listen_to(&a, NULL);

    good &= ends(&b);
    good &= finish(&a);
    good &= finish(&b);
    printf(", \"posted_host_ns\": %.0f, \"posted_cpu_ns\": %.0f", (double) blob_ns,
           (double) (cpu_ns() - cpu - blob_cpu));
    return good;
}

static void memory(const char *name, struct memory before)
{
    struct memory now = memory_of(getpid());

    printf(", \"%s_rss_kb\": %ld, \"%s_shared_kb\": %ld", name, now.rss_kb - before.rss_kb, name,
           now.shared_kb - before.shared_kb);
}

/* --- moves --- */

/* The inode of our segment, which is another one after a move; 0: there is none. *ret_n: segments
 * that are mapped here, 2 during a move. */
static unsigned long segment(unsigned *ret_n)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long inode = 0;
    char line[4096];

    *ret_n = 0;
    while (maps && fgets(line, sizeof(line), maps)) {
        if (strstr(line, "memfd:shmix (")) {
            (void) sscanf(line, "%*s %*s %*s %*s %lu", &inode);
            ++*ret_n;
        }
    }
    if (maps) {
        fclose(maps);
    }
    return inode;
}

/* Waits for the end of a move, if one is under way, and says whether there was one since `before`,
 * which becomes the segment of now. */
static bool settle(unsigned long *before)
{
    unsigned long now;
    bool moved;
    unsigned n;

    do {
        now = segment(&n);
    } while (n > 1);
    moved = now != *before;
    *before = now;
    return moved;
}

/* What one registration takes, by whether the segment moves then: the call, and the processor time
 * of all threads until the move has ended. */
struct moves {
    struct samples call[2];
    struct samples cpu[2];
};

/* Registers a key again whose value is worth a move now and then; tells the calls that did from
 * those that did not. */
static void move_often(void)
{
    size_t size = 16 * (size_t) n_ranks;
    char *bytes = block(size, 1);
    pmix_info_t info = {
        .key = "blob",
        .value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = size}}};
    static struct moves took;
    unsigned n;
    unsigned long before = segment(&n);

    for (unsigned i = 0; i < 500 && took.call[1].n < MOVES; i++) {
        uint64_t start = now_ns();
        uint64_t worked = cpu_ns();
        uint64_t waited;
        bool moved;

        memset(bytes, 'a' + (int) (i % 26), size);
        daemon_register_job(SCALE_NSPACE, SCALE_LOCAL, &info, 1);
        start = now_ns() - start;
        waited = thread_cpu_ns();
        moved = settle(&before);
        worked = cpu_ns() - worked - (thread_cpu_ns() - waited);
        sample_add(&took.call[moved], (double) start);
        sample_add(&took.cpu[moved], (double) worked);
    }
    free(bytes);
    printf(", \"moves\": %zu, \"move_ns\": %.0f, \"move_cpu_ns\": %.0f", (size_t) took.call[1].n,
           sample_median(&took.call[1]), sample_median(&took.cpu[1]));
    printf(", \"stay_ns\": %.0f, \"stay_cpu_ns\": %.0f", sample_median(&took.call[0]),
           sample_median(&took.cpu[0]));
}

static int run_moves(char *self)
{
    struct child child;
    bool good;

    setenv("PMIX_MCA_shmix_segment_dead", "4096", 1);
    daemon_init(NULL, NULL);
    printf("{\"ranks\": %u, \"nodes\": %u", n_ranks, nodes());
    register_job();
    daemon_register_client(SCALE_NSPACE, 0);
    child = start(self, 0, "watch");
    good = listen_to(&child, NULL);
    move_often();
    close(child.quit);
    good = good && listen_to(&child, NULL);
    fclose(child.said);
    good &= !daemon_wait(child.pid);
    printf(", \"valid\": %s}\n", good ? "true" : "false");
    daemon_fini(SCALE_NSPACE);
    return good ? 0 : 1;
}

static int run(char *self, bool post)
{
    struct memory before;
    struct child first;
    bool good;

    daemon_init(NULL, post ? timed_blob : NULL);
    before = memory_of(getpid());
    printf("{\"ranks\": %u, \"nodes\": %u", n_ranks, nodes());
    register_job();
    memory("server", before);
    for (unsigned r = 0; r < SCALE_LOCAL; r++) {
        daemon_register_client(SCALE_NSPACE, r);
    }
    first = start(self, 0, "first");
    good = listen_to(&first, NULL);
    memory("served", before);
    /* The first one stays, because 4.2.2 loses process data once a client has finalized. */
    good = good && next_clients(self);
    good &= finish(&first);
    if (post && good) {
        good = posting_clients(self);
        memory("posted", before);
    }
    printf(", \"valid\": %s}\n", good ? "true" : "false");
    daemon_fini(SCALE_NSPACE);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *cpu = getenv("BENCH_CPU");

    alarm(900);
    if (cpu) {
        pin(atoi(cpu));
    }
    if (argc == 3 && strncmp(argv[2], "--", 2) != 0) {
        return scale_client(argv[1], (unsigned) strtoul(argv[2], NULL, 10));
    }
    n_ranks = argc > 1 ? (unsigned) strtoul(argv[1], NULL, 10) : 0;
    if (n_ranks < SCALE_LOCAL + SCALE_PER_NODE || n_ranks > 10000000) {
        fprintf(stderr, "usage: scale RANKS [--post|--move]   (RANKS at least %u)\n",
                SCALE_LOCAL + SCALE_PER_NODE);
        return 64;
    }
    scale_set(n_ranks);
    if (argc == 3 && !strcmp(argv[2], "--move")) {
        return run_moves(argv[0]);
    }
    return run(argv[0], argc == 3);
}
