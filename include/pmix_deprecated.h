/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/*
 * The functions that make, copy and release the public structures, and old names. The name of the
 * file is historic: programs find it by that. All of it works before PMIx_Init and from any thread.
 *
 * Every structure X has
 *
 *   construct(x): sets the caller's structure to its empty value; NULL is allowed
 *   destruct(x): frees what the structure points to and leaves it empty; NULL is allowed
 *   create(n): makes an array of n empty ones in malloc memory; NULL for n = 0 or without memory
 *   free(x, n): destructs n of them and frees the array; NULL is allowed
 *
 * "Load" sets a structure that is empty: what it held is not released. Std 3, Data Structures and
 * Types; OpenPMIx has the functions beside the macros of the Standard.
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

/* pmix_value_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Value_construct(pmix_value_t *val);
PMIX_EXPORT void PMIx_Value_destruct(pmix_value_t *val);
PMIX_EXPORT pmix_value_t *PMIx_Value_create(size_t n);
PMIX_EXPORT void PMIx_Value_free(pmix_value_t *v, size_t n);

/*
 * Set type and value to a copy of data. What the value held is not released.
 *
 *   val: the value; PMIX_UNDEF on failure
 *   data: the text itself for PMIX_STRING and PMIX_REGEX, the pointer itself for PMIX_POINTER, else
 *       the address of the datum; NULL: true for PMIX_BOOL, no value for other types
 *   type: its type
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: there is no such type
 *   PMIX_ERR_NOT_SUPPORTED: values cannot have this type
 *   PMIX_ERR_BAD_PARAM: val is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 3.2.8.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Value_load(pmix_value_t *val, const void *data,
                                          pmix_data_type_t type);

/*
 * Copy a value out.
 *
 *   val: stays as it is
 *   data: for a scalar (a number, a bool, a status, a time), *data is memory of the caller that
 *       receives it; for anything else *data receives malloc memory, or the pointer of a
 *       PMIX_POINTER
 *   sz: receives the size in bytes; may be NULL
 *   PMIX_ERR_UNKNOWN_DATA_TYPE: the value is PMIX_UNDEF, or has a type that does not exist
 *   PMIX_ERR_BAD_PARAM: val or data is NULL, or *data for a scalar
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 3.2.8.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Value_unload(pmix_value_t *val, void **data, size_t *sz);

/*
 * Copy a value, deeply.
 *
 *   dest: overwritten, what it held is not released; empty on failure
 *   src: the value
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 3.2.8.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Value_xfer(pmix_value_t *dest, const pmix_value_t *src);

/*
 * Which of two values is the greater one; values of different types are PMIX_VALUE_TYPE_DIFFERENT.
 */
PMIX_EXPORT pmix_value_cmp_t PMIx_Value_compare(pmix_value_t *v1, pmix_value_t *v2);

/*
 * Read a value of any number type as a number of another type. The fraction of a real number is
 * dropped for a whole one.
 *
 *   value: the value
 *   dest: receives the number
 *   type: its type
 *   PMIX_ERR_LOST_PRECISION: the number does not fit
 *   PMIX_ERR_CHANGE_SIGN: the number is negative, and type has no sign
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or one of the types is no number
 */
PMIX_EXPORT pmix_status_t PMIx_Value_get_number(const pmix_value_t *value, void *dest,
                                                pmix_data_type_t type);

/*
 * A bool or a text as a truth value. Returns PMIX_BOOL_TRUE, PMIX_BOOL_FALSE, or PMIX_NON_BOOL for
 * other types and texts. True are "true", "t", "yes", "y", "enable", a text that begins with a
 * number other than 0, an empty text, and no value; false "false", "f", "no", "n", "disable" and 0.
 * Case does not matter.
 */
PMIX_EXPORT pmix_boolean_t PMIx_Value_true(const pmix_value_t *v);

/* Infos. */

