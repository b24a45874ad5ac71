/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Keeps output of processes that no subscription covers when it arrives. A tool that spawns a job
 * can subscribe only when it knows the job's namespace; by then the job may have written its first
 * lines. Output is kept until a subscription covers it, up to shmix_output_bytes for the server.
 * What does not fit takes the place of the newest of the user who has most, unless that is its own:
 * so the oldest output survives, and one user's does not keep out another's. Loop thread. */

#include "output_cache.h"

#include <stdlib.h>
#include <string.h>

#include "server_iof.h"
#include "src/base/param.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/quota.h"
#include "src/value/directives.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

/* One piece of kept output; in s->outputs. */
struct kept_output {
    struct px_list link;
    struct px_user *user; /* who counts it */
    struct px_output out; /* bytes points to the member below; info is owned */
    pmix_byte_object_t bytes;
    char data[];
};

/* The size that counts against the limit. The same before and after copying, so that what is added
 * is what is subtracted later. */
static size_t kept_bytes(const struct px_output *out)
{
    return sizeof(struct kept_output) + (out->bytes ? out->bytes->size : 0) +
           out->ninfo * sizeof(*out->info);
}

/* Takes an output off the list and its size off the count. */
static void output_unlink(struct px_server *s, struct kept_output *kept)
{
    s->output_bytes -= kept_bytes(&kept->out);
    kept->user->output -= kept_bytes(&kept->out);
    px_list_remove(&kept->link);
}

/* Frees an output that is off the list. */
static void destroy(struct kept_output *kept)
{
    PMIx_Info_free((pmix_info_t *) (uintptr_t) kept->out.info, kept->out.ninfo);
    free(kept);
}

/* The user of a process: as it was registered, or for one of another node as the others of its job;
 * the server's own if nothing is known. NULL: memory is out. */
static struct px_user *user_of(struct px_server *s, const pmix_proc_t *source)
{
    const struct px_nspace *ns = px_nspace_find(s, source->nspace);
    const struct px_local_proc *proc = ns ? px_local_proc_find(ns, source->rank) : NULL;

    return px_user_of(s, proc && proc->registered        ? proc->uid
                         : ns && ns->owned && !ns->mixed ? ns->uid
                                                         : s->uid);
}

/* What others have beyond so many bytes each. */
static size_t sum_beyond(const struct px_server *s, const struct px_user *user, size_t bytes)
{
    size_t sum = 0;

    px_list_for(const struct px_user, other, &s->users, link) {
        sum += other != user && other->output > bytes ? other->output - bytes : 0;
    }
    return sum;
}

/* The user who has most. */
static const struct px_user *find_most(struct px_server *s, const struct px_user *user)
{
    px_list_for(const struct px_user, other, &s->users, link) {
        user = other->output > user->output ? other : user;
    }
    return user;
}

static void drop_newest(struct px_server *s, const struct px_user *user)
{
    struct px_list *at = s->outputs.prev;
    struct kept_output *kept = px_list_item(at, struct kept_output, link);

    while (kept->user != user) {
        at = at->prev;
        px_assert(at != &s->outputs);
        kept = px_list_item(at, struct kept_output, link);
    }
    output_unlink(s, kept);
    destroy(kept);
}

/* Makes room for so many bytes of the user, out of what others have beyond what he will have.
 * False: there is none for him, and nothing was dropped. */
static bool make_room(struct px_server *s, const struct px_user *user, size_t bytes)
{
    size_t most = (size_t) px_param_int(PX_P_OUTPUT_BYTES);
    size_t then = s->output_bytes + bytes;

    if (bytes > most || (then > most && sum_beyond(s, user, user->output + bytes) < then - most)) {
        return false;
    }
    while (s->output_bytes > most - bytes) {
        const struct px_user *other = find_most(s, user);

        px_assert(other != user);
        drop_newest(s, other);
    }
    return true;
}

