/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* palloc: asks the scheduler for an allocation, by PMIx_Allocation_request. */

#include "answer.h"
#include "field.h"

#include "names.h"
#include "read.h"
#include "value.h"

#ifndef PMIX_ALLOC_REQ_CANCEL /* libraries before 6.0 */
#define PMIX_ALLOC_REQ_CANCEL 5
#endif

static const char usage_text[] =
    "usage: palloc [OPTION...]\n"
    "Asks the scheduler behind a PMIx server for an allocation of resources, or changes one, and "
    "shows what it gives.\n\n"
    "  --extend ID            gives more to this allocation\n"
    "  --release ID, --shrink ID\n"
    "                         gives back resources of this allocation; without others, all\n"
    "  --reacquire ID         takes back what this allocation has lent\n"
    "  --cancel ID            cancels the request of this name\n"
    "  -q, --queue QUEUE      the scheduler's queue\n"
    "  -N, --nodes N          so many nodes\n"
    "  -w, --nodelist LIST    these nodes, with commas\n"
    "  -x, --exclude LIST     none of these nodes\n"
    "  --cpus N               so many processors\n"
    "  --cpulist LIST         these processors of each node\n"
    "  --memory MB            so many megabytes of memory on each node\n"
    "  -t, --time TIME        the time limit, as the scheduler writes it\n"
    "  --begin TIME           not before this time\n"
    "  -d, --dependency LIST  not before these have ended well\n"
    "  -i, --image NAME       the system to be started on the nodes\n"
    "  --request-id ID        a name for the request\n"
    "  -s, --share            others may use the resources, too\n"
    "  --wait-all-nodes       not before every node is ready\n"
    "  --no-shell             starts nothing\n"
    "  --do-not-wait          answers when the request is accepted\n"
    "  -I, --immediate S      the same as --timeout S\n"
    "  --info KEY[:TYPE][=VALUE]  another attribute; may be given several times\n";

struct options {
    struct px_field field;
    const char *extend;
    const char *release;
    const char *reacquire;
    const char *cancel;
    const char *queue;
    const char *nodes;
    const char *nodelist;
    const char *exclude;
    const char *cpus;
    const char *cpulist;
    const char *memory;
    const char *time;
    const char *begin;
    const char *dependency;
    const char *image;
    const char *request_id;
    bool share;
    bool wait_all;
    bool no_shell;
    bool do_not_wait;
};

static const struct px_option known_options[] = {
    PX_FIELD_OPTIONS,
    {"extend", 0, PX_OPTION_TEXT, offsetof(struct options, extend), 0, 0, NULL},
    {"release", 0, PX_OPTION_TEXT, offsetof(struct options, release), 0, 0, NULL},
    {"shrink", 0, PX_OPTION_TEXT, offsetof(struct options, release), 0, 0, NULL},
    {"reacquire", 0, PX_OPTION_TEXT, offsetof(struct options, reacquire), 0, 0, NULL},
    {"cancel", 0, PX_OPTION_TEXT, offsetof(struct options, cancel), 0, 0, NULL},
    {"queue", 'q', PX_OPTION_TEXT, offsetof(struct options, queue), 0, 0, NULL},
    {"nodes", 'N', PX_OPTION_TEXT, offsetof(struct options, nodes), 0, 0, NULL},
    {"nodelist", 'w', PX_OPTION_TEXT, offsetof(struct options, nodelist), 0, 0, NULL},
    {"exclude", 'x', PX_OPTION_TEXT, offsetof(struct options, exclude), 0, 0, NULL},
    {"cpus", 0, PX_OPTION_TEXT, offsetof(struct options, cpus), 0, 0, NULL},
    {"cpulist", 0, PX_OPTION_TEXT, offsetof(struct options, cpulist), 0, 0, NULL},
    {"memory", 0, PX_OPTION_TEXT, offsetof(struct options, memory), 0, 0, NULL},
    {"time", 't', PX_OPTION_TEXT, offsetof(struct options, time), 0, 0, NULL},
    {"begin", 0, PX_OPTION_TEXT, offsetof(struct options, begin), 0, 0, NULL},
    {"dependency", 'd', PX_OPTION_TEXT, offsetof(struct options, dependency), 0, 0, NULL},
    {"image", 'i', PX_OPTION_TEXT, offsetof(struct options, image), 0, 0, NULL},
    {"request-id", 0, PX_OPTION_TEXT, offsetof(struct options, request_id), 0, 0, NULL},
    {"share", 's', PX_OPTION_FLAG, offsetof(struct options, share), 0, 0, NULL},
    {"wait-all-nodes", 0, PX_OPTION_FLAG, offsetof(struct options, wait_all), 0, 0, NULL},
    {"no-shell", 0, PX_OPTION_FLAG, offsetof(struct options, no_shell), 0, 0, NULL},
    {"do-not-wait", 0, PX_OPTION_FLAG, offsetof(struct options, do_not_wait), 0, 0, NULL},
    {"immediate", 'I', PX_OPTION_NUMBER, offsetof(struct px_field, timeout_s), 1, 1000000, NULL},
    {"info", 0, PX_OPTION_CALL, 0, 0, 0, px_field_read_info},
};

