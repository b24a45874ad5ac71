/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_RUN_NODES_H
#define PX_TOOLS_RUN_NODES_H

#include <poll.h>

#include "run.h"

/* pmixrun --nodes M: M processes, each a server that takes itself for a node of its own, and this
 * one, the relay, which does what a resource manager's daemons do between nodes. A node's process
 * is the whole of pmixrun on one node (run.h) with one link to the relay; the relay has a link to
 * each node and treats the node processes as it would treat the processes of a job: their output,
 * their end, signals. Only the nodes use the PMIx library. Links are stream sockets made before the
 * forks, never waited for: what cannot be written yet is kept. */

/* ---- frame.c: what is said between nodes */

enum px_run_frame_type {
    /* From node to node, passed on by the relay as they are. Answers carry the id of what they
     * answer. */
    PX_RUN_MODEX, /* PROC; KEY; timeout in seconds */
    PX_RUN_MODEX_DATA,
    PX_RUN_PUBLISH,    /* PROC; INFOS */
    PX_RUN_UNPUBLISH,  /* PROC; number of keys, NONE: all; KEYS */
    PX_RUN_LOOKUP,     /* PROC; number of keys; KEYS; INFOS */
    PX_RUN_DONE,       /* of publish and unpublish: the status alone */
    PX_RUN_FOUND,      /* PDATA */
    PX_RUN_EVENT,      /* PROC source; code; range; INFOS */
    PX_RUN_SIGNAL,     /* signal; excuse; number of procs; PROCs */
    PX_RUN_STARTED,    /* namespace; number; {rank; pid} */
    PX_RUN_ENDED,      /* PROC; status of waitpid(2) */
    PX_RUN_SAID_ENDED, /* the same for the processes there; code of the event in the head */
    PX_RUN_PULL,       /* whether no more; channels; number of procs; PROCs */
    PX_RUN_OUTPUT,     /* PROC; channel; bytes, none: its end */
    PX_RUN_PUSH,       /* number of procs; PROCs; whether it ends; bytes */
    PX_RUN_PUSHED,     /* the status alone */
    PX_RUN_TOOL_LOST,  /* PROC */
    /* To the relay, and from it. */
    /* key; number of nodes, 0: not known; timeout in seconds; of a group: number of leaders,
     * leaders, added, the caller that comes by itself (number; PROCs); whether it goes on without
     * the lost; number of jobs in the key, {namespace; how many of those in the key each node has};
     * bytes */
    PX_RUN_COLLECT,
    PX_RUN_COLLECTED, /* serial number; number; {node; bytes}; the lost (number; PROCs) */
    PX_RUN_LOST,      /* PROC: will not come to any collective any more */
    PX_RUN_LEFT,      /* PROC; name of the group that it has left */
    PX_RUN_SPAWN,     /* to: PROC; INFOS; apps. From: namespace in front */
    PX_RUN_SPAWNED,   /* to: namespace, status in the head. From: the same, of all */
    PX_RUN_JOB_DONE,  /* to: namespace, exit code in the head. From: the same, of all */
    PX_RUN_CODE,      /* to: a process has failed, and others go on; exit code in the head */
    PX_RUN_END,       /* everybody is to terminate; exit code in the head */
    PX_RUN_BYE,       /* from: nothing more will come */
};

#define PX_RUN_OTHERS UINT16_MAX /* every node but the sender */
#define PX_RUN_RELAY  (UINT16_MAX - 1)
#define PX_RUN_NONE   UINT32_MAX

/* So many bytes of payload may a frame have; a longer one ends the link. */
extern const size_t px_run_max_frame;

struct px_run_frame {
    uint32_t len; /* of what follows */
    uint16_t type;
    uint16_t to;
    uint16_t from;
    uint16_t unused;
    int32_t status;
    uint64_t id;
};

/* A payload being written; remembers that memory ran out. */
struct px_run_bytes {
    char *at;
    size_t len;
    size_t cap;
    bool failed;
};

void px_run_put_raw(struct px_run_bytes *b, const void *bytes, size_t n);
void px_run_put_u32(struct px_run_bytes *b, uint32_t number);
void px_run_put_bytes(struct px_run_bytes *b, const void *bytes, size_t n);
void px_run_put_string(struct px_run_bytes *b, const char *text); /* NULL becomes "" */
void px_run_put_proc(struct px_run_bytes *b, const pmix_proc_t *proc);
/* n elements of a type that the library packs. */
void px_run_put_array(struct px_run_bytes *b, const void *array, size_t n, pmix_data_type_t type);

