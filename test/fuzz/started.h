/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_STARTED_H
#define PX_TEST_FUZZ_STARTED_H

/* What a launcher starts in a target: not the program that an input names, but one that copies its
 * input to its output if that is forwarded, with an empty environment; and none that has to stop at
 * its first instruction. Linked with --wrap for posix_spawnp and vfork. The target's only thread.
 */

/* Ends all that run, and waits for that. The launcher has not noticed yet. */
void started_end(void);

#endif