/* pmix_info_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Info_construct(pmix_info_t *p);
PMIX_EXPORT void PMIx_Info_destruct(pmix_info_t *p);
PMIX_EXPORT pmix_info_t *PMIx_Info_create(size_t n);
PMIX_EXPORT void PMIx_Info_free(pmix_info_t *p, size_t n);

/*
 * Set an info to copies of key and data, without flags.
 *
 *   info: what it held is not released
 *   key: cut to PMIX_MAX_KEYLEN bytes
 *   data, type: as for PMIx_Value_load, with its statuses
 *   PMIX_ERR_BAD_PARAM: info or key is NULL
 *
 * Std 3.2.9.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Info_load(pmix_info_t *info, const char *key, const void *data,
                                         pmix_data_type_t type);

/*
 * Copy an info with its flags, deeply. An info marked with PMIx_Info_persistent is copied without
 * what it points to.
 *
 *   dest: overwritten, what it held is not released; empty on failure
 *   src: the info
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 3.2.9.1.
 */
PMIX_EXPORT pmix_status_t PMIx_Info_xfer(pmix_info_t *dest, const pmix_info_t *src);

/* The value of an info as a truth value, as PMIx_Value_true. */
PMIX_EXPORT pmix_boolean_t PMIx_Info_true(const pmix_info_t *p);

/* Mark an info as required: a receiver that does not support it refuses the call. */
PMIX_EXPORT void PMIx_Info_required(pmix_info_t *p);

/* Remove the mark of PMIx_Info_required. */
PMIX_EXPORT void PMIx_Info_optional(pmix_info_t *p);

/* Mark a required info as seen. */
PMIX_EXPORT void PMIx_Info_processed(pmix_info_t *p);

/* Mark an info as the last of its array. */
PMIX_EXPORT void PMIx_Info_set_end(pmix_info_t *p);

/* Mark an info as a qualifier of the key before it, or of a read. */
PMIX_EXPORT void PMIx_Info_qualifier(pmix_info_t *p);

/* Mark an info whose value belongs to somebody else: destruct and free leave it alone. */
PMIX_EXPORT void PMIx_Info_persistent(pmix_info_t *p);

/* Whether an info is marked as required. */
PMIX_EXPORT bool PMIx_Info_is_required(const pmix_info_t *p);

/* Whether an info is not marked as required. */
PMIX_EXPORT bool PMIx_Info_is_optional(const pmix_info_t *p);

/* Whether a required info is marked as seen. */
PMIX_EXPORT bool PMIx_Info_was_processed(const pmix_info_t *p);

/* Whether an info is marked as the last of its array. */
PMIX_EXPORT bool PMIx_Info_is_end(const pmix_info_t *p);

/* Whether an info is marked as a qualifier. */
PMIX_EXPORT bool PMIx_Info_is_qualifier(const pmix_info_t *p);

/* Whether the value of an info belongs to somebody else. */
PMIX_EXPORT bool PMIx_Info_is_persistent(const pmix_info_t *p);

/* Lists of infos. */

/*
 * Make an empty list of infos; NULL without memory. A list is used by one thread at a time, and
 * released with PMIx_Info_list_release. Std 3.2.9.2.
 */
PMIX_EXPORT void *PMIx_Info_list_start(void);

/* Release a list and what is in it; NULL is allowed. Std 3.2.9.2. */
PMIX_EXPORT void PMIx_Info_list_release(void *ptr);

/*
 * Append copies of key and value to a list.
 *
 *   ptr: the list
 *   key, value, type: as for PMIx_Info_load, with its statuses
 *   PMIX_ERR_BAD_PARAM: ptr or key is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 3.2.9.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_add(void *ptr, const char *key, const void *value,
                                             pmix_data_type_t type);

/* PMIx_Info_list_add at the front of the list. */
PMIX_EXPORT pmix_status_t PMIx_Info_list_prepend(void *ptr, const char *key, const void *value,
                                                 pmix_data_type_t type);

