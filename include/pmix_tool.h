/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/*
 * The interface of tools: debuggers, launchers, status commands. The conventions are those of
 * pmix.h; a tool may use everything in there. Std 18, Tools and Debuggers.
 */
#ifndef PMIX_TOOL_H
#define PMIX_TOOL_H

#include "pmix.h"
#include "pmix_server.h"

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * Start as a tool and connect to a server. The server is found as info says, by the environment, or
 * by a rendezvous file, see pmix-rendezvous(5). Blocking. Calls nest: each needs its
 * PMIx_tool_finalize; a nested call connects if there is no connection.
 *
 * With PMIX_LAUNCHER the tool is a launcher: beside the calls of a tool it has those of
 * pmix_server.h, except PMIx_server_init and PMIx_server_finalize. Processes that it has registered
 * and started are its clients; tools of its user find it as they find a server, by the files in
 * PMIX_SERVER_TMPDIR, by that of PMIX_LAUNCHER_RENDEZVOUS_FILE, or as PMIX_TCP_REPORT_URI says. The
 * module that answers them is given by PMIx_tool_set_server_module; without one tools are admitted,
 * and jobs started, by the library. Calls about processes that it has registered are served by
 * itself, others by the server that it is connected to; without such a server all are its own.
 *
 *   proc: receives the tool's name, which the directives give, or the server; without either an
 *       empty one of rank PMIX_RANK_UNDEF. A tool that connects later brings the name that it has
 *       for its own use, and keeps it. May be NULL
 *   info, ninfo: directives; with PMIX_TOOL_DO_NOT_CONNECT no server is looked for, with
 *       PMIX_TOOL_CONNECT_OPTIONAL none is needed
 *   PMIX_ERR_UNREACH: no server is found, or none answers
 *   PMIX_ERR_BAD_PARAM: also: several servers are found and nothing chooses between them;
 *       contradictory directives; a named file that is no rendezvous file
 *   PMIX_ERR_NO_PERMISSIONS: a named file cannot be read, or the file or the server is of a user
 *       that is not trusted (parameter shmix_server_uid)
 *   PMIX_ERR_INVALID_CRED: the server does not accept the user of this process
 *   PMIX_ERR_INVALID_OPERATION: the process is a client or server already
 *   PMIX_ERR_OUT_OF_RESOURCE: the progress thread cannot be started
 *   PMIX_ERR_RESOURCE_BUSY: as PMIx_Init
 *
 * Std 18.5.1.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo);

/*
 * End as a tool. The last of nested calls leaves all servers and frees everything. Blocking. Std
 * 18.5.2.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_finalize(void);

/*
 * Whether there is a connection to a server. False also if the process is no tool. Does not wait.
 */
PMIX_EXPORT bool PMIx_tool_is_connected(void);

/*
 * Connect to one more server. With PMIX_PRIMARY_SERVER, or if the tool has no other, it becomes the
 * primary one, which requests go to. A server that is named and connected already is a success.
 * Blocking.
 *
 *   myproc: receives the tool's name; may be NULL
 *   server: receives the server's name; may be NULL
 *   info, ninfo: directives, as for PMIx_tool_init
 *   PMIX_ERR_UNREACH: no other server is found, or none answers
 *   PMIX_ERR_BAD_PARAM: also: several servers are found and nothing chooses between them
 *   PMIX_ERR_NO_PERMISSIONS: a named file cannot be read, or the file or the server is of a user
 *       that is not trusted
 *
 * Std 18.5.4.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_attach_to_server(pmix_proc_t *myproc, pmix_proc_t *server,
                                                     pmix_info_t info[], size_t ninfo);

/*
 * Leave a server and close the connection. A tool that leaves its primary server chooses another
 * one by PMIx_tool_set_server, or attaches to one. Blocking.
 *
 *   server: its name
 *   PMIX_ERR_NOT_FOUND: the tool is not connected to it
 *
 * Std 18.5.3.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_disconnect(const pmix_proc_t *server);

/*
 * The servers that the tool is connected to. The primary one first, then in the order of
 * connecting. Does not wait.
 *
 *   servers, nservers: their names, to be released with PMIx_Proc_free
 *   PMIX_ERR_UNREACH: there is none
 *
 * Std 18.5.5.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_get_servers(pmix_proc_t *servers[], size_t *nservers);

/*
 * Choose the primary server, which requests go to. Event handlers are registered with it, too. With
 * PMIX_WAIT_FOR_CONNECTION it blocks until another thread of the tool has connected to that server,
 * at most PMIX_TIMEOUT seconds. Requests for output stay with the server that they were made at
 * while the tool is connected to it; those of servers that are lost or left are made anew here.
 * Events of the former server may still come.
 *
 *   server: its name
 *   info, ninfo: directives
 *   PMIX_ERR_UNREACH: the tool is not connected to it
 *   PMIX_ERR_TIMEOUT: nor after the time limit
 *   PMIX_ERR_WOULD_BLOCK: it would wait in a callback
 *
 * Std 18.5.6.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_set_server(const pmix_proc_t *server, pmix_info_t info[],
                                               size_t ninfo);

/*
 * Give a launcher the module that serves its clients and the tools that connect to it, in place of
 * the one before. It is copied; requests under way are answered by the former one. An entry spawn,
 * abort or job_control that it lacks is the library's own, see PMIx_Spawn; without tool_connected
 * no tools are admitted. The entries beyond client_connected2 are read if PMIx_tool_init was given
 * their layout ("shmix.module.level").
 *
 *   module: the upcalls; of a tool that is no launcher (PMIX_LAUNCHER) none is called
 */
