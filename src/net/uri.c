/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Parser for contact strings. A namespace may contain dots and an IPv6 address colons, so both are
 * split at the last one. */

#include "src/net/uri.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

#include "src/base/number.h"
#include "src/net/dial.h"

/* Reads "<nspace>.<rank>;" and sets *ret_rest to what follows. 0 or PMIX_ERR_BAD_PARAM. */
static int parse_server(const char *uri, pmix_proc_t *ret, const char **ret_rest)
{
    const char *semicolon = strchr(uri, ';');
    const char *dot;
    uint64_t rank;

    if (!semicolon) {
        return PMIX_ERR_BAD_PARAM;
    }
    dot = memrchr(uri, '.', (size_t) (semicolon - uri));
    if (!dot || dot == uri || (size_t) (dot - uri) > PMIX_MAX_NSLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (px_number_read(dot + 1, UINT32_MAX, &rank) != semicolon) {
        return PMIX_ERR_BAD_PARAM;
    }
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->nspace, uri, (size_t) (dot - uri));
    ret->rank = (pmix_rank_t) rank;
    *ret_rest = semicolon + 1;
    return PMIX_SUCCESS;
}

int px_uri_server(const char *uri, pmix_proc_t *ret)
{
    const char *rest;

    return parse_server(uri, ret, &rest);
}

/* Reads "address:port"; the port is not 0. Names of hosts are not resolved. 0 or
 * PMIX_ERR_BAD_PARAM. */
static int parse_tcp(const char *text, int family, struct px_address *ret)
{
    const char *colon = strrchr(text, ':');
    char host[INET6_ADDRSTRLEN + 2];
    char *from = host;
    const char *end = NULL;
    uint64_t port;
    size_t n;
    int ok;

    if (colon && (size_t) (colon - text) < sizeof(host)) {
        end = px_number_read(colon + 1, UINT16_MAX, &port);
    }
    if (!end || *end || !port) {
        return PMIX_ERR_BAD_PARAM;
    }
    n = (size_t) (colon - text);
    memcpy(host, text, n);
    host[n] = '\0';
    if (n >= 2 && host[0] == '[' && host[n - 1] == ']') {
        host[n - 1] = '\0';
        from++;
    }
    memset(ret, 0, sizeof(*ret));
    ret->addr.any.sa_family = (sa_family_t) family;
    if (family == AF_INET) {
        ok = inet_pton(family, from, &ret->addr.in4.sin_addr);
        ret->addr.in4.sin_port = htons((uint16_t) port);
        ret->len = sizeof(ret->addr.in4);
    } else {
        ok = inet_pton(family, from, &ret->addr.in6.sin6_addr);
        ret->addr.in6.sin6_port = htons((uint16_t) port);
        ret->len = sizeof(ret->addr.in6);
    }
    return ok == 1 ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

/* Reads "@NAME" or "/PATH". 0 or PMIX_ERR_BAD_PARAM (also: too long). */
static int parse_unix(const char *text, struct px_address *ret)
{
    size_t n = strlen(text);

    if (n < 2 || n >= sizeof(ret->addr.un.sun_path) || (*text != '@' && *text != '/')) {
        return PMIX_ERR_BAD_PARAM;
    }
    memset(ret, 0, sizeof(*ret));
    ret->addr.un.sun_family = AF_UNIX;
    memcpy(ret->addr.un.sun_path, text, n);
    ret->len = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + n);
    if (*text == '@') {
        ret->addr.un.sun_path[0] = '\0';
    } else {
        ret->len++;
    }
    return PMIX_SUCCESS;
}

/* The server's name is stored last, so that *ret_server is untouched on failure. */
int px_uri_parse(const char *uri, pmix_proc_t *ret_server, struct px_address *ret_address)
{
    pmix_proc_t server;
    const char *rest;
    int rc = parse_server(uri, &server, &rest);

    if (rc) {
        return rc;
    }
    if (strncmp(rest, "tcp4://", 7) == 0) {
        rc = parse_tcp(rest + 7, AF_INET, ret_address);
    } else if (strncmp(rest, "tcp6://", 7) == 0) {
        rc = parse_tcp(rest + 7, AF_INET6, ret_address);
    } else if (strncmp(rest, "unix://", 7) == 0) {
        rc = parse_unix(rest + 7, ret_address);
    } else {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (rc == PMIX_SUCCESS) {
        *ret_server = server;
    }
    return rc;
}
