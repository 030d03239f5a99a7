/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_line.h"

#include <string.h>

static bool refuse(struct ns_line *line, const char *why, const char *at) {
    line->why = why;
    line->at = at;
    return false;
}

static int hex(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes in place. A NUL would hide the rest of the value, so %00 is refused. */
static bool decode(char *text) {
    char *out = text;

    for (const char *in = text; *in != '\0'; in++) {
        if (*in == '%') {
            int high = hex(in[1]);
            int low = high < 0 ? -1 : hex(in[2]);

            if (low < 0 || high * 16 + low == 0)
                return false;
            *out++ = (char)(high * 16 + low);
            in += 2;
        } else if (*in == '=') {
            return false;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    return true;
}

static bool is_word(const char *text) {
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (!((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9') || *text == '-'))
            return false;
    }
    return true;
}

static bool add_pair(struct ns_line *line, char *word) {
    char *equals = strchr(word, '=');

    if (equals == NULL)
        return refuse(line, "word without =", "");
    *equals = '\0';
    if (!is_word(word))
        return refuse(line, "bad key", "");
    if (ns_line_get(line, word) != NULL)
        return refuse(line, "key repeated", word);
    if (line->count == NS_LINE_PAIRS)
        return refuse(line, "too many keys", word);
    if (!decode(equals + 1))
        return refuse(line, "bad percent code", word);
    line->pairs[line->count++] = (struct ns_pair){word, equals + 1};
    return true;
}

bool ns_line_parse(struct ns_line *line, char *text, size_t length, bool with_verb) {
    bool first = with_verb;

    memset(line, 0, sizeof *line);
    line->verb = "";
    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e)
            return refuse(line, "byte outside printable ASCII", "");
    }
    text[length] = '\0';
    for (char *word = text, *next; word != NULL; word = next) {
        next = strchr(word, ' ');
        if (next != NULL)
            *next++ = '\0';
        if (first) {
            if (!is_word(word))
                return refuse(line, "bad verb", "");
            line->verb = word;
            first = false;
        } else if (!add_pair(line, word)) {
            return false;
        }
    }
    return true;
}

const char *ns_line_get(const struct ns_line *line, const char *key) {
    for (unsigned i = 0; i < line->count; i++) {
        if (strcmp(line->pairs[i].key, key) == 0)
            return line->pairs[i].value;
    }
    return NULL;
}

void ns_line_put(FILE *out, const char *key, const char *value) {
    fprintf(out, " %s=", key);
    for (; *value != '\0'; value++) {
        unsigned char c = (unsigned char)*value;

        if (c < 0x21 || c > 0x7e || c == '%' || c == '=')
            fprintf(out, "%%%02X", c);
        else
            fputc(c, out);
    }
}

void ns_line_put_number(FILE *out, const char *key, unsigned long long value) {
    fprintf(out, " %s=%llu", key, value);
}
