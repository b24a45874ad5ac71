/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Which server a tool finds: by each directive, by several of them, by none, and when files are
 * left by servers that have died. Servers 1 and 2 share a directory; 3 and 5 are system servers, of
 * which 5 takes no tools; 4 has a directory of its own. */

#include "lib/answers.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { SYSTEM = 3, ALONE = 4, REFUSING = 5, LATE = 6 };

#define DRIVEN                                                                                     \
    .jobs = {{"A", {1}, .quiet = true}}, .tools = 1, .server = without_tools, .further = place,    \
    .host = {[ON_TOOL] = {OWN, .own = choose}}

static pmix_status_t choose(struct upcall *ask)
{
    reply_status(ask, node() == REFUSING ? PMIX_ERR_NO_PERMISSIONS : PMIX_SUCCESS);
    return PMIX_SUCCESS;
}

static const char *dir_of(int number)
{
    return make_folder(number <= 2       ? "dir"
                       : number == ALONE ? "alone"
                       : number == LATE  ? "late"
                                         : "other");
}

static void place(int number, struct infos *list)
{
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
    add_text(list, PMIX_SERVER_TMPDIR, dir_of(number));
    add_text(list, PMIX_SYSTEM_TMPDIR, make_folder("system"));
    if (number == SYSTEM || number == REFUSING) {
        add_true(list, PMIX_SERVER_SYSTEM_SUPPORT);
    }
}

static void remove_folders(void)
{
    (void) make_folder("dir");
    (void) make_folder("other");
    (void) make_folder("alone");
    (void) make_folder("late");
    (void) make_folder("system");
    remove_folder("dir");
    remove_folder("other");
    remove_folder("alone");
    remove_folder("late");
    remove_folder("system");
}

static const char *uri_of(int number)
{
    return server_uri(dir_of(number), number);
}

/* A tool that looks into this directory: with more directives, in `more`. */
static const char *found_in(const char *dir, struct infos *more)
{
    static struct infos none;
    struct infos *list = more != NULL ? more : &none;

    add_text(list, PMIX_SERVER_TMPDIR, dir);
    add_text(list, PMIX_SYSTEM_TMPDIR, make_folder("system"));
    return reached(list);
}

static const char *found(struct infos *more)
{
    return found_in(make_folder("dir"), more);
}

/* ---- one directive */

static void see_directives(void)
{
    const char *file;
    const char *missing = path_named("%s/missing", scratch());
    const char *uri;

    begin_server(1);
    begin_server(2);
    file = tool_file(make_folder("dir"), "server2");
    uri = uri_of(2);
    same_for("TOOL-018", "server2", found(one_text(PMIX_TOOL_ATTACHMENT_FILE, file)), "by file");
    same_for("TOOL-018", "-25",
             found(and_pid(one_text(PMIX_TOOL_ATTACHMENT_FILE, missing), server_pid(1))),
             "a file that is not there, and nothing else is tried");
    same_for("TOOL-019", "server2", found(one_text(PMIX_SERVER_URI, uri)), "by URI");
    same_for("TOOL-019", "server2", found(one_text(PMIX_TCP_URI, uri)), "by TCP URI");
    same_for("TOOL-019", "server2", found(one_text(PMIX_TCP_URI, path_named("file:%s", file))),
             "by URI in a file");
    same_for("TOOL-019", "-27", found(and_text(one_text(PMIX_SERVER_URI, uri), PMIX_TCP_URI, uri)),
             "not by two URIs");
    same_for("TOOL-020", "server1", found(one_pid(server_pid(1))), "by the first one's process");
    same_for("TOOL-020", "server2", found(one_pid(server_pid(2))), "by the second one's process");
    same_for("TOOL-020", "-25", found(one_pid(getpid())), "a process that is no server");
    same_for("TOOL-021", "server1", found(one_text(PMIX_SERVER_NSPACE, "server1")), "by namespace");
    same_for("TOOL-021", "server2", found(one_text(PMIX_SERVER_NSPACE, "server2")), "by namespace");
    same_for("TOOL-021", "-25", found(one_text(PMIX_SERVER_NSPACE, "nobody")), "one of nobody");
    server_end(2);
    server_end(1);
    remove_folders();
}