/* A payload being read: views into it, valid as long as it; remembers that it was too short. */
struct px_run_reader {
    const char *at;
    size_t left;
    bool failed;
};

uint32_t px_run_get_u32(struct px_run_reader *r);
const char *px_run_get_bytes(struct px_run_reader *r, size_t *ret_n);
const char *px_run_get_string(struct px_run_reader *r); /* never NULL */
void px_run_get_proc(struct px_run_reader *r, pmix_proc_t *ret);
/* What put_array wrote, elements of `size` bytes, to be destructed and freed by the caller; NULL
 * for none and on failure. */
void *px_run_get_array(struct px_run_reader *r, size_t size, pmix_data_type_t type, size_t *ret_n);

/* ---- link.c */

struct px_run_link;
typedef void (*px_run_frame_fn)(struct px_run_link *link, const struct px_run_frame *head,
                                struct px_run_reader *payload);

/* Takes the descriptor. `fn` is called for each frame; `end` once, when the other side is gone.
 * NULL when memory is out. */
struct px_run_link *px_run_link_open(int fd, uint32_t node, px_run_frame_fn fn,
                                     void (*end)(struct px_run_link *link));
uint32_t px_run_link_node(const struct px_run_link *link);
/* Sends or keeps the frame; one for a link that is gone or too far behind is dropped, with a
 * failure. Frees the payload (may be NULL). */
pmix_status_t px_run_link_send(struct px_run_link *link, struct px_run_frame head,
                               struct px_run_bytes *payload);
/* The same with bytes that stay the caller's. */
pmix_status_t px_run_link_copy(struct px_run_link *link, struct px_run_frame head,
                               const void *bytes, size_t n);
size_t px_run_links_n(void);
void px_run_links_poll(struct pollfd *p);       /* fills one for each link */
void px_run_links_move(const struct pollfd *p); /* the same, after poll(2) */
void px_run_links_close(void);

/* ---- input.c, for the loop, as above */

size_t px_run_inputs_n(void);
void px_run_inputs_poll(struct pollfd *p);
void px_run_inputs_move(const struct pollfd *p);

/* ---- node.c */

/* Forks the nodes. Returns in each of them as well, with px_run.place and px_run.node set. 0 or
 * errno. */
int px_run_nodes_fork(void);
const char *px_run_node_name(uint32_t node);
/* Where the i-th of n processes is. */
uint32_t px_run_node_of(uint32_t i, uint32_t n);
/* In which of so many blocks the i-th of n is. */
uint32_t px_run_block_of(uint32_t i, uint32_t n, uint32_t n_blocks);
/* The node of a process of a job that we know; PX_RUN_NONE for others. */
uint32_t px_run_node_of_proc(const pmix_proc_t *proc);

/* ---- relay.c, relay_collect.c: the relay */

void px_run_relay_end(int code); /* tells the nodes to end */
/* Takes the descriptor towards a node. 0 or errno. */
int px_run_relay_open(int fd, uint32_t node);
void px_run_relay_free(void);
void px_run_relay_send(uint32_t node, struct px_run_frame head, const void *bytes, size_t n);
/* With one node there is no relay: what is sent to one (only shares in collectives are) is done
 * here, and answered here. */
