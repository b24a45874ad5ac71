/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_DISCOVERY_TOOL_DISCOVERY_H
#define PX_DISCOVERY_TOOL_DISCOVERY_H

/* Discovery of servers by tools: from the tool's directives, its environment, and rendezvous files.
 * No connection is made. Any thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

/* Room for px_tool_find and px_tool_list; servers beyond it are not found. */
enum { PX_SERVER_CANDIDATES_MAX = 64 };

/* The directives of PMIx_tool_init and PMIx_tool_attach_to_server that choose a server. Strings are
 * borrowed from the infos; directories are copies. */
struct px_tool_directives {
    const char *file;       /* PMIX_TOOL_ATTACHMENT_FILE */
    const char *uri;        /* PMIX_SERVER_URI or PMIX_TCP_URI */
    const char *nspace;     /* PMIX_SERVER_NSPACE */
    const char *own_nspace; /* PMIX_TOOL_NSPACE; NULL: the server names the tool */
    pmix_rank_t own_rank;
    uint32_t pid;      /* PMIX_SERVER_PIDINFO; 0: none */
    bool system_only;  /* PMIX_CONNECT_TO_SYSTEM */
    bool system_first; /* PMIX_CONNECT_SYSTEM_FIRST */
    bool no_connect;   /* PMIX_TOOL_DO_NOT_CONNECT */
    bool optional;     /* PMIX_TOOL_CONNECT_OPTIONAL: no server is no error */
    bool primary;      /* PMIX_PRIMARY_SERVER */
    bool launcher;     /* PMIX_LAUNCHER: it means to start jobs itself */
    uint32_t retries;  /* PMIX_CONNECT_MAX_RETRIES */
    uint32_t delay;    /* PMIX_CONNECT_RETRY_DELAY: seconds between them */
    const pmix_info_t
        *forward[3];         /* PMIX_FWD_STDIN, _STDOUT, _STDERR, for the host; NULL: absent */
    char server_tmpdir[256]; /* directory of rendezvous files */
    char system_tmpdir[256];
};

/* True if the directives name one server, which is then the only one that is tried. */
static inline bool px_tool_is_directed(const struct px_tool_directives *directives)
{
    return directives->file != NULL || directives->uri != NULL || directives->pid != 0 ||
           directives->nspace != NULL || directives->system_only;
}

/* Reads the directives; directories and numbers that are not given get their defaults. 0, or
 * PMIX_ERR_BAD_PARAM (contradictory directives, a value of a wrong type). Unknown directives are
 * passed over, also required ones. */
int px_tool_directives_read(const pmix_info_t *info, size_t ninfo, struct px_tool_directives *ret);

/* A server that may be there: its contact string, and what its rendezvous file says about it. */
struct px_server_candidate {
    char uri[512];
    char local_uri[512]; /* of the server's AF_UNIX socket, to be tried first; "": unknown */
    char version[64];
    uint32_t pid;     /* of the process that wrote the file; 0: unknown */
    bool named;       /* its address was given by the caller or in the environment, not by a file */
    uint64_t started; /* start time of that process (px_process.started); 0: unknown */
    uint64_t space;   /* its process id namespace (px_process_space); 0: unknown */
    int64_t written;  /* modification time of the file, in seconds; 0: there is no file */
    bool searched;    /* found by a search of the server directory, not chosen by the user */
};

/* Reads a rendezvous file from the position of fd, which stays the caller's. 0, PMIX_ERR_UNREACH
 * (empty or unreadable), PMIX_ERR_BAD_PARAM (it is not a rendezvous file). *ret is untouched on
 * failure. */
int px_found_read_from(int fd, struct px_server_candidate *ret);

/* True if the process that wrote the file runs. A later process with the same id is another one.
 * Where this cannot be determined the answer is true. */
bool px_found_lives(const struct px_server_candidate *found);

/* Finds candidates in the order in which to try them; `room` is the caller's. *ret_named: the
 * directives name one server, so a failure to reach it is final. 0, PMIX_ERR_UNREACH (nothing
 * found), PMIX_ERR_BAD_PARAM (a named file that is none), PMIX_ERR_NO_PERMISSIONS. */
int px_tool_find(const struct px_tool_directives *directives, const char *hostname,
                 struct px_server_candidate *room, size_t n_room, size_t *ret_n, bool *ret_named);

/* Lists the servers of this node whose process runs: the system server, those of the server
 * directory and of the system directory, and the one of the environment; only the system server if
 * the directives say so. Returns their number, at most n_room. */
size_t px_tool_list(const struct px_tool_directives *directives, const char *hostname,
                    struct px_server_candidate *room, size_t n_room);

#endif
