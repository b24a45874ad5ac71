/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_SCHEMA_H
#define PX_REQUEST_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "args.h"
#include "src/base/buf.h"
#include "src/wire/codec.h"
#include "src/wire/message.h"

/* What a request is, once for all: a `struct px_request` per command says which arguments travel in
 * which order, what the reply holds, and what the application has to give. The exported calls
 * check by it, the client packs by it, the server unpacks by it, and a call of the server process
 * itself is copied by it. What is particular to a command beyond that stands in one function at
 * each end: px_client_request (src/client) and the command's row in `services` (src/server). */

/* --- fields --- */

enum px_field_form {
    PX_FIELD_ONE,    /* a member of `type`: one operation of one value */
    PX_FIELD_MANY,   /* pointer and number: SIZE n, and unless n is 0 one operation of n values */
    PX_FIELD_KEYS,   /* char **: SIZE n, then n operations of one STRING */
    PX_FIELD_NSPACE, /* a pmix_nspace_t: one STRING */
    PX_FIELD_USER,   /* no member. Sent: the effective user; received: skipped, sockets tell */
    PX_FIELD_TIME,   /* a time_t. Sent: the time of sending */
    PX_FIELD_LOCAL,  /* a member of `type` that does not travel */
};

enum px_field_need {
    PX_ANY,       /* may be empty */
    PX_GIVEN,     /* the application may not leave it empty; who receives it takes it empty */
    PX_REQUIRED,  /* may not be empty, and may not be missing in a reply */
    PX_MAY_TRAIL, /* may be missing at the end of a message */
};

struct px_field {
    enum px_field_form form;
    enum px_field_need need;
    pmix_data_type_t type; /* of ONE and MANY */
    size_t at;             /* offset in the structure */
    size_t count_at;       /* offset of the number, of MANY */
};

/* --- replies --- */

/* The result of a request. Which members mean something is the reply type's to say. */
struct px_reply {
    pmix_status_t status; /* never PMIX_OPERATION_SUCCEEDED */
    pmix_info_t *info;
    size_t ninfo;
    pmix_pdata_t *data;
    size_t ndata;
    pmix_byte_object_t bytes;
    pmix_proc_t proc; /* of a spawn the namespace only */
    pmix_value_t *value;
    pmix_proc_t *procs;
    size_t nprocs;
    char *text;
    size_t number;
};

/* A callback of the application's, whatever its type; NULL: none. */
typedef void (*px_callback)(void);

/* Who learns the result. `done` is called once, on the loop thread; the reply is the caller's, but
 * done may take what it points at, leaving NULL and 0. */
struct px_completion {
    void (*done)(const struct px_completion *to, struct px_reply *reply);
    void *target; /* done's own */
    px_callback callback;
    void *cbdata;
};

struct px_reply_type {
    const struct px_field *fields; /* behind the STATUS; in struct px_reply */
    size_t n_fields;
    bool always; /* the fields follow whatever the status; false: PMIX_SUCCESS and
                    or partly only */
    /* Calls the completion's callback, which has the type that the reply type is named after. */
    void (*done)(const struct px_completion *to, struct px_reply *reply);
};

extern const struct px_reply_type px_reply_op;
extern const struct px_reply_type px_reply_infos;
extern const struct px_reply_type px_reply_query; /* infos unless it has failed */
extern const struct px_reply_type px_reply_lookup;
extern const struct px_reply_type px_reply_spawn;
extern const struct px_reply_type px_reply_credential;
extern const struct px_reply_type px_reply_validation;
extern const struct px_reply_type px_reply_value; /* has no message of its own */
/* These have no callback of their own: a number, processes, nodes. */
extern const struct px_reply_type px_reply_subscription;
extern const struct px_reply_type px_reply_peers;
extern const struct px_reply_type px_reply_nodes;

/* A completion that calls the application. */
static inline struct px_completion px_completion_of(const struct px_reply_type *type,
                                                    px_callback callback, void *cbdata)
{
    return (struct px_completion){.done = type->done, .callback = callback, .cbdata = cbdata};
}

/* Infos in the hands of a pmix_info_cbfunc_t: px_infos_release is the release function. */
struct px_infos {
    pmix_info_t *info;
    size_t n;
};

/* --- requests --- */

struct px_call;

struct px_request {
    enum px_command command;
    size_t size; /* of its arguments; they begin with a struct px_args */
    const struct px_field *fields;
    size_t n_fields;
    const struct px_reply_type *reply;
    const struct px_call *call; /* the table of its directives; NULL: it has none */
    bool needs_callback;        /* the non-blocking call without one is refused */
    bool timed;                 /* PMIX_TIMEOUT limits how long the reply is waited for */
    unsigned since;             /* the first major release of a stock server that knows it */
};

extern const struct px_request px_request_publish;
extern const struct px_request px_request_lookup;
extern const struct px_request px_request_unpublish;
extern const struct px_request px_request_spawn;
extern const struct px_request px_request_abort;
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
extern const struct px_request px_request_iof_pull;
extern const struct px_request px_request_iof_deregister;
extern const struct px_request px_request_iof_push;

/* Has the application given all that it must? */
bool px_args_valid(const struct px_request *request, const struct px_args *args);

/* The command and its fields, behind each other. A failure is in buf. 0 or what px_pack says. */
int px_args_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_request *request,
                 const struct px_args *args);

/* The fields, into zeroed arguments. 0, PMIX_ERR_BAD_PARAM (a required one is empty), or what
 * px_unpack says. On failure px_args_fini has to follow all the same. */
int px_args_unpack(struct px_in *in, const struct px_request *request, struct px_args *args);

/* Deep copy into zeroed arguments. 0, PMIX_ERR_NOMEM, or what is wrong with a value; then
 * px_args_fini has to follow all the same. */
int px_args_copy(const struct px_request *request, struct px_args *to, const struct px_args *from);

void px_args_fini(const struct px_request *request, struct px_args *args);

#endif