pmix_status_t px_run_relay_alone(const struct px_run_frame *head, struct px_run_bytes *payload);
void px_run_relay_send_all(struct px_run_frame head, const void *bytes, size_t n);
/* The first number of a collective's key. */
enum px_run_kind {
    PX_RUN_KIND_FENCE,
    PX_RUN_KIND_CONNECT,
    PX_RUN_KIND_DISCONNECT,
    PX_RUN_KIND_CONSTRUCT,
    PX_RUN_KIND_DESTRUCT,
};
void px_run_collect_add(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_collect_lost(const pmix_proc_t *proc, uint32_t node);
void px_run_collect_left(const char *group, const pmix_proc_t *proc, uint32_t node);
void px_run_collect_over(const char *nspace); /* the job is over everywhere */
int64_t px_run_collect_deadline(void);
void px_run_collect_expire(int64_t now_ms);
void px_run_collect_free(void);

/* ---- collect_key.c: which collective it is, as nodes write it and the relay compares */

uint32_t px_run_key_kind(const char *key, size_t len);
const char *px_run_key_name(const char *key, size_t len);
/* Whether the process, or one of the job (PMIX_RANK_WILDCARD), takes part. */
bool px_run_key_names(const char *key, size_t len, const pmix_proc_t *proc);
/* What it ends with if somebody will not come to it. */
pmix_status_t px_run_key_lost_status(const char *key, size_t len);
/* Whether both are of one kind and name, and one process is in both. */
bool px_run_keys_contend(const char *a, size_t a_len, const char *b, size_t b_len);

/* ---- absent.c: who has ended, as the relay knows */

void px_run_absent_add(const pmix_proc_t *proc, uint32_t node);
/* All processes of the job have ended, also those that it has not heard of. */
void px_run_absent_over(const char *nspace);
bool px_run_is_over(const char *nspace);
/* The ith of the processes whose jobs are not over, and its node; NULL: there are no more. */
const pmix_proc_t *px_run_absent(size_t i, uint32_t *ret_node);
bool px_run_is_absent(const pmix_proc_t *proc);
void px_run_absent_free(void);

/* ---- departed.c: who has left a group, as the relay knows */

/* So many groups are known that a process has left. */
enum { PX_RUN_MOST_LEFT = 256 };

void px_run_left_add(const char *group, const pmix_proc_t *proc, uint32_t node);
bool px_run_has_left(const char *group, const pmix_proc_t *proc);
/* How many processes of the job and node that the key names have left the group of its name. */
uint32_t px_run_left_count(const char *key, size_t len, const char *nspace, uint32_t node);
/* They are in a group of that name again, or their job is over. */
void px_run_left_forget(const char *group, const pmix_proc_t *procs, size_t n);
void px_run_left_forget_key(const char *key, size_t len);
void px_run_left_forget_job(const char *nspace);
void px_run_left_free(void);

/* ---- remote.c: a node's end of its link */

int px_run_remote_open(int fd);
/* Sends a frame and frees the payload. */
pmix_status_t px_run_remote_send(enum px_run_frame_type type, uint32_t to, uint64_t id, int status,
                                 struct px_run_bytes *payload);
/* Keeps a request until its answer comes; the id to send with it, 0 when memory is out. */
uint64_t px_run_remote_keep(const struct px_run_task *task);
/* Gives the request back, once. */
bool px_run_remote_take(uint64_t id, struct px_run_task *ret_task);
void px_run_remote_end(int code);
void px_run_remote_code(int code);
void px_run_remote_close(void);
void px_run_remote_started(const struct px_run_job *job);
void px_run_remote_ended(const struct px_run_proc *proc);
void px_run_remote_job_done(const char *nspace, int code);
void px_run_remote_signal(const pmix_proc_t *targets, size_t n, int sig, bool excuse);

/* ---- a node's share in what concerns several: collect.c, modex.c, names.c, event.c, forward.c,
 * push.c, spawn.c, tool.c */

void px_run_fence(struct px_run_task *task);
void px_run_connect(struct px_run_task *task);
void px_run_group(struct px_run_task *task);
void px_run_collected(const struct px_run_frame *head, struct px_run_reader *payload);

void px_run_modex(struct px_run_task *task);
void px_run_modex_asked(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_modex_answered(const struct px_run_frame *head, struct px_run_reader *payload);

void px_run_names(struct px_run_task *task); /* publish, unpublish, lookup: here or on node 0 */
void px_run_names_asked(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_names_answered(const struct px_run_frame *head, struct px_run_reader *payload);

void px_run_event(struct px_run_task *task);
/* A process of this node has ended: tells all nodes' servers, and processes that want to know. */
void px_run_event_ended(const struct px_run_proc *proc);
void px_run_event_ended_there(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_event_came(const struct px_run_frame *head, struct px_run_reader *payload);

void px_run_tool_lost_there(const struct px_run_frame *head, struct px_run_reader *payload);

void px_run_pull_there(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_output_came(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_push_there(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_pushed(const struct px_run_frame *head, struct px_run_reader *payload);

void px_run_spawn_all(struct px_run_task *task);
void px_run_spawn_asked(const struct px_run_frame *head, struct px_run_reader *payload);
void px_run_spawn_ended(const struct px_run_frame *head, struct px_run_reader *payload);

#endif
