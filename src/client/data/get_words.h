/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_WORDS_H
#define PX_CLIENT_GET_WORDS_H

struct px_get_request;

/* For who watches, by a probe and at verbosity 2: the server is asked, and has answered. */
void px_get_request_asks(const struct px_get_request *request);
void px_get_request_answered(const struct px_get_request *request, int status);

#endif
