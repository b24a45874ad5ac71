/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The parser of node and process maps. The text comes from a host or a peer. It is read once, with
 * both ends known; numbers are bounded where they are read; the number of names, ranks and bytes
 * that a short text may expand to is bounded too (PX_REGEX_NODES, PX_REGEX_RANKS, BYTES_MAX). */
#include "regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compress.h"
#include "map_text.h"
#include "src/base/array.h"
#include "src/base/number.h"

/* Digits of a number in a node name; the largest number in a map; total bytes of the node names of
 * one map. */
enum { WIDTH_MAX = 9, LARGEST = 999999999, BYTES_MAX = 1 << 28 };

/* First word of the deflated form. */
static const char BLOB[] = "blob";

/* Steps over a NUL-terminated word that begins with `word`; *ret_rest is the part of it that
 * follows. 0, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER (no NUL), PMIX_ERR_UNPACK_FAILURE (another
 * word). */
static int step_word(const char **at, size_t *left, const char *word, const char **ret_rest)
{
    const char *end = memchr(*at, 0, *left);
    size_t len = strlen(word);

    if (!end) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    if (strncmp(*at, word, len) != 0) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    *ret_rest = *at + len;
    *left -= (size_t) (end + 1 - *at);
    *at = end + 1;
    return PMIX_SUCCESS;
}

/* Reads the three words at the head of a blob; returns the sizes of head and body, which both lie
 * within limit. Statuses as px_regex_length. */
