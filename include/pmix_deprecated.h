/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/*
 * The functions that make, copy and release the public structures, and old names. The name of the
 * file is historic: programs find it by that. All of it works before PMIx_Init and from any thread.
 *
 * Every structure X has
 *   construct(x)  set the caller's structure to its empty value,
 *   destruct(x)   free what it points to and leave it empty,
 *   create(n)     an array of n empty ones in malloc memory; NULL for n = 0 or without memory,
 *   free(x, n)    destruct n of them and free the array; x may be NULL.
 * "Load" sets a structure that is empty: what it held is not released. Std: Data Structures and
 * Types.
 */
#ifndef PMIX_DEPRECATED_H
#define PMIX_DEPRECATED_H

#include <stdlib.h>
#include <string.h>

#include "pmix_macros.h"
#include "pmix_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Values. */

PMIX_EXPORT void PMIx_Value_construct(pmix_value_t *val);
PMIX_EXPORT void PMIx_Value_destruct(pmix_value_t *val);
PMIX_EXPORT pmix_value_t *PMIx_Value_create(size_t n);
PMIX_EXPORT void PMIx_Value_free(pmix_value_t *v, size_t n);
/*
 * Set type and value to a copy of data. NULL stands for true (PMIX_BOOL) or no value; a
 * PMIX_POINTER is kept as it is.
 */
PMIX_EXPORT pmix_status_t PMIx_Value_load(pmix_value_t *val, const void *data,
                                          pmix_data_type_t type);
/*
 * Copy the value to *data: into the memory there, or for strings, bytes and structures into memory
 * that is to be freed. *sz is its size in bytes.
 */
PMIX_EXPORT pmix_status_t PMIx_Value_unload(pmix_value_t *val, void **data, size_t *sz);
/* A deep copy; what dest held is not released. */
PMIX_EXPORT pmix_status_t PMIx_Value_xfer(pmix_value_t *dest, const pmix_value_t *src);
/* Which is the greater one; values of different types are not compared. */
PMIX_EXPORT pmix_value_cmp_t PMIx_Value_compare(pmix_value_t *v1, pmix_value_t *v2);
/*
 * The number that a value of any number type holds, as type in *dest. PMIX_ERR_LOST_PRECISION or
 * PMIX_ERR_CHANGE_SIGN if it does not fit, PMIX_ERR_BAD_PARAM if it is no number.
 */
PMIX_EXPORT pmix_status_t PMIx_Value_get_number(const pmix_value_t *value, void *dest,
                                                pmix_data_type_t type);
/*
 * A bool or a text as a truth value; PMIX_NON_BOOL for other types and texts. True: "true", "t",
 * "yes", "y", "enable", a text that begins with a number other than 0, an empty text, no value.
 * Case does not matter.
 */
PMIX_EXPORT pmix_boolean_t PMIx_Value_true(const pmix_value_t *v);

/* Infos. */

PMIX_EXPORT void PMIx_Info_construct(pmix_info_t *p);
PMIX_EXPORT void PMIx_Info_destruct(pmix_info_t *p);
PMIX_EXPORT pmix_info_t *PMIx_Info_create(size_t n);
PMIX_EXPORT void PMIx_Info_free(pmix_info_t *p, size_t n);
/* Set key and value to copies; the flags are cleared. */
PMIX_EXPORT pmix_status_t PMIx_Info_load(pmix_info_t *info, const char *key, const void *data,
                                         pmix_data_type_t type);
/* A deep copy with the flags; what dest held is not released. */
PMIX_EXPORT pmix_status_t PMIx_Info_xfer(pmix_info_t *dest, const pmix_info_t *src);
/* Its value as a truth value. */
PMIX_EXPORT pmix_boolean_t PMIx_Info_true(const pmix_info_t *p);
/* The receiver must support it, need not, has looked at it. */
PMIX_EXPORT void PMIx_Info_required(pmix_info_t *p);
PMIX_EXPORT void PMIx_Info_optional(pmix_info_t *p);
PMIX_EXPORT void PMIx_Info_processed(pmix_info_t *p);
/* It is the last of its array. */
PMIX_EXPORT void PMIx_Info_set_end(pmix_info_t *p);
/* It narrows the key before it; it is to be kept when the others are consumed. */
PMIX_EXPORT void PMIx_Info_qualifier(pmix_info_t *p);
PMIX_EXPORT void PMIx_Info_persistent(pmix_info_t *p);
/* The flags. */
PMIX_EXPORT bool PMIx_Info_is_required(const pmix_info_t *p);
PMIX_EXPORT bool PMIx_Info_is_optional(const pmix_info_t *p);
PMIX_EXPORT bool PMIx_Info_was_processed(const pmix_info_t *p);
PMIX_EXPORT bool PMIx_Info_is_end(const pmix_info_t *p);
PMIX_EXPORT bool PMIx_Info_is_qualifier(const pmix_info_t *p);
PMIX_EXPORT bool PMIx_Info_is_persistent(const pmix_info_t *p);

