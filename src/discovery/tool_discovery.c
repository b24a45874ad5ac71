/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* How a tool finds a server, in the order of the Standard: attachment file, contact string, process
 * id, namespace, system server only, system server first, then any server of the server directory.
 * What a rendezvous file contains is bounded and taken as a hint: the handshake decides whether it
 * is a server.
 *
 * Files in directories that everybody may write to can be forged or left over. A file counts only
 * if its owner is trusted (px_trusts), and, if it was found by a search, only if the process that
 * wrote it still runs. No state; any thread. */

#include "tool_discovery.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/number.h"
#include "src/base/process.h"
#include "src/base/tmpdir.h"
#include "src/net/dial.h"
#include "src/value/directives.h"

enum { FILE_ROOM = 4096 }; /* bytes of a rendezvous file that are read */

/* A number of the directives, or a default if it is not given. */
static uint32_t number_or(uint32_t given, uint32_t otherwise)
{
    return given != PX_NOT_GIVEN ? given : otherwise;
}

/* Copies the name of a directory: the one given, or else that of the environment. */
static void set_dir(char *room, size_t n, const char *dir, const char *variable)
{
    snprintf(room, n, "%s", dir != NULL ? dir : px_tmpdir_peek(variable));
}

/* PMIX_SERVER_URI and PMIX_TCP_URI exclude each other. Directories come from the environment unless
 * directives name them. */
