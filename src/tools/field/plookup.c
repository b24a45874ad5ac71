/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* plookup: what processes have published, by PMIx_Lookup. */

#include "answer.h"
#include "field.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "read.h"
#include "src/tools/out.h"
#include "value.h"

static const char usage_text[] =
    "usage: plookup [OPTION...] KEY...\n"
    "Shows what processes have published under these names, which spaces or commas separate.\n\n"
    "  --wait                 waits until all are published\n"
    "  --range RANGE          looks in this range only: local, namespace, session, global, rm\n";

struct options {
    struct px_field field;
    bool wait;
    char **keys; /* ends with NULL */
    size_t n_keys;
};

static int read_range(const char *text, void *options)
{
    struct options *o = options;
    pmix_data_range_t range;
    int rc = px_field_read_range(&o->field, text, &range);

    return rc != 0
               ? rc
               : px_field_add_info(&o->field, &o->field.infos, PMIX_RANGE, &range, PMIX_DATA_RANGE);
}

static const struct px_option known_options[] = {
    PX_FIELD_OPTIONS,
    {"wait", 0, PX_OPTION_FLAG, offsetof(struct options, wait), 0, 0, NULL},
    {"range", 0, PX_OPTION_CALL, 0, 0, 0, read_range},
};

static int add_key(struct options *o, char *key)
{
    char **more = realloc(o->keys, (o->n_keys + 2) * sizeof(*more));

    if (more == NULL) {
        return px_field_fail(&o->field, key, PMIX_ERR_NOMEM);
    }
    o->keys = more;
    more[o->n_keys++] = key;
    more[o->n_keys] = NULL;
    return key[0] != '\0' && strlen(key) <= PMIX_MAX_KEYLEN
               ? 0
               : px_field_misuse(&o->field, "this is no key:", key);
}

static int read_words(char **words, int n, struct px_field *field)
{
    struct options *o = (struct options *) field;
    int rc = n > 0 ? 0 : px_field_misuse(field, "needs a", "KEY");

    for (int i = 0; rc == 0 && i < n; i++) {
        const char *rest = words[i];
        char *item;

        while (rc == 0 && (item = px_field_next(&rest)) != NULL) {
            rc = add_key(o, item);
        }
    }
    return rc;
}

static void print_data(const pmix_pdata_t *data)
{
    char key[PMIX_MAX_KEYLEN + 1] = "";

    memcpy(key, data->key, strnlen(data->key, PMIX_MAX_KEYLEN));
    if (px_out_form() == PX_OUT_PLAIN) {
        px_field_print_value(key, &data->value);
        px_field_print_proc("  published by", &data->proc);
        return;
    }
    px_out_open(NULL);
    px_out_text("key", key);
    px_field_print_proc("proc", &data->proc);
    px_out_text("type", PMIx_Data_type_string(data->value.type));
    px_field_print_value("value", &data->value);
    px_out_close();
}

static bool is_among(const struct px_field_answer *answer, const char *key)
{
    for (size_t i = 0; i < answer->n_data; i++) {
        if (strncmp(answer->data[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return true;
        }
    }
    return false;
}

/* Prints what was found; complains of each key that was not. Returns an exit code. */
static int print_found(const struct options *o, const struct px_field_answer *answer)
{
    int code = 0;

    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_open_list("results");
    }
    for (size_t i = 0; i < answer->n_data; i++) {
        print_data(&answer->data[i]);
    }
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_close_list();
    }
    for (size_t i = 0; i < o->n_keys; i++) {
        if (!is_among(answer, o->keys[i])) {
            code = px_field_fail(&o->field, o->keys[i], PMIX_ERR_NOT_FOUND);
        }
    }
    return code;
}

/* The directives of the lookup. 0, or an exit code after a complaint. */
static int add_directives(struct options *o)
{
    int all = 0; /* of the keys */
    int seconds = (int) o->field.timeout_s;
    int rc = 0;

    if (o->wait) {
        rc = px_field_add_info(&o->field, &o->field.infos, PMIX_WAIT, &all, PMIX_INT);
    }
    if (rc == 0 && seconds > 0) {
        rc = px_field_add_info(&o->field, &o->field.infos, PMIX_TIMEOUT, &seconds, PMIX_INT);
    }
    return rc;
}

static int run(struct px_field *field)
{
    struct options *o = (struct options *) field;
    struct px_field_answer *answer = px_field_answer_create();
    int code = answer != NULL ? add_directives(o) : px_field_fail(field, "lookup", PMIX_ERR_NOMEM);

    if (code != 0) {
        px_field_answer_destroy(field, answer);
        return code;
    }
    pmix_status_t rc = px_field_wait(
        field, answer,
        PMIx_Lookup_nb(o->keys, o->field.infos.at, o->field.infos.n, px_field_on_data, answer));
    bool has = rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS || rc == PMIX_ERR_NOT_FOUND;
    px_field_open_output(rc);
    code = has ? print_found(o, answer) : px_field_fail(field, "the lookup", rc);
    px_field_close_output();
    px_field_answer_destroy(field, answer);
    return code;
}

static char name[] = "plookup";
static const struct px_field_command command = {
    name,       usage_text, known_options, sizeof(known_options) / sizeof(known_options[0]),
    read_words, run,
};

int main(int argc, char **argv)
{
    struct options o = {0};
    int rc = px_field_main(&command, argc, argv, &o.field);

    for (size_t i = 0; i < o.n_keys; i++) {
        free(o.keys[i]);
    }
    free(o.keys);
    return rc;
}