/* Lists of infos. */

/* An empty list. NULL without memory. */
PMIX_EXPORT void *PMIx_Info_list_start(void);
/* Release a list and what is in it. */
PMIX_EXPORT void PMIx_Info_list_release(void *ptr);
/* Append a copy of key and value; at the front with _prepend. */
PMIX_EXPORT pmix_status_t PMIx_Info_list_add(void *ptr, const char *key, const void *value,
                                             pmix_data_type_t type);
PMIX_EXPORT pmix_status_t PMIx_Info_list_prepend(void *ptr, const char *key, const void *value,
                                                 pmix_data_type_t type);
/* Append, or if the key is there already, replace its value (overwrite) or leave it. */
PMIX_EXPORT pmix_status_t PMIx_Info_list_add_unique(void *ptr, const char *key, const void *value,
                                                    pmix_data_type_t type, bool overwrite);
/* The same from a value. */
PMIX_EXPORT pmix_status_t PMIx_Info_list_add_value(void *ptr, const char *key,
                                                   const pmix_value_t *value);
PMIX_EXPORT pmix_status_t PMIx_Info_list_add_value_unique(void *ptr, const char *key,
                                                          const pmix_value_t *value,
                                                          bool overwrite);
/*
 * Append info with the value that it points to, not copied: the value stays the caller's, and has
 * to outlive the list.
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_insert(void *ptr, pmix_info_t *info);
/* Append a deep copy of info. */
PMIX_EXPORT pmix_status_t PMIx_Info_list_xfer(void *ptr, const pmix_info_t *info);
PMIX_EXPORT pmix_status_t PMIx_Info_list_xfer_unique(void *ptr, const pmix_info_t *info,
                                                     bool overwrite);
/*
 * Copy the list to an array of PMIX_INFO, to be released with PMIx_Data_array_destruct; the list
 * stays. PMIX_ERR_EMPTY if nothing is in it.
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_convert(void *ptr, pmix_data_array_t *par);
/*
 * Walk the list: prev is NULL at first, then what the last call put into *next, NULL at the end.
 * The info belongs to the list.
 */
PMIX_EXPORT pmix_info_t *PMIx_Info_list_get_info(void *ptr, void *prev, void **next);
/* The number of infos in it. */
PMIX_EXPORT size_t PMIx_Info_list_get_size(void *ptr);

/* Published data. */

PMIX_EXPORT void PMIx_Pdata_construct(pmix_pdata_t *p);
PMIX_EXPORT void PMIx_Pdata_destruct(pmix_pdata_t *p);
PMIX_EXPORT pmix_pdata_t *PMIx_Pdata_create(size_t n);
PMIX_EXPORT void PMIx_Pdata_free(pmix_pdata_t *p, size_t n);
/* Set it to copies. */
PMIX_EXPORT void PMIx_Pdata_load(pmix_pdata_t *dest, const pmix_proc_t *p, const char *key,
                                 const void *data, pmix_data_type_t type);
/* A deep copy. */
PMIX_EXPORT void PMIx_Pdata_xfer(pmix_pdata_t *dest, pmix_pdata_t *src);

/* Applications, queries, attributes. */

PMIX_EXPORT void PMIx_App_construct(pmix_app_t *p);
PMIX_EXPORT void PMIx_App_destruct(pmix_app_t *p);
PMIX_EXPORT pmix_app_t *PMIx_App_create(size_t n);
PMIX_EXPORT void PMIx_App_free(pmix_app_t *p, size_t n);
/* Give an application n infos. */
PMIX_EXPORT void PMIx_App_info_create(pmix_app_t *p, size_t n);
/* Release one application from PMIx_App_create(1). */
PMIX_EXPORT void PMIx_App_release(pmix_app_t *p);

