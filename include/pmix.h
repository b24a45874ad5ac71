/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/*
 * The interface of applications, and what servers and tools share with them.
 *
 * What holds for every call unless its comment says otherwise:
 * - It may be made from any thread.
 * - It returns PMIX_SUCCESS or a negative status. Before initialisation that is PMIX_ERR_INIT, for
 *   arguments that make no sense PMIX_ERR_BAD_PARAM, without memory PMIX_ERR_NOMEM, without a
 *   server PMIX_ERR_UNREACH. On failure results are left alone.
 * - Arrays come as pointer and number; no array is NULL and 0. A string in an argument is copied.
 * - An info array carries attributes (pmix_keys.h). An attribute marked PMIX_INFO_REQD that is not
 *   supported fails the call with PMIX_ERR_NOT_SUPPORTED; others are ignored.
 * - What a call returns through a pointer belongs to the caller: PMIx_*_free() of its type, or
 *   free() for strings.
 * - A blocking call waits for messages, and is refused inside a callback.
 * - A call ending in _nb does not wait. PMIX_SUCCESS means that cbfunc will be called, once, on the
 *   progress thread; until then the arguments must stay valid. PMIX_OPERATION_SUCCEEDED means that
 *   the work is done already; then, and after an error, cbfunc is not called.
 *
 * "Std" names the chapter of the PMIx Standard, version 5.0, with the full contract.
 */
#ifndef PMIX_H
#define PMIX_H

#include "pmix_common.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Start and end. Std: Client Initialization and Finalization. */

/*
 * Join the job that started this process. Blocking; calls nest, each is to be matched by a
 * PMIx_Finalize. proc (may be NULL) takes the caller's name. A process that no server has started
 * gets PMIX_ERR_UNREACH and may go on alone: it then has a name of its own and rank 0.
 */
PMIX_EXPORT pmix_status_t PMIx_Init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo);
/*
 * Leave; the last of nested calls tells the server and frees everything. With PMIX_EMBED_BARRIER
 * the processes of the job wait for each other first. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t ninfo);
/* 1 between the first PMIx_Init (or server or tool start) and the last end, else 0. Any time. */
PMIX_EXPORT int PMIx_Initialized(void);
/*
 * Have the host end the processes in procs (none: the whole job) with this exit status; msg may be
 * NULL. Blocking until the host has taken the request; may not return.
 */
PMIX_EXPORT pmix_status_t PMIx_Abort(int status, const char msg[], pmix_proc_t procs[],
                                     size_t nprocs);
/* Product and version, a static text. Any time. */
PMIX_EXPORT const char *PMIx_Get_version(void);
/* Let the library do work that is due, for programs that run it without a thread of its own. */
PMIX_EXPORT void PMIx_Progress(void);
/*
 * Accepted, without effect: the progress thread ends with the last PMIx_Finalize, since requests
 * under way would otherwise never be answered.
 */
PMIX_EXPORT void PMIx_Progress_thread_stop(const pmix_info_t *info, size_t ninfo);

/* Posting and reading data. Std: Data Access and Sharing; Reserved Keys. */

/*
 * Keep a value under key, to be posted with PMIx_Commit to those in scope. The value is copied.
 * Keys that begin with "pmix" are reserved: PMIX_ERR_BAD_PARAM. Does not wait.
 */
PMIX_EXPORT pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *val);
/*
 * Send everything put since the last commit to the server. Does not wait for the server: a process
 * that reads afterwards asks the same server, and a fence follows on the same connection. If the
 * server refuses a commit, the next PMIx_Commit or PMIx_Fence returns its status. Without a server
 * the values stay with the caller: PMIX_SUCCESS.
 */