/* One allocation holds the record and the bytes; the infos are a copy of their own. */
int px_output_keep(struct px_server *s, const struct px_output *out)
{
    size_t size = out->bytes ? out->bytes->size : 0;
    struct px_user *user = user_of(s, &out->source);
    pmix_info_t *info = NULL;
    struct kept_output *kept;

    px_assert(px_loop_inside(s->loop));
    if (user && !make_room(s, user, kept_bytes(out))) {
        return PMIX_SUCCESS;
    }
    kept = user ? calloc(1, sizeof(*kept) + size) : NULL;
    if (!kept || px_infos_copy(out->info, out->ninfo, &info)) {
        free(kept);
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&kept->link);
    kept->out = *out;
    kept->out.info = info;
    kept->out.ninfo = info ? out->ninfo : 0;
    kept->out.bytes = &kept->bytes;
    kept->bytes = (pmix_byte_object_t){.bytes = kept->data, .size = size};
    if (size) {
        memcpy(kept->data, out->bytes->bytes, size);
    }
    px_list_append(&s->outputs, &kept->link);
    kept->user = user;
    user->output += kept_bytes(&kept->out);
    s->output_bytes += kept_bytes(&kept->out);
    return PMIX_SUCCESS;
}

/* No subscription can ask for it any more by that job's name. */
void px_outputs_nspace_removed(struct px_server *s, const char *name)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct kept_output, kept, &s->outputs, link) {
        if (strcmp(kept->out.source.nspace, name) == 0) {
            output_unlink(s, kept);
            destroy(kept);
        }
    }
}

void px_outputs_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->outputs)) {
        struct kept_output *kept = px_container_of(s->outputs.next, struct kept_output, link);

        output_unlink(s, kept);
        destroy(kept);
    }
}

/* --- giving it out --- */

/* The number of kept bytes that the subscription covers: all that px_outputs_deliver could give it.
 */
static size_t pending_bytes(struct px_server *s, struct px_iof_subscription *pull)
{
    size_t sum = 0;

    px_list_for(const struct kept_output, kept, &s->outputs, link) {
        sum += px_iof_subscription_covers(s, pull, &kept->out) ? kept->bytes.size : 0;
    }
    return sum;
}

/* Takes the oldest kept output that the subscription covers off the list; NULL if there is none.
 * The caller frees it. */
static struct kept_output *take_next(struct px_server *s, struct px_iof_subscription *pull)
{
    px_list_for(struct kept_output, kept, &s->outputs, link) {
        if (px_iof_subscription_covers(s, pull, &kept->out)) {
            output_unlink(s, kept);
            return kept;
        }
    }
    return NULL;
}

/* Delivery by bytes: `left` may still be delivered, `skip` are dropped from the front because only
 * the newest `left` bytes are wanted. Without a cache size there is no limit.
 *
 * The subscription is looked up again after each delivery: a callback of this process may have
 * dropped it, or have changed the list. */
void px_outputs_deliver(struct px_server *s, uint64_t peer, size_t id, const pmix_info_t *info,
                        size_t ninfo)
{
    struct px_iof_pull_directives directives = px_iof_pull_absent();
    struct px_iof_subscription *pull = px_iof_subscription_find(s, peer, id);
    size_t all = pull ? pending_bytes(s, pull) : 0;
    struct kept_output *kept = pull ? take_next(s, pull) : NULL;
    size_t skip = 0;
    size_t left;

    px_assert(px_loop_inside(s->loop));
    (void) px_iof_pull_read(info, ninfo, &directives); /* px_iof_pull_prepare has checked it */
    left = directives.cache_size;
    if ((directives.drop_oldest || directives.drop_newest == PX_SWITCH_OFF) && all > left) {
        skip = all - left;
    }
    while (kept) {
        size_t size = kept->bytes.size;
        size_t cut = skip < size ? skip : size;

        skip -= cut;
        kept->bytes.bytes += cut;
        kept->bytes.size = size - cut < left ? size - cut : left;
        left -= kept->bytes.size;
        if (kept->bytes.size || !size) {
            px_iof_subscription_deliver(s, pull, &kept->out);
        }
        destroy(kept);
        pull = px_iof_subscription_find(s, peer, id);
        kept = pull ? take_next(s, pull) : NULL;
    }
}
