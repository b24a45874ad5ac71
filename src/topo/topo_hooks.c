/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Connects the two opaque structures of the value family to hwloc. A file of its own, so that
 * programs that need only the topology do not link the value layer. */

#include "topo_hooks.h"

#include "src/value/value_hooks.h"
#include "cpuset.h"
#include "topo_values.h"

static int cpuset_text(const void *element, char **ret_text)
{
    return px_topo_cpuset_string(element, ret_text);
}

void px_topo_install_hooks(void)
{
    px_topology_hooks = (struct px_value_hooks){px_topo_copy, px_topo_destruct, px_topo_compare,
                                                px_topo_size, px_topo_text};
    px_cpuset_hooks =
        (struct px_value_hooks){px_topo_cpuset_copy, px_topo_cpuset_destruct,
                                px_topo_cpuset_compare, px_topo_cpuset_size, cpuset_text};
}
