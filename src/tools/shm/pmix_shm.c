/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm: looks into the shared segments of running servers, and into saved ones. All but `list`
 * work on a copy, so that what is shown is of one moment and nobody is held up. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gds/segment_file.h"
#include "gds/state.h"
#include "gds/verify.h"
#include "src/tools/options.h"
#include "src/tools/quote.h"
#include "shm.h"
#include "src/tools/std.h"

enum { FAILED = 1, NONE = -1 };

static const char usage_text[] =
    "usage: pmix-shm list\n"
    "       pmix-shm show [NSPACE|FILE] [--pid P] [--rank R] [--key K]\n"
    "       pmix-shm verify [NSPACE|FILE] [--pid P] [--level N]\n"
    "       pmix-shm stats [NSPACE|FILE] [--pid P]\n"
    "       pmix-shm save NSPACE FILE [--pid P]\n"
    "       pmix-shm waits [--pid P] [NSPACE...]\n"
    "       pmix-shm top [--pid P] [--interval S] [--once]\n"
    "Looks into the shared memory of the PMIx servers of this user. Without a namespace: the only "
    "one there is.\n"
    "What has a slash, or is no namespace, is a file that `save` has written.\n\n"
    "  list      every segment: who serves it, its size, and how many processes read it\n"
    "  show      what is in it: session, job, applications, nodes, processes\n"
    "  verify    checks it\n"
    "  stats     where its bytes go, how its tables are filled\n"
    "  save      copies it to a new file\n"
    "  waits     why does it hang? What each server of this node waits for: collectives, gets, "
    "requests\n"
    "            at the host; since when, who has come, and what those do who have not\n"
    "  top       what each server of this node does, every second until SIGINT: namespaces, "
    "processes,\n"
    "            connections, requests, bytes and collectives per second, kept events, what is "
    "open\n\n"
    "  --rank R    the values of one process only\n"
    "  --key K     the values of one key only: \"pmix.lrank\", or its constant PMIX_LOCAL_RANK\n"
    "  --level N   0: the header; 1: and all tables; 2: and every value (default)\n"
    "  --pid P     the server with this process id only; needed where several have the "
    "namespace\n"
    "  --interval S  seconds between two looks (top)\n"
    "  --once      one look, with totals since the server has started (top)\n"
    "  --json      for programs (list, show, verify, stats, waits, top)\n"
    "  --parsable  likewise: a value a line, behind its names and colons (waits, top)\n"
    "  -V, --version\n"
    "  -h, --help\n\n"
    "Exit code: 0; 1 when something is missing or damaged; 2 for another command line, or one that "
    "leaves open\n"
    "which server is meant: then standard error names them.\n";

struct options {
    int (*run)(const struct options *o); /* the command */
    const char *words[2];
    char **all_words; /* of waits */
    int n_words;
    struct px_shm_want want;
    int level;
    pid_t pid; /* of the server; 0: any */
    int interval_s;
    bool once;
    bool json;
    bool parsable;
    bool help;
    bool version;
};

static int complain(const char *name, const char *what)
{
    fprintf(stderr, "pmix-shm: %s: %s\n", name, what);
    return FAILED;
}

/* --- where a segment comes from --- */

/* A whole file, malloc'd; NULL with errno. */
static void *read_file(const char *path, size_t *ret_len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *bytes = NULL;
    size_t len = 0;
    ssize_t n = 1;

    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        errno = errno ? errno : EINVAL;
    } else {
        bytes = malloc((size_t) st.st_size + 1);
    }
    while (bytes && n > 0 && len < (size_t) st.st_size) {
        n = read(fd, bytes + len, (size_t) st.st_size - len);
        len += n > 0 ? (size_t) n : 0;
        n = n < 0 && errno == EINTR ? 1 : n;
    }
    close(fd);
    *ret_len = len;
    return bytes;
}

static int load_file(const char *path, struct px_store **ret)
{
    size_t len;
    void *bytes;
    int rc;

    errno = 0;
    bytes = read_file(path, &len);
    if (!bytes) {
        return complain(path, errno == EINVAL ? "not a file" : strerror(errno));
    }
    rc = px_store_load(bytes, len, ret);
    free(bytes);
    return rc ? complain(path, rc == PMIX_ERR_UNPACK_FAILURE ? "not a segment, or a damaged one"
                                                             : PMIx_Error_string(rc))
              : 0;
}

