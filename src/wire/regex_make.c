/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The writer of node and process maps. Adjacent names that differ in one number share a group;
 * nothing is reordered, because ranks are matched with nodes by position. The result is the
 * compact form if it is shorter than the list and every known parser reads it the same way;
 * otherwise the list with the tag "raw:". Inputs come from the host (PMIx_generate_regex,
 * PMIx_generate_ppn). */
#include "regex_make.h"

#include "regex.h"

#include <stdio.h>
#include <string.h>

#include "map_text.h"
#include "src/base/buf.h"

/* Longest number of a group, so that it fits the parser's bound. */
enum { DIGITS_MAX = 9 };

/* A name split at the number that counts nodes; all parts are borrowed. An empty number (at ==
 * end) means that the name has none and is written as it is. */
struct cut {
    struct px_piece prefix;
    struct px_piece number;
    struct px_piece suffix;
};

/* True for the ten digits, whatever the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True if the name is an address such as 10.0.0.1. Its last number does not count nodes. */
static bool is_address(struct px_piece name)
{
    for (const char *c = name.at; c < name.end; c++) {
        if (!is_digit(*c) && *c != '.') {
            return false;
        }
    }
    return memchr(name.at, '.', (size_t) (name.end - name.at)) != NULL;
}

/* Splits a name at the last number of its host part (before the first dot): 07 in
 * "rack1-node07.site2". */
static struct cut cut_name(struct px_piece name)
{
    const char *dot = memchr(name.at, '.', (size_t) (name.end - name.at));
    const char *end = dot ? dot : name.end;
    const char *start;

    while (end > name.at && !is_digit(end[-1])) {
        end--;
    }
    start = end;
    while (start > name.at && is_digit(start[-1]) && end - start < DIGITS_MAX) {
        start--;
    }
    if (start == end || is_address(name) || (start > name.at && is_digit(start[-1]))) {
        return (struct cut){name, {name.end, name.end}, {name.end, name.end}};
    }
    return (struct cut){{name.at, start}, {start, end}, {end, name.end}};
}

/* True if two pieces have the same characters. */
static bool same_text(struct px_piece a, struct px_piece b)
{
    return a.end - a.at == b.end - b.at && memcmp(a.at, b.at, (size_t) (a.end - a.at)) == 0;
}

/* True if b can follow a in one group: the same prefix, suffix and number of digits. node9 and
 * node10 are in different groups, because the width of a group is fixed. */
static bool same_group(const struct cut *a, const struct cut *b)
{
    return b->number.at != b->number.end &&
           a->number.end - a->number.at == b->number.end - b->number.at &&
           same_text(a->prefix, b->prefix) && same_text(a->suffix, b->suffix);
}

/* The number of a name that has one. */
static uint32_t number_of(const struct cut *cut)
{
    uint32_t v = 0;

    (void) px_map_number(cut->number, UINT32_MAX, &v); /* at most nine digits */
    return v;
}

/* Appends a piece; a lack of memory shows in the buffer. */
static void put_text(struct px_buf *buf, struct px_piece text)
{
    px_buf_append(buf, text.at, (size_t) (text.end - text.at));
}

/* Appends "first-last", or one number if they are equal. */
static void put_range(struct px_buf *buf, uint32_t first, uint32_t last)
{
    char text[32];

    (void) snprintf(text, sizeof(text), first == last ? "%u" : "%u-%u", first,
                    last); /* always fits */
    px_buf_text(buf, text);
}

/* State of px_regex_make_nodes: the group that is open, its last range, not yet written, and
 * whether any item has been written. The buffer is borrowed. */
struct writer {
    struct px_buf *buf;
    struct cut group;
    uint32_t first;
    uint32_t last;
    bool open;
    bool any;
};

/* Writes the last range and the suffix of the open group, if there is one. */
static void close_group(struct writer *w)
{
    if (w->open) {
        put_range(w->buf, w->first, w->last);
        px_buf_text(w->buf, "]");
        put_text(w->buf, w->group.suffix);
    }
    w->open = false;
}

/* Writes the prefix and the width of a new group; its first range stays open until the next name
 * is known. The caller has closed the previous group. */
