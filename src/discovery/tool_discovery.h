/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_DISCOVERY_TOOL_DISCOVERY_H
#define PX_DISCOVERY_TOOL_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

/* Where a tool finds servers: in its directives, in its environment, in rendezvous files. No
 * connection is made. */

enum { PX_SERVER_CANDIDATES_MAX = 64 };

/* What the directives of a tool say. Strings are borrowed from them. */
struct px_tool_directives {
    const char *file;   /* PMIX_TOOL_ATTACHMENT_FILE */
    const char *uri;    /* PMIX_SERVER_URI or PMIX_TCP_URI */
    const char *nspace; /* PMIX_SERVER_NSPACE */
    const char *own_nspace;
    pmix_rank_t own_rank;
    uint32_t pid; /* PMIX_SERVER_PIDINFO; 0: none */
    bool system_only;
    bool system_first;
    bool no_connect;
    bool optional;
    bool primary;
    uint32_t retries;
    uint32_t delay; /* seconds between them */
    char server_tmpdir[256];
    char system_tmpdir[256];
};

/* 0, PMIX_ERR_BAD_PARAM (contradictory, or of a wrong type), PMIX_ERR_NOT_SUPPORTED (unknown but
 * required). */
int px_tool_directives_read(const pmix_info_t *info, size_t ninfo, struct px_tool_directives *ret);

/* One candidate: contact string and what the file says of the server's version. */
struct px_server_candidate {
    char uri[512];
    char version[64];
    uint32_t pid;     /* of who wrote the file; 0: it does not say */
    bool named;       /* its address was given by the caller or in the environment, not by a file */
    uint64_t started; /* when that process did (px_process.started); 0: it does not say */
    uint64_t space;   /* in which namespace of pids it is (px_process_space); 0: it does not say */
    int64_t written;  /* when the file was, by the wall clock; 0: it is none */
    bool searched;    /* came to light in the server directory: one of several is no choice of the
                         user's */
};

/* Reads a rendezvous file. 0, PMIX_ERR_UNREACH (there is none), PMIX_ERR_NO_PERMISSIONS,
 * PMIX_ERR_BAD_PARAM (it is something else). */
int px_found_read_from(int fd,
                       struct px_server_candidate *ret); /* from its start; fd stays the caller's */

/* Does the process live that wrote it? One that has its number by now is another. What is not known
 * counts as living. */
bool px_found_lives(const struct px_server_candidate *found);

/* Candidates in the order in which to try them. named: only one of them may be meant, and its
 * failure is final. PMIX_ERR_UNREACH (nothing found), PMIX_ERR_BAD_PARAM (a named file that is
 * none), PMIX_ERR_NO_PERMISSIONS. */
int px_tool_find(const struct px_tool_directives *directives, const char *hostname,
                 struct px_server_candidate *room, size_t n_room, size_t *ret_n, bool *ret_named);

/* Everything that can be found on this node and whose process lives: in the environment, the system
 * server, the server directory; only the system server if so wished. Returns their number. */
size_t px_tool_list(const struct px_tool_directives *directives, const char *hostname,
                    struct px_server_candidate *room, size_t n_room);

#endif