PMIX_EXPORT pmix_status_t PMIx_Commit(void);
/*
 * Read the value of key for a process; rank PMIX_RANK_WILDCARD asks for job data, an empty
 * namespace means one's own job, proc NULL stands for the caller. *val is a copy to be released
 * with PMIx_Value_free(val, 1), unless info has PMIX_GET_POINTER_VALUES (a pointer into the
 * library's memory, not to be released, valid until PMIx_Finalize) or PMIX_GET_STATIC_VALUES (*val
 * is the caller's structure to be filled).
 *
 * What the node knows is read from shared memory in the calling thread, without waiting, also in
 * callbacks. A key that another process still has to commit is waited for, at most PMIX_TIMEOUT
 * seconds; with PMIX_IMMEDIATE or PMIX_OPTIONAL it is not. PMIX_ERR_NOT_FOUND: no such key.
 * PMIX_ERR_EXISTS_OUTSIDE_SCOPE: there is one that the caller may not see. PMIX_ERR_TIMEOUT.
 */
PMIX_EXPORT pmix_status_t PMIx_Get(const pmix_proc_t *proc, const char key[],
                                   const pmix_info_t info[], size_t ninfo, pmix_value_t **val);
/* The same without waiting; the value passed to cbfunc belongs to the library. */
PMIX_EXPORT pmix_status_t PMIx_Get_nb(const pmix_proc_t *proc, const char key[],
                                      const pmix_info_t info[], size_t ninfo,
                                      pmix_value_cbfunc_t cbfunc, void *cbdata);
/* Keep a value for this process only, under any process's name. Copies it, sends nothing. */
PMIX_EXPORT pmix_status_t PMIx_Store_internal(const pmix_proc_t *proc, const char key[],
                                              pmix_value_t *val);

/* Synchronisation. Std: Synchronization and Data Access. */

/*
 * Wait until every process of procs (none: the whole job) has called it with the same procs. With
 * PMIX_COLLECT_DATA the data committed by all of them can be read afterwards. Blocking.
 * PMIX_ERR_TIMEOUT after PMIX_TIMEOUT seconds; PMIX_ERR_LOST_CONNECTION if a participant died.
 */
PMIX_EXPORT pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t nprocs,
                                     const pmix_info_t info[], size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t nprocs,
                                        const pmix_info_t info[], size_t ninfo,
                                        pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Publishing. Std: Publish/Lookup Operations. */