PMIX_EXPORT void PMIx_Query_construct(pmix_query_t *p);
PMIX_EXPORT void PMIx_Query_destruct(pmix_query_t *p);
PMIX_EXPORT pmix_query_t *PMIx_Query_create(size_t n);
PMIX_EXPORT void PMIx_Query_free(pmix_query_t *p, size_t n);
/* Give a query n qualifiers. */
PMIX_EXPORT void PMIx_Query_qualifiers_create(pmix_query_t *p, size_t n);
/* Release one query from PMIx_Query_create(1). */
PMIX_EXPORT void PMIx_Query_release(pmix_query_t *p);

PMIX_EXPORT void PMIx_Regattr_construct(pmix_regattr_t *p);
PMIX_EXPORT void PMIx_Regattr_destruct(pmix_regattr_t *p);
PMIX_EXPORT pmix_regattr_t *PMIx_Regattr_create(size_t n);
PMIX_EXPORT void PMIx_Regattr_free(pmix_regattr_t *p, size_t n);
/* Set it to copies. */
PMIX_EXPORT void PMIx_Regattr_load(pmix_regattr_t *info, const char *name, const char *key,
                                   pmix_data_type_t type, const char *description);
/* A deep copy. */
PMIX_EXPORT void PMIx_Regattr_xfer(pmix_regattr_t *dest, const pmix_regattr_t *src);

/* Bytes, arrays, buffers. */

PMIX_EXPORT void PMIx_Byte_object_construct(pmix_byte_object_t *b);
PMIX_EXPORT void PMIx_Byte_object_destruct(pmix_byte_object_t *g);
PMIX_EXPORT pmix_byte_object_t *PMIx_Byte_object_create(size_t n);
PMIX_EXPORT void PMIx_Byte_object_free(pmix_byte_object_t *g, size_t n);
/* Give it malloc memory, which it takes over. */
PMIX_EXPORT void PMIx_Byte_object_load(pmix_byte_object_t *b, char *d, size_t sz);

/* An array of num elements, constructed if they are structures. */
PMIX_EXPORT void PMIx_Data_array_construct(pmix_data_array_t *p, size_t num, pmix_data_type_t type);
PMIX_EXPORT void PMIx_Data_array_destruct(pmix_data_array_t *d);
PMIX_EXPORT pmix_data_array_t *PMIx_Data_array_create(size_t n, pmix_data_type_t type);
PMIX_EXPORT void PMIx_Data_array_free(pmix_data_array_t *p);
/* An empty array of a type. */
PMIX_EXPORT void PMIx_Data_array_init(pmix_data_array_t *p, pmix_data_type_t type);

PMIX_EXPORT void PMIx_Data_buffer_construct(pmix_data_buffer_t *b);
PMIX_EXPORT void PMIx_Data_buffer_destruct(pmix_data_buffer_t *b);
PMIX_EXPORT pmix_data_buffer_t *PMIx_Data_buffer_create(void);
/* Give it malloc memory to unpack from, which it takes over. */
PMIX_EXPORT void PMIx_Data_buffer_load(pmix_data_buffer_t *b, char *bytes, size_t sz);
PMIX_EXPORT void PMIx_Data_buffer_release(pmix_data_buffer_t *b);
/* Move its bytes to *bytes; the buffer is empty afterwards. */
PMIX_EXPORT void PMIx_Data_buffer_unload(pmix_data_buffer_t *b, char **bytes, size_t *sz);

/* Processes. */

PMIX_EXPORT void PMIx_Proc_construct(pmix_proc_t *p);
PMIX_EXPORT void PMIx_Proc_destruct(pmix_proc_t *p);
PMIX_EXPORT pmix_proc_t *PMIx_Proc_create(size_t n);
PMIX_EXPORT void PMIx_Proc_free(pmix_proc_t *p, size_t n);
/* Set namespace and rank. */
PMIX_EXPORT void PMIx_Proc_load(pmix_proc_t *p, const char *nspace, pmix_rank_t rank);

PMIX_EXPORT void PMIx_Proc_info_construct(pmix_proc_info_t *p);
PMIX_EXPORT void PMIx_Proc_info_destruct(pmix_proc_info_t *p);
PMIX_EXPORT pmix_proc_info_t *PMIx_Proc_info_create(size_t n);
PMIX_EXPORT void PMIx_Proc_info_free(pmix_proc_info_t *p, size_t n);

