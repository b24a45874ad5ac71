/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "types.h"

#include <sys/time.h>

/* One description per composite drives packing and unpacking, so the two cannot disagree. The order
 * is the order on the wire, which is not always that of the structure, and some members do not
 * travel at all; what a type owns in memory is the business of src/value. */

/* clang-format off */
#define FIELD(t, m, ty) {PX_FIELD_TYPE, PMIX_##ty, offsetof(t, m), 0}
#define EXACT(t, m, ty) {PX_FIELD_EXACT, PMIX_##ty, offsetof(t, m), 0}
#define FIXED(t, m) {PX_FIELD_FIXED, 0, offsetof(t, m), sizeof(((t *) 0)->m)}
#define ARRAY(t, m, n, ty) {PX_FIELD_ARRAY, PMIX_##ty, offsetof(t, m), offsetof(t, n)}
#define ARGV(t, m) {PX_FIELD_ARGV, PMIX_STRING, offsetof(t, m), 0}
#define END {PX_FIELD_END, 0, 0, 0}
/* clang-format on */

static const struct px_field timeval_fields[] = {FIELD(struct timeval, tv_sec, INT64),
                                                 FIELD(struct timeval, tv_usec, INT64), END};
static const struct px_field nspace_fields[] = {{PX_FIELD_FIXED, 0, 0, sizeof(pmix_nspace_t)}, END};
static const struct px_field proc_fields[] = {FIXED(pmix_proc_t, nspace),
                                              FIELD(pmix_proc_t, rank, PROC_RANK), END};
static const struct px_field app_fields[] = {FIELD(pmix_app_t, cmd, STRING),
                                             ARGV(pmix_app_t, argv),
                                             ARGV(pmix_app_t, env),
                                             FIELD(pmix_app_t, cwd, STRING),
                                             FIELD(pmix_app_t, maxprocs, INT),
                                             ARRAY(pmix_app_t, info, ninfo, INFO),
                                             END};
static const struct px_field info_fields[] = {FIXED(pmix_info_t, key),
                                              {PX_FIELD_FLAGS, 0, offsetof(pmix_info_t, flags), 0},
                                              FIELD(pmix_info_t, value, VALUE),
                                              END};
static const struct px_field pdata_fields[] = {FIELD(pmix_pdata_t, proc, PROC),
                                               FIXED(pmix_pdata_t, key),
                                               FIELD(pmix_pdata_t, value, VALUE), END};
static const struct px_field proc_info_fields[] = {FIELD(pmix_proc_info_t, proc, PROC),
                                                   FIELD(pmix_proc_info_t, hostname, STRING),
                                                   FIELD(pmix_proc_info_t, executable_name, STRING),
                                                   FIELD(pmix_proc_info_t, pid, PID),
                                                   FIELD(pmix_proc_info_t, state, PROC_STATE),
                                                   EXACT(pmix_proc_info_t, exit_code, INT),
                                                   END};
static const struct px_field query_fields[] = {ARGV(pmix_query_t, keys),
                                               ARRAY(pmix_query_t, qualifiers, nqual, INFO), END};
static const struct px_field envar_fields[] = {FIELD(pmix_envar_t, envar, STRING),
                                               FIELD(pmix_envar_t, value, STRING),
                                               FIELD(pmix_envar_t, separator, BYTE), END};
static const struct px_field coord_fields[] = {FIELD(pmix_coord_t, view, BYTE),
                                               ARRAY(pmix_coord_t, coord, dims, UINT32), END};
static const struct px_field regattr_fields[] = {
    FIELD(pmix_regattr_t, name, STRING), FIXED(pmix_regattr_t, string),
    FIELD(pmix_regattr_t, type, DATA_TYPE), ARGV(pmix_regattr_t, description), END};
static const struct px_field geometry_fields[] = {
    FIELD(pmix_geometry_t, fabric, SIZE), FIELD(pmix_geometry_t, uuid, STRING),
    FIELD(pmix_geometry_t, osname, STRING), ARRAY(pmix_geometry_t, coordinates, ncoords, COORD),
    END};
static const struct px_field distance_fields[] = {
    FIELD(pmix_device_distance_t, uuid, STRING),    FIELD(pmix_device_distance_t, osname, STRING),
    FIELD(pmix_device_distance_t, type, DEVTYPE),   FIELD(pmix_device_distance_t, mindist, UINT16),
    FIELD(pmix_device_distance_t, maxdist, UINT16), END};
static const struct px_field endpoint_fields[] = {FIELD(pmix_endpoint_t, uuid, STRING),
                                                  FIELD(pmix_endpoint_t, osname, STRING),
                                                  FIELD(pmix_endpoint_t, endpt, BYTE_OBJECT), END};
static const struct px_field device_fields[] = {FIELD(pmix_device_t, uuid, STRING),
                                                FIELD(pmix_device_t, osname, STRING),
                                                FIELD(pmix_device_t, type, DEVTYPE), END};