static void see_order(void)
{
    const char *file;

    begin_server(1);
    begin_server(2);
    begin_server(SYSTEM);
    begin_server(ALONE);
    file = tool_file(make_folder("dir"), "server2");
    about("TOOL-017");
    same("server2", found(and_pid(one_text(PMIX_TOOL_ATTACHMENT_FILE, file), server_pid(1))),
         "file before process");
    same("server2",
         found(and_text(one_text(PMIX_TOOL_ATTACHMENT_FILE, file), PMIX_SERVER_URI, uri_of(1))),
         "file before URI");
    same("server1", found(and_pid(one_text(PMIX_SERVER_URI, uri_of(1)), server_pid(2))),
         "URI before process");
    same("server2", found(and_text(one_pid(server_pid(2)), PMIX_SERVER_NSPACE, "server1")),
         "process before namespace");
    same("server1",
         found(and_true(one_text(PMIX_SERVER_NSPACE, "server1"), PMIX_CONNECT_TO_SYSTEM)),
         "namespace before the system server");
    same("server3", found_in(make_folder("alone"), one_true(PMIX_CONNECT_TO_SYSTEM)),
         "the system server before any other");
    server_end(SYSTEM);
    server_end(2);
    server_end(1);
    same("server4", found_in(scratch(), NULL), "a server below the directory");
    same("server4", found_in(scratch(), one_pid(server_pid(ALONE))), "by process");
    same("server4", found_in(scratch(), one_text(PMIX_SERVER_NSPACE, "server4")), "by namespace");
    server_end(ALONE);
    remove_folders();
}

/* ---- the system server, and no directive */

static void see_system(void)
{
    const char *alone = make_folder("alone");

    begin_server(ALONE);
    same_for("TOOL-022", "-25", found_in(alone, one_true(PMIX_CONNECT_TO_SYSTEM)),
             "no other than the system server");
    same_for("TOOL-023", "server4", found_in(alone, one_true(PMIX_CONNECT_SYSTEM_FIRST)),
             "another when there is no system server");
    begin_server(REFUSING);
    same_for("TOOL-023", "server4", found_in(alone, one_true(PMIX_CONNECT_SYSTEM_FIRST)),
             "another when the system server refuses");
    check_for("TOOL-023", upcalls(ON_TOOL, REFUSING) > 0, "it was asked");
    server_end(REFUSING);
    begin_server(SYSTEM);
    same_for("TOOL-022", "server3", found_in(alone, one_true(PMIX_CONNECT_TO_SYSTEM)),
             "it is there");
    same_for("TOOL-023", "server3", found_in(alone, one_true(PMIX_CONNECT_SYSTEM_FIRST)),
             "the system server first");
    same_for("TOOL-025", "server3", found_in(alone, NULL), "it is found without a directive");
    server_end(SYSTEM);
    same_for("TOOL-025", "server4", found_in(alone, NULL), "then the session's");
    server_end(ALONE);
    same_for("TOOL-025", "-25", found_in(alone, NULL), "then nobody");
    remove_folders();
}

static bool is_either(const char *name)
{
    return strcmp(name, "server1") == 0 || strcmp(name, "server2") == 0;
}

static void see_several(void)
{
    about("TOOL-024");
    begin_server(1);
    same("server1", found(NULL), "one server");
    begin_server(2);
#ifndef CONFORM_THEIRS
    same("-27", found(NULL), "which of two is not known");
    setenv("PMIX_MCA_shmix_tool_try_all", "1", 1);
#endif
    check(is_either(found(NULL)), "one of them if any is good");
    server_end(2);
    server_end(1);
    remove_folders();
}

/* ---- files of servers that have died */

static void write_file(const char *what, const char *text)
{
    write_text(tool_file(make_folder("dir"), what), text);
}

