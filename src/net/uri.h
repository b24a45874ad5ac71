/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_URI_H
#define PX_NET_URI_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <pmix_common.h>

struct px_address {
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
    } addr;
    socklen_t len;
};

/* "<nspace>.<rank>;<scheme>://<address>" taken apart: scheme tcp4, tcp6 (the address bracketed or
 * not), or unix
 * (@NAME abstract, or a path from the root). 0 or PMIX_ERR_BAD_PARAM. */
int px_uri_parse(const char *uri, pmix_proc_t *ret_server, struct px_address *ret_address);

/* The server's id out of a URI. */
int px_uri_server(const char *uri, pmix_proc_t *ret);

#endif
