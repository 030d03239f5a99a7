/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REPORT_MAX 512
#define VALUE_MAX 160 /* bytes of one value, so that one long text leaves room for the others */

static size_t put(char *line, size_t used, const char *text, bool encode) {
    static const char hex[] = "0123456789ABCDEF";
    size_t begin = used;

    for (; *text != '\0' && used + 4 < REPORT_MAX && used - begin < VALUE_MAX; text++) {
        unsigned char c = (unsigned char)*text;

        if (encode && (c < 0x21 || c > 0x7e || c == '%' || c == '=')) {
            line[used++] = '%';
            line[used++] = hex[c >> 4];
            line[used++] = hex[c & 15];
        } else {
            line[used++] = (char)c;
        }
    }
    return used;
}

void ns_report(const char *kind, ...) {
    char line[REPORT_MAX];
    size_t used = put(line, put(line, 0, "kind=", false), kind, true);
    const char *key;
    va_list pairs;

    va_start(pairs, kind);
    while ((key = va_arg(pairs, const char *)) != NULL) {
        used = put(line, put(line, put(line, used, " ", false), key, false), "=", false);
        used = put(line, used, va_arg(pairs, const char *), true);
    }
    va_end(pairs);
    line[used++] = '\n';
    /*
     * One write keeps the line whole: a pipe never mixes it with another line. If the pipe is full, the line is lost,
     * because the host must not stop.
     */
    if (write(ns_host.options.report_fd, line, used) != (ssize_t)used)
        dprintf(STDERR_FILENO, "report lost: %.*s", (int)used, line);
}
