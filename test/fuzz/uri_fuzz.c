/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Contact strings, and rendezvous files, against any bytes. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "src/discovery/tool_discovery.h"
#include "src/net/uri.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void read_uri(const char *text)
{
    struct px_address to;
    pmix_proc_t server;
    pmix_proc_t again;

    if (px_uri_parse(text, &server, &to) == 0) {
        require(to.len <= sizeof(to.addr) && memchr(server.nspace, 0, sizeof(server.nspace)));
        require(px_uri_server(text, &again) == 0 && PMIX_CHECK_PROCID(&server, &again));
    }
    (void) px_uri_server(text, &again);
}

static void read_file(const uint8_t *data, size_t size)
{
    static int file = -1;
    struct px_server_candidate found;

    file = file < 0 ? memfd_create("fuzz", MFD_CLOEXEC) : file;
    require(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t) size &&
            lseek(file, 0, SEEK_SET) == 0);
    if (px_found_read_from(file, &found) == 0) {
        require(memchr(found.uri, 0, sizeof(found.uri)) &&
                memchr(found.local_uri, 0, sizeof(found.local_uri)) &&
                memchr(found.version, 0, sizeof(found.version)));
        (void) px_found_lives(&found);
        read_uri(found.uri);
        read_uri(found.local_uri);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    read_uri(text);
    free(text);
    read_file(data, size);
    return 0;
}
