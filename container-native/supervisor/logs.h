/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.h - a daemon's log. The standard output and error of a daemon and of its children come by one pipe to the
 * supervisor, which writes <root>/var/log/netserv/<name>.log. loglimit.h bounds the rate of lines there, logfile.h
 * the size of files.
 *
 * The supervisor holds both ends of the pipe, so that a restarted daemon finds the same pipe, and its predecessor's
 * last lines are kept. A line has at most NS_LOG_LINE bytes; the rest of a longer line is left out.
 */
#ifndef NS_LOGS_H
#define NS_LOGS_H

#include "logfile.h"
#include "loglimit.h"

#define NS_LOG_LINE 2048 /* the newline included */
#define NS_LOG_FILE_BYTES 10485760
#define NS_LOG_FILES 5

struct ns_log_stream {
    int in, out; /* the pipe */
    struct ns_logfile file;
    struct ns_loglimit limit;
    char line[NS_LOG_LINE];
    size_t used;
};

/* Opens the directory of a node's logs. Returns its descriptor, or -1 with errno. */
int ns_logs_directory(const char *root);

/* Makes the pipe and opens the file. Returns 0, or -1 with errno if there is no pipe. */
int ns_log_stream_open(struct ns_log_stream *stream, int directory, const char *name, uint64_t most, unsigned files,
                       uint64_t now);

/* Takes bytes that wait in the pipe, a bounded number of them. */
void ns_log_stream_read(struct ns_log_stream *stream, uint64_t now);

/* Takes bytes as they came, for ns_log_stream_read and tests. */
void ns_log_stream_take(struct ns_log_stream *stream, const char *bytes, size_t length, uint64_t now);

/* Reports suppressed lines, when it is time. Returns the time of the next call, UINT64_MAX = never. */
uint64_t ns_log_stream_tick(struct ns_log_stream *stream, uint64_t now);

#endif