static void see_left(void)
{
    const char *address;
    const char *left;
    pid_t gone;

    begin_server(1);
    begin_server(2);
    gone = server_pid(1);
    left = path_named("%s", read_text(tool_file(make_folder("dir"), "server1")));
    server_kill(1);
    same_for("TOOL-026", "server2", found(NULL), "a search passes over what was left");
    same_for("TOOL-026", "-25", found(one_pid(gone)), "its process was named");
    same_for("TOOL-026", "-25", found(one_text(PMIX_SERVER_NSPACE, "server1")), "its namespace");
    same_for("TOOL-026", "-25",
             found(one_text(PMIX_TOOL_ATTACHMENT_FILE, tool_file(make_folder("dir"), "server1"))),
             "its file");
    address = path_named("%.*s", (int) strcspn(left, "\n"), left);
    write_file("again", path_named("%s\n5.0.0\n%d\n0:0\nNever\n1\n", address, (int) getpid()));
    same_for("TOOL-027", "server2", found(NULL), "its process id is another process's");
    write_file("again", address);
    same_for("TOOL-027", "server2", found(NULL), "a file without a process id");
    write_file("again", "");
    same_for("TOOL-027", "server2", found(NULL), "an empty file");
    left = path_named("%s", read_text(tool_file(make_folder("dir"), "server2")));
    write_file("again", left);
    same_for("TOOL-027", "-25", found(one_text(PMIX_SERVER_NSPACE, "again")),
             "a file of another namespace");
    write_file(path_named("%d", (int) getpid()), left);
    same_for("TOOL-027", "-25", found(one_pid(getpid())), "a file of another process");
    same_for("TOOL-027", "-25",
             found(one_text(PMIX_SERVER_URI, path_named("again.0%s", strchr(uri_of(2), ';')))),
             "an address at which another server answers");
    (void) unlink(tool_file(make_folder("dir"), "again"));
    (void) unlink(tool_file(make_folder("dir"), path_named("%d", (int) getpid())));
    begin_server(1);
    check_for("TOOL-026", count_entries(make_folder("dir"), "") == 5,
              "the next server removes what was left");
    server_end(1);
    server_end(2);
    remove_folders();
}

/* ---- several attempts, and none */

static void see_attached(void)
{
    about("TOOL-028");
    begin_server(1);
    setenv("PMIX_SERVER_TMPDIR", make_folder("dir"), 1);
    check_status(PMIX_SUCCESS, tool_begin(NULL), "the first server");
    check_status(PMIX_ERR_UNREACH, attach_by(NULL, NULL), "there is no other");
    same("server1", servers(), "one server");
    begin_server(2);
    check_status(PMIX_SUCCESS, attach_by(NULL, NULL), "the second server, as the only one new");
    same("server1,server2", servers(), "two servers");
    check_status(PMIX_ERR_UNREACH, attach_by(NULL, NULL), "there is no third");
    tool_end();
    server_end(2);
    server_end(1);
    remove_folders();
}

static struct infos *patient(struct infos *list, uint32_t retries, uint32_t delay)
{
    add_u32(list, PMIX_CONNECT_MAX_RETRIES, retries);
    add_u32(list, PMIX_CONNECT_RETRY_DELAY, delay);
    return list;
}

/* Starts a server when somebody has looked for it. */
static void come_late(void)
{
    char event[512];
    int fd = inotify_init1(IN_CLOEXEC);

    await("none yet");
    check(fd >= 0 && inotify_add_watch(fd, make_folder("late"), IN_OPEN) >= 0, "a watch");
    tell("watching");
    check(read(fd, event, sizeof(event)) > 0, "somebody looks");
    close(fd);
    begin_server(LATE);
    await("found");
    server_end(LATE);
}

static void see_late(void)
{
    about("TOOL-029");
    if (tool_number() == 1) {
        come_late();
        return;
    }
    same("-25",
         found_in(make_folder("late"), patient(one_text(PMIX_SERVER_NSPACE, "server6"), 0, 3600)),
         "no second attempt");
    tell("none yet");
    await("watching");
    same("server6",
         found_in(make_folder("late"), patient(one_text(PMIX_SERVER_NSPACE, "server6"), 60, 1)),
         "a server that comes late");
    tell("found");
    await("conform: server 6 ends");
}

