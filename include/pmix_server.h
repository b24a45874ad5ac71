/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/*
 * The interface of hosts: daemons that start processes and serve them. A host calls the functions
 * here and gives the library a table of functions of its own, the upcalls. The conventions are
 * those of pmix.h; a server may use everything in there. Std 17, Server-Specific Interfaces.
 */
#ifndef PMIX_SERVER_H
#define PMIX_SERVER_H

#include "pmix.h"

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * Upcalls: functions of the host, which the library calls on the progress thread. They must not
 * block. cbfunc may be called from any thread, also before the upcall returns. The arguments of an
 * upcall stay valid until then. server_object is what the host gave PMIx_server_register_client. An
 * upcall that is NULL is not offered: clients get PMIX_ERR_NOT_SUPPORTED or what the library can do
 * itself.
 *
 *   PMIX_SUCCESS: the request is taken; cbfunc is to be called when it is done
 *   PMIX_OPERATION_SUCCEEDED: the request is done; cbfunc must not be called
 *   another status: the request has failed with it; cbfunc must not be called
 */

/*
 * A client has connected; older form of client_connected2. cbfunc is NULL: PMIX_SUCCESS accepts the
 * client, an error refuses it. Std 17.3.2.
 */
typedef pmix_status_t (*pmix_server_client_connected_fn_t)(const pmix_proc_t *proc,
                                                           void *server_object,
                                                           pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * A client has connected; info says what is known of it. cbfunc accepts the client with
 * PMIX_SUCCESS, and refuses it with an error. Used in place of client_connected if it is there. Std
 * 17.3.3.
 */
typedef pmix_status_t (*pmix_server_client_connected2_fn_t)(const pmix_proc_t *proc,
                                                            void *server_object, pmix_info_t info[],
                                                            size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                            void *cbdata);

/* A client has called PMIx_Finalize; its call returns when cbfunc is called. Std 17.3.4. */
typedef pmix_status_t (*pmix_server_client_finalized_fn_t)(const pmix_proc_t *proc,
                                                           void *server_object,
                                                           pmix_op_cbfunc_t cbfunc, void *cbdata);

/* A client wants processes ended with this status; procs NULL: its whole job. Std 17.3.5. */
typedef pmix_status_t (*pmix_server_abort_fn_t)(const pmix_proc_t *proc, void *server_object,
                                                int status, const char msg[], pmix_proc_t procs[],
                                                size_t nprocs, pmix_op_cbfunc_t cbfunc,
                                                void *cbdata);

/*
 * All local participants of a fence have called it. The host brings data to the other nodes that
 * take part, and gives cbfunc the data of all nodes in one piece, in any order. data is malloc
 * memory that the host releases; it is NULL if there is nothing to bring. Std 17.3.6.
 */
typedef pmix_status_t (*pmix_server_fencenb_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                                  const pmix_info_t info[], size_t ninfo,
                                                  char *data, size_t ndata,
                                                  pmix_modex_cbfunc_t cbfunc, void *cbdata);

/*
 * A client needs data that a process of another node has committed: what that node's server gives
 * for PMIx_server_dmodex_request. Std 17.3.7.
 */
typedef pmix_status_t (*pmix_server_dmodex_req_fn_t)(const pmix_proc_t *proc,
                                                     const pmix_info_t info[], size_t ninfo,
                                                     pmix_modex_cbfunc_t cbfunc, void *cbdata);

/* A client publishes keys and values; among them are directives. Std 17.3.8. */
typedef pmix_status_t (*pmix_server_publish_fn_t)(const pmix_proc_t *proc, const pmix_info_t info[],
                                                  size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                  void *cbdata);

/* A client looks up published keys; keys ends with NULL. Std 17.3.9. */
typedef pmix_status_t (*pmix_server_lookup_fn_t)(const pmix_proc_t *proc, char **keys,
                                                 const pmix_info_t info[], size_t ninfo,
                                                 pmix_lookup_cbfunc_t cbfunc, void *cbdata);

/*
 * A client withdraws keys that it has published; keys ends with NULL, or is NULL for everything.
 * Std 17.3.10.
 */
typedef pmix_status_t (*pmix_server_unpublish_fn_t)(const pmix_proc_t *proc, char **keys,
                                                    const pmix_info_t info[], size_t ninfo,
                                                    pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * A client wants applications started as a new job; cbfunc receives the name of the job when it
 * runs. Std 17.3.11.
 */
typedef pmix_status_t (*pmix_server_spawn_fn_t)(const pmix_proc_t *proc,
                                                const pmix_info_t job_info[], size_t ninfo,
                                                const pmix_app_t apps[], size_t napps,
                                                pmix_spawn_cbfunc_t cbfunc, void *cbdata);

/* All local processes that connect have called it; called once on each node. Std 17.3.12. */
typedef pmix_status_t (*pmix_server_connect_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                                  const pmix_info_t info[], size_t ninfo,
                                                  pmix_op_cbfunc_t cbfunc, void *cbdata);

/* All local processes that disconnect have called it; called once on each node. Std 17.3.13. */
typedef pmix_status_t (*pmix_server_disconnect_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                                     const pmix_info_t info[], size_t ninfo,
                                                     pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Clients have begun to wait for events with these codes; codes NULL: all. Std 17.3.14. */
typedef pmix_status_t (*pmix_server_register_events_fn_t)(pmix_status_t *codes, size_t ncodes,
                                                          const pmix_info_t info[], size_t ninfo,
                                                          pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Clients wait no longer for events with these codes. Std 17.3.15. */
typedef pmix_status_t (*pmix_server_deregister_events_fn_t)(pmix_status_t *codes, size_t ncodes,
                                                            pmix_op_cbfunc_t cbfunc, void *cbdata);

/* A client reports an event; the host brings it to the servers in range. Std 17.3.16. */
typedef pmix_status_t (*pmix_server_notify_event_fn_t)(pmix_status_t code,
                                                       const pmix_proc_t *source,
                                                       pmix_data_range_t range, pmix_info_t info[],
                                                       size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                       void *cbdata);
/* Listen for connections on a socket, and call cbfunc with each. Not used by this library. */
typedef void (*pmix_connection_cbfunc_t)(int incoming_sd, void *cbdata);

/*
 * Listen for connections on a socket, and call cbfunc with each. Never called by this library. Std
 * 17.3.17.
 */
typedef pmix_status_t (*pmix_server_listener_fn_t)(int listening_sd,
                                                   pmix_connection_cbfunc_t cbfunc, void *cbdata);

/* A client asks what the library cannot answer. Std 17.3.18. */
typedef pmix_status_t (*pmix_server_query_fn_t)(pmix_proc_t *proct, pmix_query_t *queries,
                                                size_t nqueries, pmix_info_cbfunc_t cbfunc,
                                                void *cbdata);

/* Accepts a tool and gives it a name, or refuses it with an error. Std 17.3.19.2. */
typedef void (*pmix_tool_connection_cbfunc_t)(pmix_status_t status, pmix_proc_t *proc,
                                              void *cbdata);

/*
 * A tool wants to connect; older form of tool_connected2, which cannot refuse at once. Std 17.3.19.
 */
typedef void (*pmix_server_tool_connection_fn_t)(pmix_info_t *info, size_t ninfo,
                                                 pmix_tool_connection_cbfunc_t cbfunc,
                                                 void *cbdata);

/*
 * A tool wants to connect; info says who it is. cbfunc accepts it and gives it a name, or refuses
 * it.
 */
typedef pmix_status_t (*pmix_server_tool_connection2_fn_t)(pmix_info_t *info, size_t ninfo,
                                                           pmix_tool_connection_cbfunc_t cbfunc,
                                                           void *cbdata);

/* A client has data to log; older form of log2, which cannot refuse at once. Std 17.3.20. */
typedef void (*pmix_server_log_fn_t)(const pmix_proc_t *client, const pmix_info_t data[],
                                     size_t ndata, const pmix_info_t directives[], size_t ndirs,
                                     pmix_op_cbfunc_t cbfunc, void *cbdata);

/* A client has data to log. */
typedef pmix_status_t (*pmix_server_log2_fn_t)(const pmix_proc_t *client, const pmix_info_t data[],
                                               size_t ndata, const pmix_info_t directives[],
                                               size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata);

/* A client asks the scheduler about an allocation. Std 17.3.21. */
typedef pmix_status_t (*pmix_server_alloc_fn_t)(const pmix_proc_t *client,
                                                pmix_alloc_directive_t directive,
                                                const pmix_info_t data[], size_t ndata,
                                                pmix_info_cbfunc_t cbfunc, void *cbdata);

/* A client asks the scheduler about a named set of resources. */
typedef pmix_status_t (*pmix_server_resource_block_fn_t)(
    const pmix_proc_t *requestor, pmix_resource_block_directive_t directive, const char *block,
    const pmix_resource_unit_t *units, size_t nunit, const pmix_info_t *info, size_t ninfo,
    pmix_op_cbfunc_t cbfunc, void *cbdata);

/* A client wants a session controlled. */
typedef pmix_status_t (*pmix_server_session_control_fn_t)(const pmix_proc_t *requestor,
                                                          uint32_t sessionID,
                                                          const pmix_info_t directives[],
                                                          size_t ndirs, pmix_info_cbfunc_t cbfunc,
                                                          void *cbdata);

/* A client wants processes controlled; targets NULL: its whole job. Std 17.3.22. */
typedef pmix_status_t (*pmix_server_job_control_fn_t)(const pmix_proc_t *requestor,
                                                      const pmix_proc_t targets[], size_t ntargets,
                                                      const pmix_info_t directives[], size_t ndirs,
                                                      pmix_info_cbfunc_t cbfunc, void *cbdata);

/* A client wants processes watched. Std 17.3.23. */
typedef pmix_status_t (*pmix_server_monitor_fn_t)(const pmix_proc_t *requestor,
                                                  const pmix_info_t *monitor, pmix_status_t error,
                                                  const pmix_info_t directives[], size_t ndirs,
                                                  pmix_info_cbfunc_t cbfunc, void *cbdata);

/* A client asks for a credential. Std 17.3.24. */
typedef pmix_status_t (*pmix_server_get_cred_fn_t)(const pmix_proc_t *proc,
                                                   const pmix_info_t directives[], size_t ndirs,
                                                   pmix_credential_cbfunc_t cbfunc, void *cbdata);

/* A client has a credential checked. Std 17.3.25. */
typedef pmix_status_t (*pmix_server_validate_cred_fn_t)(
    const pmix_proc_t *proc, const pmix_byte_object_t *cred, const pmix_info_t directives[],
    size_t ndirs, pmix_validation_cbfunc_t cbfunc, void *cbdata);

/*
 * Clients want output of processes; the host has it forwarded to this server, which passes it on by
 * PMIx_server_IOF_deliver. Std 17.3.27.
 */
typedef pmix_status_t (*pmix_server_iof_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                              const pmix_info_t directives[], size_t ndirs,
                                              pmix_iof_channel_t channels, pmix_op_cbfunc_t cbfunc,
                                              void *cbdata);

/*
 * A client has bytes for the stdin of processes; bo NULL, or empty: the end of input. Std 17.3.28.
 */
typedef pmix_status_t (*pmix_server_stdin_fn_t)(const pmix_proc_t *source,
                                                const pmix_proc_t targets[], size_t ntargets,
                                                const pmix_info_t directives[], size_t ndirs,
                                                const pmix_byte_object_t *bo,
                                                pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * All local members of a group have called PMIx_Group_construct or PMIx_Group_destruct, and the
 * group has members on other nodes or needs a context id. Std 17.3.29.
 */
typedef pmix_status_t (*pmix_server_grp_fn_t)(pmix_group_operation_t op, char grp[],
                                              const pmix_proc_t procs[], size_t nprocs,
                                              const pmix_info_t directives[], size_t ndirs,
                                              pmix_info_cbfunc_t cbfunc, void *cbdata);

/* A client asks about a fabric. Std 17.3.30. */
typedef pmix_status_t (*pmix_server_fabric_fn_t)(const pmix_proc_t *requestor,
                                                 pmix_fabric_operation_t op,
                                                 const pmix_info_t directives[], size_t ndirs,
                                                 pmix_info_cbfunc_t cbfunc, void *cbdata);

/*
 * The upcalls of a host. Its length depends on the series that a host was compiled for; the library
 * works out how much of it is there. PMIX_SERVER_MODULE_LEVEL (42, 50 or 61) picks the layout and
 * follows the declared version unless it is given.
 */
#if !defined(PMIX_SERVER_MODULE_LEVEL)
#if PMIX_VERSION_MAJOR > 6 || (PMIX_VERSION_MAJOR == 6 && PMIX_VERSION_MINOR >= 1)
#define PMIX_SERVER_MODULE_LEVEL 61
#elif PMIX_VERSION_MAJOR >= 5
#define PMIX_SERVER_MODULE_LEVEL 50
#else
#define PMIX_SERVER_MODULE_LEVEL 42
#endif
#endif

typedef struct pmix_server_module_4_0_0_t {
    pmix_server_client_connected_fn_t client_connected;
    pmix_server_client_finalized_fn_t client_finalized;
    pmix_server_abort_fn_t abort;
    pmix_server_fencenb_fn_t fence_nb;
    pmix_server_dmodex_req_fn_t direct_modex;
    pmix_server_publish_fn_t publish;
    pmix_server_lookup_fn_t lookup;
    pmix_server_unpublish_fn_t unpublish;
    pmix_server_spawn_fn_t spawn;
    pmix_server_connect_fn_t connect;
    pmix_server_disconnect_fn_t disconnect;
    pmix_server_register_events_fn_t register_events;
    pmix_server_deregister_events_fn_t deregister_events;
    pmix_server_listener_fn_t listener;
    pmix_server_notify_event_fn_t notify_event;
    pmix_server_query_fn_t query;
    pmix_server_tool_connection_fn_t tool_connected;
    pmix_server_log_fn_t log;
    pmix_server_alloc_fn_t allocate;
    pmix_server_job_control_fn_t job_control;
    pmix_server_monitor_fn_t monitor;
    pmix_server_get_cred_fn_t get_credential;
    pmix_server_validate_cred_fn_t validate_credential;
    pmix_server_iof_fn_t iof_pull;
    pmix_server_stdin_fn_t push_stdin;
    pmix_server_grp_fn_t group;
    pmix_server_fabric_fn_t fabric;
    pmix_server_client_connected2_fn_t client_connected2;
#if PMIX_SERVER_MODULE_LEVEL >= 61
    pmix_server_tool_connection2_fn_t tool_connected2;
    pmix_server_log2_fn_t log2;
#endif
#if PMIX_SERVER_MODULE_LEVEL >= 50
    pmix_server_session_control_fn_t session_control;
#endif
#if PMIX_SERVER_MODULE_LEVEL >= 61
    pmix_server_resource_block_fn_t resource_block;
#endif
} pmix_server_module_t;

/* Starting and ending. */

/*
 * Start the server half of the library. Opens the listeners to which clients connect, and writes
 * rendezvous files if tools are to find the server. Blocking. Calls nest: each needs its
 * PMIx_server_finalize.
 *
 *   module: the upcalls; copied; NULL: none
 *   info, ninfo: directives; a nested call ignores them
 *   PMIX_ERR_INVALID_OPERATION: the process is a client or tool already
 *   PMIX_ERR_EXISTS: another living server has the rendezvous file of the system server, and
 *     shmix_one_system_server is set
 *   PMIX_ERR_NO_PERMISSIONS: a rendezvous file cannot be written
 *   PMIX_ERR_OUT_OF_RESOURCE: no listener can be opened, or the progress thread cannot be started
 *   PMIX_ERR_RESOURCE_BUSY: as PMIx_Init
 *
 * Std 17.1.1.
 */
PMIX_EXPORT pmix_status_t PMIx_server_init(pmix_server_module_t *module, pmix_info_t info[],
                                           size_t ninfo);

/*
 * End the server. The last of nested calls disconnects everybody, removes rendezvous files and
 * frees everything; upcalls that the host has not answered are forgotten, and later answers
 * ignored. Blocking. Std 17.1.2.
 */
PMIX_EXPORT pmix_status_t PMIx_server_finalize(void);

/*
 * Jobs and clients. In this part a cbfunc of NULL makes a call blocking.
 */

/*
 * Tell about a job. To be called before the first of its processes is started, and again when there
 * is more to tell: later values replace those of the same key. Clients read the data from then on.
 * What is refused changes nothing.
 *
 *   nspace: name of the job
 *   nlocalprocs: number of its processes on this node; below 0: unknown
 *   info, ninfo: data of the job, of its sessions, applications, nodes and processes, in the arrays
 *       that the Standard defines; stays the caller's until the call is done
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *   PMIX_ERR_BAD_PARAM: also: an array does not say what it is about
 *   PMIX_ERR_TYPE_MISMATCH: a value does not fit its key
 *   PMIX_ERR_EXISTS: the job is registered in another session
 *
 * Std 17.2.3.
 */
PMIX_EXPORT pmix_status_t PMIx_server_register_nspace(const pmix_nspace_t nspace, int nlocalprocs,
                                                      pmix_info_t info[], size_t ninfo,
                                                      pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Forget a job and all that belongs to it. Requests that wait for it fail. Its segment is unmapped
 * when the last process that reads it ends.
 *
 *   nspace: name of the job
 *   cbfunc, cbdata: receives PMIX_SUCCESS, or PMIX_ERR_NOT_FOUND if there is no such job; NULL: the
 *       call blocks
 *
 * Std 17.2.4.
 */
PMIX_EXPORT void PMIx_server_deregister_nspace(const pmix_nspace_t nspace, pmix_op_cbfunc_t cbfunc,
                                               void *cbdata);

/*
 * Expect a process. It may connect under this name if it runs as this user. May be called before or
 * after PMIx_server_register_nspace, and again for a process that is restarted.
 *
 *   proc: its name; a rank of its own
 *   uid, gid: its user and group
 *   server_object: the host's; comes back in upcalls about the process
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *
 * Std 17.2.7.
 */
PMIX_EXPORT pmix_status_t PMIx_server_register_client(const pmix_proc_t *proc, uid_t uid, gid_t gid,
                                                      void *server_object, pmix_op_cbfunc_t cbfunc,
                                                      void *cbdata);

/*
 * Forget a process that has ended, or never came. Its connection, if there is one, is closed;
 * collectives do not wait for it any more.
 *
 *   proc: its name
 *   cbfunc, cbdata: receives PMIX_SUCCESS, or PMIX_ERR_NOT_FOUND if it is not registered; NULL: the
 *       call blocks
 *
 * Std 17.2.8.
 */
PMIX_EXPORT void PMIx_server_deregister_client(const pmix_proc_t *proc, pmix_op_cbfunc_t cbfunc,
                                               void *cbdata);

/*
 * Add to an environment what a process needs to find this server. To be called right before the
 * process is started; also in a child of fork(), of which a few hosts make use. Does not wait for
 * messages.
 *
 *   proc: name of the process
 *   env: the environment, ending with NULL, an array in malloc memory that may move; NULL at first:
 *       a new one
 *
 * Std 17.2.9.
 */
PMIX_EXPORT pmix_status_t PMIx_server_setup_fork(const pmix_proc_t *proc, char ***env);
/*
 * On the node of the launcher: collect what the servers of a new job need (variables, fabric keys).
 * cbfunc gets it, and calls its own cbfunc when it has copied it.
 */
typedef void (*pmix_setup_application_cbfunc_t)(pmix_status_t status, pmix_info_t info[],
                                                size_t ninfo, void *provided_cbdata,
                                                pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Collect what the servers of a new job need. To be called on the node of the launcher. With
 * PMIX_SETUP_APP_ENVARS or PMIX_SETUP_APP_ALL these are the PMIX_MCA_ variables of this process;
 * otherwise nothing.
 *
 *   nspace: name of the job; may be empty, as launchers ask before the job has a name
 *   info, ninfo: directives
 *   cbfunc, cbdata: receives the result on the progress thread; it calls the function that comes
 *       with it when the result is copied. Must not be NULL
 *
 * Std 17.2.11.
 */
PMIX_EXPORT pmix_status_t PMIx_server_setup_application(const pmix_nspace_t nspace,
                                                        pmix_info_t info[], size_t ninfo,
                                                        pmix_setup_application_cbfunc_t cbfunc,
                                                        void *cbdata);

/*
 * Put to use what PMIx_server_setup_application collected. To be called on every node of the job
 * before its processes are started. Variables (PMIX_SET_ENVAR) are added to the environment by
 * PMIx_server_setup_fork; a second call replaces them.
 *
 *   nspace: name of the job
 *   info, ninfo: the result of PMIx_server_setup_application; stays the caller's until the call is
 *       done
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *
 * Std 17.2.13.
 */
PMIX_EXPORT pmix_status_t PMIx_server_setup_local_support(const pmix_nspace_t nspace,
                                                          pmix_info_t info[], size_t ninfo,
                                                          pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Tell about resources that belong to no job. Every job has the values from then on, unless it says
 * otherwise itself. A value of the same key, and of arrays the same node, application or session,
 * replaces the former.
 *
 *   info, ninfo: the values; not empty; stay the caller's until the call is done
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *
 * Std 17.2.5.
 */
PMIX_EXPORT pmix_status_t PMIx_server_register_resources(pmix_info_t info[], size_t ninfo,
                                                         pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Take resources back. Jobs that are registered later do not have them.
 *
 *   info, ninfo: the keys; values do not matter
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *
 * Std 17.2.6.
 */
PMIX_EXPORT pmix_status_t PMIx_server_deregister_resources(pmix_info_t info[], size_t ninfo,
                                                           pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Data between servers. */

/* cbfunc gets data in memory of the library, valid until it returns. */
typedef void (*pmix_dmodex_response_fn_t)(pmix_status_t status, char *data, size_t sz,
                                          void *cbdata);

/*
 * Get what a local process has committed for other nodes. For the entry `direct_modex` of another
 * server's host. Waits for the first commit of the process, at most until it ends.
 *
 *   proc: the process; PMIX_RANK_WILDCARD asks for the job's data
 *   cbfunc, cbdata: receives the data on the progress thread, or PMIX_ERR_NOT_FOUND if the process
 *       is not of this node, has ended, or its job is unknown; must not be NULL
 *
 * Std 17.2.10.
 */
PMIX_EXPORT pmix_status_t PMIx_server_dmodex_request(const pmix_proc_t *proc,
                                                     pmix_dmodex_response_fn_t cbfunc,
                                                     void *cbdata);

/*
 * Set a buffer to everything known of some jobs. What the buffer held is freed; it is left alone if
 * none of the jobs is known.
 *
 *   procs, nprocs: processes of the jobs; their ranks do not matter
 *   dbuf: receives the data, to be unpacked by another server
 */
PMIX_EXPORT pmix_status_t PMIx_server_collect_job_info(pmix_proc_t *procs, size_t nprocs,
                                                       pmix_data_buffer_t *dbuf);

/*
 * Collect what hardware this node has. The name of the node (PMIX_HOSTNAME) and its topology
 * (PMIX_HWLOC_XML_V2).
 *
 *   directives, ndirs: none is known
 *   cbfunc, cbdata: receives the result on the progress thread, or PMIX_ERR_NOT_FOUND if the
 *       machine has no topology; it calls the release function that comes with it when the result
 *       is copied. Must not be NULL
 *
 * Std 17.2.15.
 */
PMIX_EXPORT pmix_status_t PMIx_server_collect_inventory(pmix_info_t directives[], size_t ndirs,
                                                        pmix_info_cbfunc_t cbfunc, void *cbdata);

/*
 * Take in what other nodes have collected. Queries with PMIX_HOSTNAME or PMIX_NODEID find it.
 *
 *   info, ninfo: a PMIX_NODE_INFO_ARRAY for each node, or values beside the name of the node;
 *       without a name they are this node's. Stay the caller's until the call is done
 *   directives, ndirs: none is known
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *   PMIX_ERR_BAD_PARAM: also: an array does not name its node
 *
 * Std 17.2.16.
 */
PMIX_EXPORT pmix_status_t PMIx_server_deliver_inventory(pmix_info_t info[], size_t ninfo,
                                                        pmix_info_t directives[], size_t ndirs,
                                                        pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Pass output of a process on to those that asked for it. What nobody has asked for is kept, 256
 * KiB in all, for those that ask later.
 *
 *   source: the process
 *   channel: which output
 *   bo: the bytes; NULL or empty with PMIX_IOF_COMPLETE: its end
 *   info, ninfo: passed on with the output. Both stay the caller's until the call is done
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *
 * Std 17.2.14.
 */
PMIX_EXPORT pmix_status_t PMIx_server_IOF_deliver(const pmix_proc_t *source,
                                                  pmix_iof_channel_t channel,
                                                  const pmix_byte_object_t *bo,
                                                  const pmix_info_t info[], size_t ninfo,
                                                  pmix_op_cbfunc_t cbfunc, void *cbdata);

/*
 * Stop processes from pushing standard input to this server, or let them continue. The server does
 * not answer the pushes of a process that is stopped, and a library that pushes its own standard
 * input (PMIX_IOF_PUSH_STDIN) reads no more of it before the answer has come. No bytes are lost. A
 * host that answers push_stdin with PMIX_ERR_IOF_XOFF has taken the bytes and stops the process
 * that pushed them. A process is stopped until a call with `xoff` false names it.
 *
 *   source: the process that pushes; NULL, an empty namespace and PMIX_RANK_WILDCARD stand for any
 *   channel: PMIX_FWD_STDIN_CHANNEL
 *   xoff: true to stop it, false to let it continue
 *   directives, ndirs: none is known
 *   cbfunc, cbdata: receives the status on the progress thread; NULL: the call blocks
 *   PMIX_OPERATION_SUCCEEDED: without cbfunc: it is done
 *   PMIX_ERR_NOT_SUPPORTED: the channel is not PMIX_FWD_STDIN_CHANNEL
 */
PMIX_EXPORT pmix_status_t PMIx_server_IOF_flow_control(const pmix_proc_t *source,
                                                       pmix_iof_channel_t channel, bool xoff,
                                                       const pmix_info_t directives[], size_t ndirs,
                                                       pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Process sets. */

/*
 * Name a set of processes. Local clients receive the event PMIX_PROCESS_SET_DEFINE. Blocking, and
 * allowed in callbacks.
 *
 *   members, nmembers: the processes; not empty
 *   pset_name: the name
 *   PMIX_ERR_EXISTS: there is a set of this name
 *
 * Std 17.2.19.
 */
PMIX_EXPORT pmix_status_t PMIx_server_define_process_set(const pmix_proc_t *members,
                                                         size_t nmembers, const char *pset_name);

/*
 * Forget a set of processes. Local clients receive the event PMIX_PROCESS_SET_DELETE. Blocking, and
 * allowed in callbacks.
 *
 *   pset_name: the name
 *   PMIX_ERR_NOT_FOUND: there is no such set
 *
 * Std 17.2.20.
 */
PMIX_EXPORT pmix_status_t PMIx_server_delete_process_set(char *pset_name);

/* Texts. All results are malloc memory and hold no NUL before their end. */

/*
 * Shorten a list of nodes for PMIX_NODE_MAP. The order is kept. At any time.
 *
 *   input: names of nodes, separated by commas
 *   regex: receives the text, to be released with free()
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or input is no list
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 17.2.1.
 */
PMIX_EXPORT pmix_status_t PMIx_generate_regex(const char *input, char **regex);

/*
 * Shorten a list of ranks for PMIX_PROC_MAP. The order is kept. At any time.
 *
 *   input: ranks, with ";" between nodes, "," and "-" within one
 *   ppn: receives the text, to be released with free()
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or input is no list
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 17.2.2.
 */
PMIX_EXPORT pmix_status_t PMIx_generate_ppn(const char *input, char **ppn);

/*
 * Shorten a list of nodes for PMIX_NODE_MAP, or one of ranks for PMIX_PROC_MAP, as a value of type
 * PMIX_REGEX2. The list itself is kept as it is. At any time.
 *
 *   input: names or ranks, separated by commas; with ";" between nodes
 *   info, ninfo: none is known
 *   regex: receives the map, to be released with PMIx_Regex2_destruct
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 */
PMIX_EXPORT pmix_status_t PMIx_generate_regex2(const char *input, pmix_info_t info[], size_t ninfo,
                                               pmix_regex2_t *regex);

/*
 * The list from which PMIx_generate_regex2 has made a map. At any time.
 *
 *   regex: the map
 *   info, ninfo: none is known
 *   output: receives the list, to be released with free()
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or the bytes are not of the type that the map has
 *   PMIX_ERR_NOT_SUPPORTED: the type is neither "raw" nor "compress"
 *   PMIX_ERR_NOMEM: no memory
 */
PMIX_EXPORT pmix_status_t PMIx_parse_regex2(const pmix_regex2_t *regex, pmix_info_t info[],
                                            size_t ninfo, char **output);

/*
 * Text of a set of CPUs, with its source in front. At any time.
 *
 *   cpuset: the set
 *   cpuset_string: receives the text, to be released with free()
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or the set has no bitmap
 *   PMIX_ERR_NOT_SUPPORTED: the source is not "hwloc"
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 17.2.18.
 */
PMIX_EXPORT pmix_status_t PMIx_server_generate_cpuset_string(const pmix_cpuset_t *cpuset,
                                                             char **cpuset_string);

/*
 * Set of CPUs from a text. As PMIx_Parse_cpuset_string. At any time.
 *
 *   cpuset_string: the text
 *   cpuset: receives the set, to be released with PMIx_Cpuset_destruct
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, the text names no source, or is no list of CPUs
 *   PMIX_ERR_NOT_SUPPORTED: the source is not "hwloc"
 *   PMIX_ERR_NOMEM: no memory
 */
PMIX_EXPORT pmix_status_t PMIx_server_generate_cpuset(const char *cpuset_string,
                                                      pmix_cpuset_t *cpuset);

/*
 * Where a process with this set of CPUs is, for PMIX_LOCALITY_STRING. At any time.
 *
 *   cpuset: the set
 *   locality: receives the text, to be released with free(); NULL if the set is empty or has no CPU
 *       of this node
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOT_SUPPORTED: the source is not "hwloc", or the machine has no topology
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 17.2.17.
 */
PMIX_EXPORT pmix_status_t PMIx_server_generate_locality_string(const pmix_cpuset_t *cpuset,
                                                               char **locality);

/*
 * Tell which attributes the host supports in a call, for PMIX_QUERY_ATTRIBUTE_SUPPORT.
 *
 *   function: name of a call
 *   attrs: names of attributes, ending with NULL; copied
 *   PMIX_ERR_REPEAT_ATTR_REGISTRATION: the call was registered before
 *
 * Std 17.2.12.
 */
PMIX_EXPORT pmix_status_t PMIx_Register_attributes(char *function, char *attrs[]);

#if defined(__cplusplus)
}
#endif

#endif