PMIX_EXPORT void PMIx_Node_pid_construct(pmix_node_pid_t *d);
PMIX_EXPORT void PMIx_Node_pid_destruct(pmix_node_pid_t *d);
PMIX_EXPORT pmix_node_pid_t *PMIx_Node_pid_create(size_t n);
PMIX_EXPORT void PMIx_Node_pid_free(pmix_node_pid_t *d, size_t n);

/* Hardware and fabrics. */

PMIX_EXPORT void PMIx_Coord_construct(pmix_coord_t *m);
PMIX_EXPORT void PMIx_Coord_destruct(pmix_coord_t *m);
/* An array of `number` coordinates with `dims` dimensions each. */
PMIX_EXPORT pmix_coord_t *PMIx_Coord_create(size_t dims, size_t number);
PMIX_EXPORT void PMIx_Coord_free(pmix_coord_t *m, size_t number);

PMIX_EXPORT void PMIx_Cpuset_construct(pmix_cpuset_t *cpuset);
PMIX_EXPORT void PMIx_Cpuset_destruct(pmix_cpuset_t *cpuset);
PMIX_EXPORT pmix_cpuset_t *PMIx_Cpuset_create(size_t n);
PMIX_EXPORT void PMIx_Cpuset_free(pmix_cpuset_t *c, size_t n);

PMIX_EXPORT void PMIx_Topology_construct(pmix_topology_t *t);
PMIX_EXPORT void PMIx_Topology_destruct(pmix_topology_t *topo);
PMIX_EXPORT pmix_topology_t *PMIx_Topology_create(size_t n);
PMIX_EXPORT void PMIx_Topology_free(pmix_topology_t *t, size_t n);

PMIX_EXPORT void PMIx_Geometry_construct(pmix_geometry_t *g);
PMIX_EXPORT void PMIx_Geometry_destruct(pmix_geometry_t *g);
PMIX_EXPORT pmix_geometry_t *PMIx_Geometry_create(size_t n);
PMIX_EXPORT void PMIx_Geometry_free(pmix_geometry_t *g, size_t n);

PMIX_EXPORT void PMIx_Device_construct(pmix_device_t *d);
PMIX_EXPORT void PMIx_Device_destruct(pmix_device_t *d);
PMIX_EXPORT pmix_device_t *PMIx_Device_create(size_t n);
PMIX_EXPORT void PMIx_Device_free(pmix_device_t *d, size_t n);

PMIX_EXPORT void PMIx_Device_distance_construct(pmix_device_distance_t *d);
PMIX_EXPORT void PMIx_Device_distance_destruct(pmix_device_distance_t *d);
PMIX_EXPORT pmix_device_distance_t *PMIx_Device_distance_create(size_t n);
PMIX_EXPORT void PMIx_Device_distance_free(pmix_device_distance_t *d, size_t n);

PMIX_EXPORT void PMIx_Resource_unit_construct(pmix_resource_unit_t *d);
PMIX_EXPORT void PMIx_Resource_unit_destruct(pmix_resource_unit_t *d);
PMIX_EXPORT pmix_resource_unit_t *PMIx_Resource_unit_create(size_t n);
PMIX_EXPORT void PMIx_Resource_unit_free(pmix_resource_unit_t *d, size_t n);

PMIX_EXPORT void PMIx_Endpoint_construct(pmix_endpoint_t *e);
PMIX_EXPORT void PMIx_Endpoint_destruct(pmix_endpoint_t *e);
PMIX_EXPORT pmix_endpoint_t *PMIx_Endpoint_create(size_t n);
PMIX_EXPORT void PMIx_Endpoint_free(pmix_endpoint_t *e, size_t n);

/* Set all of it to zero. */
PMIX_EXPORT void PMIx_Fabric_construct(pmix_fabric_t *p);

/* Environment. */

PMIX_EXPORT void PMIx_Envar_construct(pmix_envar_t *e);
PMIX_EXPORT void PMIx_Envar_destruct(pmix_envar_t *e);
PMIX_EXPORT pmix_envar_t *PMIx_Envar_create(size_t n);
PMIX_EXPORT void PMIx_Envar_free(pmix_envar_t *e, size_t n);
/* Set it to copies. */
PMIX_EXPORT void PMIx_Envar_load(pmix_envar_t *e, char *var, char *value, char separator);

