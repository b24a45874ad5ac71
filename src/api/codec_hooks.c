/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Sets the function pointers by which the codec reaches src/topo. */

#include "codec_hooks.h"

#include "src/wire/wire_hooks.h"
#include "src/topo/cpuset.h"
#include "src/topo/topo_hooks.h"
#include "src/topo/topo_values.h"

/* A constructor, because packing and the functions on structures may be used before PMIx_Init. It
 * sets pointers to functions and does nothing else. */
__attribute__((constructor)) void px_codec_hooks_install(void)
{
    px_topo_install_hooks();
    px_wire_hooks.cpuset_text = px_topo_cpuset_string;
    px_wire_hooks.cpuset_parse = px_topo_cpuset_parse;
    px_wire_hooks.topo_text = px_topo_to_xml;
    px_wire_hooks.topo_parse = px_topo_from_xml;
    px_wire_hooks.topo_support_size = px_topo_support_size();
    px_wire_hooks.topo_support = px_topo_support;
}
