/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/*
 * The interface of tools: debuggers, launchers, status commands. The conventions are those of
 * pmix.h; a tool may use everything in there. Std: Tools and Debuggers.
 */
#ifndef PMIX_TOOL_H
#define PMIX_TOOL_H

#include "pmix.h"
#include "pmix_server.h"

#if defined(__cplusplus)
extern "C" {
#endif

/*
 * Start as a tool and connect to a server, found as info says (PMIX_SERVER_URI,
 * PMIX_SERVER_PIDINFO, PMIX_CONNECT_TO_SYSTEM ...) or by its rendezvous file; with
 * PMIX_TOOL_DO_NOT_CONNECT to none. proc takes the tool's name. PMIX_ERR_UNREACH: no server, or
 * none that answers. PMIX_ERR_BAD_PARAM: several, and nothing to choose by. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo);
/* End as a tool, leaving all servers. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_tool_finalize(void);
/* Whether there is a connection to a server. Does not wait. */
PMIX_EXPORT bool PMIx_tool_is_connected(void);
/*
 * Connect to one more server, found as in PMIx_tool_init. The names of the tool and of the server
 * go to myproc and server (both may be NULL). With PMIX_PRIMARY_SERVER it becomes the one that
 * requests go to. Blocking.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_attach_to_server(pmix_proc_t *myproc, pmix_proc_t *server,
                                                     pmix_info_t info[], size_t ninfo);
/* Leave a server. PMIX_ERR_NOT_FOUND if not connected to it. Blocking. */
PMIX_EXPORT pmix_status_t PMIx_tool_disconnect(const pmix_proc_t *server);
/*
 * The servers that the tool is connected to, the primary one first; PMIx_Proc_free releases them.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_get_servers(pmix_proc_t *servers[], size_t *nservers);
/*
 * Have requests go to this server. PMIX_ERR_UNREACH if the tool is not connected to it. Does not
 * wait: PMIX_WAIT_FOR_CONNECTION is not supported.
 */
PMIX_EXPORT pmix_status_t PMIx_tool_set_server(const pmix_proc_t *server, pmix_info_t info[],
                                               size_t ninfo);
/* PMIX_ERR_NOT_SUPPORTED: a tool has no clients that could call a server module. */
PMIX_EXPORT pmix_status_t PMIx_tool_set_server_module(pmix_server_module_t *module);

/* Output and input of processes. */

/*
 * Have the output of procs on these channels passed to cbfunc, or with cbfunc NULL to the tool's
 * own stdout and stderr. With regcbfunc it returns at once and regcbfunc gets the number of the
 * request; without, it waits and returns that number or a negative status.
 */
PMIX_EXPORT pmix_status_t PMIx_IOF_pull(const pmix_proc_t procs[], size_t nprocs,
                                        const pmix_info_t directives[], size_t ndirs,
                                        pmix_iof_channel_t channel, pmix_iof_cbfunc_t cbfunc,
                                        pmix_hdlr_reg_cbfunc_t regcbfunc, void *regcbdata);
/* End a request. cbfunc NULL: waits; output on its way may still be delivered with a callback. */
PMIX_EXPORT pmix_status_t PMIx_IOF_deregister(size_t iofhdlr, const pmix_info_t directives[],
                                              size_t ndirs, pmix_op_cbfunc_t cbfunc,
                                              void *cbdata);
/*
 * Send bytes to the stdin of targets. bo NULL, or without bytes and with PMIX_IOF_COMPLETE in
 * directives, closes it. cbfunc NULL: waits until the server has the bytes.
 */
PMIX_EXPORT pmix_status_t PMIx_IOF_push(const pmix_proc_t targets[], size_t ntargets,
                                        pmix_byte_object_t *bo, const pmix_info_t directives[],
                                        size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata);

#if defined(__cplusplus)
}
#endif

#endif