/* Argument vectors and environments: arrays of strings that end with NULL. */

/* Add a copy at the end or the front; *argv may be NULL and may move. */
PMIX_EXPORT pmix_status_t PMIx_Argv_append_nosize(char ***argv, const char *arg);
PMIX_EXPORT pmix_status_t PMIx_Argv_prepend_nosize(char ***argv, const char *arg);
/* The same unless it is in there. */
PMIX_EXPORT pmix_status_t PMIx_Argv_append_unique_nosize(char ***argv, const char *arg);
/*
 * Split at the delimiter; empty parts are left out, or kept with _with_empty and include_empty.
 * NULL for an empty text.
 */
PMIX_EXPORT char **PMIx_Argv_split(const char *src_string, int delimiter);
PMIX_EXPORT char **PMIx_Argv_split_with_empty(const char *src_string, int delimiter);
PMIX_EXPORT char **PMIx_Argv_split_inter(const char *src_string, int delimiter, bool include_empty);
/* The reverse of PMIx_Argv_split, in memory to be freed. */
PMIX_EXPORT char *PMIx_Argv_join(char **argv, int delimiter);
/* A deep copy. */
PMIX_EXPORT char **PMIx_Argv_copy(char **argv);
/* The number of strings before the NULL. */
PMIX_EXPORT int PMIx_Argv_count(char **a);
/* Release the vector and its strings; NULL is allowed. */
PMIX_EXPORT void PMIx_Argv_free(char **argv);

/*
 * Set a variable in *env, an array in malloc memory that may move (NULL at first: a new one). With
 * *env equal to environ, in the environment of the process; there value NULL removes it. Without
 * overwrite a variable that is there is left alone, and for an array it is PMIX_ERR_EXISTS.
 */
PMIX_EXPORT pmix_status_t PMIx_Setenv(const char *name, const char *value, bool overwrite,
                                      char ***env);

/* Names. */

/* Copy, cut to the size of the target. */
PMIX_EXPORT void PMIx_Load_key(pmix_key_t key, const char *src);
PMIX_EXPORT void PMIx_Load_nspace(pmix_nspace_t nspace, const char *str);
PMIX_EXPORT void PMIx_Load_procid(pmix_proc_t *p, const char *ns, pmix_rank_t rk);

/* Copy a name. */
PMIX_EXPORT void PMIx_Xfer_procid(pmix_proc_t *dst, const pmix_proc_t *src);

/* Whether they are equal; a rank of PMIX_RANK_WILDCARD is equal to all, an empty namespace, too. */
PMIX_EXPORT bool PMIx_Check_key(const char *key, const char *str);
PMIX_EXPORT bool PMIx_Check_nspace(const char *key1, const char *key2);
PMIX_EXPORT bool PMIx_Check_rank(pmix_rank_t a, pmix_rank_t b);
PMIX_EXPORT bool PMIx_Check_procid(const pmix_proc_t *a, const pmix_proc_t *b);
/* Whether it begins with "pmix". */
PMIX_EXPORT bool PMIx_Check_reserved_key(const char *key);

/* Whether a namespace is empty, a name is incomplete, a rank is one of a process. */
PMIX_EXPORT bool PMIx_Nspace_invalid(const char *nspace);

PMIX_EXPORT bool PMIx_Procid_invalid(const pmix_proc_t *p);

PMIX_EXPORT bool PMIx_Rank_valid(pmix_rank_t a);

/* Join the names of a cluster and of a job in it to target; take them apart. */
PMIX_EXPORT void PMIx_Multicluster_nspace_construct(pmix_nspace_t target, pmix_nspace_t cluster,
                                                    pmix_nspace_t nspace);
PMIX_EXPORT void PMIx_Multicluster_nspace_parse(pmix_nspace_t target, pmix_nspace_t cluster,
                                                pmix_nspace_t nspace);

/* Usage of resources, of the 4.2.3 to 5.0 series. */

PMIX_EXPORT void PMIx_Proc_stats_construct(pmix_proc_stats_t *ps);
PMIX_EXPORT void PMIx_Proc_stats_destruct(pmix_proc_stats_t *ps);
PMIX_EXPORT pmix_proc_stats_t *PMIx_Proc_stats_create(size_t n);
PMIX_EXPORT void PMIx_Proc_stats_free(pmix_proc_stats_t *ps, size_t n);

