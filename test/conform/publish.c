/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publishing, lookup and unpublishing: what the host is asked, and that its answers are those of
 * the calls. The names are in the host of this file, which keeps them as the Standard says. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- a host that keeps names */

enum { ROOM = 16, ROUNDS = 20 };

/* Library's thread, which makes all upcalls. */
static struct name {
    pmix_info_t info; /* its key is empty: the place is free */
    pmix_data_range_t range;
    pmix_proc_t owner;
} names[ROOM];

static pmix_data_range_t range_of(const struct upcall *ask)
{
    const pmix_value_t *range = px_host_find(ask, PMIX_RANGE);

    return range != NULL ? range->data.range : PMIX_RANGE_SESSION;
}

static struct name *find(const char *key, pmix_data_range_t range)
{
    for (int i = 0; i < ROOM; i++) {
        if (names[i].range == range && strncmp(names[i].info.key, key, PMIX_MAX_KEYLEN) == 0) {
            return &names[i];
        }
    }
    return NULL;
}

static void forget(struct name *name)
{
    PMIX_INFO_DESTRUCT(&name->info);
    memset(name, 0, sizeof(*name));
}

static pmix_status_t publish(struct upcall *ask)
{
    pmix_data_range_t range = range_of(ask);

    for (size_t i = 0; i < ask->n_infos; i++) {
        const pmix_info_t *info = &ask->infos[i];
        struct name *name = find(info->key, range);

        if (strncmp(info->key, "pmix.", 5) == 0) {
            continue;
        }
        if (name != NULL) {
            return PMIX_ERR_DUPLICATE_KEY;
        }
        name = find("", 0);
        if (check(name != NULL, "there is room")) {
            PMIX_INFO_XFER(&name->info, (pmix_info_t *) (uintptr_t) info);
            name->range = range;
            name->owner = *ask->proc;
        }
    }
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t lookup(struct upcall *ask)
{
    pmix_pdata_t found[ROOM];
    size_t n = 0;

    if (strcmp(ask->keys[0], "secret") == 0) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    memset(found, 0, sizeof(found));
    for (char **key = ask->keys; *key != NULL && n < ROOM; key++) {
        const struct name *name = find(*key, range_of(ask));

        if (name != NULL) {
            found[n].proc = name->owner;
            PMIX_LOAD_KEY(found[n].key, *key);
            found[n].value = name->info.value; /* lent */
            n++;
        }
    }
    ask->reply.lookup(n > 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND, found, n, ask->cbdata);
    return PMIX_SUCCESS;
}

static pmix_status_t unpublish(struct upcall *ask)
{
    for (int i = 0; i < ROOM; i++) {
        bool named = ask->keys == NULL && names[i].info.key[0] != '\0' &&
                     PMIX_CHECK_PROCID(&names[i].owner, ask->proc);

        for (char **key = ask->keys; key != NULL && *key != NULL && !named; key++) {
            named = strncmp(names[i].info.key, *key, PMIX_MAX_KEYLEN) == 0;
        }
        if (named && names[i].range == range_of(ask)) {
            forget(&names[i]);
        }
    }
    return PMIX_OPERATION_SUCCEEDED;
}

#define KEEPS_NAMES                                                                                \
    .host = {[ON_PUBLISH] = {OWN, .own = publish},                                                 \
             [ON_LOOKUP] = {OWN, .own = lookup},                                                   \
             [ON_UNPUBLISH] = {OWN, .own = unpublish}}

/* ---- calls */

static void add_range(struct infos *list, pmix_data_range_t range)
{
    add(list, PMIX_RANGE, &range, PMIX_DATA_RANGE);
}

/* Publishes one text; the list of directives is released. */
static pmix_status_t publish_text(const char *key, const char *text, struct infos *list)
{
    struct infos none = {0};
    pmix_status_t rc;

    list = list != NULL ? list : &none;
    add_text(list, key, text);
    rc = PMIx_Publish(list->at, list->n);
    free_infos(list);
    return rc;
}

/* "text by A:0", or a status. The list of directives is released. */
static const char *look_up(const char *key, struct infos *list)
{
    static char said[128];
    struct infos none = {0};
    pmix_pdata_t *data;
    pmix_status_t rc;

    list = list != NULL ? list : &none;
    PMIX_PDATA_CREATE(data, 1);
    PMIX_LOAD_KEY(data[0].key, key);
    rc = PMIx_Lookup(data, 1, list->at, list->n);
    if (rc == PMIX_SUCCESS) {
        snprintf(said, sizeof(said), "%.40s by %.40s:%u", text_of(&data[0].value),
                 data[0].proc.nspace, data[0].proc.rank);
    } else {
        snprintf(said, sizeof(said), "%d", rc);
    }
    PMIX_PDATA_FREE(data, 1);
    free_infos(list);
    return said;
}

static pmix_status_t unpublish_key(const char *key)
{
    char *keys[] = {(char *) (uintptr_t) key, NULL};

    return PMIx_Unpublish(keys, NULL, 0);
}

/* ---- what the host is asked */

static const pmix_persistence_t persistences[] = {PMIX_PERSIST_INDEF, PMIX_PERSIST_FIRST_READ,
                                                  PMIX_PERSIST_PROC, PMIX_PERSIST_APP,
                                                  PMIX_PERSIST_SESSION};
enum { N_PERSISTENCES = sizeof(persistences) / sizeof(persistences[0]) };

static const pmix_data_range_t ranges[] = {PMIX_RANGE_RM, PMIX_RANGE_LOCAL, PMIX_RANGE_NAMESPACE,
                                           PMIX_RANGE_SESSION, PMIX_RANGE_GLOBAL};
enum { N_RANGES = sizeof(ranges) / sizeof(ranges[0]) };

/* First without directives, then with each persistence, then with each range. */
static void ask_the_host(void)
{
    char *all = NULL;
    struct infos list = {0};
    int seconds = 3;
    int all_keys = 0;

    check_status(PMIX_SUCCESS, publish_text("plain", "x", NULL), "without directives");
    for (int i = 0; i < N_PERSISTENCES; i++) {
        add(&list, PMIX_PERSISTENCE, &persistences[i], PMIX_PERSIST);
        check_status(PMIX_SUCCESS, publish_text("lasts", "x", &list), "persistence %d", i);
    }
    for (int i = 0; i < N_RANGES; i++) {
        add_range(&list, ranges[i]);
        check_status(PMIX_SUCCESS, publish_text("reaches", "x", &list), "range %d", i);
    }
    same_for("PUB-005", "-46", look_up("nowhere", NULL), "a lookup does not wait");
    add(&list, PMIX_WAIT, &all_keys, PMIX_INT);
    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    same_for("PUB-005", "-46", look_up("nowhere", &list), "the host says how long");
    check_status_for("PUB-006", PMIX_SUCCESS, PMIx_Unpublish(&all, NULL, 0), "an empty list");
    check_status_for("PUB-006", PMIX_SUCCESS, PMIx_Unpublish(NULL, NULL, 0), "everything");
}

static int64_t told_of(const struct record *r, const char *key, int64_t otherwise)
{
    const struct note *note = r != NULL ? record_info(r, key) : NULL;

    return note != NULL ? note->number : otherwise;
}

static void host_was_asked(void)
{
    const struct record *plain = upcall(ON_PUBLISH, 0, 0);
    const struct record *waits = upcall(ON_LOOKUP, 0, 1);
    const struct record *all = upcall(ON_UNPUBLISH, 0, 1);

    check_for("PUB-001",
              plain != NULL && record_info(plain, "plain") != NULL &&
                  strcmp(record_info(plain, "plain")->text, "x") == 0,
              "the data");
    check_for("PUB-001",
              told_of(plain, PMIX_USERID, -1) == getuid() &&
                  told_of(plain, PMIX_GRPID, -1) == getgid(),
              "who publishes");
    check_for("PUB-002",
              told_of(plain, PMIX_RANGE, PMIX_RANGE_SESSION) == PMIX_RANGE_SESSION &&
                  told_of(plain, PMIX_PERSISTENCE, PMIX_PERSIST_APP) == PMIX_PERSIST_APP,
              "the defaults, or nothing");
    for (int i = 0; i < N_PERSISTENCES; i++) {
        check_for("PUB-009",
                  told_of(upcall(ON_PUBLISH, 0, 1 + i), PMIX_PERSISTENCE, -1) == persistences[i],
                  "persistence %d", i);
    }
    for (int i = 0; i < N_RANGES; i++) {
        check_for("PUB-002",
                  told_of(upcall(ON_PUBLISH, 0, 1 + N_PERSISTENCES + i), PMIX_RANGE, -1) ==
                      ranges[i],
                  "range %d", i);
    }
    check_for("PUB-005",
              waits != NULL && record_info(waits, PMIX_WAIT) != NULL &&
                  told_of(waits, PMIX_TIMEOUT, -1) == 3,
              "how long to wait");
    check_for("PUB-006", all != NULL && (all->text == NULL || all->text[0] == '\0'), "no keys");
}

/* ---- answers */

static void no_entries(void)
{
    check_status(PMIX_ERR_NOT_SUPPORTED, publish_text("word", "x", NULL), "publish");
    same("-47", look_up("word", NULL), "lookup");
    check_status(PMIX_ERR_NOT_SUPPORTED, unpublish_key("word"), "unpublish");
}

static void twice(void)
{
    struct infos list = {0};

    check_status(PMIX_SUCCESS, publish_text("word", "session", NULL), "first");
    check_status(PMIX_ERR_DUPLICATE_KEY, publish_text("word", "again", NULL), "again");
    add_range(&list, PMIX_RANGE_SESSION);
    check_status(PMIX_ERR_DUPLICATE_KEY, publish_text("word", "again", &list), "by its name");
    add_range(&list, PMIX_RANGE_NAMESPACE);
    check_status(PMIX_SUCCESS, publish_text("word", "namespace", &list), "in another range");
    same("session by A:0", look_up("word", NULL), "the first is there");
    add_range(&list, PMIX_RANGE_NAMESPACE);
    same("namespace by A:0", look_up("word", &list), "and the other");
}

static void some_found(pmix_status_t status, pmix_pdata_t data[], size_t n, void *cbdata)
{
    check_status(PMIX_ERR_PARTIAL_SUCCESS, status, "some, in the other form");
    if (check(n == 1, "those that were found alone: %zu", n)) {
        check(PMIX_CHECK_KEY(&data[0], "one") && strcmp("1", text_of(&data[0].value)) == 0,
              "its key and value");
    }
    tell(cbdata);
}

static void look_for(void)
{
    char *keys[] = {(char *) "nowhere", (char *) "one", NULL};
    pmix_pdata_t *data;

    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, publish_text("one", "1", NULL), "one");
    } else {
        check_status(PMIX_SUCCESS, publish_text("two", "2", NULL), "two");
    }
    fence_all(NULL);
    same("1 by A:0", look_up("one", NULL), "of rank 0");
    same("2 by A:1", look_up("two", NULL), "of rank 1");
    same("-46", look_up("nowhere", NULL), "of nobody");
    same("-23", look_up("secret", NULL), "not for us");
    PMIX_PDATA_CREATE(data, 3);
    PMIX_LOAD_KEY(data[0].key, "two");
    PMIX_LOAD_KEY(data[1].key, "nowhere");
    PMIX_LOAD_KEY(data[2].key, "one");
    check_status(PMIX_ERR_PARTIAL_SUCCESS, PMIx_Lookup(data, 3, NULL, 0), "some");
    same("2", text_of(&data[0].value), "the first");
    check(data[0].proc.rank == 1 && data[2].proc.rank == 0, "their publishers");
    check(data[1].value.type == PMIX_UNDEF, "nothing for the missing one");
    same("1", text_of(&data[2].value), "the last");
    PMIX_PDATA_FREE(data, 3);
    check_status(PMIX_SUCCESS,
                 PMIx_Lookup_nb(keys, NULL, 0, some_found, me.rank == 0 ? "of 0" : "of 1"),
                 "the other form");
    await(me.rank == 0 ? "of 0" : "of 1");
}

