/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_SEED_H
#define PX_BASE_SEED_H

/* Hashes under a key, for tables in process memory whose keys come from others: without the key
 * nobody can choose strings that collide. */

#include <stddef.h>
#include <stdint.h>

/* SipHash-1-3 under a key of two words. */
uint64_t px_sip_hash(const uint64_t key[2], const void *bytes, size_t len);

/* The same under a random key of this process, which never leaves it; a forked child has its
 * parent's. Not constant between runs. Any thread. */
uint64_t px_seeded_hash(const void *bytes, size_t len);

#endif