PMIX_EXPORT void PMIx_Disk_stats_construct(pmix_disk_stats_t *ds);
PMIX_EXPORT void PMIx_Disk_stats_destruct(pmix_disk_stats_t *ds);
PMIX_EXPORT pmix_disk_stats_t *PMIx_Disk_stats_create(size_t n);
PMIX_EXPORT void PMIx_Disk_stats_free(pmix_disk_stats_t *ds, size_t n);

PMIX_EXPORT void PMIx_Net_stats_construct(pmix_net_stats_t *ns);
PMIX_EXPORT void PMIx_Net_stats_destruct(pmix_net_stats_t *ns);
PMIX_EXPORT pmix_net_stats_t *PMIx_Net_stats_create(size_t n);
PMIX_EXPORT void PMIx_Net_stats_free(pmix_net_stats_t *ns, size_t n);

PMIX_EXPORT void PMIx_Node_stats_construct(pmix_node_stats_t *nd);
PMIX_EXPORT void PMIx_Node_stats_destruct(pmix_node_stats_t *nd);
PMIX_EXPORT pmix_node_stats_t *PMIx_Node_stats_create(size_t n);
PMIX_EXPORT void PMIx_Node_stats_free(pmix_node_stats_t *nd, size_t n);

/* Old names. */

/* Old name of PMIx_tool_attach_to_server, which makes the server the primary one. */
PMIX_EXPORT pmix_status_t PMIx_tool_connect_to_server(pmix_proc_t *proc, pmix_info_t info[],
                                                      size_t ninfo);

/*
 * What macros of earlier series need is inline where the function came later: a program that uses
 * them loads on every library of the series that PMIX_VERSION_MAJOR and its kin declare.
 */

/* Behind PMIX_VALUE_GET_NUMBER: a whole number and its sign. */
typedef struct {
    pmix_status_t status;
    bool negative;
    int64_t i;
    uint64_t u;
} pmix_value_number_t;

static inline pmix_value_number_t pmix_value_unsigned(uint64_t u)
{
    pmix_value_number_t number = {PMIX_SUCCESS, false, 0, 0};

    number.u = u;
    return number;
}

static inline pmix_value_number_t pmix_value_signed(int64_t i)
{
    pmix_value_number_t number = {PMIX_SUCCESS, false, 0, 0};

    number.negative = i < 0;
    number.i = i;
    number.u = (uint64_t) i;
    return number;
}

static inline pmix_value_number_t pmix_value_number(const pmix_value_t *value)
{
    pmix_value_number_t none = {PMIX_ERR_BAD_PARAM, false, 0, 0};

    switch (value->type) {
    case PMIX_BYTE: return pmix_value_unsigned(value->data.byte);
    case PMIX_SIZE: return pmix_value_unsigned(value->data.size);
    case PMIX_UINT: return pmix_value_unsigned(value->data.uint);
    case PMIX_UINT8: return pmix_value_unsigned(value->data.uint8);
    case PMIX_UINT16: return pmix_value_unsigned(value->data.uint16);
    case PMIX_UINT32: return pmix_value_unsigned(value->data.uint32);
    case PMIX_UINT64: return pmix_value_unsigned(value->data.uint64);
    case PMIX_PROC_RANK: return pmix_value_unsigned(value->data.rank);
    case PMIX_PID: return pmix_value_signed(value->data.pid);
    case PMIX_INT: return pmix_value_signed(value->data.integer);
    case PMIX_INT8: return pmix_value_signed(value->data.int8);
    case PMIX_INT16: return pmix_value_signed(value->data.int16);
    case PMIX_INT32: return pmix_value_signed(value->data.int32);
    case PMIX_INT64: return pmix_value_signed(value->data.int64);
    case PMIX_TIME: return pmix_value_signed((int64_t) value->data.time);
    case PMIX_STATUS: return pmix_value_signed(value->data.status);
    default: return none;
    }
}

/* Behind PMIX_PDATA_LOAD and PMIX_PDATA_XFER. */

static inline void pmix_pdata_load(pmix_pdata_t *dest, const pmix_proc_t *p, const char *key,
                                   const void *data, pmix_data_type_t type)
{
    if (NULL != dest) {
        PMIx_Pdata_construct(dest);
        PMIx_Xfer_procid(&dest->proc, p);
        PMIx_Load_key(dest->key, key);
        (void) PMIx_Value_load(&dest->value, data, type);
    }
}

