/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The files by which tools find servers: where they are, what they hold, who may read them, and
 * that they go. A tool starts the servers. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRIVEN .jobs = {{"A", {1}, .quiet = true}}, .tools = 1, .server = without_tools

static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* ---- whom a server takes */

static const char *uri_path(void)
{
    return path_named("%s/uri", scratch());
}

/* Tells the tool where the server is. */
static void be_client(void)
{
    check_for("TOOL-002", strchr(got_of(me.rank, PMIX_SERVER_URI, NULL), ';') != NULL,
              "a client knows its server");
    fence_all(NULL);
    write_text(uri_path(), got_of(me.rank, PMIX_SERVER_URI, NULL));
    tell("written");
    await("tried");
    fence_all(NULL);
    check_for("TOOL-001 TOOL-002 TOOL-003", fence(NULL, 0, NULL) == PMIX_SUCCESS,
              "the server serves its clients");
}

static const char *by_uri(void)
{
    const char *uri;

    await("written");
    uri = path_named("%s", read_text(uri_path()));
    (void) unlink(uri_path());
    return reached(one_text(PMIX_SERVER_URI, uri));
}

static void be_refused(void)
{
    check_for("TOOL-001", count_entries(scratch(), "pmix.") == 0, "no file");
    same_for("TOOL-001", "-25", reached(one_text(PMIX_SERVER_TMPDIR, scratch())),
             "no server is found");
    check_for("TOOL-001", by_uri()[0] == '-', "a tool that knows the address is refused");
    tell("tried");
}

static void be_taken(void)
{
    check_for("TOOL-001", count_entries(scratch(), "pmix.") > 0, "files");
    same_for("TOOL-001 TOOL-002", "conform-host", by_uri(), "a tool is taken");
    tell("tried");
}

static void be_rejected(void)
{
    check_for("TOOL-003", by_uri()[0] == '-', "a host without tool_connected takes no tools");
    tell("tried");
}

/* ---- where the files are */

enum { BY_DIRECTIVE = 1, BY_VARIABLE, NOWHERE = 7 };

static bool of_system(void)
{
    return strstr(the_case()->ids, "TOOL-005") != NULL;
}

/* The variables that name a folder for temporary files, in their order. */
static const char *variable(int i)
{
    static const char *const names[] = {NULL, "TMPDIR", "TEMPDIR", "TEMP", "TMP"};

    return i > 0 ? names[i] : of_system() ? "PMIX_SYSTEM_TMPDIR" : "PMIX_SERVER_TMPDIR";
}

/* Server BY_VARIABLE has all variables set, each to a folder of its own; the next all but the
 * first; NOWHERE none. */
static void set_variables(int number)
{
    for (int i = 0; i < NOWHERE - BY_VARIABLE; i++) {
        if (i >= number - BY_VARIABLE) {
            setenv(variable(i), make_folder(variable(i)), 1);
        } else {
            unsetenv(variable(i));
        }
    }
}

/* Of no other node: there may be other files in /tmp. */
static const char *own_host(void)
{
    return path_named("conform%d", (int) server_pid(0));
}

static const char *where(int number)
{
    return number == BY_DIRECTIVE ? make_folder("given")
           : number == NOWHERE    ? "/tmp"
                                  : make_folder(variable(number - BY_VARIABLE));
}

static const char *dir_key(void)
{
    return of_system() ? PMIX_SYSTEM_TMPDIR : PMIX_SERVER_TMPDIR;
}

static void in_folders(int number, struct infos *list)
{
    set_variables(number);
    if (number == BY_DIRECTIVE) {
        add_text(list, dir_key(), make_folder("given"));
    }
    drop(list, PMIX_HOSTNAME);
    add_text(list, PMIX_HOSTNAME, own_host());
    add_true(list, of_system() ? PMIX_SERVER_SYSTEM_SUPPORT : PMIX_SERVER_TOOL_SUPPORT);
}