PMIX_EXPORT pmix_status_t PMIx_tool_set_server_module(pmix_server_module_t *module);

/* Output and input of processes. */

/*
 * Ask the primary server for the output of processes. Output that came before is delivered first,
 * as far as the server has kept it. The request stays with that server when another one becomes
 * primary; if that server is lost or left, the next primary one is asked, and the event
 * PMIX_ERR_IOF_FAILURE says that it has refused. With regcbfunc it returns at once and regcbfunc
 * receives the number of the request; without, it blocks and returns that number, which is above 0,
 * or a negative status.
 *
 *   procs, nprocs: the processes; not empty
 *   directives, ndirs: directives; those that say how output is written, and to which files, are
 *       for output without cbfunc, except that files are written in any case. With
 *       PMIX_IOF_OUTPUT_TO_FILE these are FILE.NSPACE.RANK.stdout and .stderr, with
 *       PMIX_IOF_OUTPUT_TO_DIRECTORY DIRECTORY/NSPACE/rank.RANK/stdout and stderr. The event
 *       PMIX_ERR_IOF_FAILURE says that one could not be written
 *   channel: which output, a mask; not PMIX_FWD_STDIN_CHANNEL
 *   cbfunc: called on the progress thread with each piece, which belongs to the library and is
 *       valid until cbfunc returns; NULL: written to stdout and stderr of the caller
 *   regcbfunc, regcbdata: called once, on the progress thread; may be NULL
 *   PMIX_ERR_NOT_SUPPORTED: also: the channel is stdin, or the host has no entry `iof_pull`
 *
 * Std 18.5.7.
 */
PMIX_EXPORT pmix_status_t PMIx_IOF_pull(const pmix_proc_t procs[], size_t nprocs,
                                        const pmix_info_t directives[], size_t ndirs,
                                        pmix_iof_channel_t channel, pmix_iof_cbfunc_t cbfunc,
                                        pmix_hdlr_reg_cbfunc_t regcbfunc, void *regcbdata);

/*
 * End a request for output. The function of the request gets all output that the server had sent,
 * and the output that the library holds back (PMIX_IOF_BUFFERING_SIZE), before this call ends. It
 * is not called afterwards.
 *
 *   iofhdlr: the number of the request
 *   directives, ndirs: directives
 *   cbfunc, cbdata: receives the status, on the progress thread; NULL: the call blocks
 *   PMIX_ERR_BAD_PARAM: also: no request has this number
 *
 * Std 18.5.8.
 */
PMIX_EXPORT pmix_status_t PMIx_IOF_deregister(size_t iofhdlr, const pmix_info_t directives[],
                                              size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Send bytes to the stdin of processes, or, with PMIX_IOF_PUSH_STDIN, our own standard input: the
 * library reads it from then on until its end, which it sends with PMIX_IOF_COMPLETE, or until the
 * caller pushes PMIX_IOF_COMPLETE. It reads the next bytes when the host has taken the last ones.
 * The event PMIX_ERR_IOF_COMPLETE says that the input has ended, PMIX_ERR_IOF_FAILURE that it could
 * not be read or delivered. PMIX_IOF_COMPLETE without targets and bytes ends only that reading:
 * PMIX_OPERATION_SUCCEEDED, and the host is not asked.
 *
 *   targets, ntargets: the processes
 *   bo: the bytes; NULL, or empty with PMIX_IOF_COMPLETE in directives: the end of input
 *   directives, ndirs: directives
 *   cbfunc, cbdata: receives the status when the server has the bytes, on the progress thread;
 *       NULL: the call blocks
 *   PMIX_ERR_EXISTS: standard input is being read already
 *   PMIX_ERR_NOT_SUPPORTED: also: the host has no entry `push_stdin`
 *
 * Std 18.5.9.
 */
PMIX_EXPORT pmix_status_t PMIx_IOF_push(const pmix_proc_t targets[], size_t ntargets,
                                        pmix_byte_object_t *bo, const pmix_info_t directives[],
                                        size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata);

#if defined(__cplusplus)
}
#endif

#endif
