/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* --script: rules that say how an upcall is answered instead of what the host would answer by
 * itself (docs/fault-injection.md). Read before there are threads and nodes, and constant from then
 * on; upcalls are looked up in the library's thread, and late answers wait in threads of their
 * own. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nodes.h"
#include "src/tools/quote.h"

#define MAX_RULES   1024
#define MAX_LATE_MS 3600000

struct rule {
    enum entry entry;
    long node;            /* -1: all */
    long nth;             /* 0: all */
    struct answer answer; /* when: "250" (milliseconds) or the name of an entry */
    char *text;           /* answer.when is within it */
    char *words;          /* the same, cut up */
};

static struct rule *rules;
static size_t n_rules;
static long last_node;
static FILE *applied; /* a file without a name, which all nodes have: a byte at the position of each
                         rule that one of them has applied; NULL: not known */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closed;
    long count[N_ENTRIES]; /* upcalls so far */
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- reading */

/* A complaint about the rule; always false. */
static bool wrong(const struct rule *rule, const char *why)
{
    fputs("pmixrun: --script ", stderr);
    px_quote(stderr, rule->text, strlen(rule->text), false);
    fprintf(stderr, ": %s\n", why);
    return false;
}

/* A number of digits only; -1: it is none, or above max. */
static long script_number(const char *text, long max)
{
    size_t n = strspn(text, "0123456789");
    long number = n > 0 && n < 10 && text[n] == '\0' ? strtol(text, NULL, 10) : -1;

    return number <= max ? number : -1;
}

/* The member's name; "fence" is enough for fence_nb. N_ENTRIES: there is none. */
static enum entry read_entry(const char *name)
{
    size_t len = strlen(name);

    for (enum entry e = 0; e < N_ENTRIES; e++) {
        const char *full = px_host_entry_name(e);

        if (strncmp(full, name, len) == 0 &&
            (full[len] == '\0' || strcmp(full + len, "_nb") == 0)) {
            return e;
        }
    }
    return N_ENTRIES;
}

/* By name or number; true when it is one. */
static bool read_status(const char *text, pmix_status_t *ret_status)
{
    long number = text[0] == '-' ? script_number(text + 1, 99999) : -1;
    pmix_status_t status = number > 0 ? (pmix_status_t) -number : PMIx_Error_code(text);

    if (status > 0 || status == INT32_MIN) {
        return false;
    }
    *ret_status = status;
    return true;
}

/* ENTRY[@NODE][#NTH] */
static bool read_left(struct rule *rule, char *text)
{
    char *nth = strchr(text, '#');
    char *node;

    if (nth != NULL) {
        *nth++ = '\0';
        rule->nth = script_number(nth, INT32_MAX);
    }
    node = strchr(text, '@');
    if (node != NULL) {
        *node++ = '\0';
        rule->node = script_number(node, last_node);
    }
    rule->entry = read_entry(text);
    if (rule->entry == N_ENTRIES) {
        return wrong(rule, "the server module has no such entry");
    }
    if (node != NULL && rule->node < 0) {
        return wrong(rule, "there is no such node; they count from 0 (see --nodes)");
    }
    if (nth != NULL && rule->nth < 1) {
        return wrong(rule, "behind # comes which upcall of the node is meant, counted from 1");
    }
    return true;
}

/* What may stand in front of the status, and whether something stands between. */
static const struct {
    const char *name;
    enum how how;
    bool status; /* may be given */
    bool waits;
} manners[] = {
    {"missing", MISSING, false, false}, {"never", NEVER, false, false},
    {"inside", INSIDE, true, false},    {"thread", CALLBACK, true, false},
    {"late", CALLBACK, true, true},     {"after", CALLBACK, true, true},
};
#define N_MANNERS (sizeof(manners) / sizeof(manners[0]))