static int blob_head(const char *regex, size_t limit, size_t *ret_head, size_t *ret_body)
{
    const char *at = regex;
    const char *rest = NULL;
    size_t left = limit;
    uint64_t size;
    int rc = step_word(&at, &left, BLOB, &rest);

    rc = rc ? rc : step_word(&at, &left, "component=", &rest);
    rc = rc ? rc : step_word(&at, &left, "size=", &rest);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    rest = px_number_read(rest, UINT64_MAX, &size);
    if (!rest || (*rest != '\0' && strcmp(rest, ":") != 0)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (size > left) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    *ret_head = (size_t) (at - regex);
    *ret_body = (size_t) size;
    return PMIX_SUCCESS;
}

/* True if the text is a blob, by its first word: "blob" or "blob:" with anything behind it. The
 * limit protects the comparison, since the text may be a peer's bytes without any NUL. */
static bool is_blob(const char *regex, size_t limit)
{
    return limit > strlen(BLOB) && strncmp(regex, BLOB, strlen(BLOB)) == 0 &&
           (regex[4] == '\0' || regex[4] == ':');
}

/* A blob has NULs inside, so its end is computed from its head; all other forms end at the first
 * NUL. */
int px_regex_length(const char *regex, size_t limit, size_t *ret_len)
{
    size_t head;
    size_t body;
    int rc;

    if (limit > PTRDIFF_MAX) {
        limit = PTRDIFF_MAX; /* trusted text: anywhere before the end of memory */
    }
    if (is_blob(regex, limit)) {
        rc = blob_head(regex, limit, &head, &body);
        if (rc == PMIX_SUCCESS) {
            *ret_len = head + body;
        }
        return rc;
    }
    head = strnlen(regex, limit);
    if (head == limit) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    *ret_len = head + 1;
    return PMIX_SUCCESS;
}

/* The end of the text shows as NULL in rest->at, which distinguishes "nothing left" from an empty
 * last piece. */
bool px_map_cut(struct px_piece *rest, char mark, struct px_piece *ret_piece)
{
    const char *stop;

    if (!rest->at) {
        return false;
    }
    stop = memchr(rest->at, mark, (size_t) (rest->end - rest->at));
    *ret_piece = (struct px_piece){rest->at, stop ? stop : rest->end};
    rest->at = stop ? stop + 1 : NULL;
    return true;
}

/* Stops at the first digit that exceeds max, so that v cannot overflow. */
bool px_map_number(struct px_piece text, uint32_t max, uint32_t *ret)
{
    uint64_t v = 0;

    if (text.at == text.end) {
        return false;
    }
    for (const char *c = text.at; c < text.end; c++) {
        if (*c < '0' || *c > '9') {
            return false;
        }
        v = v * 10 + (uint64_t) (*c - '0');
        if (v > max) {
            return false;
        }
    }
    *ret = (uint32_t) v;
    return true;
}

/* Reads "a" or "a-b". True if both are numbers up to max and a <= b. */
static bool map_range(struct px_piece text, uint32_t max, uint32_t *ret_first, uint32_t *ret_last)
{
    struct px_piece first;

    if (!px_map_cut(&text, '-', &first) || !px_map_number(first, max, ret_first)) {
        return false;
    }
    *ret_last = *ret_first;
    return !text.at || (px_map_number(text, max, ret_last) && *ret_first <= *ret_last);
}

/* --- what all forms have in common: the tag --- */

/* How the text behind the tag is written: names or ranks separated by commas or semicolons, or
 * compact node names with ranges. */
enum form { FORM_LIST, FORM_COMPACT };

/* A map without its tag. The text is borrowed from the caller's, or lies in `inflated`. */
struct opened {
    struct px_piece text;
    enum form form;
    void *inflated; /* what text lies in when it came deflated */
};

/* True if the text begins with the word. */
static bool starts(struct px_piece text, const char *word)
{
    size_t len = strlen(word);

    return (size_t) (text.end - text.at) >= len && memcmp(text.at, word, len) == 0;
}

/* Decompresses a blob: peers' format with its length, else a bare zlib stream, as the name of the
 * component does not say which it is. The result is a list. PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
static int open_blob(const char *regex, size_t limit, struct opened *ret)
{
    size_t head;
    size_t body;
    size_t len;
    int rc = blob_head(regex, limit, &head, &body);

    if (rc != PMIX_SUCCESS) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = px_inflate(regex + head, body, &ret->inflated, &len);
    if (rc == PMIX_ERR_UNPACK_FAILURE) {
        rc = px_inflate_stream(regex + head, body, &ret->inflated, &len);
    }
    if (rc != PMIX_SUCCESS) {
        return rc == PMIX_ERR_NOMEM ? rc : PMIX_ERR_BAD_PARAM;
    }
    ret->form = FORM_LIST;
    ret->text.at = ret->inflated;
    ret->text.end = ret->text.at + strlen(ret->text.at);
    return PMIX_SUCCESS;
}

/* Recognizes the form of a map and removes the tag. The caller frees ret->inflated, also after a
 * failure. PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
static int open_text(const char *regex, size_t len, struct opened *ret)
{
    size_t size;

    *ret = (struct opened){.form = FORM_LIST};
    if (!regex) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (len > PTRDIFF_MAX) {
        len = PTRDIFF_MAX;
    }
    if (is_blob(regex, len)) {
        return open_blob(regex, len, ret);
    }
    size = strnlen(regex, len); /* a byte object may come without its NUL */
    ret->text = (struct px_piece){regex, regex + size};
    if (starts(ret->text, "raw:")) {
        ret->text.at += 4;
    } else if (starts(ret->text, "pmix[") || starts(ret->text, "pmix:[")) {
        ret->text.at = (const char *) memchr(regex, '[', size) + 1;
        ret->text.end--;
        ret->form = FORM_COMPACT;
        return ret->text.at <= ret->text.end && *ret->text.end == ']' ? PMIX_SUCCESS
                                                                      : PMIX_ERR_BAD_PARAM;
    }
    return PMIX_SUCCESS;
}

/* --- nodes --- */

/* The node names collected so far; `bytes` is the sum of their lengths. */
struct names {
    char **argv;
    size_t n;
    size_t cap;
    size_t bytes;
};

/* Appends a name and takes it over, also on failure; NULL stands for a failed allocation.
 * PMIX_ERR_BAD_PARAM if there are too many names or bytes. */
static int names_add(struct names *names, char *name)
{
    if (!name || px_array_room(&names->argv, names->n, &names->cap, sizeof(*names->argv))) {
        free(name);
        return PMIX_ERR_NOMEM;
    }
    names->bytes += strlen(name);
    if (names->n >= PX_REGEX_NODES || names->bytes > BYTES_MAX) {
        free(name);
        return PMIX_ERR_BAD_PARAM;
    }
    names->argv[names->n++] = name;
    return PMIX_SUCCESS;
}

