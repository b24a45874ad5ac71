/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "invitees.h"

#include <stdlib.h>

#include "src/value/procs.h"

/* An invitee fails once. One that has accepted may still decline, when its caller does not wait any
 * longer. */
static const enum px_invitee_state next_state[PX_N_INVITEE_STATES][PX_N_INVITEE_NEWS] = {
    /*                PX_ACCEPTS   PX_DECLINES PX_ENDS    PX_IS_SILENT */
    [PX_INVITED] = {PX_ACCEPTED, PX_FAILED, PX_FAILED, PX_FAILED},
    [PX_ACCEPTED] = {PX_ACCEPTED, PX_FAILED, PX_FAILED, PX_ACCEPTED},
    [PX_FAILED] = {PX_FAILED, PX_FAILED, PX_FAILED, PX_FAILED},
};

bool px_invitee_learn(struct px_invitee *invitee, enum px_invitee_news news)
{
    enum px_invitee_state was = invitee->state;

    invitee->state = next_state[was][news];
    return invitee->state != was;
}

struct px_invitee *px_invitees_find(const struct px_invitees *invitees, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < invitees->n; i++) {
        if (px_proc_equal(&invitees->at[i].proc, proc)) {
            return &invitees->at[i];
        }
    }
    return NULL;
}

size_t px_invitees_count(const struct px_invitees *invitees, enum px_invitee_state state)
{
    size_t n = 0;

    for (size_t i = 0; i < invitees->n; i++) {
        n += invitees->at[i].state == state;
    }
    return n;
}

int px_invitees_gather(const struct px_invitees *invitees, enum px_invitee_state state,
                       struct px_proc_list *list)
{
    int rc = 0;

    for (size_t i = 0; i < invitees->n && rc == 0; i++) {
        if (invitees->at[i].state == state) {
            rc = px_proc_list_add(list, &invitees->at[i].proc);
        }
    }
    return rc;
}

int px_invitees_add(struct px_invitees *invitees, const pmix_proc_t *proc)
{
    struct px_invitee *grown;

    if (px_invitees_find(invitees, proc) != NULL) {
        return 0;
    }
    grown = realloc(invitees->at, (invitees->n + 1) * sizeof(*grown));
    if (grown == NULL) {
        return PMIX_ERR_NOMEM;
    }
    invitees->at = grown;
    grown[invitees->n] = (struct px_invitee){.proc = *proc, .state = PX_INVITED};
    invitees->n++;
    return 0;
}

void px_invitees_fini(struct px_invitees *invitees)
{
    free(invitees->at);
    *invitees = (struct px_invitees){0};
}
