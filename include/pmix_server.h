/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/*
 * The interface of hosts: daemons that start processes and serve them. A host calls the functions
 * here and gives the library a table of functions of its own, the upcalls. The conventions are
 * those of pmix.h; a server may use everything in there. Std: Server-Specific Interfaces.
 */
#ifndef PMIX_SERVER_H
#define PMIX_SERVER_H

#include "pmix.h"

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * Upcalls. They run on the progress thread and must not block. Each returns
 *   PMIX_SUCCESS              the request is taken; cbfunc is to be called when it is done,
 *   PMIX_OPERATION_SUCCEEDED  it is done, cbfunc must not be called,
 *   anything else             it has failed with this status, cbfunc must not be called.
 * cbfunc may be called from any thread, also before the upcall returns. The arguments of an upcall
 * stay valid until then. server_object is what the host gave PMIx_server_register_client. An upcall
 * that is NULL is not offered: clients get PMIX_ERR_NOT_SUPPORTED or what the library can do
 * itself.
 */

/* A client has connected. cbfunc is NULL: PMIX_SUCCESS accepts the client, an error refuses it. */
typedef pmix_status_t (*pmix_server_client_connected_fn_t)(const pmix_proc_t *proc,
                                                           void *server_object,
                                                           pmix_op_cbfunc_t cbfunc, void *cbdata);
/* The same with what is known of the client; cbfunc decides. Used instead of the former. */
typedef pmix_status_t (*pmix_server_client_connected2_fn_t)(const pmix_proc_t *proc,
                                                            void *server_object,
                                                            pmix_info_t info[], size_t ninfo,
                                                            pmix_op_cbfunc_t cbfunc,
                                                            void *cbdata);
/* A client has finalized; it is let go when cbfunc is called. */
typedef pmix_status_t (*pmix_server_client_finalized_fn_t)(const pmix_proc_t *proc,
                                                           void *server_object,
                                                           pmix_op_cbfunc_t cbfunc, void *cbdata);
/* A client wants processes (none: its whole job) ended with this status. */
typedef pmix_status_t (*pmix_server_abort_fn_t)(const pmix_proc_t *proc, void *server_object,
                                                int status, const char msg[], pmix_proc_t procs[],
                                                size_t nprocs, pmix_op_cbfunc_t cbfunc,
                                                void *cbdata);
/*
 * All local participants of a fence have come. Take data, malloc memory that the library does not
 * touch again, to the other nodes, and give cbfunc the data of all of them in one piece.
 */
typedef pmix_status_t (*pmix_server_fencenb_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                                  const pmix_info_t info[], size_t ninfo,
                                                  char *data, size_t ndata,
                                                  pmix_modex_cbfunc_t cbfunc, void *cbdata);
/*
 * Get the data that a process of another node has committed, by its server's
 * PMIx_server_dmodex_request.
 */
typedef pmix_status_t (*pmix_server_dmodex_req_fn_t)(const pmix_proc_t *proc,
                                                     const pmix_info_t info[], size_t ninfo,
                                                     pmix_modex_cbfunc_t cbfunc, void *cbdata);
/* Publish, look up, withdraw keys for a client; keys end with NULL. */
typedef pmix_status_t (*pmix_server_publish_fn_t)(const pmix_proc_t *proc,
                                                  const pmix_info_t info[], size_t ninfo,
                                                  pmix_op_cbfunc_t cbfunc, void *cbdata);
typedef pmix_status_t (*pmix_server_lookup_fn_t)(const pmix_proc_t *proc, char **keys,
                                                 const pmix_info_t info[], size_t ninfo,
                                                 pmix_lookup_cbfunc_t cbfunc, void *cbdata);