/* Appends a copy of a name; skips an empty one. */
static int add_piece(struct names *names, struct px_piece piece)
{
    if (piece.at == piece.end) {
        return PMIX_SUCCESS;
    }
    return names_add(names, strndup(piece.at, (size_t) (piece.end - piece.at)));
}

/* One compact item, prefix[width:ranges]suffix, with its parts borrowed from the text. `width`:
 * digits of each number, padded with zeros. */
struct group {
    struct px_piece prefix;
    struct px_piece ranges;
    struct px_piece suffix;
    uint32_t width;
};

/* Appends one name of a group: prefix, number with leading zeros, suffix. The caller has bounded
 * the lengths of prefix and suffix. */
static int add_numbered(struct names *names, const struct group *group, uint32_t number)
{
    char *name;
    int len = asprintf(&name, "%.*s%0*u%.*s", (int) (group->prefix.end - group->prefix.at),
                       group->prefix.at, (int) group->width, number,
                       (int) (group->suffix.end - group->suffix.at), group->suffix.at);

    return len < 0 ? PMIX_ERR_NOMEM : names_add(names, name);
}

/* Appends all names of a group, in the order of its ranges. A range that stands for more names
 * than a whole map may have is refused before the first name is made. */
static int add_group(struct names *names, const struct group *group)
{
    struct px_piece ranges = group->ranges;
    struct px_piece piece;
    uint32_t first;
    uint32_t last;
    int rc = PMIX_SUCCESS;

    while (rc == PMIX_SUCCESS && px_map_cut(&ranges, ',', &piece)) {
        if (!map_range(piece, LARGEST, &first, &last) || last - first >= PX_REGEX_NODES) {
            return PMIX_ERR_BAD_PARAM;
        }
        for (uint32_t i = first; i <= last && rc == PMIX_SUCCESS; i++) {
            rc = add_numbered(names, group, i);
        }
    }
    return rc;
}

/* Reads one item of a compact list, up to a comma outside of brackets: a plain name or a group.
 * Prefix and suffix are bounded, so that a group of many names cannot take unbounded memory. */
static int read_item(struct px_piece *rest, struct names *names)
{
    const char *open = rest->at;
    struct group group;
    struct px_piece inside;
    struct px_piece width;

    while (open < rest->end && *open != '[' && *open != ',') {
        open++;
    }
    if (open == rest->end || *open == ',') {
        (void) px_map_cut(rest, ',', &inside); /* rest is not used up */
        return add_piece(names, inside);
    }
    group.prefix = (struct px_piece){rest->at, open};
    rest->at = open + 1;
    if (!memchr(rest->at, ']', (size_t) (rest->end - rest->at))) {
        return PMIX_ERR_BAD_PARAM;
    }
    (void) px_map_cut(rest, ']', &inside); /* there is one */
    (void) px_map_cut(rest, ',', &group.suffix);
    (void) px_map_cut(&inside, ':', &width);
    if (!inside.at || !px_map_number(width, WIDTH_MAX, &group.width) ||
        memchr(group.suffix.at, '[', (size_t) (group.suffix.end - group.suffix.at)) ||
        group.prefix.end - group.prefix.at > PMIX_MAX_KEYLEN ||
        group.suffix.end - group.suffix.at > PMIX_MAX_KEYLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    group.ranges = inside;
    return add_group(names, &group);
}

/* Appends all names of a map in either form. */
static int read_nodes(const struct opened *from, struct names *names)
{
    struct px_piece rest = from->text;
    struct px_piece piece;
    int rc = PMIX_SUCCESS;

    while (rc == PMIX_SUCCESS && rest.at) {
        if (from->form == FORM_COMPACT) {
            rc = read_item(&rest, names);
        } else {
            (void) px_map_cut(&rest, ',', &piece); /* rest is not used up */
            rc = add_piece(names, piece);
        }
    }
    return rc;
}

/* Frees the names that were collected before a failure; the array has no NULL at its end yet. */
static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        free(names->argv[i]);
    }
    free(names->argv);
}