/* "250" of late:250, "lookup" of after:lookup. */
static bool read_when(struct rule *rule, const char *manner, const char *when)
{
    rule->answer.when = when;
    if (strcmp(manner, "late") == 0) {
        return when != NULL && script_number(when, MAX_LATE_MS) >= 0
                   ? true
                   : wrong(rule, "behind late: comes a number of milliseconds, one hour at most");
    }
    return when != NULL && read_entry(when) != N_ENTRIES
               ? true
               : wrong(rule, "behind after: comes an entry of the server module");
}

static bool read_answer_status(struct rule *rule, const char *text)
{
    struct answer *a = &rule->answer;

    if (text != NULL) {
        return read_status(text, &a->status) ? true : wrong(rule, "there is no such status");
    }
    if (a->how == CALLBACK && !px_run_host_can(rule->entry)) {
        return wrong(rule, "pmixrun has no answer of its own to that: give a status");
    }
    a->how = a->how == CALLBACK ? DELAYED : a->how;
    return true;
}

/* MANNER[:WHEN][:STATUS] or STATUS */
static bool read_right(struct rule *rule, char *text)
{
    char *word = strsep(&text, ":");
    size_t m = 0;

    while (m < N_MANNERS && strcmp(word, manners[m].name) != 0) {
        m++;
    }
    if (m == N_MANNERS) {
        rule->answer.how = AT_ONCE;
        if (!read_answer_status(rule, word)) {
            return false;
        }
        if (rule->answer.status == PMIX_SUCCESS) {
            return wrong(rule, "PMIX_SUCCESS promises an answer: say PMIX_OPERATION_SUCCEEDED, "
                               "inside, thread or never");
        }
    } else {
        rule->answer.how = manners[m].how;
        if (manners[m].waits && !read_when(rule, word, strsep(&text, ":"))) {
            return false;
        }
        if (manners[m].status && !read_answer_status(rule, strsep(&text, ":"))) {
            return false;
        }
    }
    if (text != NULL) {
        return wrong(rule, "there is something behind the answer");
    }
    if (rule->answer.how == MISSING && rule->nth > 0) {
        return wrong(rule, "an entry is missing for all upcalls or for none");
    }
    return true;
}

static bool read_rule(struct rule *rule)
{
    char *equals = strchr(rule->words, '=');

    if (equals == NULL) {
        return wrong(rule, "a rule is ENTRY[@NODE][#NTH]=ANSWER");
    }
    *equals = '\0';
    return read_left(rule, rule->words) && read_right(rule, equals + 1);
}

static int add_rule(const char *text)
{
    struct rule rule = {.node = -1, .text = strdup(text), .words = strdup(text)};
    struct rule *more = n_rules < MAX_RULES ? realloc(rules, (n_rules + 1) * sizeof(*rules)) : NULL;

    rules = more != NULL ? more : rules;
    if (more == NULL || rule.text == NULL || rule.words == NULL) {
        fputs("pmixrun: --script: too many rules\n", stderr);
    } else if (read_rule(&rule)) {
        rules[n_rules++] = rule;
        return 0;
    }
    free(rule.text);
    free(rule.words);
    return -1;
}

/* A rule on each line; empty ones, and what is behind a # at the front, are nothing. */
static int add_file(const char *path)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t len = f != NULL ? getline(&line, &room, f) : -1;
    int rc = 0;

    while (rc == 0 && len >= 0) {
        char *at = line + strspn(line, " \t");
        while (len > 0 && strchr(" \t\r\n", line[len - 1]) != NULL) {
            line[--len] = '\0';
        }
        rc = at[0] != '\0' && at[0] != '#' ? add_rule(at) : 0;
        len = rc == 0 ? getline(&line, &room, f) : -1;
    }
    if (f == NULL || ferror(f)) {
        fprintf(stderr, "pmixrun: --script: cannot read %s: %s (a rule has a =)\n", path,
                strerror(errno));
        rc = -1;
    }
    free(line);
    if (f != NULL) {
        fclose(f);
    }
    return rc;
}

int px_run_script_add(const char *text, int n_nodes)
{
    last_node = n_nodes - 1;
    if (applied == NULL) {
        applied = tmpfile();
    }
    if (applied != NULL && fcntl(fileno(applied), F_SETFD, FD_CLOEXEC) != 0) {
        return -1;
    }
    return strchr(text, '=') != NULL ? add_rule(text) : add_file(text);
}

