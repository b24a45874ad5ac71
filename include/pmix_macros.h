/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/*
 * The macros of the Standard and of the 4.2 series, each over the function that does the work.
 * The names of the arguments: m is a pointer to the structure, n a number of elements, r or s a
 * variable that takes the status. *_CREATE assigns to m (NULL without memory), *_FREE and *_RELEASE
 * set m to NULL.
 */
#ifndef PMIX_MACROS_H
#define PMIX_MACROS_H

#include "pmix_constants.h"
#include "pmix_keys.h"


/* names and processes */

#define PMIX_LOAD_KEY(a, b) PMIx_Load_key((a), (b))
#define PMIX_LOAD_NSPACE(a, b) PMIx_Load_nspace((a), (b))
#define PMIX_LOAD_PROCID(a, b, c) PMIx_Load_procid((a), (b), (c))
#define PMIX_XFER_PROCID(a, b) PMIx_Xfer_procid((a), (b))
#define PMIX_PROCID_XFER(a, b) PMIx_Xfer_procid((a), (b))
#define PMIX_CHECK_KEY(a, b) PMIx_Check_key((a)->key, (b))
#define PMIX_CHECK_RESERVED_KEY(a) PMIx_Check_reserved_key(a)
#define PMIX_CHECK_NSPACE(a, b) PMIx_Check_nspace((a), (b))
#define PMIX_CHECK_RANK(a, b) PMIx_Check_rank((a), (b))
#define PMIX_CHECK_PROCID(a, b) PMIx_Check_procid((a), (b))
#define PMIX_NSPACE_INVALID(a) PMIx_Nspace_invalid(a)
#define PMIX_PROCID_INVALID(a) PMIx_Procid_invalid(a)
#define PMIX_RANK_IS_VALID(r) ((r) < PMIX_RANK_VALID)
#define PMIX_SYSTEM_EVENT(a) ((a) <= PMIX_EVENT_SYS_BASE && PMIX_EVENT_SYS_OTHER <= (a))
#define PMIX_MULTICLUSTER_NSPACE_CONSTRUCT(t, c, n) \
    PMIx_Multicluster_nspace_construct((t), (c), (n))