/*
 * PMIx_Info_list_add, unless the key is in the list.
 *
 *   overwrite: replace the value of a key that is there; else it is left alone, which is a success
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_add_unique(void *ptr, const char *key, const void *value,
                                                    pmix_data_type_t type, bool overwrite);

/*
 * Append copies of a key and a value to a list.
 *
 *   ptr: the list
 *   key, value: what is copied
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_add_value(void *ptr, const char *key,
                                                   const pmix_value_t *value);

/*
 * PMIx_Info_list_add_value, unless the key is in the list.
 *
 *   overwrite: replace the value of a key that is there; else it is left alone, which is a success
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_add_value_unique(void *ptr, const char *key,
                                                          const pmix_value_t *value,
                                                          bool overwrite);

/*
 * Append an info with the value that it points to, not copied. The value stays the caller's and has
 * to outlive the list.
 *
 *   ptr: the list
 *   info: the info
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_insert(void *ptr, pmix_info_t *info);

/*
 * Append a deep copy of an info to a list.
 *
 *   ptr: the list
 *   info: the info
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 3.2.9.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_xfer(void *ptr, const pmix_info_t *info);

/*
 * PMIx_Info_list_xfer, unless the key is in the list.
 *
 *   overwrite: replace the info of a key that is there; else it is left alone, which is a success
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_xfer_unique(void *ptr, const pmix_info_t *info,
                                                     bool overwrite);

/*
 * Copy a list to an array of PMIX_INFO. The list stays.
 *
 *   ptr: the list
 *   par: overwritten; released with PMIx_Data_array_destruct
 *   PMIX_ERR_EMPTY: nothing is in the list; par is an empty array
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_NOMEM: no memory
 *
 * Std 3.2.9.2.
 */
PMIX_EXPORT pmix_status_t PMIx_Info_list_convert(void *ptr, pmix_data_array_t *par);

/*
 * Walk a list. Returns an info, which belongs to the list; NULL if the list is empty.
 *
 *   ptr: the list
 *   prev: NULL at first, then what the last call put into *next
 *   next: receives the place of the next info; NULL behind the last
 */
PMIX_EXPORT pmix_info_t *PMIx_Info_list_get_info(void *ptr, void *prev, void **next);

/* The number of infos in a list. */
PMIX_EXPORT size_t PMIx_Info_list_get_size(void *ptr);

/* Published data. */

/* pmix_pdata_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Pdata_construct(pmix_pdata_t *p);
PMIX_EXPORT void PMIx_Pdata_destruct(pmix_pdata_t *p);
PMIX_EXPORT pmix_pdata_t *PMIx_Pdata_create(size_t n);
PMIX_EXPORT void PMIx_Pdata_free(pmix_pdata_t *p, size_t n);

/*
 * Set published data to copies; empty without memory.
 *
 *   dest: what it held is not released
 *   p: the publisher
 *   key: the key
 *   data, type: as for PMIx_Value_load
 */
PMIX_EXPORT void PMIx_Pdata_load(pmix_pdata_t *dest, const pmix_proc_t *p, const char *key,
                                 const void *data, pmix_data_type_t type);

/* Copy published data, deeply; empty without memory. */
PMIX_EXPORT void PMIx_Pdata_xfer(pmix_pdata_t *dest, pmix_pdata_t *src);

/* Applications, queries, attributes. */

/* pmix_app_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_App_construct(pmix_app_t *p);
PMIX_EXPORT void PMIx_App_destruct(pmix_app_t *p);
PMIX_EXPORT pmix_app_t *PMIx_App_create(size_t n);
PMIX_EXPORT void PMIx_App_free(pmix_app_t *p, size_t n);

/* Give an application an array of n empty infos. */
PMIX_EXPORT void PMIx_App_info_create(pmix_app_t *p, size_t n);

/* Release one application from PMIx_App_create(1). */
PMIX_EXPORT void PMIx_App_release(pmix_app_t *p);

/* pmix_query_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Query_construct(pmix_query_t *p);
PMIX_EXPORT void PMIx_Query_destruct(pmix_query_t *p);
PMIX_EXPORT pmix_query_t *PMIx_Query_create(size_t n);
PMIX_EXPORT void PMIx_Query_free(pmix_query_t *p, size_t n);

/* Give a query an array of n empty qualifiers. */
PMIX_EXPORT void PMIx_Query_qualifiers_create(pmix_query_t *p, size_t n);

/* Release one query from PMIx_Query_create(1). */
PMIX_EXPORT void PMIx_Query_release(pmix_query_t *p);

/* pmix_regattr_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Regattr_construct(pmix_regattr_t *p);
PMIX_EXPORT void PMIx_Regattr_destruct(pmix_regattr_t *p);
PMIX_EXPORT pmix_regattr_t *PMIx_Regattr_create(size_t n);
PMIX_EXPORT void PMIx_Regattr_free(pmix_regattr_t *p, size_t n);

/*
 * Set name, key, type and description of an attribute to copies. What is NULL leaves its member as
 * it is; the description is added to those that are there.
 */
