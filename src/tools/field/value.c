/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "src/tools/out.h"

enum { DEEPEST = 4 }; /* arrays in arrays; each takes up to two levels of the output */

static unsigned nested; /* arrays that are open */

/* ---- processes */

static const struct {
    pmix_rank_t rank;
    const char *plain;
    const char *name;
} special_ranks[] = {
    {PMIX_RANK_WILDCARD, "*", "PMIX_RANK_WILDCARD"},
    {PMIX_RANK_UNDEF, "undefined", "PMIX_RANK_UNDEF"},
    {PMIX_RANK_INVALID, "invalid", "PMIX_RANK_INVALID"},
    {PMIX_RANK_LOCAL_NODE, "local-node", "PMIX_RANK_LOCAL_NODE"},
    {PMIX_RANK_LOCAL_PEERS, "local-peers", "PMIX_RANK_LOCAL_PEERS"},
};

enum { N_SPECIAL = sizeof(special_ranks) / sizeof(special_ranks[0]) };

void px_field_print_rank(const char *name, pmix_rank_t rank)
{
    for (size_t i = 0; i < N_SPECIAL; i++) {
        if (special_ranks[i].rank == rank) {
            px_out_text(name, px_out_form() == PX_OUT_PLAIN ? special_ranks[i].plain
                                                            : special_ranks[i].name);
            return;
        }
    }
    px_out_number(name, rank);
}

void px_field_print_proc(const char *name, const pmix_proc_t *proc)
{
    char text[PMIX_MAX_NSLEN + 32];
    size_t len = strnlen(proc->nspace, PMIX_MAX_NSLEN);
    const char *special = NULL;

    if (px_out_form() == PX_OUT_JSON) {
        px_out_open(name);
        px_out_string("nspace", proc->nspace, len);
        px_field_print_rank("rank", proc->rank);
        px_out_close();
        return;
    }
    for (size_t i = 0; i < N_SPECIAL; i++) {
        special = special_ranks[i].rank == proc->rank ? special_ranks[i].plain : special;
    }
    if (special != NULL) {
        snprintf(text, sizeof(text), "%.*s:%s", (int) len, proc->nspace, special);
    } else {
        snprintf(text, sizeof(text), "%.*s:%" PRIu32, (int) len, proc->nspace, proc->rank);
    }
    px_out_text(name, text);
}

static void print_proc_info(const char *name, const pmix_proc_info_t *info)
{
    px_out_open(name);
    px_field_print_proc("proc", &info->proc);
    px_out_text("hostname", info->hostname);
    px_out_text("executable", info->executable_name);
    px_out_signed("pid", info->pid);
    px_out_signed("exit_code", info->exit_code);
    px_out_text("state", PMIx_Proc_state_string(info->state));
    px_out_close();
}

/* ---- values that are no arrays */

/* Bytes as hexadecimal digits. */
static void print_bytes(const char *name, const pmix_byte_object_t *bytes)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = bytes->bytes != NULL ? bytes->size : 0;
    char *text = malloc(2 * n + 1);

    for (size_t i = 0; text != NULL && i < n; i++) {
        unsigned char byte = (unsigned char) bytes->bytes[i];
        text[2 * i] = digits[byte >> 4];
        text[2 * i + 1] = digits[byte & 15];
    }
    px_out_string(name, text, text != NULL ? 2 * n : 0);
    free(text);
}

static void print_time(const char *name, const struct timeval *tv)
{
    char text[48];

    snprintf(text, sizeof(text), "%lld.%06ld", (long long) tv->tv_sec, (long) tv->tv_usec);
    px_out_text(name, text);
}

static void print_envar(const char *name, const pmix_envar_t *envar)
{
    char separator[2] = {envar->separator, '\0'};

    px_out_open(name);
    px_out_text("variable", envar->envar);
    px_out_text("value", envar->value);
    px_out_text("separator", separator);
    px_out_close();
}

static void print_attribute(const char *name, const pmix_regattr_t *attribute)
{
    px_out_open(name);
    px_out_text("name", attribute->name);
    px_out_string("key", attribute->string, strnlen(attribute->string, PMIX_MAX_KEYLEN));
    px_out_text("type", PMIx_Data_type_string(attribute->type));
    px_out_open_list("description");
    for (size_t i = 0; attribute->description != NULL && attribute->description[i] != NULL; i++) {
        px_out_text(NULL, attribute->description[i]);
    }
    px_out_close_list();
    px_out_close();
}

