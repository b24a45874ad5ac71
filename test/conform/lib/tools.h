/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool's calls in few words. Lists of infos that are given are released. */

#ifndef PX_CONFORM_LIB_TOOLS_H
#define PX_CONFORM_LIB_TOOLS_H

#include "conform.h"

/* PMIx_tool_init; the name is in `me`. list may be NULL. */
pmix_status_t tool_begin(struct infos *list);
void tool_end(void); /* PMIx_tool_finalize, which must succeed */
/* The namespaces of the connected servers, the primary one first: "server1,server2"; or the status,
 * as text. The text is the thread's, until its next call. */
const char *servers(void);
/* tool_begin, servers, tool_end: which server one finds; or the status of PMIx_tool_init. */
const char *reached(struct infos *list);
/* PMIx_tool_attach_to_server. *ret may be NULL. */
pmix_status_t attach_by(struct infos *list, pmix_proc_t *ret);
/* One directive, for the calls above: the list is the callee's. */
struct infos *one_text(const char *key, const char *value);
struct infos *one_true(const char *key);
struct infos *one_pid(pid_t pid); /* PMIX_SERVER_PIDINFO */
/* One more directive in the same list. */
struct infos *and_text(struct infos *list, const char *key, const char *value);
struct infos *and_true(struct infos *list, const char *key);
struct infos *and_pid(struct infos *list, pid_t pid);

/* For .server: the host of the case takes no tools, and has no file. */
void without_tools(struct infos *list);
/* For .server: each host says that it is on node 0, where tools are, and takes them. */
void as_node0(struct infos *list);

/* Servers that the tool of a case starts. Their files are in the case's folder "dir". */
void serve_tools(int number, struct infos *list); /* for .further */
void begin_server(int number);                    /* server_begin, which must succeed */
const char *server_name(int number);              /* the server's namespace */
struct infos *to_server(int number);              /* directives: its namespace and the folder */
/* A rendezvous file; `what` is a namespace or a process id. */
const char *tool_file(const char *dir, const char *what);
/* The URI in the server's file there; "" if there is no file. */
const char *server_uri(const char *dir, int number);
/* For .host, ON_QUERY: 42 for "conform.question", whatever was asked. */
pmix_status_t answer_question(struct upcall *ask);

/* Writes and reads a whole small file. The text that was read is the thread's, until its next call;
 * NULL: it cannot be read. */
void write_text(const char *path, const char *text);
const char *read_text(const char *path);
/* "<folder>/pmix.<rest>", or whatever the format says; the text is the case's. */
const char *path_named(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
