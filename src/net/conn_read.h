/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_READ_H
#define PX_NET_CONN_READ_H

/* The reading half of a connection; called by conn.c only, on the loop thread. */

#include <stdbool.h>

struct px_conn;

/* Sets up conn->in. Without memory conn->in.small is NULL, which the caller checks. */
void px_conn_in_init(struct px_conn *conn);

/* Frees what was received and not delivered, descriptors included. Harmless when repeated. */
void px_conn_in_drop(struct px_conn *conn);

/* Receives and delivers what is there, a bounded amount, nothing if the connection's pool has had
 * its time in this turn of the loop; ends the connection at the end of the stream or at a malformed
 * frame. If conn->in.waits afterwards, it is to be called again in the next turn, though nothing
 * may have arrived. Its caller in conn.c has entered the connection (conn->busy). */
void px_conn_read_loop(struct px_conn *conn);

/* The same though the pool has had its time; but not if it has had ten times as much in this turn:
 * then false, and nothing is read. */
bool px_conn_read_out_of_turn_loop(struct px_conn *conn);

#endif
