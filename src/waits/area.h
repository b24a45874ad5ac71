/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WAITS_AREA_H
#define PX_WAITS_AREA_H

/* The area of open waits: what a server waits for, in a memfd that it alone writes and that any
 * process of its user may read, also while the server is stopped (docs/memory-model.md, section 12;
 * docs/decisions). Everything has a fixed place and a fixed size. The structures here are those of
 * the area, of the server's private copy, and of a reader's copy. All sizes are multiples of 8
 * bytes: the area is written and read in words.
 *
 * A row of the processes or of the namespaces is named by its number + 1, so that 0 is none. */

#include <stdint.h>

#include "counts.h"

enum {
    PX_WAITS_NAMESPACES = 32,
    PX_WAITS_PROCS = 1024,
    PX_WAITS_ENTRIES = 64,
    PX_WAITS_PAST = 64,
    PX_WAITS_NAMED = 8,
    PX_WAITS_TEXT = 128,
    PX_WAITS_NAME = 256,
    PX_WAITS_BITS = PX_WAITS_PROCS / 64,
};

#define PX_WAITS_MAGIC   UINT64_C(0x737469617778705f)
#define PX_WAITS_VERSION 2

/* The name of the memfd. */
#define PX_WAITS_LABEL "shmix-waits"

/* What waits. */
enum px_waits_kind {
    PX_WAITS_NONE, /* the entry is free */
    PX_WAITS_FENCE,
    PX_WAITS_CONNECT,
    PX_WAITS_DISCONNECT,
    PX_WAITS_CONSTRUCT,
    PX_WAITS_DESTRUCT,
    PX_WAITS_GET,      /* a process wants the value of a key: `named` has whose, `text` the key */
    PX_WAITS_TRANSFER, /* the host wants what a process commits, for another node */
    PX_WAITS_REQUEST,  /* the host has been asked for something else, `text`, by a process */
    PX_WAITS_KINDS,
};

/* For what. */
enum px_waits_stage {
    PX_WAITS_GATHERS,    /* processes of this node are still to come */
    PX_WAITS_FOR_HOST,   /* the host has been asked, and has not answered */
    PX_WAITS_FOR_OTHERS, /* for processes that come by themselves, or for other collectives */
    PX_WAITS_FOR_COMMIT, /* a process of this node has not committed the key */
    PX_WAITS_FOR_JOB,    /* the host has not registered the namespace */
    PX_WAITS_STAGES,
};

/* What is known of a process of this node. */
enum px_waits_flag {
    PX_WAITS_CONNECTED = 1, /* has a connection */
    PX_WAITS_FINALIZED = 2, /* has closed its last one after PMIx_Finalize */
    PX_WAITS_ENDED = 4,     /* has gone, as the host or the connection says */
};

/* Constant once `magic` is there. */
struct px_waits_head {
    uint64_t magic;
    uint32_t version;
    uint32_t bytes; /* of the whole area */
    uint32_t pid;   /* of the server */
    uint32_t rank;
    char nspace[PX_WAITS_NAME];
    char hostname[PX_WAITS_NAME];
};

/* A namespace that a row or an entry names; an empty name: free. */
struct px_waits_nspace {
    char name[PX_WAITS_NAME];
};

/* A process of this node. */
struct px_waits_proc {
    uint32_t nspace; /* 0: the row is free */
    uint32_t rank;
    uint32_t pid; /* 0: not known */
    uint32_t flags;
};

/* A process, or all of a namespace (PX_WAITS_ALL). */
struct px_waits_name {
    uint32_t nspace; /* 0: there was no room for its name */
    uint32_t rank;
};
#define PX_WAITS_ALL UINT32_C(0xfffffffe) /* PMIX_RANK_WILDCARD */

/* One wait. */
struct px_waits_entry {
    uint64_t lock;        /* odd while the entry is written, and changed after */
    uint64_t since_ns;    /* of the monotonic clock */
    uint64_t deadline_ns; /* likewise; 0: none */
    uint64_t key;         /* the same for a collective at each server that takes part */
    uint32_t kind;
    uint32_t stage;
    uint32_t n_expected; /* processes of this node that a collective needs */
    uint32_t n_come;     /* those that have called */
    uint32_t n_named;    /* processes that it names; `named` has the first ones */
    uint32_t asker;      /* row of the process that asks; 0: another, or many */
    struct px_waits_name named[PX_WAITS_NAMED];
    char text[PX_WAITS_TEXT]; /* group, key or request, cut where it is too long */
    uint64_t expected[PX_WAITS_BITS];
    uint64_t come[PX_WAITS_BITS];
};

/* A collective that has ended, for the latecomer of each. */
struct px_waits_past {
    uint64_t lock;
    uint64_t number;    /* counts from 1; 0: the entry is free */
    uint64_t late_ns;   /* from the last but one process of this node to the last one */
    uint64_t spread_ns; /* from the first to the last */
    uint64_t total_ns;  /* from the first to the end */
    uint32_t kind;
    uint32_t n_come;
    uint32_t last_rank;
    int32_t status;
    char last_nspace[PX_WAITS_NAME];
    char text[PX_WAITS_TEXT];
};

struct px_waits_area {
    struct px_waits_head head;
    uint64_t lock;                    /* of the two tables, as that of an entry */
    uint64_t hidden;                  /* waits that have no entry, because there was none left */
    uint64_t counts[PX_WAITS_COUNTS]; /* enum px_waits_count */
    struct px_waits_nspace nspaces[PX_WAITS_NAMESPACES];
    struct px_waits_proc procs[PX_WAITS_PROCS];
    struct px_waits_entry entries[PX_WAITS_ENTRIES];
    struct px_waits_past past[PX_WAITS_PAST];
};

_Static_assert(sizeof(struct px_waits_head) % 8 == 0, "words");
_Static_assert(sizeof(struct px_waits_proc) % 8 == 0, "words");
_Static_assert(sizeof(struct px_waits_entry) % 8 == 0, "words");
_Static_assert(sizeof(struct px_waits_past) % 8 == 0, "words");

#endif