PMIX_EXPORT void PMIx_Regattr_load(pmix_regattr_t *info, const char *name, const char *key,
                                   pmix_data_type_t type, const char *description);

/* Copy an attribute, deeply; empty without memory. */
PMIX_EXPORT void PMIx_Regattr_xfer(pmix_regattr_t *dest, const pmix_regattr_t *src);

/* Bytes, arrays, buffers. */

/* pmix_byte_object_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Byte_object_construct(pmix_byte_object_t *b);
PMIX_EXPORT void PMIx_Byte_object_destruct(pmix_byte_object_t *g);
PMIX_EXPORT pmix_byte_object_t *PMIx_Byte_object_create(size_t n);
PMIX_EXPORT void PMIx_Byte_object_free(pmix_byte_object_t *g, size_t n);

/* Set a byte object to malloc memory, which it takes over. What it held is not released. */
PMIX_EXPORT void PMIx_Byte_object_load(pmix_byte_object_t *b, char *d, size_t sz);

/*
 * Set an array to num elements of a type, constructed if they are structures. Its size is 0 without
 * memory, and for a type that does not exist.
 */
PMIX_EXPORT void PMIx_Data_array_construct(pmix_data_array_t *p, size_t num, pmix_data_type_t type);

/* Free the elements of an array and leave it empty. */
PMIX_EXPORT void PMIx_Data_array_destruct(pmix_data_array_t *d);

/* Make an array of n elements of a type in malloc memory; NULL without memory. */
PMIX_EXPORT pmix_data_array_t *PMIx_Data_array_create(size_t n, pmix_data_type_t type);

/* Destruct an array and free it; NULL is allowed. */
PMIX_EXPORT void PMIx_Data_array_free(pmix_data_array_t *p);

/* Set an array to no elements of a type. */
PMIX_EXPORT void PMIx_Data_array_init(pmix_data_array_t *p, pmix_data_type_t type);

/* Set a buffer to its empty value. */
PMIX_EXPORT void PMIx_Data_buffer_construct(pmix_data_buffer_t *b);

/* Free the bytes of a buffer and leave it empty. */
PMIX_EXPORT void PMIx_Data_buffer_destruct(pmix_data_buffer_t *b);

/* Make an empty buffer in malloc memory; NULL without memory. */
PMIX_EXPORT pmix_data_buffer_t *PMIx_Data_buffer_create(void);

/* Set a buffer to malloc memory to unpack from, which it takes over. What it held is freed. */
PMIX_EXPORT void PMIx_Data_buffer_load(pmix_data_buffer_t *b, char *bytes, size_t sz);

/* Destruct a buffer and free it; NULL is allowed. */
PMIX_EXPORT void PMIx_Data_buffer_release(pmix_data_buffer_t *b);

/*
 * Move the bytes of a buffer that are not unpacked yet to *bytes, to be released with free(). The
 * buffer is empty afterwards.
 */
PMIX_EXPORT void PMIx_Data_buffer_unload(pmix_data_buffer_t *b, char **bytes, size_t *sz);

/* Processes. */

/* pmix_proc_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Proc_construct(pmix_proc_t *p);
PMIX_EXPORT void PMIx_Proc_destruct(pmix_proc_t *p);
PMIX_EXPORT pmix_proc_t *PMIx_Proc_create(size_t n);
PMIX_EXPORT void PMIx_Proc_free(pmix_proc_t *p, size_t n);

/* Set namespace and rank of a name. */
PMIX_EXPORT void PMIx_Proc_load(pmix_proc_t *p, const char *nspace, pmix_rank_t rank);

