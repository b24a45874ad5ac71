/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The host of a case, as the shared module (src/host) wants it: which entries it has, what it does
 * with them by itself, and that all are recorded. */

#include "inside.h"

/* Those that a host has when a case says nothing. */
static const bool there[N_ENTRIES] = {
    [ON_CONNECTED] = true,  [ON_FINALIZED] = true, [ON_ABORT] = true,      [ON_FENCE] = true,
    [ON_MODEX] = true,      [ON_CONNECT] = true,   [ON_DISCONNECT] = true, [ON_REGISTER] = true,
    [ON_DEREGISTER] = true, [ON_NOTIFY] = true,    [ON_TOOL] = true,       [ON_GROUP] = true,
};

static bool has(enum entry entry)
{
    enum how how = the_case()->host[entry].how;

    if (how == MISSING && board->dealt) {
        how = BY_DEFAULT; /* which is there for others than a node's own processes */
    }
    return how != MISSING && (how != BY_DEFAULT || there[entry]);
}

static const struct answer *script(struct upcall *ask)
{
    static const struct answer none;
    const struct answer *answer = &the_case()->host[ask->entry];

    ask->record = record_ask(ask);
    return answer->how == MISSING ? &none : answer;
}

static bool wait_for(const char *when)
{
    if (when != NULL) {
        await(when);
    }
    return true;
}

pmix_status_t sound_answer(struct upcall *ask)
{
    if (ask->entry == ON_NOTIFY && self.node >= n_nodes()) {
        return PMIX_OPERATION_SUCCEEDED; /* a further server is in no relay */
    }
    switch (ask->entry) {
    case ON_FENCE:
    case ON_CONNECT:
    case ON_DISCONNECT:
    case ON_GROUP:
        return relay_collect(ask);
    case ON_MODEX:
        return relay_modex(ask);
    case ON_NOTIFY:
        return relay_event(ask);
    case ON_TOOL:
    case ON_FINALIZED:
        reply_status(ask, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    case ON_LOOKUP:
    case ON_SPAWN:
    case ON_QUERY:
    case ON_ALLOCATE:
    case ON_CONTROL:
    case ON_MONITOR:
    case ON_CREDENTIAL:
    case ON_VALIDATE:
    case ON_FABRIC:
        return PMIX_ERR_NOT_SUPPORTED;
    default:
        return PMIX_OPERATION_SUCCEEDED;
    }
}

pmix_server_module_t *module_make(void)
{
    static const struct px_host host = {
        .has = has,
        .script = script,
        .sound = sound_answer,
        .wait = wait_for,
#ifndef CONFORM_THEIRS
        .frees_data = true,
#endif
    };

    return px_host_module(&host);
}