static void see_folder(int number)
{
    const char *file = of_system() ? path_named("%s/pmix.sys.%s", where(number), own_host())
                                   : path_named("%s/pmix.%s.tool.%s", where(number), own_host(),
                                                server_name(number));
    struct infos list = {0};

    check_status(PMIX_SUCCESS, server_begin(number), "server %d", number);
    check(is_there(file), "the server writes %s", file);
    if (number == BY_DIRECTIVE) {
        add_text(&list, dir_key(), make_folder("given"));
    }
    set_variables(number);
    if (of_system()) {
        add_true(&list, PMIX_CONNECT_TO_SYSTEM);
    } else {
        add_text(&list, PMIX_SERVER_NSPACE, server_name(number));
    }
    same(server_name(number), reached(&list), "the tool finds %s", file);
    server_end(number);
    check(!is_there(file), "the server removes %s", file);
}

static void see_folders(void)
{
    setenv("PMIX_HOSTNAME", own_host(), 1);
    for (int number = BY_DIRECTIVE; number <= NOWHERE; number++) {
        see_folder(number);
    }
    for (int i = 0; i < NOWHERE - BY_VARIABLE; i++) {
        remove_folder(variable(i));
    }
    remove_folder("given");
}

/* ---- what they are called and hold */

static const char *file_of(const char *what)
{
    return path_named("%s/pmix.%s.tool%s%s", make_folder("files"), node_name(0),
                      what[0] != '\0' ? "." : "", what);
}

static const char *file_of_pid(int number)
{
    return file_of(path_named("%d", (int) server_pid(number)));
}

static const char *line_of(const char *file, int n)
{
    const char *text = read_text(file);

    while (text != NULL && n-- > 0) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text != NULL ? path_named("%.*s", (int) strcspn(text, "\n"), text) : "";
}

static void in_files(int number, struct infos *list)
{
    add_text(list, PMIX_SERVER_TMPDIR, make_folder("files"));
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
    if (number == 2) {
        uint32_t mode = 0600;
        add(list, PMIX_SOCKET_MODE, &mode, PMIX_UINT32);
    }
}

static void see_names(void)
{
    const char *first;

    check_status(PMIX_SUCCESS, server_begin(1), "server_init");
    check_for("TOOL-006", count_entries(make_folder("files"), "") == 3, "three files");
    first = path_named("%s", read_text(file_of("")));
    same_for("TOOL-006", first, read_text(file_of("server1")), "the file of its namespace");
    same_for("TOOL-006", first, read_text(file_of_pid(1)), "the file of its process");
    check_status(PMIX_SUCCESS, server_begin(2), "a second server");
    check_for("TOOL-006", count_entries(make_folder("files"), "") == 5, "of the second two");
    same_for("TOOL-006", first, read_text(file_of("")), "the plain name stays the first one's");
    server_end(2);
    server_end(1);
    check_for("TOOL-014", count_entries(make_folder("files"), "") == 0, "they are gone");
    remove_folder("files");
}

#ifndef CONFORM_THEIRS
/* A copy of the file in which one of the two addresses leads nowhere. */
static const char *reached_without(const char *file, int line)
{
    const char *copy = path_named("%s/copy", scratch());
    char text[4096] = "";

    for (int i = 0; i < 8; i++) {
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n",
                 i != line ? line_of(file, i)
                 : i == 0  ? "server1.0;tcp4://127.0.0.1:1"
                           : "server1.0;unix://@nobody");
    }
    write_text(copy, text);
    return reached(one_text(PMIX_TOOL_ATTACHMENT_FILE, copy));
}

static void see_two_addresses(const char *file)
{
    check_for("TOOL-002", strstr(line_of(file, 7), ";unix:") != NULL, "a Unix socket: %s",
              line_of(file, 7));
    same_for("TOOL-002", "server1", reached_without(file, 0), "tools connect to the Unix socket");
    same_for("TOOL-002", "server1", reached_without(file, 7), "or else by TCP");
}
#endif

