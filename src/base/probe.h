/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PROBE_H
#define PX_BASE_PROBE_H

/* Static probes of the provider `shmix`, for bpftrace, perf, gdb and SystemTap: the only file that
 * uses <sys/sdt.h>. A probe is one nop and a note in the ELF file that says where it is and where
 * its arguments are. docs/tools.md has the table of probes; test/t/probes.sh compares it with the
 * library. Configured by --with-probes. */

#include "config.h"

#if PX_WITH_PROBES
#define SDT_USE_VARIADIC
#include <sys/sdt.h>

/* Marks a point of the program. `name` is the name of the probe, a plain word; a name that stands
 * in several places has the same arguments in all of them. There are one to six arguments, integers
 * and pointers. The program evaluates them also when no tracer is attached: pass variables, not
 * calls. */
#define PX_PROBE(name, ...) STAP_PROBEV(shmix, name, __VA_ARGS__)

#else

/* Never called: its arguments count as used and are not evaluated. */
int px_probe_none(int first, ...);
#define PX_PROBE(name, ...) ((void) sizeof(px_probe_none(0, __VA_ARGS__)))

#endif

#endif
