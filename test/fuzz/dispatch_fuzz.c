/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The server against what admitted peers may send. Byte 0 chooses the host, bytes 1 to 3 the
 * introductions of process 0, of process 1 and of a tool; then steps: `who` is one of these three
 * (0, 1, 2) or the host (3), with 0x80 the bytes are sent without a frame, with 0x40 the peer is
 * gone after them; `what` is the tag of a message, or what the host does. */
#include <unistd.h>

#include <pmix_server.h>

#include "fuzz.h"
#include "half_server.h"

enum { N_PEERS = 3, HOST = 3, RAW = 0x80, GONE = 0x40, WHO = 0x03 };

enum { CLIENT_BITS = HELLO_DESCRIBED | HELLO_OURS | HELLO_RELEASE };

static int peers[N_PEERS];

static void ignore_op(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

static void ignore_data(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    (void) status;
    (void) data;
    (void) n;
    (void) cbdata;
}

static void host_does(const struct fuzz_step *step)
{
    pmix_byte_object_t bytes = {.bytes = (char *) (uintptr_t) step->payload, .size = step->len};
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, FUZZ_JOB, step->what >> 4);
    switch (step->what & 7) {
    case 0:
        (void) PMIx_Notify_event(PMIX_ERR_PROC_TERM_WO_SYNC - (int) step->len, &proc,
                                 PMIX_RANGE_SESSION, NULL, 0, ignore_op, NULL);
        break;
    case 1:
        (void) PMIx_server_IOF_deliver(&proc, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, ignore_op,
                                       NULL);
        break;
    case 2:
        (void) PMIx_server_dmodex_request(&proc, ignore_data, NULL);
        break;
    case 3:
        PMIx_server_deregister_client(&proc, NULL, NULL);
        break;
    case 4:
        half_server_modex(step->payload, step->len);
        break;
    case 5:
        PMIx_server_deregister_nspace(proc.nspace, NULL, NULL);
        break;
    default:
        break;
    }
    half_server_run();
}

static void peer_does(const struct fuzz_step *step)
{
    int *peer = &peers[step->who & WHO];

    if (*peer < 0) {
        return;
    }
    if (step->who & RAW) {
        half_server_send(*peer, step->payload, step->len);
    } else {
        half_server_message(*peer, step->what, step->payload, step->len);
    }
    if (step->who & GONE) {
        close(*peer);
        *peer = -1;
        half_server_run();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, data + size};
    struct fuzz_step step;

    half_server_start(fuzz_byte(&in) % N_HOSTS, false);
    for (uint32_t i = 0; i < N_PEERS; i++) {
        uint8_t bits = fuzz_byte(&in);

        peers[i] = half_server_introduce(i < 2 ? bits & CLIENT_BITS : bits | HELLO_TOOL, i);
    }
    while (fuzz_next(&in, &step)) {
        if ((step.who & WHO) == HOST) {
            host_does(&step);
        } else {
            peer_does(&step);
        }
    }
    for (int i = 0; i < N_PEERS; i++) {
        if (peers[i] >= 0) {
            close(peers[i]);
        }
    }
    half_server_stop();
    return 0;
}
