/* SPDX-License-Identifier: Apache-2.0 */
/* ns_libbpf_log.h - puts what libbpf says into the log of a daemon: its
 * warnings as such, the rest for debugging. */
#ifndef NS_LIBBPF_LOG_H
#define NS_LIBBPF_LOG_H

#include "ns_libbpf.h"
#include "ns_log.h"
#include <stdarg.h>
#include <stdio.h>

/* For libbpf_set_print(). Text beyond 511 bytes is cut. */
static inline int ns_libbpf_log(enum libbpf_print_level level, const char *format, va_list arguments) {
    char text[512];

    vsnprintf(text, sizeof text, format, arguments);
    if (level == LIBBPF_WARN)
        ns_warn("%s", text);
    else
        ns_debug("%s", text);
    return 0;
}

#endif