void px_run_script_free(void)
{
    for (size_t i = 0; i < n_rules; i++) {
        free(rules[i].text);
        free(rules[i].words);
    }
    free(rules);
    rules = NULL;
    n_rules = 0;
    if (applied != NULL) {
        fclose(applied);
        applied = NULL;
    }
}

/* A rule of an entry that is missing is obeyed before anybody asks. */
void px_run_script_unused(void)
{
    for (size_t i = 0; applied != NULL && i < n_rules; i++) {
        char mark = '\0';

        if (rules[i].answer.how != MISSING &&
            (pread(fileno(applied), &mark, 1, (off_t) i) != 1 || mark == '\0')) {
            px_run_say("--script %s was never applied: the host was not asked that", rules[i].text);
        }
    }
}

/* ---- obeying */

/* The first rule that applies; nth 0: to any upcall. */
static const struct rule *find_rule(enum entry entry, long nth)
{
    for (size_t i = 0; i < n_rules; i++) {
        const struct rule *r = &rules[i];

        if (r->entry == entry && (r->node < 0 || r->node == (long) px_run.node) &&
            (nth == 0 || r->nth == 0 || r->nth == nth)) {
            return r;
        }
    }
    return NULL;
}

enum how px_run_script_how(enum entry entry)
{
    const struct rule *rule = find_rule(entry, 0);

    return rule != NULL ? rule->answer.how : BY_DEFAULT;
}

const struct answer *px_run_script(struct upcall *upcall)
{
    static const struct answer by_itself = {.how = BY_DEFAULT};
    const struct rule *rule;
    long nth;

    pthread_mutex_lock(&asked.lock);
    nth = ++asked.count[upcall->entry];
    pthread_cond_broadcast(&asked.changed);
    pthread_mutex_unlock(&asked.lock);
    rule = find_rule(upcall->entry, nth);
    if (rule != NULL && applied != NULL) {
        (void) !pwrite(fileno(applied), "x", 1,
                       rule - rules); /* a full disk: it is called unused */
    }
    if (px_run_script_how(upcall->entry) != BY_DEFAULT || px_run_host_can(upcall->entry)) {
        px_run_record(upcall, nth, rule != NULL ? rule->text : NULL); /* else we only look on */
    }
    return rule != NULL ? &rule->answer : &by_itself;
}

/* Milliseconds from now, on the clock of asked.changed. */
static struct timespec deadline(long ms)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

bool px_run_script_wait(const char *when)
{
    long ms = when != NULL ? script_number(when, MAX_LATE_MS) : 0;
    enum entry entry = ms < 0 ? read_entry(when) : N_ENTRIES;
    struct timespec until = deadline(ms > 0 ? ms : 0);
    int rc = ms == 0 ? ETIMEDOUT : 0;
    bool closed;

    pthread_mutex_lock(&asked.lock);
    while (!asked.closed && rc != ETIMEDOUT && (ms >= 0 || asked.count[entry] == 0)) {
        rc = ms > 0 ? pthread_cond_timedwait(&asked.changed, &asked.lock, &until)
                    : pthread_cond_wait(&asked.changed, &asked.lock);
    }
    closed = asked.closed;
    pthread_mutex_unlock(&asked.lock);
    return !closed;
}

int px_run_script_open(void)
{
    pthread_condattr_t attr;
    int rc = pthread_condattr_init(&attr);

    if (rc == 0) {
        rc = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        rc = rc == 0 ? pthread_cond_init(&asked.changed, &attr) : rc;
        (void) pthread_condattr_destroy(&attr);
    }
    return rc;
}

void px_run_script_close(void)
{
    pthread_mutex_lock(&asked.lock);
    asked.closed = true;
    pthread_cond_broadcast(&asked.changed);
    pthread_mutex_unlock(&asked.lock);
    px_host_settle();
}