/* The last px_array_room makes room for the NULL at the end. */
int px_regex_nodes(const char *regex, size_t len, char ***ret_names, size_t *ret_n)
{
    struct names names = {0};
    struct opened from;
    int rc = open_text(regex, len, &from);

    rc = rc ? rc : read_nodes(&from, &names);
    free(from.inflated);
    rc = rc ? rc : px_array_room(&names.argv, names.n, &names.cap, sizeof(*names.argv));
    if (rc != PMIX_SUCCESS) {
        names_free(&names);
        return rc;
    }
    names.argv[names.n] = NULL;
    *ret_names = names.argv;
    *ret_n = names.n;
    return PMIX_SUCCESS;
}

/* --- ranks --- */

/* Appends the ranks first to last; the caller has bounded their number. */
static int add_ranks(struct px_rank_list *list, uint32_t first, uint32_t last, size_t *cap)
{
    for (uint32_t rank = first; rank <= last; rank++) {
        if (px_array_room(&list->ranks, list->n, cap, sizeof(*list->ranks))) {
            return PMIX_ERR_NOMEM;
        }
        list->ranks[list->n++] = rank;
    }
    return PMIX_SUCCESS;
}

/* Reads the field of one node: ranges separated by commas; an empty field is an empty list. *left
 * is the number of ranks that the whole map may still have. */
static int read_ranks(struct px_piece field, struct px_rank_list *list, size_t *left)
{
    struct px_piece piece;
    size_t cap = 0;
    uint32_t first;
    uint32_t last;
    int rc = PMIX_SUCCESS;

    if (field.at == field.end) {
        return PMIX_SUCCESS;
    }
    while (rc == PMIX_SUCCESS && px_map_cut(&field, ',', &piece)) {
        if (!map_range(piece, LARGEST, &first, &last) || last - first >= *left) {
            return PMIX_ERR_BAD_PARAM;
        }
        *left -= (size_t) last - first + 1;
        rc = add_ranks(list, first, last, &cap);
    }
    return rc;
}

/* Number of nodes in a process map: 0 for an empty text. */
static size_t count_fields(struct px_piece text)
{
    size_t n = 1;

    for (const char *c = text.at; c < text.end; c++) {
        n += *c == ';';
    }
    return text.at == text.end ? 0 : n;
}

void px_rank_lists_free(struct px_rank_list *lists, size_t n)
{
    for (size_t i = 0; lists && i < n; i++) {
        free(lists[i].ranks);
    }
    free(lists);
}

/* Reads all fields of a process map; their number is bounded as that of nodes is. On failure
 * nothing is left allocated. */
static int read_lists(struct px_piece text, struct px_rank_list **ret_lists, size_t *ret_n)
{
    size_t n = count_fields(text);
    size_t left = PX_REGEX_RANKS;
    struct px_rank_list *lists;
    struct px_piece field = {0};
    int rc = PMIX_SUCCESS;

    if (n > PX_REGEX_NODES) {
        return PMIX_ERR_BAD_PARAM;
    }
    lists = calloc(n + 1, sizeof(*lists));
    if (!lists) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < n && rc == PMIX_SUCCESS; i++) {
        (void) px_map_cut(&text, ';', &field); /* there are n fields */
        rc = read_ranks(field, &lists[i], &left);
    }
    if (rc != PMIX_SUCCESS) {
        px_rank_lists_free(lists, n);
        return rc;
    }
    *ret_lists = lists;
    *ret_n = n;
    return PMIX_SUCCESS;
}

/* Lists of ranks are written in the same way in compact form and without a tag. */
int px_regex_ranks(const char *ppn, size_t len, struct px_rank_list **ret_lists, size_t *ret_n)
{
    struct opened from;
    int rc = open_text(ppn, len, &from);

    rc = rc ? rc : read_lists(from.text, ret_lists, ret_n);
    free(from.inflated);
    return rc;
}