typedef pmix_status_t (*pmix_server_unpublish_fn_t)(const pmix_proc_t *proc, char **keys,
                                                    const pmix_info_t info[], size_t ninfo,
                                                    pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Start applications as a new job. */
typedef pmix_status_t (*pmix_server_spawn_fn_t)(const pmix_proc_t *proc,
                                                const pmix_info_t job_info[], size_t ninfo,
                                                const pmix_app_t apps[], size_t napps,
                                                pmix_spawn_cbfunc_t cbfunc, void *cbdata);
/* Connect and disconnect processes; called once per node when all local ones have come. */
typedef pmix_status_t (*pmix_server_connect_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                                  const pmix_info_t info[], size_t ninfo,
                                                  pmix_op_cbfunc_t cbfunc, void *cbdata);
typedef pmix_status_t (*pmix_server_disconnect_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                                     const pmix_info_t info[], size_t ninfo,
                                                     pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Clients have begun, or ceased, to wait for events with these codes (none: all). */
typedef pmix_status_t (*pmix_server_register_events_fn_t)(pmix_status_t *codes, size_t ncodes,
                                                          const pmix_info_t info[], size_t ninfo,
                                                          pmix_op_cbfunc_t cbfunc, void *cbdata);
typedef pmix_status_t (*pmix_server_deregister_events_fn_t)(pmix_status_t *codes, size_t ncodes,
                                                            pmix_op_cbfunc_t cbfunc,
                                                            void *cbdata);
/* A client reports an event; take it to the servers in range. */
typedef pmix_status_t (*pmix_server_notify_event_fn_t)(pmix_status_t code,
                                                       const pmix_proc_t *source,
                                                       pmix_data_range_t range,
                                                       pmix_info_t info[], size_t ninfo,
                                                       pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Listen for connections on a socket, and call cbfunc with each. Not used by this library. */
typedef void (*pmix_connection_cbfunc_t)(int incoming_sd, void *cbdata);
typedef pmix_status_t (*pmix_server_listener_fn_t)(int listening_sd,
                                                   pmix_connection_cbfunc_t cbfunc, void *cbdata);
/* Answer queries that the library cannot. */
typedef pmix_status_t (*pmix_server_query_fn_t)(pmix_proc_t *proct, pmix_query_t *queries,
                                                size_t nqueries, pmix_info_cbfunc_t cbfunc,
                                                void *cbdata);
/* A tool wants to connect: cbfunc accepts it and gives it a name, or refuses. */
typedef void (*pmix_tool_connection_cbfunc_t)(pmix_status_t status, pmix_proc_t *proc,
                                              void *cbdata);
typedef void (*pmix_server_tool_connection_fn_t)(pmix_info_t *info, size_t ninfo,
                                                 pmix_tool_connection_cbfunc_t cbfunc,
                                                 void *cbdata);
typedef pmix_status_t (*pmix_server_tool_connection2_fn_t)(pmix_info_t *info, size_t ninfo,
                                                           pmix_tool_connection_cbfunc_t cbfunc,
                                                           void *cbdata);
/* Log data. The second form can refuse. */
typedef void (*pmix_server_log_fn_t)(const pmix_proc_t *client, const pmix_info_t data[],
                                     size_t ndata, const pmix_info_t directives[], size_t ndirs,
                                     pmix_op_cbfunc_t cbfunc, void *cbdata);
typedef pmix_status_t (*pmix_server_log2_fn_t)(const pmix_proc_t *client,
                                               const pmix_info_t data[], size_t ndata,
                                               const pmix_info_t directives[], size_t ndirs,
                                               pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Pass requests to the scheduler: allocations, resource blocks, sessions. */
typedef pmix_status_t (*pmix_server_alloc_fn_t)(const pmix_proc_t *client,
                                                pmix_alloc_directive_t directive,
                                                const pmix_info_t data[], size_t ndata,
                                                pmix_info_cbfunc_t cbfunc, void *cbdata);
typedef pmix_status_t (*pmix_server_resource_block_fn_t)(const pmix_proc_t *requestor,
                                                         pmix_resource_block_directive_t directive,
                                                         const char *block,
                                                         const pmix_resource_unit_t *units,
                                                         size_t nunit, const pmix_info_t *info,
                                                         size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                                         void *cbdata);
typedef pmix_status_t (*pmix_server_session_control_fn_t)(const pmix_proc_t *requestor,
                                                          uint32_t sessionID,
                                                          const pmix_info_t directives[],
                                                          size_t ndirs, pmix_info_cbfunc_t cbfunc,
                                                          void *cbdata);
/* Control jobs or processes; watch processes. */
typedef pmix_status_t (*pmix_server_job_control_fn_t)(const pmix_proc_t *requestor,
                                                      const pmix_proc_t targets[],
                                                      size_t ntargets,
                                                      const pmix_info_t directives[],
                                                      size_t ndirs, pmix_info_cbfunc_t cbfunc,
                                                      void *cbdata);
typedef pmix_status_t (*pmix_server_monitor_fn_t)(const pmix_proc_t *requestor,
                                                  const pmix_info_t *monitor, pmix_status_t error,
                                                  const pmix_info_t directives[], size_t ndirs,
                                                  pmix_info_cbfunc_t cbfunc, void *cbdata);
/* Make and examine credentials. */
typedef pmix_status_t (*pmix_server_get_cred_fn_t)(const pmix_proc_t *proc,
                                                   const pmix_info_t directives[], size_t ndirs,
                                                   pmix_credential_cbfunc_t cbfunc, void *cbdata);
typedef pmix_status_t (*pmix_server_validate_cred_fn_t)(const pmix_proc_t *proc,
                                                        const pmix_byte_object_t *cred,
                                                        const pmix_info_t directives[],
                                                        size_t ndirs,
                                                        pmix_validation_cbfunc_t cbfunc,
                                                        void *cbdata);
/* Forward output of processes to this server, which gives it to PMIx_server_IOF_deliver. */
typedef pmix_status_t (*pmix_server_iof_fn_t)(const pmix_proc_t procs[], size_t nprocs,
                                              const pmix_info_t directives[], size_t ndirs,
                                              pmix_iof_channel_t channels,
                                              pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Bring bytes to the stdin of processes; bo NULL: end of input. */
typedef pmix_status_t (*pmix_server_stdin_fn_t)(const pmix_proc_t *source,
                                                const pmix_proc_t targets[], size_t ntargets,
                                                const pmix_info_t directives[], size_t ndirs,
                                                const pmix_byte_object_t *bo,
                                                pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Construct or destruct a group over several nodes. */
typedef pmix_status_t (*pmix_server_grp_fn_t)(pmix_group_operation_t op, char grp[],
                                              const pmix_proc_t procs[], size_t nprocs,
                                              const pmix_info_t directives[], size_t ndirs,
                                              pmix_info_cbfunc_t cbfunc, void *cbdata);
/* Find information about a fabric. */
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
 * Start the server half of the library. module (may be NULL) is copied; PMIX_SERVER_TMPDIR,
 * PMIX_SERVER_NSPACE, PMIX_SERVER_RANK and more may be in info. Blocking. Calls nest.
 */
PMIX_EXPORT pmix_status_t PMIx_server_init(pmix_server_module_t *module, pmix_info_t info[],
                                           size_t ninfo);
/* Disconnect everybody and free everything. Nothing is left behind. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_server_finalize(void);

/*
 * Jobs and clients. In this part a cbfunc of NULL makes a call blocking.
 */

/*
 * Tell about a job: its data, and the number of its processes on this node. Before the first of
 * them is started, and again when there is more to tell. The data can be read by clients from then
 * on. PMIX_ERR_BAD_PARAM, PMIX_ERR_TYPE_MISMATCH: a value does not fit its key, or an array does
 * not say what it is about. PMIX_ERR_EXISTS: the job is registered in another session. What is
 * refused changes nothing.
 */
PMIX_EXPORT pmix_status_t PMIx_server_register_nspace(const pmix_nspace_t nspace, int nlocalprocs,
                                                      pmix_info_t info[], size_t ninfo,
                                                      pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Forget a job and all that belongs to it. Its clients should be gone. */
PMIX_EXPORT void PMIx_server_deregister_nspace(const pmix_nspace_t nspace,
                                               pmix_op_cbfunc_t cbfunc, void *cbdata);
/*
 * Expect a process: who may connect under this name. server_object comes back in upcalls.
 */
PMIX_EXPORT pmix_status_t PMIx_server_register_client(const pmix_proc_t *proc, uid_t uid,
                                                      gid_t gid, void *server_object,
                                                      pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Forget a process that ended, or never came. */
PMIX_EXPORT void PMIx_server_deregister_client(const pmix_proc_t *proc, pmix_op_cbfunc_t cbfunc,
                                               void *cbdata);
/*
 * Add to *env (ends with NULL, malloc memory, as for PMIx_Setenv) what the process needs to find
 * this server. Right before fork. Does not wait.
 */
PMIX_EXPORT pmix_status_t PMIx_server_setup_fork(const pmix_proc_t *proc, char ***env);
/*
 * On the node of the launcher: collect what the servers of a new job need (variables, fabric keys).
 * cbfunc gets it, and calls its own cbfunc when it has copied it.
 */
typedef void (*pmix_setup_application_cbfunc_t)(pmix_status_t status, pmix_info_t info[],
                                                size_t ninfo, void *provided_cbdata,
                                                pmix_op_cbfunc_t cbfunc, void *cbdata);
PMIX_EXPORT pmix_status_t PMIx_server_setup_application(const pmix_nspace_t nspace,
                                                        pmix_info_t info[], size_t ninfo,
                                                        pmix_setup_application_cbfunc_t cbfunc,
                                                        void *cbdata);
/*
 * On every node of the job, before its processes start: put to use what the former has collected.
 */
PMIX_EXPORT pmix_status_t PMIx_server_setup_local_support(const pmix_nspace_t nspace,
                                                          pmix_info_t info[], size_t ninfo,
                                                          pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Tell about resources that belong to no job; take them back. */
PMIX_EXPORT pmix_status_t PMIx_server_register_resources(pmix_info_t info[], size_t ninfo,
                                                         pmix_op_cbfunc_t cbfunc, void *cbdata);
PMIX_EXPORT pmix_status_t PMIx_server_deregister_resources(pmix_info_t info[], size_t ninfo,
                                                           pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Data between servers. */

/* cbfunc gets data in memory of the library, valid until it returns. */
typedef void (*pmix_dmodex_response_fn_t)(pmix_status_t status, char *data, size_t sz,
                                          void *cbdata);
/*
 * Get what a local process has committed for others, when it has: for another server's
 * direct_modex.
 */
PMIX_EXPORT pmix_status_t PMIx_server_dmodex_request(const pmix_proc_t *proc,
                                                     pmix_dmodex_response_fn_t cbfunc,
                                                     void *cbdata);
/* Append everything known of the jobs of procs to dbuf. */
PMIX_EXPORT pmix_status_t PMIx_server_collect_job_info(pmix_proc_t *procs, size_t nprocs,
                                                       pmix_data_buffer_t *dbuf);
/*
 * Collect what hardware there is: the node's name and its topology. Take in what other nodes have
 * collected, in a PMIX_NODE_INFO_ARRAY for each, or beside the node's name; queries with
 * PMIX_HOSTNAME or PMIX_NODEID find it.
 */
PMIX_EXPORT pmix_status_t PMIx_server_collect_inventory(pmix_info_t directives[], size_t ndirs,
                                                        pmix_info_cbfunc_t cbfunc, void *cbdata);
PMIX_EXPORT pmix_status_t PMIx_server_deliver_inventory(pmix_info_t info[], size_t ninfo,
                                                        pmix_info_t directives[], size_t ndirs,
                                                        pmix_op_cbfunc_t cbfunc, void *cbdata);
/* Pass output of a process on to the clients and tools that asked for it. */
PMIX_EXPORT pmix_status_t PMIx_server_IOF_deliver(const pmix_proc_t *source,
                                                  pmix_iof_channel_t channel,
                                                  const pmix_byte_object_t *bo,
                                                  const pmix_info_t info[], size_t ninfo,
                                                  pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Process sets. */

/* Name a set of processes; the local clients get PMIX_PROCESS_SET_DEFINE. */
PMIX_EXPORT pmix_status_t PMIx_server_define_process_set(const pmix_proc_t *members,
                                                         size_t nmembers, const char *pset_name);
/* Forget it; the local clients get PMIX_PROCESS_SET_DELETE. */
PMIX_EXPORT pmix_status_t PMIx_server_delete_process_set(char *pset_name);

/* Texts. All results are malloc memory and hold no NUL before their end. */

/* Comma-separated node names, in a shorter form for PMIX_NODE_MAP. */
PMIX_EXPORT pmix_status_t PMIx_generate_regex(const char *input, char **regex);
/* Ranks per node (";" between nodes, "," and "-" within), in a shorter form for PMIX_PROC_MAP. */
PMIX_EXPORT pmix_status_t PMIx_generate_ppn(const char *input, char **ppn);
/* A cpuset as text, with its source in front; and back. */
PMIX_EXPORT pmix_status_t PMIx_server_generate_cpuset_string(const pmix_cpuset_t *cpuset,
        char **cpuset_string);
PMIX_EXPORT pmix_status_t PMIx_server_generate_cpuset(const char *cpuset_string,
                                                      pmix_cpuset_t *cpuset);
/* Where a process with this cpuset is, for PMIX_LOCALITY_STRING. */
PMIX_EXPORT pmix_status_t PMIx_server_generate_locality_string(const pmix_cpuset_t *cpuset,
        char **locality);

/*
 * What the library and the host support, for queries: function is the name of a call, attrs (ends
 * with NULL) the names of attributes. PMIX_ERR_REPEAT_ATTR_REGISTRATION for a second time.
 */
PMIX_EXPORT pmix_status_t PMIx_Register_attributes(char *function, char *attrs[]);

#if defined(__cplusplus)
}
#endif

#endif
