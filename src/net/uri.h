/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_URI_H
#define PX_NET_URI_H

/* Contact strings of servers: "<nspace>.<rank>;<scheme>://<address>". Processes find them in the
 * environment, tools in rendezvous files (docs/wire-format.md, section 1). The text may be
 * anybody's, so every part is bounded. Any thread. */

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <pmix_common.h>

/* A socket address, as connect(2) takes it. */
struct px_address {
    union {
        struct sockaddr any;
        struct sockaddr_in in4;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
    } addr;
    socklen_t len;
};

/* Splits a contact string into the server's name and its address. Schemes are tcp4, tcp6 (the
 * address in brackets or not) and unix (@NAME for an abstract one, or an absolute path). 0 or
 * PMIX_ERR_BAD_PARAM; *ret_server is then untouched, *ret_address undefined. */
int px_uri_parse(const char *uri, pmix_proc_t *ret_server, struct px_address *ret_address);

/* The server's name in a contact string, whose address is not examined. 0 or PMIX_ERR_BAD_PARAM. */
int px_uri_server(const char *uri, pmix_proc_t *ret);

#endif
