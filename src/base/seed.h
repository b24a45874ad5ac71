/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_SEED_H
#define PX_BASE_SEED_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-1-3 under a key of two words. */
uint64_t px_sip_hash(const uint64_t key[2], const void *bytes, size_t len);

/* The same under this process's own key, which is random and never leaves the process; a child of a
 * fork has its parent's. For tables in process memory whose keys others choose. Any thread. */
uint64_t px_seeded_hash(const void *bytes, size_t len);

#endif