static void open_group(struct writer *w, const struct cut *cut)
{
    char head[8];

    put_text(w->buf, cut->prefix);
    (void) snprintf(head, sizeof(head),
                    "[%d:", (int) (cut->number.end - cut->number.at)); /* always fits */
    px_buf_text(w->buf, head);
    w->group = *cut;
    w->first = number_of(cut);
    w->last = w->first;
    w->open = true;
}

/* Writes one name: into the open group if it belongs there, otherwise as an item of its own. */
static void put_name(struct writer *w, struct px_piece name)
{
    struct cut cut = cut_name(name);

    if (w->open && same_group(&w->group, &cut)) {
        uint32_t number = number_of(&cut);

        if (number != w->last + 1) {
            put_range(w->buf, w->first, w->last);
            px_buf_text(w->buf, ",");
            w->first = number;
        }
        w->last = number;
        return;
    }
    close_group(w);
    if (w->any) {
        px_buf_text(w->buf, ",");
    }
    w->any = true;
    if (cut.number.at == cut.number.end) {
        put_text(w->buf, name);
    } else {
        open_group(w, &cut);
    }
}

/* Ends both functions: returns the compact text, or "raw:" and the list if that is not longer or
 * the compact form is not usable. Releases the compact buffer. PMIX_ERR_NOMEM. */
static int choose(struct px_buf *compact, bool usable, const char *list, char **ret)
{
    static const char tag[] = "raw:";
    struct px_buf raw = {0};
    char *text;

    if (usable && compact->len + 1 < sizeof(tag) + strlen(list)) {
        text = px_buf_take_text(compact);
    } else {
        px_buf_fini(compact);
        px_buf_text(&raw, tag);
        px_buf_text(&raw, list);
        text = px_buf_take_text(&raw);
    }
    if (!text) {
        return PMIX_ERR_NOMEM;
    }
    *ret = text;
    return PMIX_SUCCESS;
}

/* Names with characters that have a meaning in the compact form, and empty names, are sent raw. */
int px_regex_make_nodes(const char *list, char **ret_regex)
{
    struct px_buf buf = {0};
    struct writer w = {.buf = &buf};
    struct px_piece rest;
    struct px_piece name;
    bool usable;

    if (!list) {
        return PMIX_ERR_BAD_PARAM;
    }
    usable = strpbrk(list, "[]:; \t\n") == NULL;
    rest = (struct px_piece){list, list + strlen(list)};
    px_buf_text(&buf, "pmix[");
    while (px_map_cut(&rest, ',', &name)) {
        if (name.at == name.end) {
            usable = false;
        } else {
            put_name(&w, name);
        }
    }
    close_group(&w);
    px_buf_text(&buf, "]");
    return choose(&buf, usable, list, ret_regex);
}

/* Appends the ranks of one node; consecutive ones become a range. */
static void put_ranks(struct px_buf *buf, const struct px_rank_list *list)
{
    size_t i = 0;

    while (i < list->n) {
        size_t first = i;

        while (i + 1 < list->n && list->ranks[i + 1] == list->ranks[i] + 1) {
            i++;
        }
        if (first > 0) {
            px_buf_text(buf, ",");
        }
        put_range(buf, list->ranks[first], list->ranks[i]);
        i++;
    }
}

/* A map with an empty field is sent raw: parsers differ on it. */
int px_regex_make_ranks(const char *list, char **ret_regex)
{
    struct px_buf buf = {0};
    struct px_rank_list *lists;
    bool usable = true;
    size_t n;
    int rc;

    if (!list || strchr(list, ':') || strchr(list, '[')) {
        return PMIX_ERR_BAD_PARAM; /* compact already */
    }
    rc = px_regex_ranks(list, SIZE_MAX, &lists, &n);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_buf_text(&buf, "pmix[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            px_buf_text(&buf, ";");
        }
        usable = usable && lists[i].n > 0;
        put_ranks(&buf, &lists[i]);
    }
    px_buf_text(&buf, "]");
    px_rank_lists_free(lists, n);
    return choose(&buf, usable && n > 0, list, ret_regex);
}