static const struct px_field resource_unit_fields[] = {
    FIELD(pmix_resource_unit_t, type, DEVTYPE), FIELD(pmix_resource_unit_t, count, SIZE), END};
static const struct px_field node_pid_fields[] = {FIELD(pmix_node_pid_t, hostname, STRING),
                                                  FIELD(pmix_node_pid_t, nodeid, UINT32),
                                                  FIELD(pmix_node_pid_t, pid, PID), END};
static const struct px_field proc_stats_fields[] = {
    FIELD(pmix_proc_stats_t, node, STRING),
    FIELD(pmix_proc_stats_t, proc, PROC),
    FIELD(pmix_proc_stats_t, pid, PID),
    FIELD(pmix_proc_stats_t, cmd, STRING),
    FIELD(pmix_proc_stats_t, state, BYTE),
    FIELD(pmix_proc_stats_t, time, TIMEVAL),
    EXACT(pmix_proc_stats_t, percent_cpu, FLOAT),
    FIELD(pmix_proc_stats_t, priority, INT32),
    FIELD(pmix_proc_stats_t, num_threads, INT16), /* sic */
    FIELD(pmix_proc_stats_t, pss, FLOAT),
    FIELD(pmix_proc_stats_t, vsize, FLOAT),
    FIELD(pmix_proc_stats_t, rss, FLOAT),
    EXACT(pmix_proc_stats_t, peak_vsize, FLOAT),
    FIELD(pmix_proc_stats_t, processor, INT16), /* sic */
    FIELD(pmix_proc_stats_t, sample_time, TIMEVAL),
    END};
static const struct px_field disk_stats_fields[] = {
    FIELD(pmix_disk_stats_t, disk, STRING),
    FIELD(pmix_disk_stats_t, num_reads_completed, UINT64),
    FIELD(pmix_disk_stats_t, num_reads_merged, UINT64),
    FIELD(pmix_disk_stats_t, num_sectors_read, UINT64),
    FIELD(pmix_disk_stats_t, milliseconds_reading, UINT64),
    FIELD(pmix_disk_stats_t, num_writes_completed, UINT64),
    FIELD(pmix_disk_stats_t, num_writes_merged, UINT64),
    FIELD(pmix_disk_stats_t, num_sectors_written, UINT64),
    FIELD(pmix_disk_stats_t, milliseconds_writing, UINT64),
    FIELD(pmix_disk_stats_t, num_ios_in_progress, UINT64),
    FIELD(pmix_disk_stats_t, milliseconds_io, UINT64),
    FIELD(pmix_disk_stats_t, weighted_milliseconds_io, UINT64),
    END};
static const struct px_field net_stats_fields[] = {
    FIELD(pmix_net_stats_t, net_interface, STRING),
    FIELD(pmix_net_stats_t, num_bytes_recvd, UINT64),
    FIELD(pmix_net_stats_t, num_packets_recvd, UINT64),
    FIELD(pmix_net_stats_t, num_recv_errs, UINT64),
    FIELD(pmix_net_stats_t, num_bytes_sent, UINT64),
    FIELD(pmix_net_stats_t, num_packets_sent, UINT64),
    FIELD(pmix_net_stats_t, num_send_errs, UINT64),
    END};
static const struct px_field node_stats_fields[] = {
    FIELD(pmix_node_stats_t, node, STRING),
    FIELD(pmix_node_stats_t, la, FLOAT),
    FIELD(pmix_node_stats_t, la5, FLOAT),
    FIELD(pmix_node_stats_t, la15, FLOAT),
    FIELD(pmix_node_stats_t, total_mem, FLOAT),
    FIELD(pmix_node_stats_t, free_mem, FLOAT),
    FIELD(pmix_node_stats_t, buffers, FLOAT),
    FIELD(pmix_node_stats_t, cached, FLOAT),
    FIELD(pmix_node_stats_t, swap_cached, FLOAT),
    FIELD(pmix_node_stats_t, swap_total, FLOAT),
    FIELD(pmix_node_stats_t, swap_free, FLOAT),
    FIELD(pmix_node_stats_t, mapped, FLOAT),
    FIELD(pmix_node_stats_t, sample_time, TIMEVAL),
    ARRAY(pmix_node_stats_t, diskstats, ndiskstats, DISK_STATS),
    ARRAY(pmix_node_stats_t, netstats, nnetstats, NET_STATS),
    END};

static const struct px_wire_type types[PX_WIRE_TYPES] = {
#define PX_WIRE_TYPE(symbol, ctype, shape, place, fields)                                          \
    [PMIX_##symbol] = {fields, sizeof(ctype), PX_SHAPE_##shape, PX_PLACE_##place},
#include "src/wire/codec.def"
#undef PX_WIRE_TYPE
};

const struct px_wire_type *px_wire_type(pmix_data_type_t type)
{
    return type < PX_WIRE_TYPES && types[type].size > 0 ? &types[type] : NULL;
}
