/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/*
 * The interface of applications, and what servers and tools share with them.
 *
 * What holds for every call unless its comment says otherwise:
 * - It may be made from any thread.
 * - It returns PMIX_SUCCESS or a negative status. Statuses that depend on the call are listed with
 *   it; these are common to all:
 *
 *   PMIX_ERR_INIT: the library is not up, or the process is not in the role that the call needs
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL that must not be, an array is NULL with a number above 0,
 *       a name is empty or too long, or a directive's value has a wrong type
 *   PMIX_ERR_NOT_SUPPORTED: the role does not have the call, or nobody supports an attribute that
 *       is marked as required
 *   PMIX_ERR_NOMEM: no memory
 *   PMIX_ERR_UNREACH: there is no server to ask, or the process was forked and has not initialised
 *       the library itself
 *   PMIX_ERR_LOST_CONNECTION: the connection to the server ended
 *   PMIX_ERR_TIMEOUT: no answer within PMIX_TIMEOUT seconds, where the call reads that attribute
 *   PMIX_ERR_WOULD_BLOCK: a call that blocks was made in a callback
 *
 *   A request that the host serves returns the status that the host gives.
 * - On failure results are left alone, or are set to NULL and 0 if they are arrays.
 * - Arrays come as pointer and number; no array is NULL and 0. A string in an argument is copied.
 * - An info array carries attributes (pmix_keys.h). An attribute marked PMIX_INFO_REQD that is not
 *   supported fails the call with PMIX_ERR_NOT_SUPPORTED; others are ignored.
 * - What a call returns through a pointer belongs to the caller: PMIx_*_free() of its type, or
 *   free() for strings.
 * - A blocking call waits for messages, and is refused inside a callback.
 * - A call ending in _nb does not wait. PMIX_SUCCESS means that cbfunc will be called, once, on the
 *   progress thread, with the status that the blocking form returns. PMIX_OPERATION_SUCCEEDED means
 *   that the work is done already; then, and after an error, cbfunc is not called. The library has
 *   copied its arguments when the call returns; portable programs keep them until cbfunc is called.
 * - "On the progress thread" includes a thread that waits in a blocking call: while the progress
 *   thread sleeps, it may run in its place the callbacks that precede the result of that call.
 *
 * "Std" is the section of the PMIx Standard, version 5.0, with the full contract; a call without it
 * is an extension. Each call has a manual page, made from these comments: "name: text" describes an
 * argument or a status.
 */
#ifndef PMIX_H
#define PMIX_H

#include "pmix_common.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Start and end. Std 4, Client Initialization and Finalization. */

/*
 * Join the job that started this process. Connects to the server of the node and maps the job's
 * segment. Blocking. Calls nest: each one needs its PMIx_Finalize, also one that returned
 * PMIX_ERR_UNREACH. A child of fork() that calls it starts anew. Callbacks run on the progress
 * thread, which it starts, or on a thread that waits in a blocking call in its place.
 *
 *   proc: receives the caller's name; may be NULL
 *   info, ninfo: directives; a nested call may not change PMIX_EXTERNAL_PROGRESS
 *   PMIX_ERR_UNREACH: no server started this process, or the server cannot be reached. The library
 *       is up all the same: the process is a job of its own with rank 0, and calls that need no
 *       server work
 *   PMIX_ERR_TIMEOUT: the server did not answer within the parameter ptl_base_connection_wait_time;
 *       the library is not up, nor with the following statuses
 *   PMIX_ERR_LOST_CONNECTION: the server was lost while this process waited for a debugger, as
 *       PMIX_DEBUG_STOP_IN_INIT of its job has it
 *   PMIX_ERR_NOT_FOUND: the server does not expect this process
 *   PMIX_ERR_INVALID_CRED: the server does not accept the user of this process
 *   PMIX_ERR_NO_PERMISSIONS: another process has connected under this name, or the server is of a
 *       user that is not trusted (parameter shmix_server_uid)
 *   PMIX_ERR_OUT_OF_RESOURCE: the progress thread cannot be started, or the server takes no more
 *       connections of this process or user
 *   PMIX_ERR_RESOURCE_BUSY: a thread is still in a call that it made before the last finalize,
 *       which has waited for it for 10 seconds; or the caller is a callback of that time
 *
 * Std 4.3.
 */
PMIX_EXPORT pmix_status_t PMIx_Init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo);

/*
 * Leave the job. The last of nested calls tells the server, stops the progress thread and frees
 * what the library holds, the memory behind pointer values included. Blocking.
 *
 *   info, ninfo: with PMIX_EMBED_BARRIER the processes of the job wait for each other first; the
 *       status of that fence is returned
 *   PMIX_ERR_INVALID_OPERATION: the process is a server; PMIx_server_finalize ends it
 *
 * Std 4.4.
 */
PMIX_EXPORT pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t ninfo);

/*
 * Whether the library is up in this process. Returns 1 between the first PMIx_Init,
 * PMIx_server_init or PMIx_tool_init and the last end, else 0. At any time. Std 4.1.
 */
PMIX_EXPORT int PMIx_Initialized(void);

/*
 * Have the host end processes. Returns when the host has taken the request, if the caller still
 * lives. In a callback it does not wait.
 *
 *   status: exit status that the host is to report
 *   msg: text for the user; may be NULL
 *   procs, nprocs: the processes; NULL and 0: the whole job of the caller
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `abort`
 *
 * Std 12.1.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Abort(int status, const char msg[], pmix_proc_t procs[],
                                     size_t nprocs);

/* Name and version of the library. The text is static. At any time. Std 4.2. */
PMIX_EXPORT const char *PMIx_Get_version(void);

/*
 * Let the library do the work that is due. For programs that gave PMIX_EXTERNAL_PROGRESS to the
 * first initialisation: callbacks run in this call. Without it, in a callback, or before PMIx_Init
 * it does nothing. Std 4.5.
 */
PMIX_EXPORT void PMIx_Progress(void);

/*
 * Accepted, without effect. The progress thread ends with the last PMIx_Finalize: requests under
 * way would otherwise never be answered.
 */
PMIX_EXPORT void PMIx_Progress_thread_stop(const pmix_info_t *info, size_t ninfo);

/* Posting and reading data. Std 5, Data Access and Sharing; 6, Reserved Keys. */