/* pmix_proc_info_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Proc_info_construct(pmix_proc_info_t *p);
PMIX_EXPORT void PMIx_Proc_info_destruct(pmix_proc_info_t *p);
PMIX_EXPORT pmix_proc_info_t *PMIx_Proc_info_create(size_t n);
PMIX_EXPORT void PMIx_Proc_info_free(pmix_proc_info_t *p, size_t n);

/* pmix_node_pid_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Node_pid_construct(pmix_node_pid_t *d);
PMIX_EXPORT void PMIx_Node_pid_destruct(pmix_node_pid_t *d);
PMIX_EXPORT pmix_node_pid_t *PMIx_Node_pid_create(size_t n);
PMIX_EXPORT void PMIx_Node_pid_free(pmix_node_pid_t *d, size_t n);

/* pmix_regex2_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Regex2_construct(pmix_regex2_t *d);
PMIX_EXPORT void PMIx_Regex2_destruct(pmix_regex2_t *d);
PMIX_EXPORT pmix_regex2_t *PMIx_Regex2_create(size_t n);
PMIX_EXPORT void PMIx_Regex2_free(pmix_regex2_t *d, size_t n);

/* Hardware and fabrics. */

/* Set a coordinate to its empty value. */
PMIX_EXPORT void PMIx_Coord_construct(pmix_coord_t *m);

/* Free what a coordinate points to and leave it empty. */
PMIX_EXPORT void PMIx_Coord_destruct(pmix_coord_t *m);

/*
 * Make an array of `number` coordinates with `dims` dimensions each, in malloc memory. NULL without
 * memory.
 */
PMIX_EXPORT pmix_coord_t *PMIx_Coord_create(size_t dims, size_t number);

/* Destruct `number` coordinates and free the array; NULL is allowed. */
PMIX_EXPORT void PMIx_Coord_free(pmix_coord_t *m, size_t number);

/* pmix_cpuset_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Cpuset_construct(pmix_cpuset_t *cpuset);
PMIX_EXPORT void PMIx_Cpuset_destruct(pmix_cpuset_t *cpuset);
PMIX_EXPORT pmix_cpuset_t *PMIx_Cpuset_create(size_t n);
PMIX_EXPORT void PMIx_Cpuset_free(pmix_cpuset_t *c, size_t n);

/* pmix_topology_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Topology_construct(pmix_topology_t *t);
PMIX_EXPORT void PMIx_Topology_destruct(pmix_topology_t *topo);
PMIX_EXPORT pmix_topology_t *PMIx_Topology_create(size_t n);
PMIX_EXPORT void PMIx_Topology_free(pmix_topology_t *t, size_t n);

/* pmix_geometry_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Geometry_construct(pmix_geometry_t *g);
PMIX_EXPORT void PMIx_Geometry_destruct(pmix_geometry_t *g);
PMIX_EXPORT pmix_geometry_t *PMIx_Geometry_create(size_t n);
PMIX_EXPORT void PMIx_Geometry_free(pmix_geometry_t *g, size_t n);

/* pmix_device_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Device_construct(pmix_device_t *d);
PMIX_EXPORT void PMIx_Device_destruct(pmix_device_t *d);
PMIX_EXPORT pmix_device_t *PMIx_Device_create(size_t n);
PMIX_EXPORT void PMIx_Device_free(pmix_device_t *d, size_t n);

/* pmix_device_distance_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Device_distance_construct(pmix_device_distance_t *d);
PMIX_EXPORT void PMIx_Device_distance_destruct(pmix_device_distance_t *d);
PMIX_EXPORT pmix_device_distance_t *PMIx_Device_distance_create(size_t n);
PMIX_EXPORT void PMIx_Device_distance_free(pmix_device_distance_t *d, size_t n);

/* pmix_resource_unit_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Resource_unit_construct(pmix_resource_unit_t *d);
PMIX_EXPORT void PMIx_Resource_unit_destruct(pmix_resource_unit_t *d);
PMIX_EXPORT pmix_resource_unit_t *PMIx_Resource_unit_create(size_t n);
PMIX_EXPORT void PMIx_Resource_unit_free(pmix_resource_unit_t *d, size_t n);

/* pmix_endpoint_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Endpoint_construct(pmix_endpoint_t *e);
PMIX_EXPORT void PMIx_Endpoint_destruct(pmix_endpoint_t *e);
PMIX_EXPORT pmix_endpoint_t *PMIx_Endpoint_create(size_t n);
PMIX_EXPORT void PMIx_Endpoint_free(pmix_endpoint_t *e, size_t n);

/* Set all of a fabric to zero. */
PMIX_EXPORT void PMIx_Fabric_construct(pmix_fabric_t *p);

