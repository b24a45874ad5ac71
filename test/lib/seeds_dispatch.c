/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The seeds of dispatch_fuzz. */

#include "seeds.h"

#include <stdio.h>

#include <pmix_server.h>

#include "src/base/buf.h"
#include "src/request/args.h"
#include "src/request/schema.h"
#include "test/fuzz/half_client.h"

enum { MOST_SAID = 4, GONE = 0x40 };

/* --- what the host has passed on --- */

static struct {
    struct frame frame;
    struct px_buf buf;
} said[MOST_SAID];
static size_t n_said;

/* The host tells of an event of that process, as the hosts of other nodes do. */
void seeds_host_says(const pmix_proc_t *source, const struct px_notify_args *args)
{
    enum { PASS_ON = 10, COMMAND_BYTES = 1 };
    struct px_buf *buf = &said[n_said].buf;

    seeds_need(n_said < MOST_SAID &&
                   px_args_pack(buf, PX_WIRE_PLAIN, &px_request_notify, &args->head) == 0,
               "an event");
    said[n_said].frame = (struct frame){PASS_ON | source->rank << 4, buf->len - COMMAND_BYTES,
                                        (const unsigned char *) buf->data + COMMAND_BYTES};
    n_said++;
    (void) PMIx_Notify_event(args->code, source, args->range, args->head.info, args->head.ninfo,
                             NULL, NULL);
}

void seeds_forget_said(void)
{
    while (n_said > 0) {
        px_buf_fini(&said[--n_said].buf);
    }
}

/* How a recorded conversation goes in a seed of dispatch, if not as it did. */
struct course {
    const char *name;
    int host;          /* enum half_server_host, or -1: that of the form */
    bool usual_limits; /* of the server */
    uint16_t tick_us;  /* of each reading of the clock */
    uint16_t step_ms;  /* behind each message */
    uint16_t end_ms;   /* behind the last one */
    bool host_acts; /* it holds back who gives input, and behind the last message asks for data, */
};                  /* tells of ends, and takes processes and jobs away */

static const struct course courses[] = {
    {"", -1, false, 0, 0, 0, false},         {"waits", HOST_WAITS, false, 0, 0, 20000, false},
    {"late", -1, false, 0, 0, 20000, false}, {"slow", -1, true, 3000, 0, 0, false},
    {"usual", -1, true, 0, 0, 0, false},     {"ages", -1, false, 0, 1100, 1100, false},
    {"acts", -1, false, 0, 0, 0, true},
};

enum {
    HOST = 3,
    PASS = 7,
    TICK = 8,
    FLOW = 9,
    SETTLE = 11,
    LIMITLESS = 0x80,
    LAUNCHED = 0x40,
    END = 12
};

/* The host does something, with a number. */
static void put_host(FILE *file, int what, unsigned number)
{
    unsigned char bytes[2] = {number & 0xff, number >> 8 & 0xff};

    seeds_put_bytes(file, HOST, what, bytes, number ? sizeof(bytes) : 0);
}

static void put_beginning(FILE *file, const struct form *form, const struct course *course)
{
    int host = course->host < 0 ? (int) form->host : course->host;

    (void) fputc(host | (course->usual_limits ? LIMITLESS : 0) | (form->launcher ? LAUNCHED : 0),
                 file);
    for (int i = 0; i < 3; i++) {
        (void) fputc(form->hello, file);
    }
    if (course->tick_us) {
        put_host(file, TICK, course->tick_us);
    }
    if (course->host_acts) {
        put_host(file, FLOW, 1);
    }
}

/* Requests for data of processes and of the job, output, events, deregistration. */
static const int acts[] = {0x02, 0x12, 0xf2, 0x01, 0x00, 0x13, 0xf2, 0x05};

static void put_end(FILE *file, const struct course *course)
{
    for (size_t i = 0; i < n_said; i++) {
        seeds_put(file, HOST, &said[i].frame);
    }
    if (course->host_acts) {
        put_host(file, FLOW, 0);
        for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
            put_host(file, acts[i], 0);
        }
    }
    put_host(file, END, 0);
    if (course->end_ms) {
        put_host(file, PASS, course->end_ms);
        put_host(file, SETTLE, 0);
    }
}

/* What the processes have sent, in turns. The last message of one that has ended without a goodbye
 * is one after which it is gone. */
static void write_course(unsigned call, const struct form *form, const struct course *course)
{
    char name[64];
    FILE *file;
    static struct frame frames[SEEDS_CLIENTS][SEEDS_MOST_FRAMES];
    size_t n[SEEDS_CLIENTS] = {0, 0};

    snprintf(name, sizeof(name), "%s%s", form->name, course->name);
    file = seeds_open("dispatch", half_client_name(call), name);
    for (int i = 0; i < (form->tool ? 1 : SEEDS_CLIENTS); i++) {
        n[i] = seeds_split(&records[i].sent, frames[i]);
    }
    put_beginning(file, form, course);
    for (size_t at = 0; at < n[0] || at < n[1]; at++) {
        for (int i = 0; i < SEEDS_CLIENTS; i++) {
            if (at < n[i]) {
                bool gone = at + 1 == n[i] && !records[i].finalized;
                const struct frame *frame = &frames[i][at];
                int who = (form->tool ? 2 : i) | (gone ? GONE : 0);

                seeds_put_long(file, who, frame);
                if (course->step_ms) {
                    put_host(file, PASS, course->step_ms);
                }
            }
        }
    }
    put_end(file, course);
    (void) fclose(file);
}

void seeds_write_dispatch(unsigned call, const struct form *form)
{
    for (size_t i = 0; i < sizeof(courses) / sizeof(courses[0]); i++) {
        write_course(call, form, &courses[i]);
    }
}