/*
 * Post a value under a key, for the processes in scope. The value is copied; the caller reads it at
 * once, others after PMIx_Commit. A later value of the same key replaces it. With PMIX_DEL_LOCAL,
 * PMIX_DEL_REMOTE, PMIX_DEL_GLOBAL or PMIX_DEL_INTERNAL what was posted goes away in the same
 * order: for the caller at once, for this node after PMIx_Commit, for other nodes with the next
 * fence that collects data. Does not wait.
 *
 *   scope: PMIX_LOCAL (this node), PMIX_REMOTE (other nodes), PMIX_GLOBAL (both), PMIX_INTERNAL
 *       (the caller only); or the one of PMIX_DEL_* that names the same processes
 *   key: at most PMIX_MAX_KEYLEN bytes. PMIX_QUALIFIED_VALUE posts an array of a value and its
 *       qualifiers
 *   val: the value; ignored by PMIX_DEL_*, and may be NULL
 *   PMIX_ERR_BAD_PARAM: also: the key begins with "pmix" and is reserved for the host
 *   PMIX_ERR_NOT_SUPPORTED: unknown scope; the caller is a server; the server is one of OpenPMIx
 *       before 7.0 and cannot delete; PMIX_QUALIFIED_VALUE with PMIX_DEL_*
 *
 * Std 5.2.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *val);

/*
 * Send everything posted since the last commit to the server. Does not wait for the server: a
 * process that reads afterwards asks the same server, and a fence follows on the same connection.
 * Without a server the values stay with the caller, which is a success. In a server it does
 * nothing.
 *
 *   PMIX_ERR_*: if the server refuses a commit, the next PMIx_Commit or PMIx_Fence returns its
 *       status, once
 *
 * Std 5.2.3.
 */
PMIX_EXPORT pmix_status_t PMIx_Commit(void);

/*
 * Read the value of a key. What the node knows is read from shared memory in the calling thread,
 * without waiting, also in callbacks. Keys of the host are complete from the start: one that is
 * missing is missing for good. A key that a process may still commit is waited for: at most
 * PMIX_TIMEOUT seconds; without that, until the process has committed other keys and the parameter
 * shmix_missing_key_wait has passed. PMIX_OPTIONAL reads what this process has and asks nobody;
 * PMIX_IMMEDIATE asks the server, which does not wait. If a server makes this call, it gets what it
 * has itself: the call does not ask the host and does not wait for a commit. PMIx_Get_nb does both.
 *
 * Infos marked as qualifiers (PMIx_Info_qualifier) select a qualified value.
 *
 *   proc: whose value: a process; PMIX_RANK_WILDCARD for data of the job; an empty namespace is the
 *       caller's own; NULL is the caller
 *   key: the key; NULL for everything that is to be seen of one process, as an array of infos; NULL
 *       with PMIX_GET_REFRESH_CACHE renews everything known of proc and gives nothing
 *   info, ninfo: directives. PMIX_GET_POINTER_VALUES: *val becomes a pointer into the library's
 *       memory, not to be released, valid until PMIx_Finalize. PMIX_GET_STATIC_VALUES: *val points
 *       to the caller's structure, which is filled in
 *   val: receives a copy, to be released with PMIx_Value_free(*val, 1); NULL when nothing is given
 *   PMIX_ERR_NOT_FOUND: there is no such key
 *   PMIX_ERR_EXISTS_OUTSIDE_SCOPE: there is one, posted with a scope that excludes the caller
 *   PMIX_ERR_NO_PERMISSIONS: the job is another user's, and the host has not connected the two
 *   PMIX_ERR_TIMEOUT: not committed within PMIX_TIMEOUT seconds
 *   PMIX_ERR_WOULD_BLOCK: in a callback, if the server has to be asked
 *
 * Std 5.4.
 */
PMIX_EXPORT pmix_status_t PMIx_Get(const pmix_proc_t *proc, const char key[],
                                   const pmix_info_t info[], size_t ninfo, pmix_value_t **val);

/*
 * Non-blocking form of PMIx_Get. The value given to cbfunc belongs to the library and is valid
 * until cbfunc returns; with PMIX_GET_POINTER_VALUES until PMIx_Finalize. PMIX_GET_STATIC_VALUES is
 * PMIX_ERR_NOT_SUPPORTED. What is found at once reaches cbfunc on the progress thread all the same.
 * Std 5.4.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Get_nb(const pmix_proc_t *proc, const char key[],
                                      const pmix_info_t info[], size_t ninfo,
                                      pmix_value_cbfunc_t cbfunc, void *cbdata);

/*
 * Keep a value for this process only, under the name of any process. The value is copied, except
 * PMIX_POINTER and PMIX_TOPO, whose pointer is kept. It is never sent. Later reads of this process
 * find it before what the server knows. Reserved keys are allowed. Does not wait.
 *
 *   proc: whose value; NULL is the caller
 *   key: at most PMIX_MAX_KEYLEN bytes
 *   val: the value
 *
 * Std 5.2.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Store_internal(const pmix_proc_t *proc, const char key[],
                                              pmix_value_t *val);

/* Synchronisation. Std 8, Synchronization. */

/*
 * Wait until all participants have called it. With PMIX_COLLECT_DATA everything that they have
 * committed can be read afterwards without a message. Blocking. Without a server a fence of the
 * caller alone succeeds at once.
 *
 *   procs, nprocs: participants, the same set for all of them in any order; NULL and 0: the job of
 *       the caller. PMIX_RANK_WILDCARD stands for a whole job, the name of a group for its members
 *   info, ninfo: directives
 *   PMIX_ERR_TIMEOUT: not all have called within PMIX_TIMEOUT seconds
 *   PMIX_ERR_LOST_CONNECTION: a participant ended before it called, or the server was lost
 *   PMIX_ERR_NOT_SUPPORTED: also: the caller is a server, or participants are on other nodes and
 *       the host has no entry `fence_nb`
 *   PMIX_ERR_NOT_A_MEMBER: procs does not name the caller
 *
 * Std 8.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t nprocs,
                                     const pmix_info_t info[], size_t ninfo);

/* Non-blocking form of PMIx_Fence. PMIX_OPERATION_SUCCEEDED without a server. Std 8.2. */
PMIX_EXPORT pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t nprocs,
                                        const pmix_info_t info[], size_t ninfo,
                                        pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Publishing. Std 9, Publish/Lookup Operations. */

