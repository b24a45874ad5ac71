/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_LOG_H
#define PX_SERVER_MODEX_LOG_H

/* The modex log of a local process: what it has committed for other nodes, to be sent in fences
 * and direct modex. Loop thread. */

#include <stdbool.h>
#include <stdint.h>

#include "src/base/buf.h"
#include "src/base/list.h"
#include "src/base/map.h"
#include "src/wire/codec.h"

struct px_kval;

/* The newest value of each key, as packed KVALs in the order of commit. Each value has a number
 * from a counter that all logs of a server share, so that the values since a number can be
 * selected. A commit brings changes only (our clients) or everything again (stock clients); an
 * unchanged value keeps its place and number. Owned by the local process's record. Zeros: empty. */
struct px_modex_log {
    struct px_map keys;   /* name (px_kval_name) to item */
    struct px_list items; /* by number, ascending */
    uint64_t packed;      /* the highest number that was ever packed */
    size_t bytes;         /* of all items, with their names */
};

/* The part of a log that was packed: a receiver that has everything up to `from` has everything
 * up to `to` with it. The numbers are this server's; a receiver stores them with the server's id
 * (px_received_mark). */
struct px_modex_log_span {
    uint64_t from; /* 0: the receiver needs nothing before */
    uint64_t to;   /* equal to `from`: nothing new */
    size_t len;    /* bytes of its entries */
};

/* Packed values, each one KVAL operation, whose bytes are borrowed. Zeros: none. The owner frees
 * the array with px_modex_list_free. */
struct px_modex_list {
    struct px_in *values;
    size_t n;
    size_t cap;
    size_t bytes; /* of all of them */
};

/* Appends a value. 0, or PMIX_ERR_NOMEM. */
int px_modex_list_add(struct px_modex_list *list, const void *bytes, size_t len);
/* Frees the array; the list is empty again. */
void px_modex_list_free(struct px_modex_list *list);

/* A place for a value in a log, which is filled before it is put there. */
struct px_modex_log_item;

/* A value on its way into a log: for one of so many bytes that to compare and to copy them takes
 * long. Zeros to begin with; the caller frees the item with px_modex_log_item_free, until the value
 * is put. */
struct px_modex_log_copy {
    struct px_modex_log_item *item; /* NULL: none */
    size_t filled;     /* bytes that are copied; compared, as long as nothing differs */
    uint64_t compared; /* number of the value that it was compared with; 0: none */
    bool differs;      /* from that one */
};

/* Compares up to `most` bytes of the value, which is in the plain encoding, with the newest one of
 * its name, and once they differ copies as many, from the first one on. True: nothing is left to
 * do, or there is no memory for the copy. */
bool px_modex_log_copy(const struct px_modex_log *log, struct px_modex_log_copy *copy,
                       const struct px_kval *kval, size_t most);
/* Takes NULL. A large one in its own time (src/base/release.h). */
void px_modex_log_item_free(struct px_modex_log_item *item);

/* Copies a value in the plain encoding into the log and numbers it by ++*counter, unless it
 * equals the newest value of its name. `copy`: what was done before; its item is taken over if it
 * is whole. 0, or PMIX_ERR_NOMEM or the status of encoding; then the log is unchanged. */
int px_modex_log_put(struct px_modex_log *log, const struct px_kval *kval,
                     struct px_modex_log_copy *copy, uint64_t *counter);

/* Deletes a value by its key. If it was packed before, an entry with a new number that says so
 * takes its place: KVAL with a value of the type PMIX_UNDEF. 0, or PMIX_ERR_NOMEM; then the log is
 * unchanged. */
int px_modex_log_delete(struct px_modex_log *log, const char *key, size_t key_len,
                        uint64_t *counter);

/* The bytes that the log keeps of a value by its name (px_kval_name), as they count in `bytes`; 0:
 * it has none. */
size_t px_modex_log_size(const struct px_modex_log *log, const void *name, size_t name_len);

/* The bytes that an item of that length takes under a name of that length. */
size_t px_modex_log_cost(size_t name_len, size_t len);

/* Calls fn with the name of each item that is not a deletion, and its bytes. Stops at the first
 * result of fn that is not 0, and returns it; else 0. */
int px_modex_log_each(const struct px_modex_log *log,
                      int (*fn)(void *arg, const void *name, size_t name_len, size_t bytes),
                      void *arg);

/* True if the log has a value of the key that is not deleted. */
bool px_modex_log_has(const struct px_modex_log *log, const char *key, size_t key_len);

/* Appends all values that are not deleted to buf. 0 or PMIX_ERR_NOMEM. */
int px_modex_log_pack_values(struct px_modex_log *log, struct px_buf *buf);

/* The span of the entries with a number above `since`. */
struct px_modex_log_span px_modex_log_since(const struct px_modex_log *log, uint64_t since);
/* Appends these entries to a list, which borrows their bytes until the log changes; they count as
 * packed. 0, or PMIX_ERR_NOMEM. */
int px_modex_log_list(struct px_modex_log *log, uint64_t since, struct px_modex_list *list);

/* Frees the values, not the structure. */
void px_modex_log_fini(struct px_modex_log *box);

#endif