/* What libpmix has to say of a value. */
static void print_other(const char *name, const pmix_value_t *value)
{
    char *text = PMIx_Value_string(value);

    px_out_text(name, text);
    free(text);
}

/* Numbers; false: it is none. */
static bool print_number(const char *name, const pmix_value_t *value)
{
    switch (value->type) {
    case PMIX_BYTE:
    case PMIX_UINT8:
        px_out_number(name, value->data.uint8);
        return true;
    case PMIX_UINT16:
        px_out_number(name, value->data.uint16);
        return true;
    case PMIX_UINT32:
        px_out_number(name, value->data.uint32);
        return true;
    case PMIX_UINT64:
        px_out_number(name, value->data.uint64);
        return true;
    case PMIX_UINT:
        px_out_number(name, value->data.uint);
        return true;
    case PMIX_SIZE:
        px_out_number(name, value->data.size);
        return true;
    case PMIX_INT:
        px_out_signed(name, value->data.integer);
        return true;
    case PMIX_INT8:
        px_out_signed(name, value->data.int8);
        return true;
    case PMIX_INT16:
        px_out_signed(name, value->data.int16);
        return true;
    case PMIX_INT32:
        px_out_signed(name, value->data.int32);
        return true;
    case PMIX_INT64:
        px_out_signed(name, value->data.int64);
        return true;
    case PMIX_PID:
        px_out_signed(name, value->data.pid);
        return true;
    case PMIX_TIME:
        px_out_signed(name, value->data.time);
        return true;
    case PMIX_FLOAT:
        px_out_real(name, (double) value->data.fval);
        return true;
    case PMIX_DOUBLE:
        px_out_real(name, value->data.dval);
        return true;
    default:
        return false;
    }
}

static void print_array(const char *name, const pmix_data_array_t *array);

static void print_text(const char *name, const pmix_value_t *value)
{
    switch (value->type) {
    case PMIX_STRING:
        px_out_text(name, value->data.string);
        break;
    case PMIX_PROC_NSPACE:
        px_out_text(name, value->data.nspace != NULL ? *value->data.nspace : NULL);
        break;
    case PMIX_STATUS:
        px_out_text(name, px_field_status_name(value->data.status));
        break;
    case PMIX_BYTE_OBJECT:
    case PMIX_COMPRESSED_BYTE_OBJECT:
    case PMIX_COMPRESSED_STRING:
        print_bytes(name, &value->data.bo);
        break;
    case PMIX_TIMEVAL:
        print_time(name, &value->data.tv);
        break;
    case PMIX_ENVAR:
        print_envar(name, &value->data.envar);
        break;
    default:
        print_other(name, value);
        break;
    }
}

void px_field_print_value(const char *name, const pmix_value_t *value)
{
    if (value->type == PMIX_UNDEF) {
        px_out_text(name, NULL);
    } else if (value->type == PMIX_BOOL) {
        px_out_bool(name, value->data.flag);
    } else if (value->type == PMIX_PROC && value->data.proc != NULL) {
        px_field_print_proc(name, value->data.proc);
    } else if (value->type == PMIX_PROC_RANK) {
        px_field_print_rank(name, value->data.rank);
    } else if (value->type == PMIX_PROC_INFO && value->data.pinfo != NULL) {
        print_proc_info(name, value->data.pinfo);
    } else if (value->type == PMIX_DATA_ARRAY && value->data.darray != NULL) {
        print_array(name, value->data.darray);
    } else if (!print_number(name, value)) {
        print_text(name, value);
    }
}

/* ---- arrays */

static void print_info(const pmix_info_t *info)
{
    char key[PMIX_MAX_KEYLEN + 1];

    snprintf(key, sizeof(key), "%.*s", PMIX_MAX_KEYLEN, info->key);
    if (px_out_form() == PX_OUT_PLAIN) {
        px_field_print_value(px_field_key_name(key), &info->value);
        return;
    }
    px_out_open(NULL);
    px_out_text("key", key);
    px_out_text("name", px_field_key_name(key));
    px_out_text("type", PMIx_Data_type_string(info->value.type));
    px_field_print_value("value", &info->value);
    px_out_close();
}