/*
 * Offer keys and values to other jobs. The host keeps them for processes in PMIX_RANGE, for as long
 * as PMIX_PERSISTENCE says. Blocking until the host has answered.
 *
 *   info, ninfo: the keys and values, and among them the directives; not empty
 *   PMIX_ERR_DUPLICATE_KEY: from the host: a key is published already in this range
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `publish`
 *
 * Std 9.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Publish(const pmix_info_t info[], size_t ninfo);

/* Non-blocking form of PMIx_Publish. Std 9.2. */
PMIX_EXPORT pmix_status_t PMIx_Publish_nb(const pmix_info_t info[], size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Find published values. Each data[i] names a key and receives its value and publisher; the value
 * that it held is released, and those not found stay as they are. With PMIX_WAIT the host waits
 * until the keys are published. Blocking.
 *
 *   data, ndata: keys to look up, and results; values are released with PMIx_Pdata_destruct
 *   info, ninfo: directives
 *   PMIX_ERR_PARTIAL_SUCCESS: some were found
 *   PMIX_ERR_NOT_FOUND: none was found
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `lookup`
 *
 * Std 9.6.
 */
PMIX_EXPORT pmix_status_t PMIx_Lookup(pmix_pdata_t data[], size_t ndata, const pmix_info_t info[],
                                      size_t ninfo);

/*
 * Non-blocking form of PMIx_Lookup. keys ends with NULL and is not empty. cbfunc receives what was
 * found; it belongs to the library and is valid until cbfunc returns. Std 9.7.
 */
PMIX_EXPORT pmix_status_t PMIx_Lookup_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                                         pmix_lookup_cbfunc_t cbfunc, void *cbdata);

/*
 * Withdraw what this process has published. Blocking until the host has answered.
 *
 *   keys: ends with NULL; NULL: everything
 *   info, ninfo: directives, such as the PMIX_RANGE of the keys
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `unpublish`
 *
 * Std 9.9.
 */
PMIX_EXPORT pmix_status_t PMIx_Unpublish(char **keys, const pmix_info_t info[], size_t ninfo);

/* Non-blocking form of PMIx_Unpublish. Std 9.10. */
PMIX_EXPORT pmix_status_t PMIx_Unpublish_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                                            pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Starting processes and connecting them. Std 12, Process Management. */

/*
 * Have the host start applications as one new job. Blocking until the host says that they run, or
 * why they do not.
 *
 *   job_info, ninfo: attributes of the job, for the host
 *   apps, napps: the applications; at least one
 *   nspace: receives the name of the job; may be NULL
 *   PMIX_ERR_JOB_*: why the job did not start
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `spawn`, or a launcher would have to place
 *       processes, or to stop them where nobody may trace
 *   PMIX_ERR_UNREACH: there is no server, and the process is no launcher
 *
 * A launcher (PMIX_LAUNCHER) that has no server, and no entry `spawn` of its own, starts the
 * processes itself, on this node, as its clients. PMIX_FWD_STDOUT and PMIX_FWD_STDERR have what
 * they write given to PMIx_IOF_pull, or else written to its own standard output and error, unless
 * PMIX_IOF_LOCAL_OUTPUT was false; without these directives they have its descriptors. Those that
 * PMIX_FWD_STDIN or PMIX_STDIN_TGT names read what is pushed, the others nothing. With
 * PMIX_DEBUG_STOP_ON_EXEC they stop at their first instruction, and PMIX_READY_FOR_DEBUG says so;
 * PMIX_JOB_CTRL_RESUME lets them go on. The end of the job is told by PMIX_EVENT_JOB_END, and its
 * namespace is gone then. What still runs when the launcher ends is killed.
 *
 * Std 12.2.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Spawn(const pmix_info_t job_info[], size_t ninfo,
                                     const pmix_app_t apps[], size_t napps, pmix_nspace_t nspace);

/* Non-blocking form of PMIx_Spawn. cbfunc receives the namespace. Std 12.2.2. */
PMIX_EXPORT pmix_status_t PMIx_Spawn_nb(const pmix_info_t job_info[], size_t ninfo,
                                        const pmix_app_t apps[], size_t napps,
                                        pmix_spawn_cbfunc_t cbfunc, void *cbdata);