static void see_content(void)
{
    const char *file;
    char want[64];
    struct stat st;

    check_status(PMIX_SUCCESS, server_begin(1), "server_init");
    file = file_of("server1");
    check_for("TOOL-011", strncmp(line_of(file, 0), "server1.0;tcp4://", 17) == 0,
              "namespace, rank and address: %s", line_of(file, 0));
    check_for("TOOL-012", line_of(file, 1)[0] >= '4' && line_of(file, 1)[1] == '.', "version: %s",
              line_of(file, 1));
    snprintf(want, sizeof(want), "%d", (int) server_pid(1));
    same_for("TOOL-012", want, line_of(file, 2), "its process");
    snprintf(want, sizeof(want), "%u:%u", geteuid(), getegid());
    same_for("TOOL-013", want, line_of(file, 3), "its user and group");
    check_for("TOOL-012", strchr(line_of(file, 4), ':') != NULL, "time: %s", line_of(file, 4));
    check_for("TOOL-013", stat(file, &st) == 0 && st.st_uid == geteuid() && st.st_gid == getegid(),
              "the files are the server's user's");
    check_for("TOOL-013", (st.st_mode & 0777) == 0640, "mode %o", st.st_mode & 0777);
    check_status(PMIX_SUCCESS, server_begin(2), "server_init");
    check_for("TOOL-013", stat(file_of("server2"), &st) == 0 && (st.st_mode & 0777) == 0600,
              "the mode that was asked for, not %o", st.st_mode & 0777);
    write_text(path_named("%s/copy", scratch()), read_text(file));
    same_for("TOOL-011", "server1",
             reached(one_text(PMIX_TOOL_ATTACHMENT_FILE, path_named("%s/copy", scratch()))),
             "the content is enough to connect");
#ifndef CONFORM_THEIRS
    see_two_addresses(file);
#endif
    (void) unlink(path_named("%s/copy", scratch()));
    server_end(2);
    server_end(1);
    remove_folder("files");
}

/* The second tool is another user if it can be; else the file is hidden from its own. */
static void see_permissions(void)
{
    const char *file;

    if (tool_number() == 0) {
        check_status_for("TOOL-013", PMIX_SUCCESS, server_begin(2), "server_init");
        tell("there");
        await("tried");
        same_for("TOOL-013", "server2",
                 reached(one_text(PMIX_TOOL_ATTACHMENT_FILE, file_of("server2"))), "its own user");
        server_end(2);
        remove_folder("files");
        return;
    }
    await("there");
    file = file_of("server2");
    if (geteuid() == 0) {
        check(chmod(scratch(), 0755) == 0 && setgid(65534) == 0 && setuid(65534) == 0,
              "another user");
    } else {
        check(chmod(file, 0) == 0, "a file that cannot be read");
    }
    same_for("TOOL-013", "-23", reached(one_text(PMIX_TOOL_ATTACHMENT_FILE, file)),
             "a file that may not be read");
    if (geteuid() != 65534) {
        check(chmod(file, 0600) == 0, "a file that can be read");
    }
    tell("tried");
}

/* ---- servers of which a node has one */

static void system_servers(int number, struct infos *list)
{
    add_text(list, PMIX_SERVER_TMPDIR, make_folder("files"));
    add_text(list, PMIX_SYSTEM_TMPDIR, make_folder("system"));
    if (number == 2) {
        check(setenv("PMIX_MCA_shmix_one_system_server", "1", 1) == 0, "no setting");
    }
    add_true(list, number <= 2 || number == 7 ? PMIX_SERVER_SYSTEM_SUPPORT
                   : number == 3              ? PMIX_SERVER_SESSION_SUPPORT
                   : number == 4              ? PMIX_SERVER_SCHEDULER
                                              : PMIX_SERVER_SYS_CONTROLLER);
    if (number == 6) {
        add_true(list, PMIX_SERVER_SYSTEM_SUPPORT);
        add_true(list, PMIX_SERVER_SESSION_SUPPORT);
        add_text(list, PMIX_LAUNCHER_RENDEZVOUS_FILE, path_named("%s/deep/er/file", scratch()));
    }
}

static const char *system_file(const char *kind)
{
    return path_named("%s/pmix.%s.%s", make_folder("system"), kind, node_name(0));
}

static struct infos *to_system(void)
{
    struct infos *list = one_true(PMIX_CONNECT_TO_SYSTEM);

    add_text(list, PMIX_SYSTEM_TMPDIR, make_folder("system"));
    return list;
}

