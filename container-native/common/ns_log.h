/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_log.h - one line per event on standard error: "<level> <program>: <text>".
 *
 * Each line is one write(2), if the kernel takes it whole, of at most NS_LOG_LINE_MAX bytes with its newline. A longer
 * line is cut. Bytes outside printable ASCII are written as \xNN, so foreign text cannot forge a line. Safe from any
 * thread after ns_log_open; not from a signal handler. errno is left as it was.
 */
#ifndef NS_LOG_H
#define NS_LOG_H

#define NS_LOG_LINE_MAX 1024

enum ns_log_level { NS_LOG_DEBUG, NS_LOG_INFO, NS_LOG_WARN, NS_LOG_ERROR };

/*
 * Names the program (the pointer is kept) and reads the least level
 * to print from NETSERV_LOG (debug, info, warn, error, none).
 */
void ns_log_open(const char *program);

void ns_log(enum ns_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ns_debug(...) ns_log(NS_LOG_DEBUG, __VA_ARGS__)
#define ns_info(...) ns_log(NS_LOG_INFO, __VA_ARGS__)
#define ns_warn(...) ns_log(NS_LOG_WARN, __VA_ARGS__)
#define ns_error(...) ns_log(NS_LOG_ERROR, __VA_ARGS__)

#endif