/*
 * Offer the keys and values of info to processes in PMIX_RANGE (default: the session) for as long
 * as PMIX_PERSISTENCE says. Other attributes in info direct the call. PMIX_ERR_DUPLICATE_KEY if
 * someone in that range has published a key already. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Publish(const pmix_info_t info[], size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Publish_nb(const pmix_info_t info[], size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);
/*
 * Fill in who published data[i].key and its value, for each i. With PMIX_WAIT it waits until as
 * many were published, at most PMIX_TIMEOUT seconds. PMIX_ERR_PARTIAL_SUCCESS when some were found,
 * PMIX_ERR_NOT_FOUND when none. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Lookup(pmix_pdata_t data[], size_t ndata, const pmix_info_t info[],
                                      size_t ninfo);
/* The same for keys (ends with NULL); cbfunc gets those found. */
PMIX_EXPORT pmix_status_t PMIx_Lookup_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                                         pmix_lookup_cbfunc_t cbfunc, void *cbdata);
/* Withdraw what this process has published under keys (ends with NULL; NULL: everything). */
PMIX_EXPORT pmix_status_t PMIx_Unpublish(char **keys, const pmix_info_t info[], size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Unpublish_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                                            pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Starting processes and connecting them. Std: Process Management. */

/*
 * Have the host start applications as one new job; job_info applies to all of it. The name of the
 * job goes to nspace (may be NULL). Blocking until they run, or until the host has given up:
 * PMIX_ERR_JOB_* says why.
 */
PMIX_EXPORT pmix_status_t PMIx_Spawn(const pmix_info_t job_info[], size_t ninfo,
                                     const pmix_app_t apps[], size_t napps, pmix_nspace_t nspace);
PMIX_EXPORT pmix_status_t PMIx_Spawn_nb(const pmix_info_t job_info[], size_t ninfo,
                                        const pmix_app_t apps[], size_t napps,
                                        pmix_spawn_cbfunc_t cbfunc, void *cbdata);
/*
 * Treat these processes, of any jobs, as connected: each learns about the jobs of the others, and
 * the end of one is reported to all. Every one of them has to call it. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Connect(const pmix_proc_t procs[], size_t nprocs,
                                       const pmix_info_t info[], size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Connect_nb(const pmix_proc_t procs[], size_t nprocs,
                                          const pmix_info_t info[], size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Undo a connection; every process of it has to call it. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Disconnect(const pmix_proc_t procs[], size_t nprocs,
                                          const pmix_info_t info[], size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Disconnect_nb(const pmix_proc_t ranges[], size_t nprocs,
                                             const pmix_info_t info[], size_t ninfo,
                                             pmix_op_cbfunc_t cbfunc, void *cbdata);
/*
 * The processes of a job (empty namespace or NULL: of all jobs) on a node (NULL: this one). *procs
 * is released with PMIx_Proc_free; *nprocs may be 0. Blocking if the host has to be asked.
 */
PMIX_EXPORT pmix_status_t PMIx_Resolve_peers(const char *nodename, const pmix_nspace_t nspace,
                                             pmix_proc_t **procs, size_t *nprocs);
/* The nodes of a job, comma-separated, in *nodelist, to be released with free(). Same waiting. */
PMIX_EXPORT pmix_status_t PMIx_Resolve_nodes(const pmix_nspace_t nspace, char **nodelist);

/* Asking. Std: Queries. */

/*
 * Ask the library and the host. Each query has keys and qualifiers. The results, in one array, are
 * released with PMIx_Info_free. PMIX_ERR_PARTIAL_SUCCESS: not every key was answered. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Query_info(pmix_query_t queries[], size_t nqueries,
                                          pmix_info_t **results, size_t *nresults);
PMIX_EXPORT pmix_status_t PMIx_Query_info_nb(pmix_query_t queries[], size_t nqueries,
                                             pmix_info_cbfunc_t cbfunc, void *cbdata);

/* Logging, allocations, jobs, monitoring. Std: Job Management and Reporting; Process Management. */

/*
 * Have data (e.g. PMIX_LOG_STDERR and a text) logged in the ways that directives ask for. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Log(const pmix_info_t data[], size_t ndata,
                                   const pmix_info_t directives[], size_t ndirs);
PMIX_EXPORT pmix_status_t PMIx_Log_nb(const pmix_info_t data[], size_t ndata,
                                      const pmix_info_t directives[], size_t ndirs,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata);
/*
 * Ask the scheduler for a new, larger or smaller allocation, or to end a request. The results say
 * what was given. Blocking until the scheduler has decided.
 */
PMIX_EXPORT pmix_status_t PMIx_Allocation_request(pmix_alloc_directive_t directive,
                                                  pmix_info_t *info, size_t ninfo,
                                                  pmix_info_t **results, size_t *nresults);
PMIX_EXPORT pmix_status_t PMIx_Allocation_request_nb(pmix_alloc_directive_t directive,
                                                     pmix_info_t *info, size_t ninfo,
                                                     pmix_info_cbfunc_t cbfunc, void *cbdata);
/* Have the scheduler define, change or delete a named set of resources. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Resource_block(pmix_resource_block_directive_t directive,
                                              char *block, const pmix_resource_unit_t *res,
                                              size_t nres, const pmix_info_t *info, size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Resource_block_nb(pmix_resource_block_directive_t directive,
                                                 char *block, const pmix_resource_unit_t *res,
                                                 size_t nres, const pmix_info_t *info,
                                                 size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                 void *cbdata);
/* Control a session (UINT32_MAX: all of them) as directives say. cbfunc NULL: blocking. */
PMIX_EXPORT pmix_status_t PMIx_Session_control(uint32_t sessionID, const pmix_info_t directives[],
                                               size_t ndirs, pmix_info_cbfunc_t cbfunc,
                                               void *cbdata);
/* Pause, resume, signal, checkpoint, end ... the targets (none: the caller's job). Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Job_control(const pmix_proc_t targets[], size_t ntargets,
                                           const pmix_info_t directives[], size_t ndirs,
                                           pmix_info_t **results, size_t *nresults);
PMIX_EXPORT pmix_status_t PMIx_Job_control_nb(const pmix_proc_t targets[], size_t ntargets,
                                              const pmix_info_t directives[], size_t ndirs,
                                              pmix_info_cbfunc_t cbfunc, void *cbdata);
/* Have the processes watched as monitor says; the event `error` reports what is found. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Process_monitor(const pmix_info_t *monitor, pmix_status_t error,
                                               const pmix_info_t directives[], size_t ndirs,
                                               pmix_info_t **results, size_t *nresults);
PMIX_EXPORT pmix_status_t PMIx_Process_monitor_nb(const pmix_info_t *monitor, pmix_status_t error,
                                                  const pmix_info_t directives[], size_t ndirs,
                                                  pmix_info_cbfunc_t cbfunc, void *cbdata);
/* Tell the server that this process lives (see PMIX_MONITOR_HEARTBEAT). Does not wait. */
PMIX_EXPORT void PMIx_Heartbeat(void);

/* Events. Std: Event Notification. */

/*
 * Have evhdlr called for these codes (none: a default handler, for codes without another one). info
 * may give the place in the order of handlers (PMIX_EVENT_HDLR_FIRST ...), a name, and an object
 * that is handed back. With cbfunc it returns at once and cbfunc gets the number of the handler;
 * without, it waits and returns that number or a negative status.
 */
PMIX_EXPORT pmix_status_t PMIx_Register_event_handler(pmix_status_t codes[], size_t ncodes,
                                                      pmix_info_t info[], size_t ninfo,
                                                      pmix_notification_fn_t evhdlr,
                                                      pmix_hdlr_reg_cbfunc_t cbfunc,
                                                      void *cbdata);
/*
 * Remove a handler. PMIX_ERR_BAD_PARAM, from the call or to cbfunc, for an unknown number. cbfunc
 * NULL: waits until it is done.
 */
PMIX_EXPORT pmix_status_t PMIx_Deregister_event_handler(size_t evhdlr_ref,
                                                        pmix_op_cbfunc_t cbfunc, void *cbdata);
/*
 * Report an event of source (NULL: the caller) to the handlers of the processes in range. cbfunc
 * (NULL waits) is called when the event has been taken over, not when it was handled.
 */
PMIX_EXPORT pmix_status_t PMIx_Notify_event(pmix_status_t status, const pmix_proc_t *source,
                                            pmix_data_range_t range, const pmix_info_t info[],
                                            size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Credentials. Std: Security. */

/* A credential of the caller for another process; bytes in *credential. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Get_credential(const pmix_info_t info[], size_t ninfo,
                                              pmix_byte_object_t *credential);
PMIX_EXPORT pmix_status_t PMIx_Get_credential_nb(const pmix_info_t info[], size_t ninfo,
                                                 pmix_credential_cbfunc_t cbfunc, void *cbdata);
/*
 * Whether a credential is genuine, and whose it is (PMIX_USERID, PMIX_GRPID in results). Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Validate_credential(const pmix_byte_object_t *cred,
                                                   const pmix_info_t info[], size_t ninfo,
                                                   pmix_info_t **results, size_t *nresults);
PMIX_EXPORT pmix_status_t PMIx_Validate_credential_nb(const pmix_byte_object_t *cred,
                                                      const pmix_info_t info[], size_t ninfo,
                                                      pmix_validation_cbfunc_t cbfunc,
                                                      void *cbdata);

/* Groups. Std: Process Sets and Groups. */

/*
 * Make a group of procs; each of them has to call it with the same name. Without
 * PMIX_GROUP_BOOTSTRAP each gives the same procs. A leader that bootstraps gives only itself and
 * the number of leaders; a process that leaders add (PMIX_GROUP_ADD_MEMBERS) gives procs NULL.
 * Each may add data of its own (PMIX_GROUP_INFO). Results: PMIX_GROUP_MEMBERSHIP, the members'
 * infos, and PMIX_GROUP_CONTEXT_ID if a member asked for one (PMIX_GROUP_ASSIGN_CONTEXT_ID) and
 * the host gave it. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_Group_construct(const char grp[], const pmix_proc_t procs[],
                                               size_t nprocs, const pmix_info_t directives[],
                                               size_t ndirs, pmix_info_t **results,
                                               size_t *nresults);
PMIX_EXPORT pmix_status_t PMIx_Group_construct_nb(const char grp[], const pmix_proc_t procs[],
                                                  size_t nprocs, const pmix_info_t info[],
                                                  size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                                  void *cbdata);
/* Invite procs; the answer is theirs. Blocking until all have answered or the time is over. */
PMIX_EXPORT pmix_status_t PMIx_Group_invite(const char grp[], const pmix_proc_t procs[],
                                            size_t nprocs, const pmix_info_t info[], size_t ninfo,
                                            pmix_info_t **results, size_t *nresult);
PMIX_EXPORT pmix_status_t PMIx_Group_invite_nb(const char grp[], const pmix_proc_t procs[],
                                               size_t nprocs, const pmix_info_t info[],
                                               size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                               void *cbdata);
/* Accept or decline the invitation of leader. Accepting waits until the group is complete. */
PMIX_EXPORT pmix_status_t PMIx_Group_join(const char grp[], const pmix_proc_t *leader,
                                          pmix_group_opt_t opt, const pmix_info_t info[],
                                          size_t ninfo, pmix_info_t **results, size_t *nresult);
PMIX_EXPORT pmix_status_t PMIx_Group_join_nb(const char grp[], const pmix_proc_t *leader,
                                             pmix_group_opt_t opt, const pmix_info_t info[],
                                             size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                             void *cbdata);
/* Leave a group; its other members get PMIX_GROUP_LEFT. Returns when the event was sent. */
PMIX_EXPORT pmix_status_t PMIx_Group_leave(const char grp[], const pmix_info_t info[],
                                           size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Group_leave_nb(const char grp[], const pmix_info_t info[],
                                              size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                              void *cbdata);
/* End a group; every member has to call it. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Group_destruct(const char grp[], const pmix_info_t info[],
                                              size_t ninfo);
PMIX_EXPORT pmix_status_t PMIx_Group_destruct_nb(const char grp[], const pmix_info_t info[],
                                                 size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                 void *cbdata);

/* Hardware and fabrics. Std: Fabric Support Definitions; Process-Related Non-Reserved Keys. */

/*
 * Load the topology of this node, the server's if there is one. topo->source may ask for a format;
 * PMIX_ERR_NOT_SUPPORTED if it is not "hwloc". To be released with PMIx_Topology_destruct.
 */
PMIX_EXPORT pmix_status_t PMIx_Load_topology(pmix_topology_t *topo);
/* Read a text as PMIx_server_generate_cpuset_string makes it. */
PMIX_EXPORT pmix_status_t PMIx_Parse_cpuset_string(const char *cpuset_string,
                                                   pmix_cpuset_t *cpuset);
/* What the calling process, or thread, is bound to. */
PMIX_EXPORT pmix_status_t PMIx_Get_cpuset(pmix_cpuset_t *cpuset, pmix_bind_envelope_t ref);
/* What two processes share, from their PMIX_LOCALITY_STRING texts: bits PMIX_LOCALITY_SHARE_*. */
PMIX_EXPORT pmix_status_t PMIx_Get_relative_locality(const char *locality1, const char *locality2,
                                                     pmix_locality_t *locality);
/* How far devices are from the cpuset. info may name the devices and their types. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Compute_distances(pmix_topology_t *topo, pmix_cpuset_t *cpuset,
                                                 pmix_info_t info[], size_t ninfo,
                                                 pmix_device_distance_t *distances[],
                                                 size_t *ndist);
PMIX_EXPORT pmix_status_t PMIx_Compute_distances_nb(pmix_topology_t *topo, pmix_cpuset_t *cpuset,
                                                    pmix_info_t info[], size_t ninfo,
                                                    pmix_device_dist_cbfunc_t cbfunc,
                                                    void *cbdata);
/* Set fabric->info to what is known of a fabric, for the use of a scheduler. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Fabric_register(pmix_fabric_t *fabric,
                                               const pmix_info_t directives[], size_t ndirs);
PMIX_EXPORT pmix_status_t PMIx_Fabric_register_nb(pmix_fabric_t *fabric,
                                                  const pmix_info_t directives[], size_t ndirs,
                                                  pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Bring a registered fabric up to date. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_Fabric_update(pmix_fabric_t *fabric);
PMIX_EXPORT pmix_status_t PMIx_Fabric_update_nb(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc,
                                                void *cbdata);
/* Free what registration has put into fabric. */
PMIX_EXPORT pmix_status_t PMIx_Fabric_deregister(pmix_fabric_t *fabric);
PMIX_EXPORT pmix_status_t PMIx_Fabric_deregister_nb(pmix_fabric_t *fabric,
                                                    pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Packing, for sending between processes. Std: Data Packing and Unpacking. All peers read the same
 * bytes: target and source have no effect and may be NULL. Works before PMIx_Init. A buffer belongs
 * to one thread at a time.
 */

/* Append num_vals values of a type; src points to the first. Buffers do not take PMIX_UNDEF. */
PMIX_EXPORT pmix_status_t PMIx_Data_pack(const pmix_proc_t *target, pmix_data_buffer_t *buffer,
                                         void *src, int32_t num_vals, pmix_data_type_t type);
/*
 * Take up to *max_num_values values off into dest; *max_num_values becomes the number taken.
 * PMIX_ERR_UNPACK_INADEQUATE_SPACE: there were more, the rest is lost. PMIX_ERR_TYPE_MISMATCH or
 * PMIX_ERR_UNPACK_FAILURE: the next value is of another type, or damaged.
 */
PMIX_EXPORT pmix_status_t PMIx_Data_unpack(const pmix_proc_t *source, pmix_data_buffer_t *buffer,
                                           void *dest, int32_t *max_num_values,
                                           pmix_data_type_t type);
/* A deep copy of one value, in malloc memory. */
PMIX_EXPORT pmix_status_t PMIx_Data_copy(void **dest, void *src, pmix_data_type_t type);
/* A text for people, each line begun with prefix (may be NULL), in *output; free() it. */
PMIX_EXPORT pmix_status_t PMIx_Data_print(char **output, char *prefix, void *src,
                                          pmix_data_type_t type);
/* Append the bytes of src that are not unpacked yet to dest; src keeps them. */
PMIX_EXPORT pmix_status_t PMIx_Data_copy_payload(pmix_data_buffer_t *dest, pmix_data_buffer_t *src);
/* Move the bytes that are not unpacked yet to payload; the buffer is empty afterwards. */
PMIX_EXPORT pmix_status_t PMIx_Data_unload(pmix_data_buffer_t *buffer, pmix_byte_object_t *payload);
/* Move the bytes of payload into the buffer, which takes them over; payload is empty afterwards. */
PMIX_EXPORT pmix_status_t PMIx_Data_load(pmix_data_buffer_t *buffer, pmix_byte_object_t *payload);
/* The same with a copy; payload keeps its bytes. */
PMIX_EXPORT pmix_status_t PMIx_Data_embed(pmix_data_buffer_t *buffer,
                                          const pmix_byte_object_t *payload);
/* False if the bytes were not compressed (too few, no gain); else *outbytes is to be free()d. */
PMIX_EXPORT bool PMIx_Data_compress(const uint8_t *inbytes, size_t size, uint8_t **outbytes,
                                    size_t *nbytes);
/* The reverse of PMIx_Data_compress; false if the bytes are nothing of the kind. */
PMIX_EXPORT bool PMIx_Data_decompress(const uint8_t *inbytes, size_t size, uint8_t **outbytes,
                                      size_t *nbytes);
/*
 * The bytes of memory that the value takes, with what it points to. PMIX_ERR_UNKNOWN_DATA_TYPE for
 * PMIX_UNDEF.
 */
PMIX_EXPORT pmix_status_t PMIx_Value_get_size(const pmix_value_t *val, size_t *size);
/* The same for an info: the structure, its value, and the length of its key. */
PMIX_EXPORT pmix_status_t PMIx_Info_get_size(const pmix_info_t *val, size_t *size);

/*
 * Names for people. They work at any time. const char * is a static text, also for unknown values;
 * char * is to be free()d and is NULL without memory. Std: Data Structures and Types.
 */

/* The name of the constant, or "ERROR STRING NOT FOUND". */
PMIX_EXPORT const char *PMIx_Error_string(pmix_status_t status);
/* The reverse of PMIx_Error_string; INT32_MIN if there is no such name. */
PMIX_EXPORT pmix_status_t PMIx_Error_code(const char *errname);
PMIX_EXPORT const char *PMIx_Proc_state_string(pmix_proc_state_t state);
PMIX_EXPORT const char *PMIx_Job_state_string(pmix_job_state_t state);
PMIX_EXPORT const char *PMIx_Scope_string(pmix_scope_t scope);
PMIX_EXPORT const char *PMIx_Persistence_string(pmix_persistence_t persist);
PMIX_EXPORT const char *PMIx_Data_range_string(pmix_data_range_t range);
PMIX_EXPORT char *PMIx_Info_directives_string(pmix_info_directives_t directives);
PMIX_EXPORT const char *PMIx_Data_type_string(pmix_data_type_t type);
PMIX_EXPORT const char *PMIx_Alloc_directive_string(pmix_alloc_directive_t directive);
PMIX_EXPORT const char *PMIx_Resource_block_directive_string(
        pmix_resource_block_directive_t directive);
PMIX_EXPORT const char *PMIx_IOF_channel_string(pmix_iof_channel_t channel);
PMIX_EXPORT const char *PMIx_Link_state_string(pmix_link_state_t state);
PMIX_EXPORT const char *PMIx_Device_type_string(pmix_device_type_t type);
PMIX_EXPORT const char *PMIx_Value_comparison_string(pmix_value_cmp_t cmp);
PMIX_EXPORT const char *PMIx_Group_operation_string(pmix_group_operation_t op);
/* The string of an attribute by its name: "PMIX_RANK" gives "pmix.rank". Others come back as is. */
PMIX_EXPORT const char *PMIx_Get_attribute_string(const char *attribute);
/* The reverse of PMIx_Get_attribute_string. */
PMIX_EXPORT const char *PMIx_Get_attribute_name(const char *attrstring);
PMIX_EXPORT char *PMIx_Value_string(const pmix_value_t *value);
PMIX_EXPORT char *PMIx_Info_string(const pmix_info_t *info);
PMIX_EXPORT char *PMIx_Proc_string(const pmix_proc_t *proc);
PMIX_EXPORT char *PMIx_App_string(const pmix_app_t *app);
PMIX_EXPORT char *PMIx_Resource_unit_string(const pmix_resource_unit_t *unit);

#if defined(__cplusplus)
}
#endif

#endif
