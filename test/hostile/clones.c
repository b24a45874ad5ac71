/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Further connections under the name of a process that is connected: a child of it gets one, a
 * process of the same user that has nothing to do with it gets none, by either door. Neither says
 * which process it is. Another user does not even learn whether the name is one. usage: clones */

#include "actors.h"
#include "speak.h"
#include "src/host/host.h"

#include <pmix.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct contact *contact;

/* Whether a connection as that process is accepted at a door (0: Unix socket, 1: TCP). */
static bool is_let_in(int door)
{
    struct hello h = honest();
    int fd;

    h.nspace = "first";
    h.rank = 0;
    fd = admitted_as(contact->env[door], &h);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

/* In a child that a thread of its own forks: it is listed with this thread. */
static void *as_child(void *ret)
{
    int status = 1;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(!is_let_in(0) || !is_let_in(1));
    }
    *(bool *) ret = waitpid(pid, &status, 0) == pid && status == 0;
    return NULL;
}

static void be_first(void)
{
    bool let_in = false;
    pthread_t thread;

    join_job(contact, "first");
    as_child(&let_in);
    say(let_in, "a child is let in by both doors");
    let_in = false;
    say(pthread_create(&thread, NULL, as_child, &let_in) == 0 && pthread_join(thread, NULL) == 0 &&
            let_in,
        "and that of another thread");
    step_done(); /* the other tries */
    PMIx_Finalize(NULL, 0);
}

static void pretend(void)
{
    say(!is_let_in(0), "a process that only has the same user is not let in");
    say(!is_let_in(1), "nor by TCP, where it need not say who it is");
}

/* Names that there are, and others, of a client and of tools that a host has started: another user
 * cannot tell them apart. */
static void guess_names(void)
{
    static const struct {
        const char *nspace;
        uint32_t rank;
    } names[] = {{"first", 0}, {"first", 77}, {"nobody", 0}};
    static const unsigned char roles[] = {0, 5, 8};
    struct hello h = honest();

    for (int door = 0; door < 2; door++) {
        int n = 0;

        for (size_t i = 0; i < 9; i++) {
            h.role = roles[i / 3];
            h.nspace = names[i % 3].nspace;
            h.rank = names[i % 3].rank;
            n += refusal(contact->env[door], &h) == PMIX_ERR_INVALID_CRED;
        }
        say(n == 9, door == 0 ? "AF_UNIX: a stranger does not learn which names there are"
                              : "TCP: a stranger does not learn which names there are");
    }
}

int main(void)
{
    static const struct answer answers[N_ENTRIES];
    static const struct px_host host = {.answers = answers};
    struct actor first;
    struct actor other;
    struct actor guesses;
    int bad = 0;

    alarm(2 * ACTOR_SECONDS);
    (void) signal(SIGPIPE, SIG_IGN);
    contact = actors_memory(sizeof(*contact));
    first = actor_start(FIRST, be_first);
    other = actor_start(FIRST, pretend);
    guesses = actor_start(SECOND, guess_names);
    bad += server_start(px_host_module(&host), NULL, 0);
    add_job("first", FIRST);
    contact_read(contact, "first");
    actor_turn(&first);
    bad += await_step();
    bad += actor_finish(&other);
    bad += actor_finish(&guesses);
    bad += actor_finish(&first);
    PMIx_server_finalize();
    return bad != 0;
}