/*
 * Connect processes of any jobs. Each learns about the jobs of the others, whose data it can then
 * read, and the host reports the end of one to all. Blocking until all of them have called it and
 * the host has agreed.
 *
 *   procs, nprocs: the processes, the same set for all of them; NULL and 0: the job of the caller
 *   info, ninfo: directives
 *   PMIX_ERR_TIMEOUT: not all have called within PMIX_TIMEOUT seconds
 *   PMIX_ERR_LOST_CONNECTION: one of them ended before it called
 *   PMIX_ERR_NOT_SUPPORTED: also: the host has no entry `connect`, or the caller is a server
 *   PMIX_ERR_NOT_A_MEMBER: procs does not name the caller
 *
 * Std 12.3.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Connect(const pmix_proc_t procs[], size_t nprocs,
                                       const pmix_info_t info[], size_t ninfo);

/* Non-blocking form of PMIx_Connect. Std 12.3.2. */
PMIX_EXPORT pmix_status_t PMIx_Connect_nb(const pmix_proc_t procs[], size_t nprocs,
                                          const pmix_info_t info[], size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Undo a connection. Blocking until all processes of the connection have called it and the host has
 * agreed. Arguments and statuses are those of PMIx_Connect; the entry of the host is `disconnect`.
 * Std 12.3.3.
 */
PMIX_EXPORT pmix_status_t PMIx_Disconnect(const pmix_proc_t procs[], size_t nprocs,
                                          const pmix_info_t info[], size_t ninfo);

/* Non-blocking form of PMIx_Disconnect. Std 12.3.4. */
PMIX_EXPORT pmix_status_t PMIx_Disconnect_nb(const pmix_proc_t ranges[], size_t nprocs,
                                             const pmix_info_t info[], size_t ninfo,
                                             pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * The processes of a job on a node. Read from the segment of the job, if its host does not answer
 * such requests itself; else the server is asked, which asks its host first. Without a server the
 * answer is what the process knows. Blocking if the server has to be asked.
 *
 *   nodename: a name or alias of the node; NULL: the caller's
 *   nspace: the job; NULL or empty: all jobs
 *   procs, nprocs: the processes, to be released with PMIx_Proc_free; NULL and 0 if there are none
 *       on this node, or no such node
 *   PMIX_ERR_INVALID_NAMESPACE: no such job is known
 *   PMIX_ERR_DATA_VALUE_NOT_FOUND: the node is known, but not which processes are on it
 *   PMIX_ERR_UNPACK_FAILURE: the host gave a list of peers that is not a list of ranks
 *
 * Std 7.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Resolve_peers(const char *nodename, const pmix_nspace_t nspace,
                                             pmix_proc_t **procs, size_t *nprocs);

/*
 * The nodes of a job. Asked and answered as for PMIx_Resolve_peers.
 *
 *   nspace: the job; NULL or empty: all jobs
 *   nodelist: comma-separated names, to be released with free(); NULL if the job has no nodes
 *   PMIX_ERR_INVALID_NAMESPACE: no such job is known
 *
 * Std 7.2.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Resolve_nodes(const pmix_nspace_t nspace, char **nodelist);

/* Asking. Std 7, Query Operations. */

/*
 * Ask the library, the server and the host. Blocking, except for the keys
 * PMIX_QUERY_STABLE_ABI_VERSION and PMIX_QUERY_PROVISIONAL_ABI_VERSION alone, which are answered at
 * any time, also before PMIx_Init.
 *
 *   queries, nqueries: each has keys, ending with NULL, and qualifiers; at least one query
 *   results, nresults: the answers, to be released with PMIx_Info_free; NULL and 0 if there are
 *       none
 *   PMIX_ERR_PARTIAL_SUCCESS: not every key was answered
 *   PMIX_ERR_NOT_FOUND: none was answered
 *   PMIX_ERR_NOT_SUPPORTED: nobody knows the keys, or a required qualifier
 *
 * Std 7.1.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Query_info(pmix_query_t queries[], size_t nqueries,
                                          pmix_info_t **results, size_t *nresults);

/*
 * Non-blocking form of PMIx_Query_info. It needs an initialised library for every key. The results
 * given to cbfunc belong to the library until cbfunc calls the release function that comes with
 * them. Std 7.1.3.
 */
PMIX_EXPORT pmix_status_t PMIx_Query_info_nb(pmix_query_t queries[], size_t nqueries,
                                             pmix_info_cbfunc_t cbfunc, void *cbdata);

/* Logging, allocations, jobs, monitoring. Std 13, Job Management and Reporting. */

/*
 * Have data logged, by the host or, if it has no entry `log2` or `log`, by the server, which writes
 * to its stderr, its stdout and the system's log. Blocking until they are logged.
 *
 *   data, ndata: where and what, for example PMIX_LOG_STDERR with a text; not empty
 *   directives, ndirs: directives for the host
 *   PMIX_ERR_NOT_SUPPORTED: the host has no such entry, and the server does not log to that
 *
 * Std 13.4.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Log(const pmix_info_t data[], size_t ndata,
                                   const pmix_info_t directives[], size_t ndirs);

/* Non-blocking form of PMIx_Log. cbfunc may be NULL. Std 13.4.2. */
PMIX_EXPORT pmix_status_t PMIx_Log_nb(const pmix_info_t data[], size_t ndata,
                                      const pmix_info_t directives[], size_t ndirs,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Ask the scheduler to give, change or take back an allocation. Blocking until the host has
 * decided.
 *
 *   directive: one of PMIX_ALLOC_*
 *   info, ninfo: what is asked for
 *   results, nresults: what was given, to be released with PMIx_Info_free; both may be NULL
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `allocate`
 *
 * Std 13.1.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Allocation_request(pmix_alloc_directive_t directive,
                                                  pmix_info_t *info, size_t ninfo,
                                                  pmix_info_t **results, size_t *nresults);

/*
 * Non-blocking form of PMIx_Allocation_request. The results given to cbfunc belong to the library
 * until cbfunc calls the release function that comes with them. Std 13.1.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Allocation_request_nb(pmix_alloc_directive_t directive,
                                                     pmix_info_t *info, size_t ninfo,
                                                     pmix_info_cbfunc_t cbfunc, void *cbdata);

/*
 * Have the scheduler define, extend, shrink or delete a named set of resources. Blocking until the
 * host has decided.
 *
 *   directive: one of PMIX_RESBLOCK_*
 *   block: name of the set
 *   res, nres: the resources
 *   info, ninfo: directives
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `resource_block`, or the server is older than 6.0
 */
PMIX_EXPORT pmix_status_t PMIx_Resource_block(pmix_resource_block_directive_t directive,
                                              char *block, const pmix_resource_unit_t *res,
                                              size_t nres, const pmix_info_t *info, size_t ninfo);

/* Non-blocking form of PMIx_Resource_block. cbfunc may be NULL. */
PMIX_EXPORT pmix_status_t PMIx_Resource_block_nb(pmix_resource_block_directive_t directive,
                                                 char *block, const pmix_resource_unit_t *res,
                                                 size_t nres, const pmix_info_t *info,
                                                 size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                 void *cbdata);

/*
 * Have the host control a session. With cbfunc it returns at once, and cbfunc receives the results;
 * without, it blocks until the host has answered and the results are dropped.
 *
 *   sessionID: the session; UINT32_MAX: all of them
 *   directives, ndirs: what to do
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `session_control`
 */
PMIX_EXPORT pmix_status_t PMIx_Session_control(uint32_t sessionID, const pmix_info_t directives[],
                                               size_t ndirs, pmix_info_cbfunc_t cbfunc,
                                               void *cbdata);

/*
 * Have the host pause, resume, signal, checkpoint or end processes. Blocking until the host has
 * answered.
 *
 *   targets, ntargets: the processes; NULL and 0: the job of the caller
 *   directives, ndirs: what to do; not empty
 *   results, nresults: what the host says, to be released with PMIx_Info_free; both may be NULL
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `job_control`
 *
 * Std 13.2.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Job_control(const pmix_proc_t targets[], size_t ntargets,
                                           const pmix_info_t directives[], size_t ndirs,
                                           pmix_info_t **results, size_t *nresults);

/* Non-blocking form of PMIx_Job_control. cbfunc may be NULL. Std 13.2.2. */
PMIX_EXPORT pmix_status_t PMIx_Job_control_nb(const pmix_proc_t targets[], size_t ntargets,
                                              const pmix_info_t directives[], size_t ndirs,
                                              pmix_info_cbfunc_t cbfunc, void *cbdata);

/*
 * Have processes watched. The library watches heartbeats (PMIX_MONITOR_HEARTBEAT) and files
 * (PMIX_MONITOR_FILE) itself, and PMIX_SEND_HEARTBEAT is sent to the server and returns without an
 * answer. Anything else blocks until the host has answered.
 *
 *   monitor: what to watch
 *   error: status of the event that reports what was found
 *   directives, ndirs: how to watch
 *   results, nresults: what the host says, to be released with PMIx_Info_free; both may be NULL
 *   PMIX_ERR_NOT_SUPPORTED: something else is to be watched, and the host has no entry `monitor`
 *
 * Std 13.3.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Process_monitor(const pmix_info_t *monitor, pmix_status_t error,
                                               const pmix_info_t directives[], size_t ndirs,
                                               pmix_info_t **results, size_t *nresults);

/*
 * Non-blocking form of PMIx_Process_monitor. cbfunc may be NULL. PMIX_OPERATION_SUCCEEDED for
 * PMIX_SEND_HEARTBEAT. Std 13.3.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Process_monitor_nb(const pmix_info_t *monitor, pmix_status_t error,
                                                  const pmix_info_t directives[], size_t ndirs,
                                                  pmix_info_cbfunc_t cbfunc, void *cbdata);

/*
 * Tell the server that this process lives. The same as PMIx_Process_monitor_nb with
 * PMIX_SEND_HEARTBEAT. Does not wait; failures are not reported.
 */
PMIX_EXPORT void PMIx_Heartbeat(void);

/* It became a function with 6.1; a program of an earlier series loads on libraries that lack it. */
#if PMIX_VERSION_MAJOR < 6 || (PMIX_VERSION_MAJOR == 6 && PMIX_VERSION_MINOR < 1)
static inline void pmix_heartbeat(void)
{
    pmix_info_t beat;

    PMIx_Info_construct(&beat);
    PMIx_Load_key(beat.key, PMIX_SEND_HEARTBEAT);
    (void) PMIx_Process_monitor_nb(&beat, PMIX_SUCCESS, NULL, 0, NULL, NULL);
}
#define PMIx_Heartbeat() pmix_heartbeat()
#endif

/* Events. Std 10, Event Notification. */

/*
 * Have a function called for events. evhdlr runs on the progress thread and must call the
 * completion function that it is given, from any thread, before the next handler of the same event
 * runs. With cbfunc it returns at once and cbfunc receives the number of the handler; without, it
 * blocks and returns that number, which is above 0, or a negative status. Codes that nobody in this
 * process has asked for are registered with the server; the server may send events that it has
 * kept.
 *
 *   codes, ncodes: status codes; NULL and 0: a default handler, for events that no other handler
 *       ends
 *   info, ninfo: place in the order of handlers, name, range, and an object
 *       (PMIX_EVENT_RETURN_OBJECT) that evhdlr receives
 *   evhdlr: the function
 *   cbfunc, cbdata: called once, on the progress thread; may be NULL
 *   PMIX_ERR_EVENT_REGISTRATION: there is a first or last handler already, of
 *       all or of its category
 *
 * Std 10.1.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Register_event_handler(pmix_status_t codes[], size_t ncodes,
                                                      pmix_info_t info[], size_t ninfo,
                                                      pmix_notification_fn_t evhdlr,
                                                      pmix_hdlr_reg_cbfunc_t cbfunc,
                                                      void *cbdata);

/*
 * Remove an event handler. An event that is being delivered may still reach it. With cbfunc NULL it
 * blocks; in a callback it is done at once.
 *
 *   evhdlr_ref: the number of the handler
 *   cbfunc, cbdata: receives the status, on the progress thread; may be NULL
 *   PMIX_ERR_BAD_PARAM: no handler has this number
 *
 * Std 10.1.7.
 */
PMIX_EXPORT pmix_status_t PMIx_Deregister_event_handler(size_t evhdlr_ref,
                                                        pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Report an event to the handlers of the processes in range. Ends when the event was handed over,
 * not when it was handled. With cbfunc NULL it blocks; in a callback it only starts the report.
 * Without a server the caller's own handlers receive the event. PMIX_RANGE_PROC_LOCAL stays in the
 * process.
 *
 *   status: the code of the event
 *   source: who reports it; NULL: the caller
 *   range: who receives it; PMIX_RANGE_CUSTOM takes PMIX_EVENT_CUSTOM_RANGE from info
 *   info, ninfo: data for the handlers, and directives
 *   PMIX_OPERATION_SUCCEEDED: done; cbfunc is not called
 *
 * Std 10.1.8.
 */
PMIX_EXPORT pmix_status_t PMIx_Notify_event(pmix_status_t status, const pmix_proc_t *source,
                                            pmix_data_range_t range, const pmix_info_t info[],
                                            size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Credentials. Std 16, Security. */

/*
 * Obtain a credential of the caller from the host. Blocking.
 *
 *   info, ninfo: directives for the host
 *   credential: receives the bytes, to be released with PMIx_Byte_object_destruct
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `get_credential`
 *
 * Std 16.1.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Get_credential(const pmix_info_t info[], size_t ninfo,
                                              pmix_byte_object_t *credential);

/*
 * Non-blocking form of PMIx_Get_credential. The bytes and infos given to cbfunc belong to the
 * library and are valid until cbfunc returns. Std 16.1.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Get_credential_nb(const pmix_info_t info[], size_t ninfo,
                                                 pmix_credential_cbfunc_t cbfunc, void *cbdata);

/*
 * Have the host check a credential. Blocking.
 *
 *   cred: the bytes
 *   info, ninfo: directives for the host
 *   results, nresults: whose it is, for example PMIX_USERID and PMIX_GRPID, to be released with
 *       PMIx_Info_free; both may be NULL
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `validate_credential`
 *
 * Std 16.2.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Validate_credential(const pmix_byte_object_t *cred,
                                                   const pmix_info_t info[], size_t ninfo,
                                                   pmix_info_t **results, size_t *nresults);

/*
 * Non-blocking form of PMIx_Validate_credential. The results given to cbfunc belong to the library
 * and are valid until cbfunc returns. Std 16.2.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Validate_credential_nb(const pmix_byte_object_t *cred,
                                                      const pmix_info_t info[], size_t ninfo,
                                                      pmix_validation_cbfunc_t cbfunc,
                                                      void *cbdata);

/* Groups. Std 14, Process Sets and Groups. */

/*
 * Make a group. Every member has to call it with the same name. Without PMIX_GROUP_BOOTSTRAP each
 * gives the same procs. A leader that bootstraps gives only itself and the number of leaders; a
 * process that leaders add (PMIX_GROUP_ADD_MEMBERS) gives procs NULL. Each may add data of its own
 * (PMIX_GROUP_INFO). What the caller has put is committed first. Blocking until all have called it.
 *
 *   grp: name of the group, at most PMIX_MAX_NSLEN bytes
 *   procs, nprocs: the members
 *   directives, ndirs: directives
 *   results, nresults: PMIX_GROUP_MEMBERSHIP, the infos of the members, and PMIX_GROUP_CONTEXT_ID
 *       if a member asked for one and the host gave it; to be released with PMIx_Info_free; both
 *       may be NULL
 *   PMIX_ERR_BAD_PARAM: also: PMIX_GROUP_BOOTSTRAP with more than one process or without a number,
 *       or members give PMIX_GROUP_FINAL_MEMBERSHIP_ORDER and differ
 *   PMIX_ERR_TIMEOUT: not all have called within PMIX_TIMEOUT seconds
 *   PMIX_ERR_LOST_CONNECTION: a member ended before it called
 *   PMIX_ERR_NOT_SUPPORTED: also: members are on other nodes, or a context id is asked for, and the
 *       host has no entry `group`; or the caller is a server
 *   PMIX_ERR_NOT_A_MEMBER: procs does not name the caller, or the caller came with procs NULL and
 *       no leader adds it
 *
 * Std 14.2.6.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_construct(const char grp[], const pmix_proc_t procs[],
                                               size_t nprocs, const pmix_info_t directives[],
                                               size_t ndirs, pmix_info_t **results,
                                               size_t *nresults);

/*
 * Non-blocking form of PMIx_Group_construct. The results given to cbfunc belong to the library
 * until cbfunc calls the release function that comes with them. Std 14.2.7.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_construct_nb(const char grp[], const pmix_proc_t procs[],
                                                  size_t nprocs, const pmix_info_t info[],
                                                  size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                                  void *cbdata);

/*
 * Invite processes to a group that the caller leads. They receive the event PMIX_GROUP_INVITED and
 * answer with PMIx_Group_join. For each that declines, ends or does not answer in time, the
 * caller's handlers of PMIX_GROUP_INVITE_FAILED decide whether to go on, to stop, or whom to invite
 * instead; without one the group is not made, unless PMIX_GROUP_OPTIONAL is true. Blocking until
 * all have answered.
 *
 *   grp: name of the group, at most PMIX_MAX_NSLEN bytes
 *   procs, nprocs: whom to invite; not empty. Wildcards and groups stand for their processes
 *   info, ninfo: directives, which the invited processes receive, too
 *   results, nresult: the outcome with PMIX_GROUP_MEMBERSHIP, to be released with PMIx_Info_free;
 *       both may be NULL
 *   PMIX_ERR_PARTIAL_SUCCESS: the group was made without some of them
 *   PMIX_GROUP_CONSTRUCT_ABORT: the group was not made
 *   PMIX_ERR_EXISTS: the name is that of a group or namespace
 *   PMIX_ERR_NOT_SUPPORTED: also: the caller is a server
 *
 * Std 14.2.10.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_invite(const char grp[], const pmix_proc_t procs[],
                                            size_t nprocs, const pmix_info_t info[], size_t ninfo,
                                            pmix_info_t **results, size_t *nresult);

/*
 * Non-blocking form of PMIx_Group_invite. The results given to cbfunc belong to the library until
 * cbfunc calls the release function that comes with them. Std 14.2.11.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_invite_nb(const char grp[], const pmix_proc_t procs[],
                                               size_t nprocs, const pmix_info_t info[],
                                               size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                               void *cbdata);

/*
 * Answer an invitation. Accepting blocks until the group is complete; declining until the answer is
 * sent.
 *
 *   grp: name of the group
 *   leader: who invited
 *   opt: PMIX_GROUP_ACCEPT or PMIX_GROUP_DECLINE
 *   info, ninfo: directives, and with PMIX_GROUP_INFO data for the other members
 *   results, nresult: the outcome with PMIX_GROUP_MEMBERSHIP, to be released with PMIx_Info_free;
 *       both may be NULL
 *   PMIX_GROUP_CONSTRUCT_ABORT: the leader gave up, or the invitation is over
 *   PMIX_GROUP_LEADER_FAILED: the leader has ended
 *   PMIX_ERR_BAD_PARAM: also: leader is the caller, whose part is PMIx_Group_invite
 *   PMIX_ERR_EXISTS: the caller is in a group of that name; it declines
 *   PMIX_ERR_TIMEOUT: not complete within PMIX_TIMEOUT seconds
 *   PMIX_ERR_NOT_SUPPORTED: also: the caller is a server
 *
 * Std 14.2.12.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_join(const char grp[], const pmix_proc_t *leader,
                                          pmix_group_opt_t opt, const pmix_info_t info[],
                                          size_t ninfo, pmix_info_t **results, size_t *nresult);

/*
 * Non-blocking form of PMIx_Group_join. The results given to cbfunc belong to the library until
 * cbfunc calls the release function that comes with them. Std 14.2.13.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_join_nb(const char grp[], const pmix_proc_t *leader,
                                             pmix_group_opt_t opt, const pmix_info_t info[],
                                             size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                             void *cbdata);

/*
 * Leave a group. The other members receive the event PMIX_GROUP_LEFT. Blocking until the event is
 * sent.
 *
 *   grp: name of the group
 *   info, ninfo: directives
 *   PMIX_ERR_NOT_FOUND: the server knows no such group with the caller in it
 *   PMIX_ERR_NOT_SUPPORTED: also: the caller is a server
 *
 * Std 14.2.14.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_leave(const char grp[], const pmix_info_t info[],
                                           size_t ninfo);

/* Non-blocking form of PMIx_Group_leave. Std 14.2.15. */
PMIX_EXPORT pmix_status_t PMIx_Group_leave_nb(const char grp[], const pmix_info_t info[],
                                              size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                              void *cbdata);

/*
 * End a group. Every member has to call it. Blocking until all have.
 *
 *   grp: name of the group
 *   info, ninfo: directives
 *   PMIX_ERR_NOT_FOUND: no such group is known
 *   PMIX_ERR_TIMEOUT: not all have called within PMIX_TIMEOUT seconds
 *   PMIX_ERR_LOST_CONNECTION: a member ended before it called; the group is ended all the same
 *   PMIX_ERR_NOT_SUPPORTED: also: members are on other nodes and the host has no entry `group`, or
 *       the caller is a server
 *
 * Std 14.2.8.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_destruct(const char grp[], const pmix_info_t info[],
                                              size_t ninfo);

/* Non-blocking form of PMIx_Group_destruct. Std 14.2.9. */
PMIX_EXPORT pmix_status_t PMIx_Group_destruct_nb(const char grp[], const pmix_info_t info[],
                                                 size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                 void *cbdata);

/* Hardware and fabrics. Std 12.4, Process Locality; 15, Fabric Support Definitions. */

/*
 * Load the topology of this node. The server's if it shares one, else it is read from the machine,
 * once for the process. Sends no message.
 *
 *   topo: source names a format or is NULL; receives source and topology. Released with
 *       PMIx_Topology_destruct; the topology itself stays the library's
 *   PMIX_ERR_NOT_SUPPORTED: source is not "hwloc", or the machine has no topology
 *
 * Std 12.4.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Load_topology(pmix_topology_t *topo);

/*
 * Read a text that PMIx_server_generate_cpuset_string made.
 *
 *   cpuset_string: the text, source and list of CPUs
 *   cpuset: receives the set, to be released with PMIx_Cpuset_destruct
 *   PMIX_ERR_BAD_PARAM: also: the text names no source, or is no list of CPUs
 *   PMIX_ERR_NOT_SUPPORTED: the source is not "hwloc"
 *
 * Std 12.4.3.
 */
PMIX_EXPORT pmix_status_t PMIx_Parse_cpuset_string(const char *cpuset_string,
                                                   pmix_cpuset_t *cpuset);

/*
 * What the calling process or thread is bound to.
 *
 *   cpuset: receives the set, to be released with PMIx_Cpuset_destruct
 *   ref: PMIX_CPUBIND_PROCESS (all threads of the process together) or PMIX_CPUBIND_THREAD
 *   PMIX_ERR_NOT_FOUND: the system does not say
 *
 * Std 12.4.4.
 */
PMIX_EXPORT pmix_status_t PMIx_Get_cpuset(pmix_cpuset_t *cpuset, pmix_bind_envelope_t ref);

/*
 * What two processes of a node share.
 *
 *   locality1, locality2: values of PMIX_LOCALITY_STRING
 *   locality: receives bits PMIX_LOCALITY_SHARE_*
 *   PMIX_ERR_BAD_PARAM: also: a text has no levels
 *   PMIX_ERR_NOT_SUPPORTED: the source of a text is not "hwloc"
 *
 * Std 12.4.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Get_relative_locality(const char *locality1, const char *locality2,
                                                     pmix_locality_t *locality);

/*
 * How far devices are from CPUs. Does not wait.
 *
 *   topo: the topology; NULL: this node's
 *   cpuset: the CPUs; NULL, or without a bitmap: those of the process
 *   info, ninfo: PMIX_DEVICE_TYPE and PMIX_DEVICE_ID limit the devices
 *   distances, ndist: the result, to be released with PMIx_Device_distance_free
 *   PMIX_ERR_NOT_FOUND: there is no such device
 *   PMIX_ERR_TYPE_MISMATCH: a directive's value has another type
 *   PMIX_ERR_NOT_SUPPORTED: also: topo or cpuset is not hwloc's
 *
 * Std 12.4.5.
 */
PMIX_EXPORT pmix_status_t PMIx_Compute_distances(pmix_topology_t *topo, pmix_cpuset_t *cpuset,
                                                 pmix_info_t info[], size_t ninfo,
                                                 pmix_device_distance_t *distances[],
                                                 size_t *ndist);

/*
 * Non-blocking form of PMIx_Compute_distances. The distances are computed in the call, and cbfunc
 * receives them on the progress thread; they belong to the library until cbfunc calls the release
 * function that comes with them. Std 12.4.6.
 */
PMIX_EXPORT pmix_status_t PMIx_Compute_distances_nb(pmix_topology_t *topo, pmix_cpuset_t *cpuset,
                                                    pmix_info_t info[], size_t ninfo,
                                                    pmix_device_dist_cbfunc_t cbfunc,
                                                    void *cbdata);

/*
 * Ask the host what it knows of a fabric. Blocking until the host has answered.
 *
 *   fabric: constructed; its info and ninfo receive the answer, and PMIx_Fabric_deregister releases
 *       them
 *   directives, ndirs: which fabric
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `fabric`
 *
 * Std 15.4.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Fabric_register(pmix_fabric_t *fabric,
                                               const pmix_info_t directives[], size_t ndirs);

/*
 * Non-blocking form of PMIx_Fabric_register. fabric is written on the progress thread and has to
 * stay valid until cbfunc is called. Std 15.4.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Fabric_register_nb(pmix_fabric_t *fabric,
                                                  const pmix_info_t directives[], size_t ndirs,
                                                  pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Ask the host again about a registered fabric. Blocking. Replaces fabric->info.
 *
 *   fabric: registered; its index says which
 *   PMIX_ERR_NOT_SUPPORTED: the host has no entry `fabric`
 *
 * Std 15.4.3.
 */
PMIX_EXPORT pmix_status_t PMIx_Fabric_update(pmix_fabric_t *fabric);

/*
 * Non-blocking form of PMIx_Fabric_update. fabric is written on the progress thread and has to stay
 * valid until cbfunc is called. Std 15.4.4.
 */
PMIX_EXPORT pmix_status_t PMIx_Fabric_update_nb(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc,
                                                void *cbdata);

/*
 * Release what registration has put into a fabric. Does not wait.
 *
 *   fabric: its info and ninfo become NULL and 0
 *
 * Std 15.4.5.
 */
PMIX_EXPORT pmix_status_t PMIx_Fabric_deregister(pmix_fabric_t *fabric);

/*
 * PMIx_Fabric_deregister; returns PMIX_OPERATION_SUCCEEDED, and cbfunc is never called. Std 15.4.6.
 */
PMIX_EXPORT pmix_status_t PMIx_Fabric_deregister_nb(pmix_fabric_t *fabric,
                                                    pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Packing, for sending between processes. Std 11, Data Packing and Unpacking. All peers read the
 * same bytes: target and source have no effect and may be NULL. Works before PMIx_Init. A buffer
 * belongs to one thread at a time.
 */

/*
 * Append values to a buffer.
 *
 *   target: without effect; may be NULL
 *   buffer: grows as needed; unchanged on failure
 *   src: the first value; for PMIX_STRING and PMIX_REGEX an array of pointers to texts
 *   num_vals: number of values
 *   type: their type; not PMIX_UNDEF
 *   PMIX_ERR_BAD_PARAM: buffer is NULL, num_vals negative, or src NULL
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: there is no such type
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 11.3.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_pack(const pmix_proc_t *target, pmix_data_buffer_t *buffer,
                                         void *src, int32_t num_vals, pmix_data_type_t type);

/*
 * Take values off a buffer. Values of a structure with pointers are in malloc memory of their own,
 * released with the destruct function of the type.
 *
 *   source: without effect; may be NULL
 *   buffer: read from its place of the last read; the place stays on failure
 *   dest: receives the values; room for *max_num_values
 *   max_num_values: receives the number of values taken
 *   type: type of the values
 *   PMIX_ERR_UNPACK_INADEQUATE_SPACE: there were more values than fit; the rest is lost
 *   PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER: nothing is left, or less than the values take
 *   PMIX_ERR_TYPE_MISMATCH: the next value has another type (buffers with types only)
 *   PMIX_ERR_UNPACK_FAILURE: the next value is damaged, or of another type
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: there is no such type
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or *max_num_values negative
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 11.3.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_unpack(const pmix_proc_t *source, pmix_data_buffer_t *buffer,
                                           void *dest, int32_t *max_num_values,
                                           pmix_data_type_t type);

/*
 * Copy one value into malloc memory. A deep copy, released with the destruct function of the type
 * and free().
 *
 *   dest: receives the copy
 *   src: the value; for PMIX_STRING the text itself
 *   type: its type
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: there is no such type
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 11.3.3.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_copy(void **dest, void *src, pmix_data_type_t type);

/*
 * Describe one value for people.
 *
 *   output: receives the text, to be released with free()
 *   prefix: written before each line; may be NULL
 *   src: the value; for PMIX_STRING the text itself; may be NULL
 *   type: its type
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: there is no such type
 *   PMIX_ERR_BAD_PARAM: output is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 11.3.4.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_print(char **output, char *prefix, void *src,
                                          pmix_data_type_t type);

/*
 * Append the bytes of a buffer that are not unpacked yet to another.
 *
 *   dest: receives a copy; not src
 *   src: stays as it is
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or dest is src
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 11.3.5.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_copy_payload(pmix_data_buffer_t *dest, pmix_data_buffer_t *src);

/*
 * Move the bytes of a buffer that are not unpacked yet to a byte object.
 *
 *   buffer: empty afterwards
 *   payload: overwritten; its bytes are released with free()
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *
 * Std 11.3.7.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_unload(pmix_data_buffer_t *buffer, pmix_byte_object_t *payload);

/*
 * Move the bytes of a byte object into a buffer.
 *
 *   buffer: frees what it held, and takes over the bytes
 *   payload: empty afterwards
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *
 * Std 11.3.6.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_load(pmix_data_buffer_t *buffer, pmix_byte_object_t *payload);

/*
 * Copy the bytes of a byte object into a buffer.
 *
 *   buffer: frees what it held
 *   payload: stays as it is
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 11.3.10.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_embed(pmix_data_buffer_t *buffer,
                                          const pmix_byte_object_t *payload);

/*
 * Compress bytes. Returns false if they were not compressed: too few, no gain, or no memory;
 * *outbytes is NULL then.
 *
 *   inbytes, size: the bytes
 *   outbytes, nbytes: the result, to be released with free()
 *
 * Std 11.3.8.
 */
PMIX_EXPORT bool PMIx_Data_compress(const uint8_t *inbytes, size_t size, uint8_t **outbytes,
                                    size_t *nbytes);

/*
 * Restore what PMIx_Data_compress made. Returns false if the bytes are nothing of the kind;
 * *outbytes is NULL then.
 *
 *   inbytes, size: the bytes
 *   outbytes, nbytes: the result, to be released with free()
 *
 * Std 11.3.9.
 */
PMIX_EXPORT bool PMIx_Data_decompress(const uint8_t *inbytes, size_t size, uint8_t **outbytes,
                                      size_t *nbytes);

/*
 * The bytes of memory that a value takes, with what it points to.
 *
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: the value is PMIX_UNDEF, or has a type that does not exist
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 */
PMIX_EXPORT pmix_status_t PMIx_Value_get_size(const pmix_value_t *val, size_t *size);

/*
 * The bytes of memory that an info takes: the structure, its value, and the length of its key.
 *
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: its value is PMIX_UNDEF, or has a type that does not exist
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 */
PMIX_EXPORT pmix_status_t PMIx_Info_get_size(const pmix_info_t *val, size_t *size);

/*
 * Names for people. They work at any time. const char * is a static text, also for unknown values;
 * char * is to be free()d and is NULL without memory. Std 3, Data Structures and Types.
 */

/* Name of a status, "ERROR STRING NOT FOUND" if it has none. Std 3.5. */
PMIX_EXPORT const char *PMIx_Error_string(pmix_status_t status);

/* Status with this name, whatever its case; INT32_MIN if there is none. */
PMIX_EXPORT pmix_status_t PMIx_Error_code(const char *errname);

/* Text for the state of a process. Std 3.5. */
PMIX_EXPORT const char *PMIx_Proc_state_string(pmix_proc_state_t state);

/* Text for the state of a job. Std 3.5. */
PMIX_EXPORT const char *PMIx_Job_state_string(pmix_job_state_t state);

/* Text for a scope. Std 3.5. */
PMIX_EXPORT const char *PMIx_Scope_string(pmix_scope_t scope);

/* Text for a persistence. Std 3.5. */
PMIX_EXPORT const char *PMIx_Persistence_string(pmix_persistence_t persist);

/* Text for a range. Std 3.5. */
PMIX_EXPORT const char *PMIx_Data_range_string(pmix_data_range_t range);

/* Text for the flags of an info, to be released with free(); NULL without memory. Std 3.5. */
PMIX_EXPORT char *PMIx_Info_directives_string(pmix_info_directives_t directives);

/* Name of a data type. Std 3.5. */
PMIX_EXPORT const char *PMIx_Data_type_string(pmix_data_type_t type);

/* Text for a directive of PMIx_Allocation_request. Std 3.5. */
PMIX_EXPORT const char *PMIx_Alloc_directive_string(pmix_alloc_directive_t directive);

/* Text for what becomes of an allocation when its owner ends (PMIX_ALLOC_INHERITANCE). */
PMIX_EXPORT const char *PMIx_Alloc_inheritance_string(pmix_alloc_inheritance_t inheritance);

/* Text for a directive of PMIx_Resource_block. */
PMIX_EXPORT const char *PMIx_Resource_block_directive_string(
        pmix_resource_block_directive_t directive);

/* Names of the channels in a mask, each with a space behind it; "NONE" for 0. Std 3.5. */
PMIX_EXPORT const char *PMIx_IOF_channel_string(pmix_iof_channel_t channel);

/* Text for the state of a link. Std 3.5. */
PMIX_EXPORT const char *PMIx_Link_state_string(pmix_link_state_t state);

/* Text for a type of devices. Std 3.5. */
PMIX_EXPORT const char *PMIx_Device_type_string(pmix_device_type_t type);

/* Text for a result of PMIx_Value_compare. */
PMIX_EXPORT const char *PMIx_Value_comparison_string(pmix_value_cmp_t cmp);

/* Text for an operation on groups. */
PMIX_EXPORT const char *PMIx_Group_operation_string(pmix_group_operation_t op);

/*
 * String of an attribute by its name, whatever its case. "PMIX_RANK" gives "pmix.rank". The
 * argument itself if there is no such name. Std 3.5.
 */
PMIX_EXPORT const char *PMIx_Get_attribute_string(const char *attribute);

/*
 * Name of an attribute by its string, whatever its case. If several names have the string: the
 * first that is not deprecated. The argument itself if there is none. Std 3.5.
 */
PMIX_EXPORT const char *PMIx_Get_attribute_name(const char *attrstring);

/* Text for a value, to be released with free(); NULL without memory. */
PMIX_EXPORT char *PMIx_Value_string(const pmix_value_t *value);

/* Text for an info, to be released with free(); NULL without memory. */
PMIX_EXPORT char *PMIx_Info_string(const pmix_info_t *info);

/* Text for the name of a process, to be released with free(); NULL without memory. */
PMIX_EXPORT char *PMIx_Proc_string(const pmix_proc_t *proc);

/* Text for an application, to be released with free(); NULL without memory. */
PMIX_EXPORT char *PMIx_App_string(const pmix_app_t *app);

/* Text for a resource unit, to be released with free(); NULL without memory. */
PMIX_EXPORT char *PMIx_Resource_unit_string(const pmix_resource_unit_t *unit);

#if defined(__cplusplus)
}
#endif

#endif
