/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pctrl: controls processes, by PMIx_Job_control. */

#include "answer.h"
#include "field.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "read.h"
#include "value.h"

static const char usage_text[] =
    "usage: pctrl [OPTION...] --targets PROC,... ACTION\n"
    "Asks the host of a PMIx server to control processes. A process is NAMESPACE:RANK or "
    "NAMESPACE:*.\n\n"
    "  --targets PROC,...     the processes\n"
    "  --pause                stops them\n"
    "  --resume               lets them go on\n"
    "  --terminate            asks them to end\n"
    "  --kill                 ends them\n"
    "  --signal SIGNAL        sends them a signal: SIGUSR1, usr1, 10, -10\n"
    "  --checkpoint ID        takes a checkpoint of that name\n"
    "  --restart ID           starts them again from that checkpoint\n"
    "  --pset NAME            makes them a process set\n"
    "  --cancel ID            cancels a request (all: every one of this user); needs no targets\n"
    "  --request-id ID        gives the request a name, for --cancel\n"
    "  --info KEY[:TYPE][=VALUE]  another directive; may be given several times\n";

struct options {
    struct px_field field;
    bool pause;
    bool resume;
    bool terminate;
    bool kill;
    bool has_signal;
    int signal;
    const char *checkpoint;
    const char *restart;
    const char *pset;
    const char *cancel;
    const char *request_id;
};

static int read_signal(const char *text, void *options)
{
    struct options *o = options;

    o->has_signal = true;
    return px_field_read_signal(&o->field, text, &o->signal);
}

static const struct px_option known_options[] = {
    PX_FIELD_OPTIONS,
    {"targets", 0, PX_OPTION_CALL, 0, 0, 0, px_field_read_targets},
    {"pause", 0, PX_OPTION_FLAG, offsetof(struct options, pause), 0, 0, NULL},
    {"resume", 0, PX_OPTION_FLAG, offsetof(struct options, resume), 0, 0, NULL},
    {"terminate", 0, PX_OPTION_FLAG, offsetof(struct options, terminate), 0, 0, NULL},
    {"kill", 0, PX_OPTION_FLAG, offsetof(struct options, kill), 0, 0, NULL},
    {"signal", 0, PX_OPTION_CALL, 0, 0, 0, read_signal},
    {"checkpoint", 0, PX_OPTION_TEXT, offsetof(struct options, checkpoint), 0, 0, NULL},
    {"restart", 0, PX_OPTION_TEXT, offsetof(struct options, restart), 0, 0, NULL},
    {"pset", 0, PX_OPTION_TEXT, offsetof(struct options, pset), 0, 0, NULL},
    {"cancel", 0, PX_OPTION_TEXT, offsetof(struct options, cancel), 0, 0, NULL},
    {"request-id", 0, PX_OPTION_TEXT, offsetof(struct options, request_id), 0, 0, NULL},
    {"info", 0, PX_OPTION_CALL, 0, 0, 0, px_field_read_info},
};

/* A host that cannot do what is asked refuses it; the name of the request it may leave out. */
static const struct px_field_attribute attributes[] = {
    {offsetof(struct options, pause), true, true, "PMIX_JOB_CTRL_PAUSE"},
    {offsetof(struct options, resume), true, true, "PMIX_JOB_CTRL_RESUME"},
    {offsetof(struct options, terminate), true, true, "PMIX_JOB_CTRL_TERMINATE"},
    {offsetof(struct options, kill), true, true, "PMIX_JOB_CTRL_KILL"},
    {offsetof(struct options, checkpoint), false, true, "PMIX_JOB_CTRL_CHECKPOINT"},
    {offsetof(struct options, restart), false, true, "PMIX_JOB_CTRL_RESTART"},
    {offsetof(struct options, pset), false, true, "PMIX_JOB_CTRL_DEFINE_PSET"},
    {offsetof(struct options, request_id), false, false, "PMIX_JOB_CTRL_ID"},
};

static int read_words(char **words, int n, struct px_field *field)
{
    const struct options *o = (const struct options *) field;
    int actions = o->pause + o->resume + o->terminate + o->kill + o->has_signal +
                  (o->checkpoint != NULL) + (o->restart != NULL) + (o->pset != NULL) +
                  (o->cancel != NULL);

    if (n > 0) {
        return px_field_no_words(words, n, field);
    }
    if (actions > 1) {
        return px_field_misuse(field, "one action at a time:", "--pause, --resume, ...");
    }
    if (actions == 0 && o->field.infos.n == 0) {
        return px_field_misuse(field, "needs an action:", "--pause, --resume, ...");
    }
    return o->field.n_targets > 0 || o->cancel != NULL
               ? 0
               : px_field_misuse(field, "needs", "--targets");
}

/* The directives of the request. 0, or an exit code after a complaint. */
static int add_directives(struct options *o)
{
    size_t first = o->field.infos.n;
    int rc = px_field_add_options(&o->field, &o->field.infos, attributes,
                                  sizeof(attributes) / sizeof(attributes[0]));

    if (rc == 0 && o->has_signal) {
        rc = px_field_add_info(&o->field, &o->field.infos, PMIX_JOB_CTRL_SIGNAL, &o->signal,
                               PMIX_INT);
    }
    if (rc == 0 && o->cancel != NULL) {
        rc = px_field_add_info(&o->field, &o->field.infos, PMIX_JOB_CTRL_CANCEL,
                               strcmp(o->cancel, "all") == 0 ? NULL : o->cancel, PMIX_STRING);
    }
    if (rc == 0 && (o->has_signal || o->cancel != NULL) && o->field.infos.n > first) {
        PMIX_INFO_REQUIRED(&o->field.infos.at[o->field.infos.n - 1]);
    }
    return rc;
}

static pmix_status_t start(struct px_field *field, struct px_field_answer *answer)
{
    return PMIx_Job_control_nb(field->targets, field->n_targets, field->infos.at, field->infos.n,
                               px_field_on_infos, answer);
}

static int run(struct px_field *field)
{
    static const struct px_field_question question = {"job control", start, NULL};
    int code = add_directives((struct options *) field);

    return code != 0 ? code : px_field_ask(field, &question);
}

static char name[] = "pctrl";
static const struct px_field_command command = {
    name,       usage_text, known_options, sizeof(known_options) / sizeof(known_options[0]),
    read_words, run,
};

int main(int argc, char **argv)
{
    struct options o = {0};

    return px_field_main(&command, argc, argv, &o.field);
}
