/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "invitees.h"

#include <stdlib.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/request/reply.h"
#include "src/value/procs.h"

/* An invitee fails once. One that has accepted may still decline, when its caller does not wait any
 * longer. */
static const enum px_invitee_state next_state[PX_N_INVITEE_STATES][PX_N_INVITEE_NEWS] = {
    /*                PX_ACCEPTS   PX_DECLINES PX_ENDS    PX_IS_SILENT */
    [PX_INVITED] = {PX_ACCEPTED, PX_FAILED, PX_FAILED, PX_FAILED},
    [PX_ACCEPTED] = {PX_ACCEPTED, PX_FAILED, PX_FAILED, PX_ACCEPTED},
    [PX_FAILED] = {PX_FAILED, PX_FAILED, PX_FAILED, PX_FAILED},
};

bool px_invitees_learn(struct px_invitees *invitees, struct px_invitee *invitee,
                       enum px_invitee_news news)
{
    enum px_invitee_state was = invitee->state;

    px_assert(invitees->n_in[was] > 0);
    invitee->state = next_state[was][news];
    invitees->n_in[was]--;
    invitees->n_in[invitee->state]++;
    return invitee->state != was;
}

struct px_invitee *px_invitees_find(const struct px_invitees *invitees, const pmix_proc_t *proc)
{
    char key[PX_PROC_KEY_ROOM];
    size_t len = px_proc_key(proc, key);
    size_t place = (size_t) (uintptr_t) px_map_find(&invitees->index, key, len);

    px_assert(place <= invitees->n);
    return place > 0 ? &invitees->at[place - 1] : NULL;
}

size_t px_invitees_count(const struct px_invitees *invitees, enum px_invitee_state state)
{
    return invitees->n_in[state];
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
    char key[PX_PROC_KEY_ROOM];
    size_t len = px_proc_key(proc, key);

    if (px_invitees_find(invitees, proc) != NULL) {
        return 0;
    }
    if (px_array_room(&invitees->at, invitees->n, &invitees->room, sizeof(*invitees->at)) != 0 ||
        px_map_set(&invitees->index, key, len, (void *) (uintptr_t) (invitees->n + 1)) != 0) {
        return PMIX_ERR_NOMEM;
    }
    invitees->at[invitees->n] = (struct px_invitee){.proc = *proc, .state = PX_INVITED};
    invitees->n++;
    invitees->n_in[PX_INVITED]++;
    return 0;
}

int px_invitees_add_job(struct px_invitees *invitees, const char *nspace, uint32_t n)
{
    pmix_proc_t proc;
    int rc = n <= PX_INVITEES_MAX ? 0 : PMIX_ERR_OUT_OF_RESOURCE;

    for (pmix_rank_t rank = 0; rc == 0 && rank < n; rank++) {
        PMIx_Load_procid(&proc, nspace, rank);
        rc = px_invitees_add(invitees, &proc);
    }
    return rc;
}

void px_invitees_fini(struct px_invitees *invitees)
{
    for (size_t i = 0; i < invitees->n; i++) {
        px_infos_fini(&invitees->at[i].given);
    }
    px_map_fini(&invitees->index);
    free(invitees->at);
    *invitees = (struct px_invitees){0};
}