/* Each takes back what is its own, in one range. */
static void take_all_back(void)
{
    struct infos list = {0};

    check_status(PMIX_SUCCESS, publish_text(me.rank == 0 ? "a" : "b", "x", NULL), "a name");
    add_range(&list, PMIX_RANGE_GLOBAL);
    check_status(PMIX_SUCCESS, publish_text(me.rank == 0 ? "c" : "d", "y", &list), "a wider one");
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, PMIx_Unpublish(NULL, NULL, 0), "all that is mine");
    }
    fence_all(NULL);
    same("-46", look_up("a", NULL), "mine");
    same("x by A:1", look_up("b", NULL), "another's");
    add_range(&list, PMIX_RANGE_GLOBAL);
    same("y by A:0", look_up("c", &list), "in another range");
}

static void again(void)
{
    char text[16];
    char want[32];

    for (int i = 0; i < ROUNDS; i++) {
        snprintf(text, sizeof(text), "value %d", i);
        snprintf(want, sizeof(want), "value %d by A:0", i);
        check_status(PMIX_SUCCESS, publish_text("word", text, NULL), "round %d", i);
        same(want, look_up("word", NULL), "round %d", i);
        check_status(PMIX_SUCCESS, unpublish_key("word"), "taken back in round %d", i);
        same("-46", look_up("word", NULL), "gone in round %d", i);
    }
}