int px_tool_directives_read(const pmix_info_t *info, size_t ninfo, struct px_tool_directives *ret)
{
    struct px_tool_init_directives said;
    int rc = px_tool_init_read(info, ninfo, &said);

    if (rc != 0 || (said.server_uri != NULL && said.tcp_uri != NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    *ret = (struct px_tool_directives){
        .file = said.attachment_file,
        .uri = said.server_uri != NULL ? said.server_uri : said.tcp_uri,
        .nspace = said.server_nspace,
        .own_nspace = said.nspace,
        .own_rank = number_or(said.rank, 0),
        .pid = number_or(said.server_pidinfo, 0),
        .system_only = said.connect_to_system,
        .system_first = said.connect_system_first,
        .no_connect = said.do_not_connect,
        .optional = said.connect_optional,
        .primary = said.primary_server,
        .launcher = said.launcher,
        .retries = number_or(said.connect_max_retries, 0),
        .delay = number_or(said.connect_retry_delay, 1),
        .forward = {said.fwd_stdin, said.fwd_stdout, said.fwd_stderr},
    };
    set_dir(ret->server_tmpdir, sizeof(ret->server_tmpdir), said.server_tmpdir,
            "PMIX_SERVER_TMPDIR");
    set_dir(ret->system_tmpdir, sizeof(ret->system_tmpdir), said.system_tmpdir,
            "PMIX_SYSTEM_TMPDIR");
    return 0;
}

/* Copies the next line of the text without its end, cut to the room, and moves on behind it. */
static void take_line(char **text, char *room, size_t n)
{
    size_t len = strcspn(*text, "\n");

    snprintf(room, n, "%.*s", (int) (len < n ? len : n - 1), *text);
    *text += len;
    if (**text == '\n') {
        (*text)++;
    }
}

/* The number at the start of the next line; 0 if there is none or it is larger than `most`. Moves
 * on behind the line. */
static uint64_t take_number(char **text, uint64_t most)
{
    char line[32];
    uint64_t n = 0;

    take_line(text, line, sizeof(line));
    (void) px_number_read(line, most, &n); /* 0 when there is none */
    return n;
}

/* Tolerance when a process's start is compared with a file's time: clocks are adjusted while
 * servers run, and both times are rounded to seconds. */
enum { CLOCK_SLACK_S = 2 };

/* A process id alone proves little, since ids are reused. Files of this library also hold the start
 * time of the process, which has to match; for other files the process must not have started after
 * the file was written.
 *
 * Ids of another process id namespace cannot be examined, nor processes that the kernel hides from
 * this user: they count as living. A process that has ended but was not waited for does not. */
bool px_found_lives(const struct px_server_candidate *found)
{
    struct px_process process;

    if (found->pid == 0 || (found->space != 0 && found->space != px_process_space())) {
        return true;
    }
    if (kill((pid_t) found->pid, 0) != 0 && errno == ESRCH) {
        return false;
    }
    if (px_process_look((pid_t) found->pid, &process) != 0) {
        return true;
    }
    if (process.ended) {
        return false;
    }
    if (found->started != 0) {
        return process.started == found->started;
    }
    return found->written == 0 || px_process_start_time(&process) <= found->written + CLOCK_SLACK_S;
}

/* Lines after the fifth are of this library only; a file without them has 0 in their members. */
int px_found_read_from(int fd, struct px_server_candidate *ret)
{
    struct px_server_candidate found = {0};
    char text[FILE_ROOM];
    char line[64];
    char *at = text;
    struct stat st;
    ssize_t n = fstat(fd, &st) == 0 ? read(fd, text, sizeof(text) - 1) : -1;

    if (n <= 0) {
        return PMIX_ERR_UNREACH;
    }
    text[n] = '\0';
    found.written = (int64_t) st.st_mtim.tv_sec;
    take_line(&at, found.uri, sizeof(found.uri));
    take_line(&at, found.version, sizeof(found.version));
    found.pid = (uint32_t) take_number(&at, INT32_MAX);
    take_line(&at, line, sizeof(line)); /* the owner */
    take_line(&at, line, sizeof(line)); /* the time, in words */
    found.started = take_number(&at, UINT64_MAX);
    found.space = take_number(&at, UINT64_MAX);
    take_line(&at, found.local_uri, sizeof(found.local_uri));
    if (strchr(found.uri, ';') == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    *ret = found;
    return 0;
}

/* True if the file is a regular file of a user whose servers are trusted. In a directory that
 * everybody may write to, other files may be forgeries. */
static bool is_trusted(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && px_trusts(st.st_uid);
}

/* Reads the rendezvous file of this name. A symbolic link is not followed, and a FIFO does not
 * block. The statuses of px_found_read_from, and PMIX_ERR_NO_PERMISSIONS for a file that is not
 * trusted. */
static int found_read(const char *path, struct px_server_candidate *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    int rc;

    if (fd >= 0 && !is_trusted(fd)) {
        close(fd);
        return PMIX_ERR_NO_PERMISSIONS;
    }
    if (fd < 0) {
        return errno == EACCES ? PMIX_ERR_NO_PERMISSIONS : PMIX_ERR_UNREACH;
    }
    rc = px_found_read_from(fd, ret);
    close(fd);
    return rc;
}

/* The candidates found so far; the room is the caller's of px_tool_find. */
struct candidates {
    struct px_server_candidate *at;
    size_t room;
    size_t n;
};

/* True if there is a candidate with this contact string already. */
static bool is_listed(const struct px_server_candidate *room, size_t n, const char *uri)
{
    size_t i = 0;

    while (i < n && strcmp(room[i].uri, uri) != 0) {
        i++;
    }
    return i < n;
}

/* Adds the server of a rendezvous file. searched: the file was not named but found, so it counts
 * only if its process runs (else PMIX_ERR_UNREACH). A server that is listed already is not added
 * again, which is success. PMIX_ERR_OUT_OF_RESOURCE if there is no room. */
static int add_file(const char *path, struct candidates *found, bool searched)
{
    struct px_server_candidate *next = &found->at[found->n];
    int rc;

    if (found->n >= found->room) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    memset(next, 0, sizeof(*next));
    rc = found_read(path, next);
    if (rc != 0) {
        return rc;
    }
    if (searched && (next->pid == 0 || !px_found_lives(next))) {
        return PMIX_ERR_UNREACH; /* left behind, or cut off */
    }
    next->searched = searched;
    /* A server has several files; it is listed once. */
    found->n += is_listed(found->at, found->n, next->uri) ? 0 : 1;
    return 0;
}

/* Adds the server of the file "<dir>/<name>". */
static int add_named(const char *dir, const char *name, struct candidates *found)
{
    char path[1024];

    return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int) sizeof(path)
               ? add_file(path, found, false)
               : PMIX_ERR_BAD_PARAM;
}

/* Limits of a search below a directory, which may be /tmp: depth, directories opened, entries
 * looked at. */
enum { DEPTH_MOST = 6, DIRS_MOST = 1024, ENTRIES_MOST = 65536 };

/* One search through a directory tree for rendezvous files. */
struct search {
    char name[640]; /* name of the files, or the beginning of their names */
    bool whole;     /* the whole name: the search ends with the first file */
    struct candidates *found;
    size_t before;    /* candidates that there were before the search */
    unsigned dirs;    /* that may still be opened */
    unsigned entries; /* that may still be looked at */
};

/* True if the search goes into this entry: a directory of this user or of root. Symbolic links are
 * not followed; other users' directories do not concern this user. */
static bool leads_on(const char *path, const struct dirent *entry)
{
    struct stat st;

    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
           (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) && lstat(path, &st) == 0 &&
           S_ISDIR(st.st_mode) && (st.st_uid == 0 || geteuid() == st.st_uid);
}

/* True if this is the name of a file that the search is for. */
static bool is_named(const struct search *s, const char *name)
{
    return s->whole ? strcmp(name, s->name) == 0 : strncmp(name, s->name, strlen(s->name)) == 0;
}

/* Adds the servers of a directory and, down to the given depth, of those below it. Files and
 * directories that cannot be read are passed over. Ends when a limit is reached. */
static void search_dir(struct search *s, const char *dir, unsigned depth)
{
    char path[1024];
    const struct dirent *entry;
    DIR *d = s->dirs > 0 ? opendir(dir) : NULL;

    if (d == NULL) {
        return;
    }
    s->dirs--;
    for (entry = readdir(d); entry != NULL && s->entries > 0 && s->found->n < s->found->room;
         entry = readdir(d)) {
        s->entries--;
        if (snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >= (int) sizeof(path)) {
            continue;
        }
        if (is_named(s, entry->d_name)) {
            (void) add_file(path, s->found, true);
        } else if (depth > 0 && leads_on(path, entry)) {
            search_dir(s, path, depth - 1);
        }
        if (s->whole && s->found->n > s->before) {
            break;
        }
    }
    closedir(d);
}

/* Adds all servers of a directory; if it has none, those of the tree below it. The directory itself
 * is searched first, because the tree may be large. */
static void add_directory(const char *dir, const char *host, struct candidates *found)
{
    size_t before = found->n;
    struct search s = {.found = found, .dirs = DIRS_MOST};

    (void) snprintf(s.name, sizeof(s.name), "pmix.%s.tool", host);
    for (unsigned depth = 0; found->n == before && depth <= DEPTH_MOST; depth += DEPTH_MOST) {
        s.entries = ENTRIES_MOST;
        search_dir(&s, dir, depth);
    }
}

/* True if the directory of system servers is another one than that of the session's. */
static bool has_system_tmpdir(const struct px_tool_directives *directives)
{
    return strcmp(directives->server_tmpdir, directives->system_tmpdir) != 0;
}

/* Adds the servers of the session's directory; those of the system's directory if there are none,
 * since a launcher's tools may have a session directory of their own, or if all are asked for. */
static void add_directories(const struct px_tool_directives *directives, const char *host, bool all,
                            struct candidates *found)
{
    size_t before = found->n;

    add_directory(directives->server_tmpdir, host, found);
    if (has_system_tmpdir(directives) && (all || found->n == before)) {
        add_directory(directives->system_tmpdir, host, found);
    }
}

/* Adds the server of the file of this name: in the directory, or else, if it is wanted, in the tree
 * below it. 0, PMIX_ERR_UNREACH if there is none, or another status if there is a file in the
 * directory that cannot be used. */
static int add_whole(const char *dir, const char *name, bool deep, struct candidates *found)
{
    struct search s = {.whole = true,
                       .found = found,
                       .before = found->n,
                       .dirs = DIRS_MOST,
                       .entries = ENTRIES_MOST};
    int rc = add_named(dir, name, found);

    if (rc == PMIX_ERR_UNREACH && deep) {
        (void) snprintf(s.name, sizeof(s.name), "%s", name);
        search_dir(&s, dir, DEPTH_MOST);
        rc = found->n > s.before ? 0 : rc;
    }
    return rc;
}

/* Adds the server whose file is named for `what`, a process id or a namespace, of the session's
 * directory or else of the system's. The statuses of add_whole. */
static int add_one(const struct px_tool_directives *directives, const char *host, const char *what,
                   struct candidates *found)
{
    char name[640];
    int rc;

    if (snprintf(name, sizeof(name), "pmix.%s.tool.%s", host, what) >= (int) sizeof(name)) {
        return PMIX_ERR_UNREACH;
    }
    rc = add_whole(directives->server_tmpdir, name, true, found);
    return rc == PMIX_ERR_UNREACH && has_system_tmpdir(directives)
               ? add_whole(directives->system_tmpdir, name, true, found)
               : rc;
}

/* Adds the system server of this node: the file pmix.sys.<host> of the system directory, or of the
 * tree below it if it is asked for. */
static int add_system(const struct px_tool_directives *directives, const char *host,
                      struct candidates *found)
{
    char name[300];
    size_t before = found->n;
    int rc;

    (void) snprintf(name, sizeof(name), "pmix.sys.%s", host);
    rc = add_whole(directives->system_tmpdir, name,
                   directives->system_only || directives->system_first, found);
    if (found->n > before) {
        found->at[before].searched = false; /* the user has chosen it */
    }
    return rc;
}

/* Adds a contact string that the caller or the environment gave: a plain one, one behind the name
 * of an environment variable ("PMIX_...;"), or "file:" and the name of a rendezvous file. A plain
 * one is not checked here; connecting to it will show what it is. */
static int add_uri(const char *uri, struct candidates *found)
{
    const char *env = strncmp(uri, "PMIX_", 5) == 0 ? strchr(uri, ';') : NULL;
    struct px_server_candidate *next = &found->at[found->n];

    if (strncmp(uri, "file:", 5) == 0) {
        return add_file(uri + 5, found, false);
    }
    px_assert(found->n < found->room);
    memset(next, 0, sizeof(*next));
    (void) snprintf(next->uri, sizeof(next->uri), "%s", env != NULL ? env + 1 : uri);
    next->named = true;
    found->n++;
    return 0;
}

/* Completes the server of the environment: its version, and its AF_UNIX socket if it is one of this
 * library. */
static void add_more(struct px_server_candidate *found)
{
    const char *version = secure_getenv("PMIX_VERSION");
    const char *local = secure_getenv("PMIX_SHMIX_URI");
    size_t len = strcspn(found->uri, ";") + 1;

    if (version != NULL) {
        (void) snprintf(found->version, sizeof(found->version), "%s", version);
    }
    if (local != NULL && strncmp(local, found->uri, len) == 0) {
        (void) snprintf(found->local_uri, sizeof(found->local_uri), "%s", local);
    }
}

/* Adds the server of the first environment variable that holds a contact string: the one that
 * started this tool. The protocol's variables, newest release first. The server's version is that
 * of PMIX_VERSION. */
static void add_environment(struct candidates *found)
{
    static const char *const names[] = {"PMIX_SERVER_URI61", "PMIX_SERVER_URI51",
                                        "PMIX_SERVER_URI41", "PMIX_SERVER_URI4"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && found->n < found->room; i++) {
        const char *uri = secure_getenv(names[i]);
        size_t before = found->n;

        if (uri != NULL && uri[0] != '\0') {
            (void) add_uri(uri, found); /* a file that is not there is no candidate */
            if (found->n > before) {
                add_more(&found->at[before]);
            }
            return;
        }
    }
}

/* True if this is the contact string of a server of that namespace: "<namespace>.<rank>;...". */
static bool is_of(const char *uri, const char *nspace)
{
    size_t len = strlen(nspace);

    return strncmp(uri, nspace, len) == 0 && uri[len] == '.' &&
           uri[len + 1 + strspn(uri + len + 1, "0123456789")] == ';';
}

/* One branch per rule of the Standard. Where the directives name one server, its file must be what
 * its name says, and a failure is final. Otherwise all candidates are collected: the server of the
 * environment, the system server if it has to go first or the environment names none, and those of
 * the server directory, or else of the system directory. */
int px_tool_find(const struct px_tool_directives *directives, const char *hostname,
                 struct px_server_candidate *room, size_t n_room, size_t *ret_n, bool *ret_named)
{
    struct candidates found = {.at = room, .room = n_room};
    char number[16];
    int rc = 0;

    *ret_named = px_tool_is_directed(directives);
    if (directives->file != NULL) {
        rc = add_file(directives->file, &found, false);
    } else if (directives->uri != NULL) {
        rc = add_uri(directives->uri, &found);
    } else if (directives->pid != 0) {
        (void) snprintf(number, sizeof(number), "%u", directives->pid);
        rc = add_one(directives, hostname, number, &found);
        if (rc == 0 && room[0].pid != 0 && room[0].pid != directives->pid) {
            rc = PMIX_ERR_UNREACH; /* the file is of another process */
        }
    } else if (directives->nspace != NULL) {
        rc = add_one(directives, hostname, directives->nspace, &found);
        if (rc == 0 && !is_of(room[0].uri, directives->nspace)) {
            rc = PMIX_ERR_UNREACH; /* it is not what its name says */
        }
    } else if (directives->system_only) {
        rc = add_system(directives, hostname, &found);
    } else {
        add_environment(&found);
        if (directives->system_first || found.n == 0) {
            (void) add_system(directives, hostname, &found); /* if it is there */
        }
        add_directories(directives, hostname, false, &found);
        rc = found.n > 0 ? 0 : PMIX_ERR_UNREACH;
    }
    *ret_n = found.n;
    return rc;
}

/* The environment goes last: its server is usually one that a file describes with more detail. */
size_t px_tool_list(const struct px_tool_directives *directives, const char *hostname,
                    struct px_server_candidate *room, size_t n_room)
{
    struct candidates found = {.at = room, .room = n_room};
    size_t before;

    if (add_system(directives, hostname, &found) == 0 && !px_found_lives(&room[0])) {
        found.n = 0;
    }
    if (directives->system_only) {
        return found.n;
    }
    add_directories(directives, hostname, true, &found);
    before = found.n; /* a server that has a file is not listed again */
    add_environment(&found);
    return found.n > before && is_listed(room, before, room[before].uri) ? before : found.n;
}
