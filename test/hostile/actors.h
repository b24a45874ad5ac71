/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_HOSTILE_ACTORS_H
#define PX_TEST_HOSTILE_ACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <pmix_server.h>

/* Processes of several users around one server of root. Each is forked before there is a server,
 * and waits for its turn. Functions are for the host, those with (actor) for the process. */

enum { FIRST = 1001, SECOND = 1002, ACTOR_SECONDS = 100 };

/* Where the processes of a job find the server; in memory that server and actors share. */
struct contact {
    char env[4][512];
};

/* Zeroed memory that host and actors share, for the life of the processes. To be called once,
 * before the first actor is started. Ends the process if there is none. */
void *actors_memory(size_t size);

struct actor {
    pid_t pid;
    int turn; /* each byte written is a turn */
};

/* A process of the user; it runs `play` at its first turn, and fails if one of its says did. It has
 * ACTOR_SECONDS to live. */
struct actor actor_start(uid_t uid, void (*play)(void));
void actor_turn(const struct actor *actor);
/* Gives a last turn, and waits for the end; 0: it has not failed. */
int actor_finish(const struct actor *actor);

/* Waits until an actor has come to a step. 0: one has. */
int await_step(void);

/* (actor) Waits for the next turn. */
void await_turn(void);
/* (actor) Tells the host, and waits for the next turn. */
void step_done(void);
/* (actor) A line of the result. */
void say(bool held, const char *what);

/* Starts the server, with n parameters set in the environment: name and value of each. 0, or 1
 * after a complaint. */
int server_start(pmix_server_module_t *module, const char *const (*params)[2], size_t n);

/* How many segments this process maps. */
int segments(void);

/* (actor) Becomes the first process of the job. */
void join_job(const struct contact *contact, const char *name);

/* What a process of the job is to know. */
void contact_read(struct contact *contact, const char *name);
/* A job of one process of the user. */
void add_job(const char *name, uid_t uid);
/* The text behind the name in the environment of the job's process; false: none. */
bool environment_of(const char *name, const char *variable, char *ret, size_t room);

#endif