/* ---- who may read */

static pmix_status_t see_permissions(struct upcall *ask)
{
    const pmix_value_t *given = px_host_find(ask, PMIX_ACCESS_PERMISSIONS);
    const pmix_info_t *info;

    if (!check(given != NULL && given->type == PMIX_DATA_ARRAY && given->data.darray != NULL &&
                   given->data.darray->type == PMIX_INFO && given->data.darray->size == 2,
               "the permissions are two infos")) {
        return PMIX_ERR_BAD_PARAM;
    }
    info = given->data.darray->array;
    for (int i = 0; i < 2; i++) {
        const pmix_data_array_t *ids = info[i].value.data.darray;

        check(PMIX_CHECK_KEY(&info[i], i == 0 ? PMIX_ACCESS_USERIDS : PMIX_ACCESS_GRPIDS) &&
                  info[i].value.type == PMIX_DATA_ARRAY && ids->type == PMIX_UINT32 &&
                  ids->size == 2 && ((uint32_t *) ids->array)[0] == 17 &&
                  ((uint32_t *) ids->array)[1] == 4000000000U,
              "the ids of list %d", i);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

static void permit(void)
{
    uint32_t ids[2] = {17, 4000000000U};
    pmix_data_array_t array = {.type = PMIX_UINT32, .size = 2, .array = ids};
    struct infos inner = {0};
    struct infos list = {0};

    add(&inner, PMIX_ACCESS_USERIDS, &array, PMIX_DATA_ARRAY);
    add(&inner, PMIX_ACCESS_GRPIDS, &array, PMIX_DATA_ARRAY);
    add_array(&list, PMIX_ACCESS_PERMISSIONS, &inner);
    check_status(PMIX_SUCCESS, publish_text("word", "x", &list), "with permissions");
}

static void was_asked(void)
{
    check(upcalls(ON_PUBLISH, 0) == 1, "the host was asked");
}

/* ---- waiting */

static void found_late(struct upcall *ask)
{
    pmix_pdata_t data;

    memset(&data, 0, sizeof(data));
    PMIX_LOAD_PROCID(&data.proc, "A", 1);
    PMIX_LOAD_KEY(data.key, "word");
    data.value.type = PMIX_STRING;
    data.value.data.string = (char *) "late";
    ask->reply.lookup(PMIX_SUCCESS, &data, 1, ask->cbdata);
}

/* A lookup that waits is answered when the name is there. */
static pmix_status_t wait_for_name(struct upcall *ask)
{
    tell("asked");
    return later(ask, "published", found_late);
}

static void wait_for_it(void)
{
    struct infos list = {0};
    int all = 0;

    if (me.rank == 1) {
        await("asked");
        check_status(PMIX_SUCCESS, publish_text("word", "late", NULL), "late");
        tell("published");
        return;
    }
    add(&list, PMIX_WAIT, &all, PMIX_INT);
    same("late by A:1", look_up("word", &list), "the name that it waited for");
}

static void wait_in_vain(void)
{
    struct infos list = {0};
    int all = 0;
    int seconds = 1;

    add(&list, PMIX_WAIT, &all, PMIX_INT);
    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    same("-24", look_up("word", &list), "the host does not answer");
}

const struct conform_case cases[] = {
    {.ids = "PUB-001 PUB-002 PUB-005 PUB-006 PUB-009",
     .otherwise = "PUB-001",
     .what = "what the host is asked",
     .client = ask_the_host,
     .after = host_was_asked,
     .host = {[ON_PUBLISH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED},
              [ON_LOOKUP] = {AT_ONCE, PMIX_ERR_NOT_FOUND},
              [ON_UNPUBLISH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}}},
    {.ids = "PUB-001",
     .what = "a host without the entries",
     .client = no_entries,
     .host = {[ON_PUBLISH] = {MISSING}, [ON_LOOKUP] = {MISSING}, [ON_UNPUBLISH] = {MISSING}}},
    {.ids = "PUB-003", .what = "the same name twice", .client = twice, KEEPS_NAMES},
    {.ids = "PUB-004",
     .what = "all, some and none are found",
     .ranks = 2,
     .client = look_for,
     KEEPS_NAMES},
    {.ids = "PUB-005",
     .what = "a lookup that waits",
     .ranks = 2,
     .client = wait_for_it,
     .host = {[ON_PUBLISH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED},
              [ON_LOOKUP] = {OWN, .own = wait_for_name}}},
    {.ids = "PUB-005",
     .what = "one that waits for what does not come",
     .client = wait_in_vain,
     .host = {[ON_LOOKUP] = {NEVER}}},
    {.ids = "PUB-006",
     .what = "all that is one's own",
     .ranks = 2,
     .client = take_all_back,
     KEEPS_NAMES},
    {.ids = "PUB-007", .what = "again and again", .client = again, KEEPS_NAMES},
    {.ids = "PUB-008",
     .what = "who may read",
     .client = permit,
     .after = was_asked,
     .host = {[ON_PUBLISH] = {OWN, .own = see_permissions}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