static void see_system(void)
{
    const char *first;

    check_status_for("TOOL-007", PMIX_SUCCESS, server_begin(1), "the system server");
    check_for("TOOL-007", is_there(system_file("sys")), "its file");
    check_for("TOOL-007", count_entries(make_folder("system"), "") == 1, "no other file");
    first = path_named("%s", read_text(system_file("sys")));
    check_status_for("TOOL-008", PMIX_ERR_EXISTS, server_begin(2),
                     "another system server, where there may be one only");
    same_for("TOOL-008", first, read_text(system_file("sys")), "its file is the same");
    check_for("TOOL-008", count_entries(make_folder("files"), "") == 3,
              "and it is the only server");
    if (server_begin(7) == PMIX_SUCCESS) { /* a library may let it start without that file */
        same_for("TOOL-008", first, read_text(system_file("sys")), "its file is the same");
        server_end(7);
        check_for("TOOL-008", is_there(system_file("sys")), "its file is there");
    }
    same_for("TOOL-008", "server1", reached(to_system()), "it can be reached");
    server_kill(1);
    check_status_for("TOOL-008", PMIX_SUCCESS, server_begin(2), "after the first has died");
    same_for("TOOL-008", "server2", reached(to_system()), "the second is the system server");
    server_end(2);
    check_for("TOOL-014", count_entries(make_folder("files"), "") == 0,
              "nothing is left of the dead one");
    remove_folder("files");
    remove_folder("system");
}

static void see_kinds(void)
{
    check_status(PMIX_SUCCESS, server_begin(3), "the session server");
    same_for("TOOL-009", "server3", reached(one_text(PMIX_SERVER_TMPDIR, make_folder("files"))),
             "the session server is found");
    check_for("TOOL-009", count_entries(make_folder("system"), "") == 0, "and is no system server");
    server_end(3);
    check_status(PMIX_SUCCESS, server_begin(4), "a scheduler");
    check_for("TOOL-009", is_there(system_file("sched")), "its file");
    server_end(4);
    check_status(PMIX_SUCCESS, server_begin(5), "a system controller");
    check_for("TOOL-009", is_there(system_file("sysctrlr")), "its file");
    server_end(5);
    check_status(PMIX_SUCCESS, server_begin(6), "all at once");
    check_for("TOOL-016", is_there(system_file("sys")) && is_there(system_file("sysctrlr")),
              "files in the system directory");
    check_for("TOOL-016", count_entries(make_folder("files"), "pmix.") == 3, "and in its own");
    check_for("TOOL-016", is_there(path_named("%s/deep/er/file", scratch())), "and the launcher's");
    server_end(6);
    check_for("TOOL-014", !is_there(path_named("%s/deep", scratch())), "all are gone");
    remove_folder("files");
    remove_folder("system");
}

/* ---- what it makes, and removes */

static void launcher_files(int number, struct infos *list)
{
    add_text(list, PMIX_SERVER_TMPDIR, make_folder("files"));
    if (number == 1) {
        add_text(list, PMIX_LAUNCHER_RENDEZVOUS_FILE,
                 path_named("%s/a/b/file", make_folder("made")));
    } else if (number == 2) {
        add_true(list, PMIX_SERVER_TOOL_SUPPORT);
        setenv("PMIX_LAUNCHER_RNDZ_FILE", path_named("%s/c/file", make_folder("made")), 1);
    } else {
        drop(list, PMIX_SERVER_TMPDIR);
        add_text(list, PMIX_SERVER_TMPDIR, path_named("%s/x/y", make_folder("made")));
        add_true(list, PMIX_SERVER_TOOL_SUPPORT);
    }
    if (number == 4) {
        add_true(list, PMIX_TDIR_RMCLEAN);
    }
}

static void see_launcher_file(int number, const char *name)
{
    const char *file = path_named("%s/%s", make_folder("made"), name);

    check_status(PMIX_SUCCESS, server_begin(number), "server_init");
    check_for("TOOL-010", is_there(file), "the file and its directories are made");
    same_for("TOOL-010", path_named("server%d", number),
             reached(one_text(PMIX_TOOL_ATTACHMENT_FILE, file)), "it leads to the server");
    server_end(number);
    check_for("TOOL-014", count_entries(make_folder("made"), "") == 1, "what was made is gone");
}

