/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_READ_H
#define PX_NET_CONN_READ_H

struct px_conn;

/* conn_read.c */
void px_conn_in_init(struct px_conn *conn);
void px_conn_in_drop(struct px_conn *conn);
void px_conn_read_loop(struct px_conn *conn);

#endif