static const struct px_field_attribute attributes[] = {
    {offsetof(struct options, extend), false, false, "PMIX_ALLOC_ID"},
    {offsetof(struct options, release), false, false, "PMIX_ALLOC_ID"},
    {offsetof(struct options, reacquire), false, false, "PMIX_ALLOC_ID"},
    {offsetof(struct options, cancel), false, false, "PMIX_ALLOC_REQ_ID"},
    {offsetof(struct options, queue), false, false, "PMIX_ALLOC_QUEUE"},
    {offsetof(struct options, nodes), false, false, "PMIX_ALLOC_NUM_NODES"},
    {offsetof(struct options, nodelist), false, false, "PMIX_ALLOC_NODE_LIST"},
    {offsetof(struct options, exclude), false, false, "PMIX_ALLOC_EXCLUDE"},
    {offsetof(struct options, cpus), false, false, "PMIX_ALLOC_NUM_CPUS"},
    {offsetof(struct options, cpulist), false, false, "PMIX_ALLOC_CPU_LIST"},
    {offsetof(struct options, memory), false, false, "PMIX_ALLOC_MEM_SIZE"},
    {offsetof(struct options, time), false, false, "PMIX_ALLOC_TIME"},
    {offsetof(struct options, begin), false, false, "PMIX_ALLOC_BEGIN"},
    {offsetof(struct options, dependency), false, false, "PMIX_ALLOC_DEPENDENCY"},
    {offsetof(struct options, image), false, false, "PMIX_ALLOC_IMAGE"},
    {offsetof(struct options, request_id), false, false, "PMIX_ALLOC_REQ_ID"},
    {offsetof(struct options, share), true, false, "PMIX_ALLOC_SHARE"},
    {offsetof(struct options, wait_all), true, false, "PMIX_ALLOC_WAIT_ALL_NODES"},
    {offsetof(struct options, no_shell), true, false, "PMIX_ALLOC_NOSHELL"},
    {offsetof(struct options, do_not_wait), true, false, "PMIX_ALLOC_NOT_WAITING"},
};

static int read_words(char **words, int n, struct px_field *field)
{
    struct options *o = (struct options *) field;
    int requests =
        (o->extend != NULL) + (o->release != NULL) + (o->reacquire != NULL) + (o->cancel != NULL);

    if (n > 0) {
        return px_field_no_words(words, n, field);
    }
    if (requests > 1) {
        return px_field_misuse(field, "one request at a time:", "--extend, --release, ...");
    }
    int rc = px_field_add_options(field, &o->field.infos, attributes,
                                  sizeof(attributes) / sizeof(attributes[0]));
    return rc != 0 || requests > 0 || o->field.infos.n > 0
               ? rc
               : px_field_misuse(field, "needs resources, for example", "--nodes 1");
}

static pmix_alloc_directive_t directive_of(const struct options *o)
{
    return o->extend != NULL      ? PMIX_ALLOC_EXTEND
           : o->release != NULL   ? PMIX_ALLOC_RELEASE
           : o->reacquire != NULL ? PMIX_ALLOC_REAQUIRE
           : o->cancel != NULL    ? PMIX_ALLOC_REQ_CANCEL
                                  : PMIX_ALLOC_NEW;
}

/* The time limit is the scheduler's, too. 0, or an exit code after a complaint. */
static int add_time_limit(struct options *o)
{
    int seconds = (int) o->field.timeout_s;

    return seconds > 0
               ? px_field_add_info(&o->field, &o->field.infos, PMIX_TIMEOUT, &seconds, PMIX_INT)
               : 0;
}

static pmix_status_t start(struct px_field *field, struct px_field_answer *answer)
{
    const struct options *o = (const struct options *) field;

    return PMIx_Allocation_request_nb(directive_of(o), field->infos.at, field->infos.n,
                                      px_field_on_infos, answer);
}

static int run(struct px_field *field)
{
    static const struct px_field_question question = {"the allocation", start, NULL};
    int code = add_time_limit((struct options *) field);

    return code != 0 ? code : px_field_ask(field, &question);
}

static char name[] = "palloc";
static const struct px_field_command command = {
    name,       usage_text, known_options, sizeof(known_options) / sizeof(known_options[0]),
    read_words, run,
};

int main(int argc, char **argv)
{
    struct options o = {0};

    return px_field_main(&command, argc, argv, &o.field);
}