/* Environment. */

/* pmix_envar_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Envar_construct(pmix_envar_t *e);
PMIX_EXPORT void PMIx_Envar_destruct(pmix_envar_t *e);
PMIX_EXPORT pmix_envar_t *PMIx_Envar_create(size_t n);
PMIX_EXPORT void PMIx_Envar_free(pmix_envar_t *e, size_t n);

/* Set a variable to copies. What is NULL leaves its member as it is. */
PMIX_EXPORT void PMIx_Envar_load(pmix_envar_t *e, char *var, char *value, char separator);

/* Argument vectors and environments: arrays of strings that end with NULL. */

/*
 * Add a copy of a string at the end of a vector.
 *
 *   argv: the vector; *argv may be NULL, and may move
 *   arg: the string
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL
 *   PMIX_ERR_OUT_OF_RESOURCE: no memory
 */
PMIX_EXPORT pmix_status_t PMIx_Argv_append_nosize(char ***argv, const char *arg);

/* PMIx_Argv_append_nosize at the front. */
PMIX_EXPORT pmix_status_t PMIx_Argv_prepend_nosize(char ***argv, const char *arg);

/* PMIx_Argv_append_nosize, unless the string is in the vector. */
PMIX_EXPORT pmix_status_t PMIx_Argv_append_unique_nosize(char ***argv, const char *arg);

/* Split a text at the delimiter, without empty parts; NULL if there are none, or without memory. */
PMIX_EXPORT char **PMIx_Argv_split(const char *src_string, int delimiter);

/*
 * Split a text at the delimiter, empty parts included; NULL for an empty text, or without memory. A
 * delimiter at the end adds no part.
 */
PMIX_EXPORT char **PMIx_Argv_split_with_empty(const char *src_string, int delimiter);

/* PMIx_Argv_split_with_empty or PMIx_Argv_split, as include_empty says. */
PMIX_EXPORT char **PMIx_Argv_split_inter(const char *src_string, int delimiter, bool include_empty);

/* Join a vector with the delimiter, in memory to be released with free(); NULL without memory. */
PMIX_EXPORT char *PMIx_Argv_join(char **argv, int delimiter);

/* Copy a vector, deeply; NULL for NULL, or without memory. */
PMIX_EXPORT char **PMIx_Argv_copy(char **argv);

/* The number of strings before the NULL; 0 for NULL. */
PMIX_EXPORT int PMIx_Argv_count(char **a);

/* Release a vector and its strings; NULL is allowed. */
PMIX_EXPORT void PMIx_Argv_free(char **argv);

/*
 * Set a variable in an environment.
 *
 *   name: the variable
 *   value: its value; NULL: an empty one, or in the process's own environment: remove it
 *   overwrite: replace a variable that is there
 *   env: the environment, an array in malloc memory that may move; *env NULL: a new one; *env equal
 *       to environ: that of the process
 *   PMIX_ERR_EXISTS: the variable is in the array, and overwrite is false; in the process's own
 *       environment that is a success
 *   PMIX_ERR_BAD_PARAM: a pointer is NULL, or name is empty or has a "="
 *   PMIX_ERR_OUT_OF_RESOURCE: no memory
 */
PMIX_EXPORT pmix_status_t PMIx_Setenv(const char *name, const char *value, bool overwrite,
                                      char ***env);

/* Names. */

/* Copy a key, cut to PMIX_MAX_KEYLEN bytes. */
PMIX_EXPORT void PMIx_Load_key(pmix_key_t key, const char *src);

/* Copy a namespace, cut to PMIX_MAX_NSLEN bytes. */
PMIX_EXPORT void PMIx_Load_nspace(pmix_nspace_t nspace, const char *str);

/* Set namespace and rank of a name, as PMIx_Proc_load. */
PMIX_EXPORT void PMIx_Load_procid(pmix_proc_t *p, const char *ns, pmix_rank_t rk);

/* Copy the name of a process. */
PMIX_EXPORT void PMIx_Xfer_procid(pmix_proc_t *dst, const pmix_proc_t *src);

/* Whether two keys are equal; false for NULL. */
PMIX_EXPORT bool PMIx_Check_key(const char *key, const char *str);

