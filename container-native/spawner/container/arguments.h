/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h - the argument vector of a program that a container consists of. Values stay where they are. */
#ifndef NS_ARGUMENTS_H
#define NS_ARGUMENTS_H

#include "request.h"
#include "xsk.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NS_ARGUMENTS 64
#define NS_ARGUMENT_TEXT 32

struct ns_arguments {
    const char *argv[NS_ARGUMENTS + 2 * NS_REWRITES_MAX + 2 * NS_XSK_MAX + 1]; /* ends with NULL */
    unsigned count, texts;
    char text[NS_ARGUMENTS][NS_ARGUMENT_TEXT]; /* of numbers */
};

static inline void ns_arguments_begin(struct ns_arguments *a, const char *program) {
    memset(a, 0, sizeof *a);
    a->argv[a->count++] = program;
}

static inline void ns_arguments_add(struct ns_arguments *a, const char *option, const char *value) {
    a->argv[a->count++] = option;
    a->argv[a->count++] = value;
}

static inline void ns_arguments_add_number(struct ns_arguments *a, const char *option, uint64_t value) {
    char *text = a->text[a->texts++];

    snprintf(text, NS_ARGUMENT_TEXT, "%llu", (unsigned long long)value);
    ns_arguments_add(a, option, text);
}

#endif