void px_field_print_infos(const char *name, const pmix_info_t *infos, size_t n)
{
    bool with_list = px_out_form() != PX_OUT_PLAIN;

    if (with_list) {
        px_out_open_list(name);
    }
    for (size_t i = 0; i < n; i++) {
        print_info(&infos[i]);
    }
    if (with_list) {
        px_out_close_list();
    }
}

/* How elements of an array are found in a value: in it, or by a pointer. */
static const struct {
    pmix_data_type_t type;
    size_t size;
    bool by_pointer;
} elements[] = {
    {PMIX_BOOL, sizeof(bool), false},
    {PMIX_BYTE, 1, false},
    {PMIX_STRING, sizeof(char *), false},
    {PMIX_SIZE, sizeof(size_t), false},
    {PMIX_PID, sizeof(pid_t), false},
    {PMIX_INT, sizeof(int), false},
    {PMIX_INT8, 1, false},
    {PMIX_INT16, 2, false},
    {PMIX_INT32, 4, false},
    {PMIX_INT64, 8, false},
    {PMIX_UINT, sizeof(unsigned), false},
    {PMIX_UINT8, 1, false},
    {PMIX_UINT16, 2, false},
    {PMIX_UINT32, 4, false},
    {PMIX_UINT64, 8, false},
    {PMIX_FLOAT, sizeof(float), false},
    {PMIX_DOUBLE, sizeof(double), false},
    {PMIX_TIMEVAL, sizeof(struct timeval), false},
    {PMIX_TIME, sizeof(time_t), false},
    {PMIX_STATUS, sizeof(pmix_status_t), false},
    {PMIX_PROC_RANK, sizeof(pmix_rank_t), false},
    {PMIX_PERSIST, sizeof(pmix_persistence_t), false},
    {PMIX_SCOPE, sizeof(pmix_scope_t), false},
    {PMIX_DATA_RANGE, sizeof(pmix_data_range_t), false},
    {PMIX_PROC_STATE, sizeof(pmix_proc_state_t), false},
    {PMIX_JOB_STATE, sizeof(pmix_job_state_t), false},
    {PMIX_BYTE_OBJECT, sizeof(pmix_byte_object_t), false},
    {PMIX_ENVAR, sizeof(pmix_envar_t), false},
    {PMIX_PROC, sizeof(pmix_proc_t), true},
    {PMIX_PROC_NSPACE, sizeof(pmix_nspace_t), true},
    {PMIX_PROC_INFO, sizeof(pmix_proc_info_t), true},
    {PMIX_DATA_ARRAY, sizeof(pmix_data_array_t), true},
    {PMIX_COORD, sizeof(pmix_coord_t), true},
    {PMIX_GEOMETRY, sizeof(pmix_geometry_t), true},
    {PMIX_DEVICE_DIST, sizeof(pmix_device_distance_t), true},
    {PMIX_ENDPOINT, sizeof(pmix_endpoint_t), true},
};

/* Prints element i of an array; false: nobody knows how its elements lie. */
static bool print_element(const pmix_data_array_t *array, size_t i)
{
    pmix_value_t value = {.type = array->type};

    switch (array->type) {
    case PMIX_INFO:
        print_info(&((const pmix_info_t *) array->array)[i]);
        return true;
    case PMIX_VALUE:
        px_field_print_value(NULL, &((const pmix_value_t *) array->array)[i]);
        return true;
    case PMIX_REGATTR:
        print_attribute(NULL, &((const pmix_regattr_t *) array->array)[i]);
        return true;
    default:
        break;
    }
    for (size_t k = 0; k < sizeof(elements) / sizeof(elements[0]); k++) {
        if (elements[k].type == array->type) {
            char *at = (char *) array->array + i * elements[k].size;
            if (elements[k].by_pointer) {
                value.data.ptr = at;
            } else {
                memcpy(&value.data, at, elements[k].size);
            }
            px_field_print_value(NULL, &value);
            return true;
        }
    }
    return false;
}

static void print_array(const char *name, const pmix_data_array_t *array)
{
    size_t n = array->array != NULL ? array->size : 0;

    if (nested == DEEPEST) {
        px_out_text(name, "(more arrays)");
        return;
    }
    nested++;
    px_out_open_list(name);
    for (size_t i = 0; i < n; i++) {
        if (!print_element(array, i)) {
            px_out_text(NULL, PMIx_Data_type_string(array->type));
            break;
        }
    }
    px_out_close_list();
    nested--;
}