#define PMIX_MULTICLUSTER_NSPACE_PARSE(t, c, n) PMIx_Multicluster_nspace_parse((t), (c), (n))
#define PMIX_PROC_CONSTRUCT(m) PMIx_Proc_construct(m)
#define PMIX_PROC_DESTRUCT(m) PMIx_Proc_destruct(m)
#define PMIX_PROC_CREATE(m, n) ((m) = PMIx_Proc_create(n))
#define PMIX_PROC_FREE(m, n) \
    do { \
        PMIx_Proc_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_PROC_RELEASE(m) \
    do { \
        PMIx_Proc_free((m), 1); \
        (m) = NULL; \
    } while (0)
#define PMIX_PROC_LOAD(m, n, r) PMIx_Proc_load((m), (n), (r))
#define PMIX_PROC_INFO_CONSTRUCT(m) PMIx_Proc_info_construct(m)
#define PMIX_PROC_INFO_DESTRUCT(m) PMIx_Proc_info_destruct(m)
#define PMIX_PROC_INFO_CREATE(m, n) ((m) = PMIx_Proc_info_create(n))
#define PMIX_PROC_INFO_FREE(m, n) \
    do { \
        PMIx_Proc_info_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_PROC_INFO_RELEASE(m) \
    do { \
        PMIx_Proc_info_free((m), 1); \
        (m) = NULL; \
    } while (0)

/* values */

#define PMIX_VALUE_CONSTRUCT(m) PMIx_Value_construct(m)
#define PMIX_VALUE_DESTRUCT(m) PMIx_Value_destruct(m)
#define PMIX_VALUE_CREATE(m, n) ((m) = PMIx_Value_create(n))
#define PMIX_VALUE_FREE(m, n) \
    do { \
        PMIx_Value_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_VALUE_RELEASE(m) \
    do { \
        PMIx_Value_free((m), 1); \
        (m) = NULL; \
    } while (0)
#define PMIX_VALUE_LOAD(v, d, t) PMIx_Value_load((v), (d), (t))
#define PMIX_VALUE_UNLOAD(r, k, d, s) ((r) = PMIx_Value_unload((k), (d), (s)))
#define PMIX_VALUE_XFER(r, v, s) \
    do { \
        (v) = (NULL == (v)) ? PMIx_Value_create(1) : (v); \
        (r) = (NULL == (v)) ? PMIX_ERR_NOMEM : PMIx_Value_xfer((v), (s)); \
    } while (0)
#define PMIX_VALUE_XFER_DIRECT(r, v, s) ((r) = PMIx_Value_xfer((v), (s)))
/* The number that a value holds, of any number type, as C type t in the variable n. */
#define PMIX_VALUE_GET_NUMBER(s, m, n, t) \
    do { \
        if (PMIX_FLOAT == (m)->type) { \
            (s) = PMIX_SUCCESS; \
            (n) = (t) (m)->data.fval; \
        } else if (PMIX_DOUBLE == (m)->type) { \
            (s) = PMIX_SUCCESS; \
            (n) = (t) (m)->data.dval; \
        } else { \
            pmix_value_number_t pmix_num_ = pmix_value_number(m); \
            (s) = pmix_num_.status; \
            if (PMIX_SUCCESS == (s)) { \
                (n) = pmix_num_.negative ? (t) pmix_num_.i : (t) pmix_num_.u; \
            } \
        } \
    } while (0)
#define PMIX_CHECK_TRUE(a) (PMIX_BOOL_TRUE == PMIx_Value_true(a))
#define PMIX_CHECK_BOOL(a) (PMIX_NON_BOOL != PMIx_Value_true(a))

/* infos and lists of infos */

#define PMIX_INFO_CONSTRUCT(m) PMIx_Info_construct(m)
#define PMIX_INFO_DESTRUCT(m) PMIx_Info_destruct(m)
#define PMIX_INFO_CREATE(m, n) ((m) = PMIx_Info_create(n))
#define PMIX_INFO_FREE(m, n) \
    do { \
        PMIx_Info_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_INFO_LOAD(i, k, d, t) PMIx_Info_load((i), (k), (d), (t))
#define PMIX_INFO_XFER(d, s) ((void) PMIx_Info_xfer((d), (s)))
#define PMIX_INFO_TRUE(m) (PMIX_BOOL_TRUE == PMIx_Info_true(m))
#define PMIX_INFO_REQUIRED(m) PMIx_Info_required(m)
#define PMIX_INFO_OPTIONAL(m) PMIx_Info_optional(m)
#define PMIX_INFO_PROCESSED(m) PMIx_Info_processed(m)
#define PMIX_INFO_SET_END(m) PMIx_Info_set_end(m)
#define PMIX_INFO_SET_PERSISTENT(m) PMIx_Info_persistent(m)
#define PMIX_INFO_SET_QUALIFIER(m) PMIx_Info_qualifier(m)
#define PMIX_INFO_WAS_PROCESSED(m) PMIx_Info_was_processed(m)
#define PMIX_INFO_IS_REQUIRED(m) PMIx_Info_is_required(m)
#define PMIX_INFO_IS_OPTIONAL(m) PMIx_Info_is_optional(m)
#define PMIX_INFO_IS_END(m) PMIx_Info_is_end(m)
#define PMIX_INFO_IS_PERSISTENT(m) PMIx_Info_is_persistent(m)
#define PMIX_INFO_IS_QUALIFIER(m) PMIx_Info_is_qualifier(m)
#define PMIX_INFO_LIST_START(p) ((p) = PMIx_Info_list_start())
#define PMIX_INFO_LIST_ADD(r, p, a, v, t) ((r) = PMIx_Info_list_add((p), (a), (v), (t)))
#define PMIX_INFO_LIST_PREPEND(r, p, a, v, t) ((r) = PMIx_Info_list_prepend((p), (a), (v), (t)))
#define PMIX_INFO_LIST_INSERT(r, p, i) ((r) = PMIx_Info_list_insert((p), (i)))
#define PMIX_INFO_LIST_XFER(r, p, a) ((r) = PMIx_Info_list_xfer((p), (a)))
#define PMIX_INFO_LIST_CONVERT(r, p, m) ((r) = PMIx_Info_list_convert((p), (m)))
#define PMIX_INFO_LIST_RELEASE(p) PMIx_Info_list_release(p)

/* published data */

#define PMIX_PDATA_CONSTRUCT(m) PMIx_Pdata_construct(m)
#define PMIX_PDATA_DESTRUCT(m) PMIx_Pdata_destruct(m)
#define PMIX_PDATA_CREATE(m, n) ((m) = PMIx_Pdata_create(n))
#define PMIX_PDATA_FREE(m, n) \
    do { \
        PMIx_Pdata_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_PDATA_RELEASE(m) \
    do { \
        PMIx_Pdata_free((m), 1); \
        (m) = NULL; \
    } while (0)
#define PMIX_PDATA_LOAD(m, p, k, v, t) pmix_pdata_load((m), (p), (k), (v), (t))
#define PMIX_PDATA_XFER(d, s) pmix_pdata_xfer((d), (s))

/* applications and queries */

#define PMIX_APP_CONSTRUCT(m) PMIx_App_construct(m)
#define PMIX_APP_DESTRUCT(m) PMIx_App_destruct(m)
#define PMIX_APP_CREATE(m, n) ((m) = PMIx_App_create(n))
#define PMIX_APP_FREE(m, n) \
    do { \
        PMIx_App_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_APP_RELEASE(m) \
    do { \
        PMIx_App_release(m); \
        (m) = NULL; \
    } while (0)
#define PMIX_APP_INFO_CREATE(m, n) PMIx_App_info_create((m), (n))
#define PMIX_QUERY_CONSTRUCT(m) PMIx_Query_construct(m)
#define PMIX_QUERY_DESTRUCT(m) PMIx_Query_destruct(m)
#define PMIX_QUERY_CREATE(m, n) ((m) = PMIx_Query_create(n))
#define PMIX_QUERY_FREE(m, n) \
    do { \
        PMIx_Query_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_QUERY_RELEASE(m) \
    do { \
        PMIx_Query_release(m); \
        (m) = NULL; \
    } while (0)
#define PMIX_QUERY_QUALIFIERS_CREATE(m, n) PMIx_Query_qualifiers_create((m), (n))
#define PMIX_REGATTR_CONSTRUCT(a) PMIx_Regattr_construct(a)
#define PMIX_REGATTR_DESTRUCT(a) PMIx_Regattr_destruct(a)
#define PMIX_REGATTR_CREATE(m, n) ((m) = PMIx_Regattr_create(n))
#define PMIX_REGATTR_FREE(m, n) \
    do { \
        PMIx_Regattr_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_REGATTR_LOAD(a, n, k, t, v) PMIx_Regattr_load((a), (n), (k), (t), (v))
#define PMIX_REGATTR_XFER(a, b) PMIx_Regattr_xfer((a), (b))

/* bytes, arrays, buffers */

#define PMIX_BYTE_OBJECT_CONSTRUCT(m) PMIx_Byte_object_construct(m)
#define PMIX_BYTE_OBJECT_DESTRUCT(m) PMIx_Byte_object_destruct(m)
#define PMIX_BYTE_OBJECT_CREATE(m, n) ((m) = PMIx_Byte_object_create(n))
#define PMIX_BYTE_OBJECT_FREE(m, n) \
    do { \
        PMIx_Byte_object_free((m), (n)); \
        (m) = NULL; \
    } while (0)
/* Moves the bytes: d and s are variables, and are cleared. */
#define PMIX_BYTE_OBJECT_LOAD(b, d, s) \
    do { \
        pmix_byte_object_load((b), (char *) (d), (s)); \
        (d) = NULL; \
        (s) = 0; \
    } while (0)
#define PMIX_DATA_ARRAY_INIT(m, t) PMIx_Data_array_init((m), (t))
#define PMIX_DATA_ARRAY_CONSTRUCT(m, n, t) PMIx_Data_array_construct((m), (n), (t))
#define PMIX_DATA_ARRAY_DESTRUCT(m) PMIx_Data_array_destruct(m)
#define PMIX_DATA_ARRAY_CREATE(m, n, t) ((m) = PMIx_Data_array_create((n), (t)))
#define PMIX_DATA_ARRAY_FREE(m) \
    do { \
        PMIx_Data_array_free(m); \
        (m) = NULL; \
    } while (0)
#define PMIX_DATA_BUFFER_CONSTRUCT(m) PMIx_Data_buffer_construct(m)
#define PMIX_DATA_BUFFER_DESTRUCT(m) PMIx_Data_buffer_destruct(m)
#define PMIX_DATA_BUFFER_CREATE(m) ((m) = PMIx_Data_buffer_create())
#define PMIX_DATA_BUFFER_RELEASE(m) \
    do { \
        PMIx_Data_buffer_release(m); \
        (m) = NULL; \
    } while (0)
#define PMIX_DATA_BUFFER_LOAD(b, d, s) PMIx_Data_buffer_load((b), (char *) (d), (s))
/* Moves the bytes of b to the variables d and s. */
#define PMIX_DATA_BUFFER_UNLOAD(b, d, s) \
    do { \
        char *pmix_bytes_ = NULL; \
        size_t pmix_size_ = 0; \
        PMIx_Data_buffer_unload((b), &pmix_bytes_, &pmix_size_); \
        (d) = pmix_bytes_; \
        (s) = pmix_size_; \
    } while (0)

/* environment and argument vectors */

#define PMIX_ENVAR_CONSTRUCT(m) PMIx_Envar_construct(m)
#define PMIX_ENVAR_DESTRUCT(m) PMIx_Envar_destruct(m)
#define PMIX_ENVAR_CREATE(m, n) ((m) = PMIx_Envar_create(n))
#define PMIX_ENVAR_FREE(m, n) \
    do { \
        PMIx_Envar_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_ENVAR_LOAD(m, e, v, s) PMIx_Envar_load((m), (char *) (e), (char *) (v), (s))
#define PMIX_SETENV(r, a, b, c) ((r) = PMIx_Setenv((a), (b), true, (c)))
#define PMIX_ARGV_APPEND(r, a, b) ((r) = PMIx_Argv_append_nosize(&(a), (b)))
#define PMIX_ARGV_PREPEND(r, a, b) ((r) = PMIx_Argv_prepend_nosize(&(a), (b)))
#define PMIX_ARGV_APPEND_UNIQUE(r, a, b) ((r) = PMIx_Argv_append_unique_nosize(&(a), (b)))
#define PMIX_ARGV_COUNT(r, a) ((r) = PMIx_Argv_count(a))
#define PMIX_ARGV_SPLIT(a, b, c) ((a) = PMIx_Argv_split((b), (c)))
#define PMIX_ARGV_JOIN(a, b, c) ((a) = PMIx_Argv_join((b), (c)))
#define PMIX_ARGV_COPY(a, b) ((a) = PMIx_Argv_copy(b))
#define PMIX_ARGV_FREE(a) PMIx_Argv_free(a)

/* hardware and fabric */

#define PMIX_COORD_CONSTRUCT(m) PMIx_Coord_construct(m)
#define PMIX_COORD_DESTRUCT(m) PMIx_Coord_destruct(m)
#define PMIX_COORD_CREATE(m, n, d) ((m) = PMIx_Coord_create((d), (n)))
#define PMIX_COORD_FREE(m, n) \
    do { \
        PMIx_Coord_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_CPUSET_CONSTRUCT(m) PMIx_Cpuset_construct(m)
#define PMIX_CPUSET_DESTRUCT(m) PMIx_Cpuset_destruct(m)
#define PMIX_CPUSET_CREATE(m, n) ((m) = PMIx_Cpuset_create(n))
#define PMIX_CPUSET_FREE(m, n) \
    do { \
        PMIx_Cpuset_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_TOPOLOGY_CONSTRUCT(m) PMIx_Topology_construct(m)
#define PMIX_TOPOLOGY_DESTRUCT(m) PMIx_Topology_destruct(m)
#define PMIX_TOPOLOGY_CREATE(m, n) ((m) = PMIx_Topology_create(n))
#define PMIX_TOPOLOGY_FREE(m, n) \
    do { \
        PMIx_Topology_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_GEOMETRY_CONSTRUCT(m) PMIx_Geometry_construct(m)
#define PMIX_GEOMETRY_DESTRUCT(m) PMIx_Geometry_destruct(m)
#define PMIX_GEOMETRY_CREATE(m, n) ((m) = PMIx_Geometry_create(n))
#define PMIX_GEOMETRY_FREE(m, n) \
    do { \
        PMIx_Geometry_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_DEVICE_CONSTRUCT(m) PMIx_Device_construct(m)
#define PMIX_DEVICE_DESTRUCT(m) PMIx_Device_destruct(m)
#define PMIX_DEVICE_CREATE(m, n) ((m) = PMIx_Device_create(n))
#define PMIX_DEVICE_FREE(m, n) \
    do { \
        PMIx_Device_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_DEVICE_DIST_CONSTRUCT(m) PMIx_Device_distance_construct(m)
#define PMIX_DEVICE_DIST_DESTRUCT(m) PMIx_Device_distance_destruct(m)
#define PMIX_DEVICE_DIST_CREATE(m, n) ((m) = PMIx_Device_distance_create(n))
#define PMIX_DEVICE_DIST_FREE(m, n) \
    do { \
        PMIx_Device_distance_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_RESOURCE_UNIT_CONSTRUCT(m) PMIx_Resource_unit_construct(m)
#define PMIX_RESOURCE_UNIT_DESTRUCT(m) PMIx_Resource_unit_destruct(m)
#define PMIX_RESOURCE_UNIT_CREATE(m, n) ((m) = PMIx_Resource_unit_create(n))
#define PMIX_RESOURCE_UNIT_FREE(m, n) \
    do { \
        PMIx_Resource_unit_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_ENDPOINT_CONSTRUCT(m) PMIx_Endpoint_construct(m)
#define PMIX_ENDPOINT_DESTRUCT(m) PMIx_Endpoint_destruct(m)
#define PMIX_ENDPOINT_CREATE(m, n) ((m) = PMIx_Endpoint_create(n))
#define PMIX_ENDPOINT_FREE(m, n) \
    do { \
        PMIx_Endpoint_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_FABRIC_CONSTRUCT(x) memset((x), 0, sizeof(pmix_fabric_t))

/* usage of resources */

#define PMIX_PROC_STATS_CONSTRUCT(m) PMIx_Proc_stats_construct(m)
#define PMIX_PROC_STATS_DESTRUCT(m) PMIx_Proc_stats_destruct(m)
#define PMIX_PROC_STATS_CREATE(m, n) ((m) = PMIx_Proc_stats_create(n))
#define PMIX_PROC_STATS_FREE(m, n) \
    do { \
        PMIx_Proc_stats_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_PROC_STATS_RELEASE(m) \
    do { \
        PMIx_Proc_stats_free((m), 1); \
        (m) = NULL; \
    } while (0)
#define PMIX_DISK_STATS_CONSTRUCT(m) PMIx_Disk_stats_construct(m)
#define PMIX_DISK_STATS_DESTRUCT(m) PMIx_Disk_stats_destruct(m)
#define PMIX_DISK_STATS_CREATE(m, n) ((m) = PMIx_Disk_stats_create(n))
#define PMIX_DISK_STATS_FREE(m, n) \
    do { \
        PMIx_Disk_stats_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_DISK_STATS_RELEASE(m) \
    do { \
        PMIx_Disk_stats_free((m), 1); \
        (m) = NULL; \
    } while (0)
#define PMIX_NET_STATS_CONSTRUCT(m) PMIx_Net_stats_construct(m)
#define PMIX_NET_STATS_DESTRUCT(m) PMIx_Net_stats_destruct(m)
#define PMIX_NET_STATS_CREATE(m, n) ((m) = PMIx_Net_stats_create(n))
#define PMIX_NET_STATS_FREE(m, n) \
    do { \
        PMIx_Net_stats_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_NET_STATS_RELEASE(m) \
    do { \
        PMIx_Net_stats_free((m), 1); \
        (m) = NULL; \
    } while (0)
#define PMIX_NODE_STATS_CONSTRUCT(m) PMIx_Node_stats_construct(m)
#define PMIX_NODE_STATS_DESTRUCT(m) PMIx_Node_stats_destruct(m)
#define PMIX_NODE_STATS_CREATE(m, n) ((m) = PMIx_Node_stats_create(n))
#define PMIX_NODE_STATS_FREE(m, n) \
    do { \
        PMIx_Node_stats_free((m), (n)); \
        (m) = NULL; \
    } while (0)
#define PMIX_NODE_STATS_RELEASE(m) \
    do { \
        PMIx_Node_stats_free((m), 1); \
        (m) = NULL; \
    } while (0)

/*
 * Initialisers for variables of static storage. They list every member in order, so that C++ takes
 * them as well.
 */

#if defined(__cplusplus)
#define PMIX_VALUE_STATIC_INIT { PMIX_UNDEF, { false } }
#else
#define PMIX_VALUE_STATIC_INIT { .type = PMIX_UNDEF, .data = { .ptr = NULL } }
#endif
#define PMIX_PROC_STATIC_INIT { {0}, PMIX_RANK_UNDEF }
#define PMIX_PROC_INFO_STATIC_INIT \
    { PMIX_PROC_STATIC_INIT, NULL, NULL, 0, 0, PMIX_PROC_STATE_UNDEF }
#define PMIX_BYTE_OBJECT_STATIC_INIT { NULL, 0 }
#define PMIX_DATA_ARRAY_STATIC_INIT { PMIX_UNDEF, 0, NULL }
#define PMIX_DATA_BUFFER_STATIC_INIT { NULL, NULL, NULL, 0, 0 }
#define PMIX_ENVAR_STATIC_INIT { NULL, NULL, '\0' }
#define PMIX_COORD_STATIC_INIT { PMIX_COORD_VIEW_UNDEF, NULL, 0 }
#define PMIX_CPUSET_STATIC_INIT { NULL, NULL }
#define PMIX_TOPOLOGY_STATIC_INIT { NULL, NULL }
#define PMIX_GEOMETRY_STATIC_INIT { 0, NULL, NULL, NULL, 0 }
#define PMIX_DEVICE_STATIC_INIT { NULL, NULL, PMIX_DEVTYPE_UNKNOWN }
#define PMIX_DEVICE_DIST_STATIC_INIT { NULL, NULL, PMIX_DEVTYPE_UNKNOWN, 0, 0 }
#define PMIX_RESOURCE_UNIT_STATIC_INIT { PMIX_DEVTYPE_UNKNOWN, 0 }
#define PMIX_NODE_PID_STATIC_INIT { NULL, UINT32_MAX, 0 }
#define PMIX_REGEX2_STATIC_INIT { NULL, NULL, 0 }
#define PMIX_ENDPOINT_STATIC_INIT { NULL, NULL, PMIX_BYTE_OBJECT_STATIC_INIT }
#define PMIX_INFO_STATIC_INIT { {0}, 0, PMIX_VALUE_STATIC_INIT }
#define PMIX_LOOKUP_STATIC_INIT { PMIX_PROC_STATIC_INIT, {0}, PMIX_VALUE_STATIC_INIT }
#define PMIX_APP_STATIC_INIT { NULL, NULL, NULL, NULL, 0, NULL, 0 }
#define PMIX_QUERY_STATIC_INIT { NULL, NULL, 0 }
#define PMIX_REGATTR_STATIC_INIT { NULL, {0}, PMIX_UNDEF, NULL }
#define PMIX_FABRIC_STATIC_INIT { NULL, 0, NULL, 0, NULL }
#define PMIX_PROC_STATS_STATIC_INIT \
    { NULL, PMIX_PROC_STATIC_INIT, 0, NULL, '\0', {0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0} }
#define PMIX_DISK_STATS_STATIC_INIT { NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define PMIX_NET_STATS_STATIC_INIT { NULL, 0, 0, 0, 0, 0, 0 }
#define PMIX_NODE_STATS_STATIC_INIT \
    { NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, NULL, 0, NULL, 0 }

#endif
