/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_line.h - one text line of the spawner's socket (docs/protocols/spawner.md):
 *
 *     verb SP key "=" value { SP key "=" value } LF        values are percent-encoded
 *
 * The parser does no I/O, allocates nothing, and is fit for hostile bytes.
 */
#ifndef NS_LINE_H
#define NS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define NS_LINE_MAX 16384 /* bytes, LF included */
#define NS_LINE_PAIRS 128

struct ns_pair {
    const char *key, *value; /* decoded, NUL-terminated, inside the parsed text */
};

struct ns_line {
    const char *verb; /* "" in a line of pairs only */
    unsigned count;
    struct ns_pair pairs[NS_LINE_PAIRS];
    const char *why, *at; /* after a refusal: the reason, and the key it is about ("" = the line) */
};

/*
 * Parses `length` bytes without their LF in place; the text must have room for one more
 * byte. `with_verb`: the first word is a verb, else all words are pairs. False with `why`
 * and `at` for an empty or ill-formed line, a repeated key or a bad code.
 */
bool ns_line_parse(struct ns_line *line, char *text, size_t length, bool with_verb);

/* The value of a key, NULL if it is not there. */
const char *ns_line_get(const struct ns_line *line, const char *key);

/* Appends " key=value", the value encoded. */
void ns_line_put(FILE *out, const char *key, const char *value);
void ns_line_put_number(FILE *out, const char *key, unsigned long long value);

#endif