static void see_made(void)
{
    const char *dir = make_folder("made");

    write_text(path_named("%s/foreign", dir), "foreign");
    write_text(path_named("%s/pmix.%s.tool.99", make_folder("files"), node_name(0)), "foreign");
    see_launcher_file(1, "a/b/file");
    see_launcher_file(2, "c/file");
    check_status_for("TOOL-014", PMIX_SUCCESS, server_begin(3), "a directory that is not there");
    check_for("TOOL-014", count_entries(path_named("%s/x/y", dir), "pmix.") == 3, "is made");
    server_end(3);
    check_for("TOOL-014", count_entries(dir, "") == 1, "and removed");
    check_status_for("TOOL-014", PMIX_SUCCESS, server_begin(4), "a host that removes it itself");
    server_end(4);
    check_for("TOOL-014", count_entries(path_named("%s/x/y", dir), "") == 0,
              "the directory is left");
    (void) rmdir(path_named("%s/x/y", dir));
    (void) rmdir(path_named("%s/x", dir));
    same_for("TOOL-014", "foreign", read_text(path_named("%s/foreign", dir)), "a foreign file");
    same_for("TOOL-014", "foreign",
             read_text(path_named("%s/pmix.%s.tool.99", make_folder("files"), node_name(0))),
             "also one with a name of this kind");
    (void) unlink(path_named("%s/foreign", dir));
    (void) unlink(path_named("%s/pmix.%s.tool.99", make_folder("files"), node_name(0)));
    remove_folder("files");
    remove_folder("made");
}

/* ---- a reader beside it */

static bool is_whole(const char *text)
{
    int lines = 0;

    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines >= 5 && text[-1] == '\n';
}

static void read_beside(void)
{
    enum { TIMES = 20 };
    const char *file = path_named("%s/pmix.%s.tool", make_folder("files"), node_name(0));
    int n = 0;

    if (tool_number() == 0) {
        for (int i = 0; i < TIMES; i++) {
            check_status_for("TOOL-015", PMIX_SUCCESS, server_begin(1), "server_init");
            if (i == 0) {
                await("found");
            }
            server_end(1);
        }
        tell("over");
        await("read");
        remove_folder("files");
        return;
    }
    while (told("over") == 0) {
        const char *text = read_text(file);

        if (text != NULL) {
            if (n++ == 0) {
                tell("found");
            }
            if (!is_whole(text)) {
                check_for("TOOL-015", false, "half a file: \"%s\"", text);
            }
        }
    }
    check_for("TOOL-015", n > 0, "the file was read");
    tell("read");
}

const struct conform_case cases[] = {
    {.ids = "TOOL-001 TOOL-002 TOOL-003",
     .otherwise = "TOOL-001",
     .what = "a server without tool support",
     .tools = 1,
     .server = without_tools,
     .client = be_client,
     .tool = be_refused},
    {.ids = "TOOL-001 TOOL-002 TOOL-003",
     .otherwise = "TOOL-001",
     .what = "a server with tool support",
     .tools = 1,
     .client = be_client,
     .tool = be_taken},
    {.ids = "TOOL-001 TOOL-002 TOOL-003",
     .otherwise = "TOOL-003",
     .what = "a host without an entry for tools",
     .tools = 1,
     .client = be_client,
     .tool = be_rejected,
     .host = {[ON_TOOL] = {MISSING}}},
    {.ids = "TOOL-004",
     .what = "the directory of a server's files",
     DRIVEN,
     .tool = see_folders,
     .further = in_folders},
    {.ids = "TOOL-005",
     .what = "the directory of a system server's file",
     DRIVEN,
     .tool = see_folders,
     .further = in_folders},
    {.ids = "TOOL-006 TOOL-014",
     .what = "the names of a server's files",
     DRIVEN,
     .tool = see_names,
     .further = in_files},
    {.ids = "TOOL-002 TOOL-011 TOOL-012 TOOL-013",
     .what = "what is in the files",
     DRIVEN,
     .tool = see_content,
     .further = in_files},
    {.ids = "TOOL-013",
     .what = "who may not read a file does not connect",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .tool = see_permissions,
     .further = in_files},
    {.ids = "TOOL-007 TOOL-008 TOOL-014",
     .what = "the system server of a node",
     DRIVEN,
     .tool = see_system,
     .further = system_servers},
    {.ids = "TOOL-009 TOOL-014 TOOL-016",
     .what = "session servers, schedulers and controllers",
     DRIVEN,
     .tool = see_kinds,
     .further = system_servers},
    {.ids = "TOOL-010 TOOL-014",
     .what = "directories that are made are removed, and nothing else is",
     DRIVEN,
     .tool = see_made,
     .further = launcher_files},
    {.ids = "TOOL-015",
     .what = "a reader never sees half a file",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .tool = read_beside,
     .further = in_files},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
