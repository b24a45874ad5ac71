/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The one topology of the process: where it comes from, and how it is lent out.
 *
 * Discovery takes tens of milliseconds and reads hundreds of files, so it happens at the first use
 * and not at init, and a client takes the server's result. Once loaded, the topology is never
 * changed: hwloc then allows any number of threads to read it. A topology that was lent to the
 * application stays recognisable until the process ends (struct lent), because an application may
 * release its pmix_topology_t after PMIx_Finalize, and that must not destroy the shared one. */

#include "hwloc_lib.h"
#include "topo.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/assert.h"
#include "src/base/lock.h"
#include "src/base/param.h"

/* A topology that an application may still hold; kept until the process ends. Owned by the list in
 * `machine`. */
struct lent {
    struct lent *next;
    hwloc_topology_t topo;
};

/* The process's topology and its sources, for all threads. */
static struct {
    struct px_lock lock;   /* guards everything here */
    hwloc_topology_t topo; /* NULL until it is loaded */
    bool borrowed;         /* the host's: not ours to destroy */
    char *xml;             /* the topology's text, exported at the first px_topo_xml_peek */
    px_topo_xml_fn provider;
    void *provider_arg;
    struct lent *lent; /* topologies lent to the application, of earlier lives too */
} machine = {.lock = PX_LOCK_INIT};

bool px_topo_is_ours(const char *source)
{
    size_t n = strlen(PX_TOPO_SOURCE);

    return strncasecmp(source, PX_TOPO_SOURCE, n) == 0 && (source[n] == '\0' || source[n] == ':');
}