static void see_none(void)
{
    struct infos list = {0};

    same_for("TOOL-030", "-25", found(patient(one_text(PMIX_TOOL_NSPACE, "tool"), 3, 3600)),
             "a search is not repeated");
    check_status_for("TOOL-031", PMIX_ERR_UNREACH,
                     tool_begin(one_text(PMIX_SERVER_TMPDIR, make_folder("dir"))),
                     "no server is an error");
    add_true(&list, PMIX_TOOL_CONNECT_OPTIONAL);
    add_text(&list, PMIX_SERVER_TMPDIR, make_folder("dir"));
    add_text(&list, PMIX_SYSTEM_TMPDIR, make_folder("system"));
    check_status_for("TOOL-031", PMIX_SUCCESS, tool_begin(&list), "unless it is optional");
    same_for("TOOL-031", "-25", servers(), "there is none");
    tool_end();
    remove_folders();
}

/* ---- where a server listens */

static void remote(int number, struct infos *list)
{
    bool yes = true;

    place(number, list);
    if (number == 2) {
        add_required(list, PMIX_SERVER_REMOTE_CONNECTIONS, &yes, PMIX_BOOL);
    }
}

/* True if a process listens on that port, and on no other address than the loopback. */
static bool is_loopback(unsigned port)
{
    FILE *file = fopen("/proc/net/tcp", "re");
    char line[256];
    bool is = false;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        unsigned address;
        unsigned on;
        unsigned state;

        if (sscanf(line, " %*d: %X:%X %*X:%*X %X", &address, &on, &state) == 3 && on == port &&
            state == 10) {
            is = address == 0x0100007F;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return is;
}

static void see_address(void)
{
    const char *uri;
    const char *port;

    about("TOOL-032");
    begin_server(1);
    uri = uri_of(1);
    port = strrchr(uri, ':');
    check(strstr(uri, ";tcp4://127.0.0.1:") != NULL, "the loopback address: %s", uri);
    check(port != NULL && is_loopback((unsigned) atoi(port + 1)), "it listens there only");
    server_end(1);
#ifndef CONFORM_THEIRS
    check_status(PMIX_ERR_NOT_SUPPORTED, server_begin(2), "connections of other nodes");
#endif
    remove_folders();
}

const struct conform_case cases[] = {
    {.ids = "TOOL-018 TOOL-019 TOOL-020 TOOL-021",
     .otherwise = "TOOL-020",
     .what = "a directive names the server",
     DRIVEN,
     .tool = see_directives},
    {.ids = "TOOL-017 S24",
     .what = "the first of several directives counts",
     DRIVEN,
     .tool = see_order},
    {.ids = "TOOL-022 TOOL-023 TOOL-025",
     .otherwise = "TOOL-025",
     .what = "the system server first, or alone",
     DRIVEN,
     .tool = see_system},
    {.ids = "TOOL-024", .what = "several servers and no directive", DRIVEN, .tool = see_several},
    {.ids = "TOOL-026 TOOL-027 S25",
     .otherwise = "TOOL-026",
     .what = "files of servers that have died",
     DRIVEN,
     .tool = see_left},
    {.ids = "TOOL-028", .what = "a server is attached once", DRIVEN, .tool = see_attached},
    {.ids = "TOOL-029",
     .what = "a server that starts while it is looked for",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .further = place,
     .host = {[ON_TOOL] = {OWN, .own = choose}},
     .dirty = true,
     .tool = see_late},
    {.ids = "TOOL-030 TOOL-031",
     .otherwise = "TOOL-031",
     .what = "no server",
     .seconds = 20,
     DRIVEN,
     .tool = see_none},
    {.ids = "TOOL-032",
     .what = "a server listens for this node",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = remote,
     .tool = see_address},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