/* Whether two namespaces are equal; an empty one, or NULL, is equal to all. */
PMIX_EXPORT bool PMIx_Check_nspace(const char *key1, const char *key2);

/* Whether two ranks are equal; PMIX_RANK_WILDCARD is equal to all. */
PMIX_EXPORT bool PMIx_Check_rank(pmix_rank_t a, pmix_rank_t b);

/* Whether two names are equal, by PMIx_Check_nspace and PMIx_Check_rank; false for NULL. */
PMIX_EXPORT bool PMIx_Check_procid(const pmix_proc_t *a, const pmix_proc_t *b);

/* Whether a key begins with "pmix". */
PMIX_EXPORT bool PMIx_Check_reserved_key(const char *key);

/* Whether a namespace is empty or NULL. */
PMIX_EXPORT bool PMIx_Nspace_invalid(const char *nspace);

/* Whether a name is NULL, or has no namespace or no rank (PMIX_RANK_INVALID). */
PMIX_EXPORT bool PMIx_Procid_invalid(const pmix_proc_t *p);

/* Whether a rank is that of a process: below PMIX_RANK_VALID. */
PMIX_EXPORT bool PMIx_Rank_valid(pmix_rank_t a);

/*
 * Join the names of a cluster and of a job in it, with ":" between; empty if that is too long.
 *
 *   target: receives the name
 *   cluster, nspace: what is joined
 */
PMIX_EXPORT void PMIx_Multicluster_nspace_construct(pmix_nspace_t target, pmix_nspace_t cluster,
                                                    pmix_nspace_t nspace);

/*
 * Take apart what PMIx_Multicluster_nspace_construct joined.
 *
 *   target: the name
 *   cluster, nspace: receive the parts; all of a name without ":" is the cluster
 */
PMIX_EXPORT void PMIx_Multicluster_nspace_parse(pmix_nspace_t target, pmix_nspace_t cluster,
                                                pmix_nspace_t nspace);

/* Usage of resources, of the 4.2.3 to 5.0 series. */

/* pmix_proc_stats_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Proc_stats_construct(pmix_proc_stats_t *ps);
PMIX_EXPORT void PMIx_Proc_stats_destruct(pmix_proc_stats_t *ps);
PMIX_EXPORT pmix_proc_stats_t *PMIx_Proc_stats_create(size_t n);
PMIX_EXPORT void PMIx_Proc_stats_free(pmix_proc_stats_t *ps, size_t n);

/* pmix_disk_stats_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Disk_stats_construct(pmix_disk_stats_t *ds);
PMIX_EXPORT void PMIx_Disk_stats_destruct(pmix_disk_stats_t *ds);
PMIX_EXPORT pmix_disk_stats_t *PMIx_Disk_stats_create(size_t n);
PMIX_EXPORT void PMIx_Disk_stats_free(pmix_disk_stats_t *ds, size_t n);

/* pmix_net_stats_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Net_stats_construct(pmix_net_stats_t *ns);
PMIX_EXPORT void PMIx_Net_stats_destruct(pmix_net_stats_t *ns);
PMIX_EXPORT pmix_net_stats_t *PMIx_Net_stats_create(size_t n);
PMIX_EXPORT void PMIx_Net_stats_free(pmix_net_stats_t *ns, size_t n);

/* pmix_node_stats_t: construct, destruct, create, free. */
PMIX_EXPORT void PMIx_Node_stats_construct(pmix_node_stats_t *nd);
PMIX_EXPORT void PMIx_Node_stats_destruct(pmix_node_stats_t *nd);
PMIX_EXPORT pmix_node_stats_t *PMIx_Node_stats_create(size_t n);
PMIX_EXPORT void PMIx_Node_stats_free(pmix_node_stats_t *nd, size_t n);

/* Old names. */

/*
 * Old name of PMIx_tool_attach_to_server, which makes the server the primary one. Arguments and
 * statuses are those of PMIx_tool_attach_to_server.
 */
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

/* Behind PMIX_BYTE_OBJECT_LOAD. */
static inline void pmix_byte_object_load(pmix_byte_object_t *b, char *d, size_t sz)
{
    if (NULL != b) {
        b->bytes = d;
        b->size = NULL == d ? 0 : sz;
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