/* The text of a whole file, malloc'd; NULL if it cannot be read or is empty. */
static char *read_file(const char *path)
{
    FILE *f = fopen(path, "re");
    if (f == NULL) {
        return NULL;
    }
    char *text = NULL;
    size_t len = 0;
    ssize_t got = getdelim(&text, &len, '\0', f);
    fclose(f);
    if (got <= 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Switches off components of hwloc that have side effects in somebody else's process: gl connects
 * to an X server, opencl loads drivers, and pci leaks memory that libpciaccess allocates. PCI
 * devices are found by the linux component without it. */
static void leave_out(hwloc_topology_t topo)
{
    static const char *const components[] = {"gl", "opencl", "pci"};

    for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++) {
        (void) hwloc_topology_set_components(topo, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                             components[i]);
    }
}

/* Sets source, filters and flags of a new topology and loads it. Statuses as px_topo_build; the
 * topology stays the caller's. */
static int configure(hwloc_topology_t topo, const char *xml, const char *synthetic, bool here)
{
    leave_out(topo);
    if (xml != NULL && hwloc_topology_set_xmlbuffer(topo, xml, (int) strlen(xml) + 1) != 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (synthetic != NULL && hwloc_topology_set_synthetic(topo, synthetic) != 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    (void) hwloc_topology_set_io_types_filter(
        topo, HWLOC_TYPE_FILTER_KEEP_IMPORTANT); /* the default drops all devices */
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
    if (here) {
        flags |= HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM;
    }
    if (hwloc_topology_set_flags(topo, flags) != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return hwloc_topology_load(topo) == 0 ? 0 : PMIX_ERR_BAD_PARAM;
}

/* hwloc computes some tables at their first use, which would be a write under concurrent readers,
 * so the topology is refreshed before anybody sees it. */
int px_topo_build(const char *xml, const char *synthetic, bool here, hwloc_topology_t *ret_topo)
{
    px_assert(xml == NULL || synthetic == NULL); /* at most one of them */
    if (xml != NULL && strlen(xml) > INT32_MAX - 1) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_hwloc_open()) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    hwloc_topology_t topo;
    if (hwloc_topology_init(&topo) != 0) {
        return PMIX_ERR_NOMEM;
    }
    int rc = configure(topo, xml, synthetic, here);
    if (rc != 0) {
        hwloc_topology_destroy(topo);
        return rc;
    }
    (void) hwloc_topology_refresh(topo);
    *ret_topo = topo;
    return 0;
}

int px_topo_export(hwloc_topology_t topo, char **ret_xml)
{
    char *text;
    int len;

    if (hwloc_topology_export_xmlbuffer(topo, &text, &len, 0) != 0) {
        return PMIX_ERROR;
    }
    char *copy = strdup(text);
    hwloc_free_xmlbuffer(topo, text);
    if (copy == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *ret_xml = copy;
    return 0;
}

/* Builds the topology from the first source that gives a valid one; it is the caller's. A malformed
 * text is passed over in favour of discovery. Takes no lock: the provider may call the library. */
static int acquire(px_topo_xml_fn provider, void *arg, hwloc_topology_t *ret_topo)
{
    const char *path = px_param_string(PX_P_HWLOC_TOPO_FILE);
    char *xml = path[0] != '\0' ? read_file(path) : NULL;
    if (xml == NULL && provider != NULL) {
        xml = provider(arg);
    }
    if (xml != NULL) {
        int rc = px_topo_build(xml, NULL, true, ret_topo);
        free(xml);
        if (rc == 0) {
            return 0;
        }
    }
    return px_topo_build(NULL, NULL, true, ret_topo);
}

/* The topology is built without the lock, since discovery is slow and the provider may call the
 * library. Threads that come at the same time each build one; the first to finish wins, the others
 * are destroyed. */
int px_topo_machine(hwloc_topology_t *ret_topo)
{
    px_lock_take(&machine.lock);
    hwloc_topology_t topo = machine.topo;
    px_topo_xml_fn provider = machine.provider;
    void *arg = machine.provider_arg;
    px_lock_give(&machine.lock);
    if (topo == NULL) {
        int rc = acquire(provider, arg, &topo);
        if (rc != 0) {
            return rc;
        }
        px_lock_take(&machine.lock);
        if (machine.topo == NULL) {
            machine.topo = topo;
        } else { /* another thread has loaded one meanwhile */
            hwloc_topology_destroy(topo);
            topo = machine.topo;
        }
        px_lock_give(&machine.lock);
    }
    *ret_topo = topo;
    return 0;
}

void px_topo_set_provider(px_topo_xml_fn fn, void *arg)
{
    px_lock_take(&machine.lock);
    machine.provider = fn;
    machine.provider_arg = arg;
    px_lock_give(&machine.lock);
}

/* The check of the ABI guards against a host that was built with another hwloc. */
int px_topo_adopt(const pmix_topology_t *topo)
{
    if (topo == NULL || topo->topology == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (topo->source == NULL || !px_topo_is_ours(topo->source) ||
        hwloc_topology_abi_check(topo->topology) != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    int rc = PMIX_ERR_EXISTS;
    px_lock_take(&machine.lock);
    if (machine.topo == NULL) {
        machine.topo = topo->topology;
        machine.borrowed = true;
        rc = 0;
    }
    px_lock_give(&machine.lock);
    return rc;
}

/* True if the topology is in the list of lent ones. Under machine.lock. */
static bool is_lent_locked(hwloc_topology_t topo)
{
    px_assert(px_lock_held(&machine.lock));
    for (const struct lent *l = machine.lent; l != NULL; l = l->next) {
        if (l->topo == topo) {
            return true;
        }
    }
    return false;
}

/* The present topology counts as lent even before px_topo_load: it is never the caller's. */
bool px_topo_is_lent(hwloc_topology_t topo)
{
    px_lock_take(&machine.lock);
    bool found = topo == machine.topo || is_lent_locked(topo);
    px_lock_give(&machine.lock);
    return found;
}

/* A lent topology is only forgotten here; the list of lent ones still has it. */
void px_topo_fini(void)
{
    px_lock_take(&machine.lock);
    if (machine.topo != NULL && !machine.borrowed && !is_lent_locked(machine.topo)) {
        hwloc_topology_destroy(machine.topo);
    }
    machine.topo = NULL;
    machine.borrowed = false;
    free(machine.xml);
    machine.xml = NULL;
    machine.provider = NULL;
    machine.provider_arg = NULL;
    px_lock_give(&machine.lock);
}

/* Enters the topology in the list of lent ones, once. 0 or PMIX_ERR_NOMEM. */
static int lend(hwloc_topology_t topo)
{
    int rc = 0;

    px_lock_take(&machine.lock);
    if (!is_lent_locked(topo)) {
        struct lent *l = malloc(sizeof(*l));
        if (l == NULL) {
            rc = PMIX_ERR_NOMEM;
        } else {
            l->topo = topo;
            l->next = machine.lent;
            machine.lent = l;
        }
    }
    px_lock_give(&machine.lock);
    return rc;
}

int px_topo_load(pmix_topology_t *topo)
{
    if (topo == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (topo->source != NULL && !px_topo_is_ours(topo->source)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    hwloc_topology_t loaded;
    int rc = px_topo_machine(&loaded);
    if (rc != 0) {
        return rc;
    }
    char *source = topo->source;
    if (source == NULL) {
        source = strdup(PX_TOPO_SOURCE);
    }
    rc = source == NULL ? PMIX_ERR_NOMEM : lend(loaded);
    if (rc != 0) {
        if (topo->source == NULL) {
            free(source);
        }
        return rc;
    }
    topo->source = source;
    topo->topology = loaded;
    return 0;
}

int px_topo_xml_peek(const char **ret_xml)
{
    hwloc_topology_t topo;
    int rc = px_topo_machine(&topo);
    if (rc != 0) {
        return rc;
    }
    px_lock_take(&machine.lock);
    if (machine.xml == NULL) {
        rc = px_topo_export(topo, &machine.xml);
    }
    if (rc == 0) {
        *ret_xml = machine.xml;
    }
    px_lock_give(&machine.lock);
    return rc;
}
