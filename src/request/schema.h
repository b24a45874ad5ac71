/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_SCHEMA_H
#define PX_REQUEST_SCHEMA_H

/* The description of each request: one `struct px_request` per command lists its arguments in
 * the order in which they travel, the layout of its reply, and which arguments the application
 * has to give. The exported calls validate by it, the client packs by it, the server unpacks by
 * it, and a call of the server process itself is copied by it. All tables are constant; any
 * thread.
 *
 * A command needs two more functions, one at each end: px_client_request (src/client) sends it,
 * and its row in `services` (src/server/requests/requests.c) serves it. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "args.h"
#include "src/base/buf.h"
#include "src/wire/codec.h"
#include "src/wire/message.h"

/* --- fields --- */

/* How a member of a structure is written to a message. */
enum px_field_form {
    PX_FIELD_ONE,    /* a member of `type`: one operation of one value; a TOPO is passed over */
    PX_FIELD_MANY,   /* pointer and number: SIZE n, and unless n is 0 one operation of n values */
    PX_FIELD_KEYS,   /* char **: SIZE n, then n operations of one STRING */
    PX_FIELD_NSPACE, /* a pmix_nspace_t: one STRING */
    PX_FIELD_USER,   /* no member. Sent: effective user id; received: skipped */
    PX_FIELD_TIME,   /* a time_t. Sent: the time of sending */
    PX_FIELD_LOCAL,  /* a member of `type` that does not travel */
};

/* Whether a field may be empty (an array of no elements) or missing. */
enum px_field_need {
    PX_ANY,       /* may be empty */
    PX_GIVEN,     /* the application may not leave it empty; a receiver accepts it empty */
    PX_REQUIRED,  /* may not be empty (nor a string), and may not be missing in a reply */
    PX_MAY_TRAIL, /* may be missing at the end of a message */
};

/* One member of a structure, and how it travels. Constant, in the tables of schema.c and
 * reply.c. */
struct px_field {
    enum px_field_form form;
    enum px_field_need need;
    pmix_data_type_t type; /* of ONE and MANY */
    size_t at;             /* offset in the structure */
    size_t count_at;       /* offset of the number, of MANY */
};

/* --- replies --- */

/* The result of a request. Which members are set depends on the reply type. The holder owns them
 * (px_reply_fini). */
struct px_reply {
    pmix_status_t status; /* never PMIX_OPERATION_SUCCEEDED */
    pmix_info_t *info;
    size_t ninfo;
    pmix_pdata_t *data;
    size_t ndata;
    pmix_byte_object_t bytes;
    pmix_proc_t proc; /* of a spawn the namespace only */
    pmix_value_t *value;
    bool lent; /* the value is the library's, and lasts; the holder does not own it */
    pmix_proc_t *procs;
    size_t nprocs;
    char *text;
    size_t number;
    pmix_device_distance_t *distances;
    size_t ndistances;
};

/* A callback of the application without its type; the reply type casts it back. NULL: none. */
typedef void (*px_callback)(void);

/* The receiver of a request's result. `done` is called once, on the progress thread unless it says
 * that it may be called in others. The reply
 * belongs to the caller of `done`; `done` may take over a member by setting it to NULL and its
 * count to 0. */
struct px_completion {
    void (*done)(const struct px_completion *to, struct px_reply *reply);
    void *target; /* done's own */
    px_callback callback;
    void *cbdata;
};

/* A kind of reply: the fields that follow the status, and how the result is given to the
 * application. */
struct px_reply_type {
    const struct px_field *fields; /* follow the status; members of struct px_reply */
    size_t n_fields;
    bool always; /* the fields follow any status; false: only PMIX_SUCCESS and the
                    partial ones */
    /* Calls the completion's callback, which has the type that the reply type is named after. */
    void (*done)(const struct px_completion *to, struct px_reply *reply);
};

/* Each is named after the callback that gets it (pmix_op_cbfunc_t, ...). */
extern const struct px_reply_type px_reply_op;
extern const struct px_reply_type px_reply_infos;
extern const struct px_reply_type px_reply_query; /* infos unless it has failed */
extern const struct px_reply_type px_reply_lookup;
extern const struct px_reply_type px_reply_spawn;
extern const struct px_reply_type px_reply_credential;
extern const struct px_reply_type px_reply_validation;
extern const struct px_reply_type px_reply_value; /* has no message of its own */
/* Without a callback of their own: a subscription's number, processes, names of nodes. */
extern const struct px_reply_type px_reply_subscription;
extern const struct px_reply_type px_reply_peers;
extern const struct px_reply_type px_reply_nodes;
extern const struct px_reply_type px_reply_distances;