/* A copy of the live segment of a namespace. 0; NONE; or an exit code after a complaint. */
static int copy_live(const char *nspace, pid_t pid, void **ret, size_t *ret_len)
{
    struct px_store *store;
    int rc = px_shm_choose(nspace, pid, &store);

    if (rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_BAD_PARAM) {
        return rc == PMIX_ERR_NOT_FOUND ? NONE : PX_USAGE_ERROR;
    }
    if (rc == 0) {
        rc = px_store_save(store, ret, ret_len);
        px_store_destroy(store);
    }
    return rc ? complain(nspace ? nspace : "segment", PMIx_Error_string(rc)) : 0;
}

/* The segment that the command is about, as a private copy. 0 or an exit code. */
static int load(const struct options *o, struct px_store **ret)
{
    const char *name = o->words[0];
    void *bytes;
    size_t len;
    int rc;

    if (name && strchr(name, '/')) {
        return load_file(name, ret);
    }
    rc = copy_live(name, o->pid, &bytes, &len);
    if (rc == NONE) {
        return name && access(name, F_OK) == 0 ? load_file(name, ret)
               : name                          ? complain(name, "no such namespace or file")
                      : complain("no segment", "no server of this user is running");
    }
    if (rc != 0) {
        return rc;
    }
    rc = px_store_load(bytes, len, ret);
    free(bytes);
    return rc ? complain(name ? name : "segment", PMIx_Error_string(rc)) : 0;
}

/* --- commands --- */

/* What was asked for is not there. */
static int complain_missing(const struct px_store *store, const struct px_shm_want *want)
{
    const char *nspace = px_store_nspace(store);

    fputs("pmix-shm: ", stderr);
    px_quote(stderr, nspace, strlen(nspace), false);
    if (want->rank != PMIX_RANK_UNDEF) {
        fprintf(stderr, ": rank %" PRIu32, want->rank);
    }
    if (want->key) {
        fputs(" has no value of the key ", stderr);
        px_quote(stderr, want->key, strlen(want->key), false);
        putc('\n', stderr);
    } else {
        fputs(" is not in the namespace\n", stderr);
    }
    return FAILED;
}

static int show(const struct options *o)
{
    struct px_store *store;
    int rc = load(o, &store);

    if (rc == 0) {
        bool found;

        rc = px_shm_show(store, &o->want, &found) ? FAILED : 0;
        if (!found) {
            rc = complain_missing(store, &o->want);
        }
        px_store_destroy(store);
    }
    return rc;
}

static int stats(const struct options *o)
{
    struct px_store *store;
    int rc = load(o, &store);

    if (rc == 0) {
        rc = px_shm_stats(store) ? FAILED : 0;
        px_store_destroy(store);
    }
    return rc;
}

static int verify(const struct options *o)
{
    struct px_fault fault = {.what = "damaged"};
    struct px_store *store;
    int rc = load(o, &store);

    if (rc != 0) {
        return rc;
    }
    rc = px_format_verify(&store->seg, (enum px_verify_level) o->level, &fault);
    px_out_open(NULL);
    px_out_text("nspace", px_store_nspace(store));
    px_out_number("level", (uint64_t) o->level);
    px_out_bool("sound", rc == 0);
    if (rc != 0) {
        px_out_text("damaged", fault.what);
        px_out_number("byte", (fault.loc & PX_SHM_LOC_MASK) * 8);
    }
    px_out_close();
    px_out_end();
    px_store_destroy(store);
    return rc ? FAILED : 0;
}

