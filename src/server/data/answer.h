/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_ANSWER_H
#define PX_SERVER_ANSWER_H

/* The answer to a get of a peer: its beginning and its end (values: answer_values.h). Loop thread.
 */

#include <stdbool.h>
#include <stdint.h>

struct px_answer;
struct px_buf;
struct px_get;
struct px_nspace;
struct px_peer;

/* The peer that asked, or NULL: this process asked, or the peer has disconnected. */
struct px_peer *px_get_peer(const struct px_get *get);

/* Starts an answer about one process or the job: finds the encoding, and whether the requester
 * reads the segment. The reply of GET is STATUS BYTES, the job's information; only if the namespace
 * is not the requester's own, and the requester does not get its segment: else it could not tell
 * which values are missing BYTES, the process, then its values. The reply of REFRESH_CACHE is
 * STATUS and the values; no segment is passed with it. 0 or the status of packing. */
int px_answer_begin(struct px_answer *p, const struct px_get *get, struct px_nspace *ns,
                    uint32_t rank);

/* Begins the BYTES of one process, or of the job, with its name. px_answer_begin does so. */
int px_answer_begin_process(struct px_answer *p, const struct px_nspace *ns, uint32_t rank);

/* Adds {PROC, KVAL...} of the job to a reply, or the one value that stands for all of them when the
 * segment is passed with the answer. If packing fails, so does the reply. */
void px_answer_add_job(struct px_buf *reply, const struct px_get *get, const struct px_answer *p,
                       struct px_nspace *ns);

/* True if the answer has BYTES around its values: all but the reply of REFRESH_CACHE. */
bool px_answer_has_bytes(const struct px_get *get);

/* Ends the answer, which has no large values, so that it can be sent. The reply of REFRESH_CACHE
 * is without values for requesters that read them in the segment. */
void px_answer_end(const struct px_get *get, struct px_answer *p);

/* Sends the answer, with the descriptor of the segment if px_answer_begin decided so. Empties `p`.
 */
void px_answer_send(const struct px_get *get, struct px_nspace *ns, struct px_answer *p);

#endif
