/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pevent: raises an event, by PMIx_Notify_event. */

#include "answer.h"
#include "field.h"

#include "names.h"
#include "read.h"
#include "src/tools/out.h"
#include "value.h"

static const char usage_text[] =
    "usage: pevent [OPTION...] EVENT\n"
    "Raises an event: the name of a status, or its number. Its source is this command.\n\n"
    "  --event EVENT          the event, too\n"
    "  --range RANGE          who is told: local, namespace, session (default), global, rm\n"
    "  --targets PROC,...     tells these only: NAMESPACE:RANK, NAMESPACE:*\n"
    "  --info KEY[:TYPE][=VALUE]  something that is told; may be given several times\n";

struct options {
    struct px_field field;
    bool has_event;
    pmix_status_t event;
    pmix_data_range_t range;
};

static int read_event(const char *text, void *options)
{
    struct options *o = options;

    o->has_event = true;
    return px_field_read_status(&o->field, text, &o->event);
}

static int read_range(const char *text, void *options)
{
    struct options *o = options;

    return px_field_read_range(&o->field, text, &o->range);
}

static const struct px_option known_options[] = {
    PX_FIELD_OPTIONS,
    {"event", 0, PX_OPTION_CALL, 0, 0, 0, read_event},
    {"range", 0, PX_OPTION_CALL, 0, 0, 0, read_range},
    {"targets", 0, PX_OPTION_CALL, 0, 0, 0, px_field_read_targets},
    {"info", 0, PX_OPTION_CALL, 0, 0, 0, px_field_read_info},
};

static int read_words(char **words, int n, struct px_field *field)
{
    struct options *o = (struct options *) field;

    if (n > (o->has_event ? 0 : 1)) {
        return px_field_misuse(field, "one event at a time, not also", words[n - 1]);
    }
    if (n == 0 && !o->has_event) {
        return px_field_misuse(field, "needs an", "EVENT");
    }
    return n > 0 ? read_event(words[0], o) : 0;
}

static pmix_status_t start(struct px_field *field, struct px_field_answer *answer)
{
    const struct options *o = (const struct options *) field;

    return PMIx_Notify_event(o->event, NULL, o->range, field->infos.at, field->infos.n,
                             px_field_on_status, answer);
}

static void print_event(struct px_field *field, const struct px_field_answer *answer)
{
    (void) answer;
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_text("event", px_field_status_name(((struct options *) field)->event));
    }
}

static int run(struct px_field *field)
{
    static const struct px_field_question question = {"the event", start, print_event};
    struct options *o = (struct options *) field;
    pmix_data_array_t targets = {
        .type = PMIX_PROC, .size = field->n_targets, .array = field->targets};
    int code = 0;

    if (field->n_targets > 0) {
        o->range = PMIX_RANGE_CUSTOM;
        code = px_field_add_info(field, &field->infos, PMIX_EVENT_CUSTOM_RANGE, &targets,
                                 PMIX_DATA_ARRAY);
    }
    return code != 0 ? code : px_field_ask(field, &question);
}

static char name[] = "pevent";
static const struct px_field_command command = {
    name,       usage_text, known_options, sizeof(known_options) / sizeof(known_options[0]),
    read_words, run,
};

int main(int argc, char **argv)
{
    struct options o = {.range = PMIX_RANGE_SESSION};

    return px_field_main(&command, argc, argv, &o.field);
}