static inline void pmix_pdata_xfer(pmix_pdata_t *dest, const pmix_pdata_t *src)
{
    if (NULL == dest || NULL == src || dest == src) {
        return;
    }
    PMIx_Pdata_construct(dest);
    if (PMIX_SUCCESS == PMIx_Value_xfer(&dest->value, &src->value)) {
        PMIx_Xfer_procid(&dest->proc, &src->proc);
        PMIx_Load_key(dest->key, src->key);
    }
}

/* Names of the 4.2 series. */

static inline void *pmix_malloc(size_t n)
{
    return malloc(n);
}

static inline void *pmix_calloc(size_t n, size_t m)
{
    return calloc(n, m);
}

static inline void pmix_free(void *m)
{
    free(m);
}

/* Length of a key, at most PMIX_MAX_KEYLEN. */
static inline size_t pmix_keylen(const char *src)
{
    size_t n;

    n = 0;
    while (n < PMIX_MAX_KEYLEN && src[n] != '\0') {
        n++;
    }
    return n;
}

/* Length of a namespace, at most PMIX_MAX_NSLEN. */
static inline size_t pmix_nslen(const char *src)
{
    size_t n;

    n = 0;
    while (n < PMIX_MAX_NSLEN && src[n] != '\0') {
        n++;
    }
    return n;
}

/* Copy up to len bytes of src and end dest with a NUL: dest must hold len + 1 bytes. */
static inline void pmix_strncpy(char *dest, const char *src, size_t len)
{
    size_t n;

    n = 0;
    while (n < len && src[n] != '\0') {
        dest[n] = src[n];
        n++;
    }
    dest[n] = '\0';
}

static inline char **pmix_argv_copy(char **argv)
{
    return PMIx_Argv_copy(argv);
}

static inline int pmix_argv_count(char **argv)
{
    return PMIx_Argv_count(argv);
}

static inline void pmix_argv_free(char **argv)
{
    PMIx_Argv_free(argv);
}

static inline char *pmix_argv_join(char **argv, int delimiter)
{
    return PMIx_Argv_join(argv, delimiter);
}

static inline pmix_status_t pmix_argv_append_nosize(char ***argv, const char *arg)
{
    return PMIx_Argv_append_nosize(argv, arg);
}

static inline pmix_status_t pmix_argv_append_unique_nosize(char ***argv, const char *arg)
{
    return PMIx_Argv_append_unique_nosize(argv, arg);
}

static inline pmix_status_t pmix_argv_prepend_nosize(char ***argv, const char *arg)
{
    return PMIx_Argv_prepend_nosize(argv, arg);
}

static inline char **pmix_argv_split(const char *src_string, int delimiter)
{
    return PMIx_Argv_split(src_string, delimiter);
}

static inline char **pmix_argv_split_inter(const char *src_string, int delimiter,
                                           bool include_empty)
{
    return PMIx_Argv_split_inter(src_string, delimiter, include_empty);
}

static inline char **pmix_argv_split_with_empty(const char *src_string, int delimiter)
{
    return PMIx_Argv_split_with_empty(src_string, delimiter);
}

static inline pmix_status_t pmix_setenv(const char *name, const char *value, bool overwrite,
                                        char ***env)
{
    return PMIx_Setenv(name, value, overwrite, env);
}

static inline pmix_boolean_t pmix_check_true(const pmix_value_t *value)
{
    return PMIx_Value_true(value);
}

static inline void pmix_app_free(pmix_app_t *ap, size_t n)
{
    PMIx_App_free(ap, n);
}

static inline void pmix_pdata_free(pmix_pdata_t *pd, size_t n)
{
    PMIx_Pdata_free(pd, n);
}

static inline void pmix_proc_stats_free(pmix_proc_stats_t *ps, size_t n)
{
    PMIx_Proc_stats_free(ps, n);
}

static inline void pmix_disk_stats_free(pmix_disk_stats_t *d, size_t n)
{
    PMIx_Disk_stats_free(d, n);
}

static inline void pmix_net_stats_free(pmix_net_stats_t *nst, size_t n)
{
    PMIx_Net_stats_free(nst, n);
}

static inline void pmix_node_stats_free(pmix_node_stats_t *nd, size_t n)
{
    PMIx_Node_stats_free(nd, n);
}

#if defined(__cplusplus)
}
#endif

#endif
