/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_FAKE_SEGMENT_H
#define PX_TEST_FUZZ_FAKE_SEGMENT_H

/* Well-formed segments for a fake server, of FUZZ_JOB and of FUZZ_OTHER, as a server of this
 * library makes them. Contents that are not well-formed are segment_fuzz's. One thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes both anew: the jobs of half_server, and the values "key" and "name" of their process 1. */
void fake_segments_start(void);
void fake_segments_stop(void);

/* The descriptor of a segment; borrowed until it is changed. */
int fake_segment_fd(bool other);

/* Changes a segment. The low two bits of `how`: 0, process how >> 4 posts the bytes as "key"; 1,
 * the same, and everything moves to a new generation; 2, its writer ends and begins anew; 3, the
 * bits `how` >> 2 of enum px_store_flag are set. */
void fake_segment_change(bool other, uint8_t how, const void *bytes, size_t len);

#endif
