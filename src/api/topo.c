/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The topology of the machine. It is loaded when it is first needed; a client takes the XML that
 * its server provides in the job information, which saves the discovery. The functions are those of
 * src/topo, with the check of the context in front.
 *
 * Sources in order: the host's own topology (in a server), the parameter hwloc_topo_file, the
 * XML of the server (in a client), discovery by hwloc. See src/topo/topo.h. */

#include <stdlib.h>

#include "api.h"
#include "src/base/bytes.h"
#include "src/loop/after.h"
#include "src/topo/topo.h"
#include "src/value/directives.h"
#include "src/topo/cpuset.h"
#include "src/topo/distance.h"
#include "src/topo/locality.h"

/* The string that the own job has under the key, malloc'd; NULL if there is none in this process
 * (PMIX_OPTIONAL: the server is not asked). */
static char *string_at(const char *key)
{
    pmix_info_t here;
    pmix_value_t *value = NULL;
    pmix_proc_t job;
    char *text = NULL;

    PMIx_Load_procid(&job, "", PMIX_RANK_WILDCARD);
    PMIx_Info_construct(&here);
    PMIx_Load_key(here.key, PMIX_OPTIONAL);
    if (PMIx_Get(&job, key, &here, 1, &value) == PMIX_SUCCESS) {
        if (value->type == PMIX_STRING) {
            text = value->data.string;
            value->data.string = NULL;
        }
        PMIx_Value_free(value, 1);
    }
    return text;
}

/* A px_topo_xml_fn: the server's topology from the job information, malloc'd, or NULL. Any
 * thread. */
static char *server_topology(void *arg)
{
    char *xml = string_at(PMIX_HWLOC_XML_V2);

    (void) arg;
    return xml != NULL ? xml : string_at(PMIX_LOCAL_TOPO);
}

/* The check of the context (px_ctx_enter); also makes sure that a topology to be loaded comes from
 * the server. */
static pmix_status_t enter(const struct px_ctx *ctx)
{
    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    px_topo_set_provider(server_topology, NULL);
    return PMIX_SUCCESS;
}

/* The topology is shared by all callers. px_topo_load (src/topo/topo.c). */
pmix_status_t PMIx_Load_topology(pmix_topology_t *topo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = enter(ctx);

    return rc != PMIX_SUCCESS ? rc : topo != NULL ? px_topo_load(topo) : PMIX_ERR_BAD_PARAM;
}

/* The binding of the process or of the calling thread, as ref says, from the kernel.
 * px_topo_cpuset_get (src/topo/cpuset.c). */
pmix_status_t PMIx_Get_cpuset(pmix_cpuset_t *cpuset, pmix_bind_envelope_t ref)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = enter(ctx);

    return rc != PMIX_SUCCESS ? rc
           : cpuset != NULL   ? px_topo_cpuset_get(ref, cpuset)
                              : PMIX_ERR_BAD_PARAM;
}

/* The opposite of PMIx_server_generate_cpuset_string. px_topo_cpuset_parse (src/topo/cpuset.c). */
pmix_status_t PMIx_Parse_cpuset_string(const char *cpuset_string, pmix_cpuset_t *cpuset)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = enter(ctx);

    return rc != PMIX_SUCCESS                        ? rc
           : cpuset != NULL && cpuset_string != NULL ? px_topo_cpuset_parse(cpuset_string, cpuset)
                                                     : PMIX_ERR_BAD_PARAM;
}

/* Compares two strings; needs no topology. px_topo_relative_locality (src/topo/locality.c). */
pmix_status_t PMIx_Get_relative_locality(const char *locality1, const char *locality2,
                                         pmix_locality_t *locality)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = enter(ctx);

    return rc != PMIX_SUCCESS ? rc
           : locality != NULL ? px_topo_relative_locality(locality1, locality2, locality)
                              : PMIX_ERR_BAD_PARAM;
}

/* Computed in the calling thread; the array is the caller's. px_topo_distances
 * (src/topo/distance.c). */
pmix_status_t PMIx_Compute_distances(pmix_topology_t *topo, pmix_cpuset_t *cpuset,
                                     pmix_info_t info[], size_t ninfo,
                                     pmix_device_distance_t *distances[], size_t *ndist)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = enter(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (distances == NULL || ndist == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_distances, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return px_topo_distances(topo, cpuset, info, ninfo, distances, ndist);
}

/* Distances that wait for the loop thread to deliver them; released by the application. */
struct computed {
    struct px_after after;
    pmix_device_distance_t *distances;
    size_t n;
    pmix_device_dist_cbfunc_t cbfunc;
    void *cbdata;
};

/* Called by the application when it no longer needs the distances. Any thread. */
static void release_distances(void *cbdata)
{
    struct computed *computed = cbdata;

    PMIx_Device_distance_free(computed->distances, computed->n);
    free(computed);
}

/* Calls the application, on the loop thread. */
static void deliver(struct px_after *after)
{
    struct computed *computed = px_container_of(after, struct computed, after);

    computed->cbfunc(PMIX_SUCCESS, computed->distances, computed->n, computed->cbdata,
                     release_distances, computed);
}

/* As the blocking form, which does not wait for anything; only the callback is left to the loop
 * thread. */
pmix_status_t PMIx_Compute_distances_nb(pmix_topology_t *topo, pmix_cpuset_t *cpuset,
                                        pmix_info_t info[], size_t ninfo,
                                        pmix_device_dist_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct computed *computed;
    pmix_status_t rc;

    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    if (cbfunc == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    computed = calloc(1, sizeof(*computed));
    if (computed == NULL) {
        return PMIX_ERR_NOMEM;
    }
    rc = PMIx_Compute_distances(topo, cpuset, info, ninfo, &computed->distances, &computed->n);
    if (rc != PMIX_SUCCESS) {
        free(computed);
        return rc;
    }
    px_after_init(&computed->after, ctx->loop, deliver);
    computed->cbfunc = cbfunc;
    computed->cbdata = cbdata;
    px_after_done(&computed->after);
    px_after_return(&computed->after);
    return PMIX_SUCCESS;
}