/* A completion that calls the application's callback, which has to have the type's signature. */
static inline struct px_completion px_completion_of(const struct px_reply_type *type,
                                                    px_callback callback, void *cbdata)
{
    return (struct px_completion){.done = type->done, .callback = callback, .cbdata = cbdata};
}

/* An array of infos with its length, which it owns (px_infos_fini). Zeros: none. Those that are
 * lent to the application by a pmix_info_cbfunc_t are allocated; it frees both with
 * px_infos_release. */
struct px_infos {
    pmix_info_t *info;
    size_t n;
};

/* --- requests --- */

/* The table of directives of a call: which ones are known, and at which level
 * (src/value/directives.h). */
struct px_call;

/* One command of the protocol. Constant; the rows are in schema.c. */
struct px_request {
    enum px_command command;
    const char *name; /* for probes: "fence" */
    size_t size;      /* of its arguments; they begin with a struct px_args */
    const struct px_field *fields;
    size_t n_fields;
    const struct px_reply_type *reply;
    const struct px_call *call; /* the table of its directives; NULL: it has none */
    bool needs_callback;        /* the non-blocking call without one is refused */
    bool timed;                 /* PMIX_TIMEOUT limits how long the reply is waited for */
    bool member; /* only a process of a job can make the call; a server gets PMIX_ERR_NOT_SUPPORTED
                  */
    bool alone;  /* the library alone serves it: what it does not honour may not be required */
    unsigned since; /* first major release of a stock server that has the command; 0: all */
    const struct px_request *older; /* the layout of releases before 4.2.4; NULL: the same */
};

/* The commands, in the order of schema.c. */
extern const struct px_request px_request_publish;
extern const struct px_request px_request_lookup;
extern const struct px_request px_request_unpublish;
extern const struct px_request px_request_spawn;
extern const struct px_request px_request_abort;
extern const struct px_request px_request_fence;
extern const struct px_request px_request_connect;
extern const struct px_request px_request_disconnect;
extern const struct px_request px_request_group_construct;
extern const struct px_request px_request_group_destruct;
extern const struct px_request px_request_group_leave;
extern const struct px_request px_request_query;
extern const struct px_request px_request_log;
extern const struct px_request px_request_alloc;
extern const struct px_request px_request_job_control;
extern const struct px_request px_request_monitor;
extern const struct px_request px_request_credential;
extern const struct px_request px_request_validate;
extern const struct px_request px_request_fabric_register;
extern const struct px_request px_request_fabric_update;
extern const struct px_request px_request_session_control;
extern const struct px_request px_request_block;
extern const struct px_request px_request_notify;
extern const struct px_request px_request_register_codes;
extern const struct px_request px_request_resolve_peers;
extern const struct px_request px_request_resolve_nodes;
extern const struct px_request px_request_distances;
extern const struct px_request px_request_iof_pull;
extern const struct px_request px_request_iof_deregister;
extern const struct px_request px_request_iof_push;

/* True if the arguments have all that the application must give, and no count without an array.
 * The exported calls return PMIX_ERR_BAD_PARAM otherwise. */
bool px_args_valid(const struct px_request *request, const struct px_args *args);

/* Appends the command and its fields to buf. Returns the status of buf, as px_pack does. */
int px_args_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_request *request,
                 const struct px_args *args);

/* Reads the fields into zeroed arguments, which own what was read. 0, PMIX_ERR_BAD_PARAM (a
 * required field is empty), or the status of px_unpack. px_args_fini has to follow after an
 * error, too. */
int px_args_unpack(struct px_in *in, const struct px_request *request, struct px_args *args);

/* Deep copies arguments into zeroed ones. 0, PMIX_ERR_NOMEM, or the status of copying a value.
 * px_args_fini has to follow after an error, too. */
int px_args_copy(const struct px_request *request, struct px_args *to, const struct px_args *from);

/* Frees what the arguments own, directives included, but not the structure. */
void px_args_fini(const struct px_request *request, struct px_args *args);

/* The time limit of the infos (PMIX_TIMEOUT) in milliseconds; 0: none. 0, or PMIX_ERR_BAD_PARAM for
 * a value of a wrong type. */
int px_timeout_read(const pmix_info_t *info, size_t ninfo, uint64_t *ret_ms);

/* The time limit of a request; 0: none. That of a query is the shortest among its qualifiers. As
 * px_timeout_read; *ret_ms is not set after an error. */
int px_args_limit(const struct px_request *request, const struct px_args *args, uint64_t *ret_ms);

#endif