static int save(const struct options *o)
{
    void *bytes;
    size_t len;
    size_t done = 0;
    ssize_t n = 0;
    int rc = copy_live(o->words[0], o->pid, &bytes, &len);
    int fd;

    if (rc != 0) {
        return rc == NONE ? complain(o->words[0], "no such namespace") : rc;
    }
    fd = open(o->words[1], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (fd >= 0 && done < len && (n >= 0 || errno == EINTR)) {
        n = write(fd, (const char *) bytes + done, len - done);
        done += n > 0 ? (size_t) n : 0;
    }
    free(bytes);
    if (fd < 0 || done < len || close(fd) != 0) {
        rc = complain(o->words[1], strerror(errno));
        if (fd >= 0) {
            (void) unlink(o->words[1]); /* half a segment is of no use */
        }
    }
    return rc;
}

/* The exit code for the status of a command that looks at servers. */
static int said(const char *command, int rc)
{
    return rc == PMIX_ERR_NOT_FOUND
               ? complain(command, "this process is no server that one may look into")
           : rc ? complain(command, "out of memory")
                : 0;
}

static int waits(const struct options *o)
{
    const struct px_shm_waits_want want = {.nspaces = o->all_words,
                                           .n_nspaces = o->n_words,
                                           .pid = o->pid,
                                           .tree = o->json || o->parsable};

    return said("waits", px_shm_waits(&want));
}

static int top(const struct options *o)
{
    const struct px_shm_top_want want = {.pid = o->pid,
                                         .interval_s = o->interval_s,
                                         .once = o->once,
                                         .tree = o->json || o->parsable};

    return said("top", px_shm_top(&want));
}

static int list(const struct options *o)
{
    return px_shm_list(o->pid, o->json) ? complain("list", "out of memory") : 0;
}

/* --- options --- */

static int read_key(const char *text, void *options)
{
    struct options *o = options;

    o->want.key = PMIx_Get_attribute_string(text); /* of no constant: itself */
    return 0;
}

static const struct px_option known_options[] = {
    {"help", 'h', PX_OPTION_FLAG, offsetof(struct options, help), 0, 0, NULL},
    {"version", 'V', PX_OPTION_FLAG, offsetof(struct options, version), 0, 0, NULL},
    {"rank", 0, PX_OPTION_NUMBER, offsetof(struct options, want.rank), 0, PMIX_RANK_VALID, NULL},
    {"key", 0, PX_OPTION_CALL, 0, 0, 0, read_key},
    {"level", 0, PX_OPTION_NUMBER, offsetof(struct options, level), 0, PX_VERIFY_ALL, NULL},
    {"pid", 0, PX_OPTION_NUMBER, offsetof(struct options, pid), 1, INT32_MAX, NULL},
    {"interval", 0, PX_OPTION_NUMBER, offsetof(struct options, interval_s), 1, 86400, NULL},
    {"once", 0, PX_OPTION_FLAG, offsetof(struct options, once), 0, 0, NULL},
    {"json", 0, PX_OPTION_FLAG, offsetof(struct options, json), 0, 0, NULL},
    {"parsable", 0, PX_OPTION_FLAG, offsetof(struct options, parsable), 0, 0, NULL},
};

static const struct {
    const char *name;
    int (*run)(const struct options *o);
    int least;
    int most;
} commands[] = {
    {"list", list, 0, 0},   {"show", show, 0, 1}, {"verify", verify, 0, 1},
    {"stats", stats, 0, 1}, {"save", save, 2, 2}, {"waits", waits, 0, INT_MAX},
    {"top", top, 0, 0},
};

/* The command and its words. */
static int read_words(char **words, int n, void *options)
{
    struct options *o = options;

    if (n == 0 || o->help || o->version) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(words[0], commands[i].name) != 0) {
            continue;
        }
        if (n > 3 && n - 1 > commands[i].most) {
            fprintf(stderr, "pmix-shm: \"%s\" is one word too many\n", words[3]);
            return PX_USAGE_ERROR;
        }
        if (n - 1 < commands[i].least || n - 1 > commands[i].most) {
            fprintf(stderr, "pmix-shm: %s needs %s words\n", words[0],
                    n - 1 < commands[i].least ? "more" : "fewer");
            return PX_USAGE_ERROR;
        }
        o->run = commands[i].run;
        memcpy(o->words, words + 1, (size_t) (n > 3 ? 2 : n - 1) * sizeof(words[0]));
        o->all_words = words + 1;
        o->n_words = n - 1;
        return 0;
    }
    fprintf(stderr, "pmix-shm: there is no command \"%s\"\n", words[0]);
    return PX_USAGE_ERROR;
}

static int run(const struct options *o)
{
    if (o->help) {
        fputs(usage_text, stdout);
        return 0;
    }
    if (o->version) {
        puts(PACKAGE_STRING);
        return 0;
    }
    if (!o->run) {
        fputs(usage_text, stderr);
        return PX_USAGE_ERROR;
    }
    return o->run(o);
}

int main(int argc, char **argv)
{
    static char name[] = "pmix-shm";
    const struct px_command_line line = {
        name, known_options, sizeof(known_options) / sizeof(known_options[0]), false, read_words};
    struct options o = {.level = PX_VERIFY_ALL, .interval_s = 1, .want.rank = PMIX_RANK_UNDEF};

    px_std_open(argv, name);
    int rc = px_options_read(&line, argc, argv, &o);
    if (rc != 0) {
        return rc;
    }
    px_out_set_form(o.json ? PX_OUT_JSON : o.parsable ? PX_OUT_PARSABLE : PX_OUT_PLAIN);
    return px_std_close(name, run(&o));
}
