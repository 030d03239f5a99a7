/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {"debug", "info", "warn", "error"};
static const char *program_name = "netserv";
static int least = NS_LOG_INFO;

void ns_log_open(const char *program) {
    const char *wanted = getenv("NETSERV_LOG");

    program_name = program;
    if (wanted != NULL && strcmp(wanted, "none") == 0)
        least = NS_LOG_ERROR + 1;
    for (int i = NS_LOG_DEBUG; wanted != NULL && i <= NS_LOG_ERROR; i++) {
        if (strcmp(wanted, level_names[i]) == 0)
            least = i;
    }
}

/* Appends text to line, with escapes for bytes that are not printable; a text that does not fit is cut. */
static size_t append_escaped(char *line, size_t used, size_t size, const char *text) {
    static const char hex[] = "0123456789abcdef";

    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c >= 0x20 && c < 0x7f) {
            if (used + 1 > size)
                break;
            line[used++] = (char)c;
        } else {
            if (used + 4 > size)
                break;
            line[used++] = '\\';
            line[used++] = 'x';
            line[used++] = hex[c >> 4];
            line[used++] = hex[c & 15];
        }
    }
    return used;
}

static void write_line(const char *line, size_t length) {
    size_t done = 0;

    while (done < length) {
        ssize_t n = write(STDERR_FILENO, line + done, length - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* nowhere left to say so */
        done += (size_t)n;
    }
}

void ns_log(enum ns_log_level level, const char *format, ...) {
    char text[NS_LOG_LINE_MAX];
    char line[NS_LOG_LINE_MAX];
    int saved = errno;
    va_list arguments;
    size_t used;

    if ((int)level < least)
        return;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    va_end(arguments);

    used = append_escaped(line, 0, sizeof line - 1, level_names[level]);
    used = append_escaped(line, used, sizeof line - 1, " ");
    used = append_escaped(line, used, sizeof line - 1, program_name);
    used = append_escaped(line, used, sizeof line - 1, ": ");
    used = append_escaped(line, used, sizeof line - 1, text);
    line[used++] = '\n';
    write_line(line, used);
    errno = saved;
}
