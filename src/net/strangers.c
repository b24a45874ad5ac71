/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "strangers.h"

#include <stdlib.h>

#include "src/base/assert.h"
#include "src/base/status.h"

struct px_strangers_user {
    struct px_list link;
    struct px_list conns; /* oldest first */
    uid_t uid;
    size_t n;
    size_t bytes;
};

void px_strangers_init(struct px_strangers *strangers)
{
    *strangers = (struct px_strangers){0};
    px_list_init(&strangers->users);
}

/* The record of a user, made if it is missing; NULL: no memory. */
static struct px_strangers_user *user_of(struct px_strangers *strangers, uid_t uid)
{
    struct px_strangers_user *made;

    px_list_for(struct px_strangers_user, user, &strangers->users, link) {
        if (user->uid == uid) {
            return user;
        }
    }
    made = calloc(1, sizeof(*made));
    if (made) {
        made->uid = uid;
        px_list_init(&made->conns);
        px_list_append(&strangers->users, &made->link);
    }
    return made;
}

int px_strangers_add(struct px_strangers *strangers, struct px_stranger *stranger, uid_t uid)
{
    struct px_strangers_user *user = user_of(strangers, uid);

    px_assert(!stranger->user && stranger->bytes == 0);
    if (!user) {
        return PX_ERR_NOMEM;
    }
    stranger->user = user;
    px_list_append(&user->conns, &stranger->link);
    user->n++;
    strangers->n++;
    return PX_OK;
}

void px_strangers_read(struct px_strangers *strangers, struct px_stranger *stranger, size_t n)
{
    px_assert(stranger->user);
    stranger->bytes += n;
    stranger->user->bytes += n;
    strangers->bytes += n;
}

void px_strangers_remove(struct px_strangers *strangers, struct px_stranger *stranger)
{
    struct px_strangers_user *user = stranger->user;

    if (!user) {
        return;
    }
    px_assert(user->n > 0 && user->bytes >= stranger->bytes);
    px_list_remove(&stranger->link);
    user->n--;
    user->bytes -= stranger->bytes;
    strangers->n--;
    strangers->bytes -= stranger->bytes;
    *stranger = (struct px_stranger){0};
    if (user->n == 0) {
        px_list_remove(&user->link);
        free(user);
    }
}

/* What the user has besides `except`, plus 1: 0 if that is its only connection. */
static size_t weight(const struct px_strangers_user *user, enum px_strangers_most most,
                     const struct px_stranger *except)
{
    bool with = except && except->user == user;

    if (user->n == (size_t) with) {
        return 0;
    }
    return 1 + (most == PX_MOST_CONNS ? user->n - with : user->bytes - (with ? except->bytes : 0));
}

struct px_stranger *px_strangers_of_most(const struct px_strangers *strangers,
                                         enum px_strangers_most most,
                                         const struct px_stranger *except)
{
    struct px_strangers_user *found = NULL;
    struct px_stranger *oldest;
    size_t heaviest = 0;

    px_list_for(struct px_strangers_user, user, &strangers->users, link) {
        size_t now = weight(user, most, except);

        if (now > heaviest) {
            heaviest = now;
            found = user;
        }
    }
    if (!found) {
        return NULL;
    }
    oldest = px_container_of(found->conns.next, struct px_stranger, link);
    return oldest != except ? oldest : px_container_of(oldest->link.next, struct px_stranger, link);
}
