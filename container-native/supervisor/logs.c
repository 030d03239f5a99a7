/* SPDX-License-Identifier: Apache-2.0 */
#include "logs.h"

#include "ns_log.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20)
#define READ_BYTES 65536
#define READS 4 /* reads in one turn, so that other daemons and signals have their turn */

int ns_logs_directory(const char *root) {
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/var/log/netserv", root);
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int ns_log_stream_open(struct ns_log_stream *stream, int directory, const char *name, uint64_t most, unsigned files,
                       uint64_t now) {
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    stream->in = ends[0];
    stream->out = ends[1];
    /* Only our end does not block, because a JVM takes a non-blocking pipe for broken. */
    fcntl(stream->in, F_SETFL, O_NONBLOCK);
    fcntl(stream->in, F_SETPIPE_SZ, PIPE_BYTES);
    ns_logfile_open(&stream->file, directory, name, most, files);
    ns_loglimit_init(&stream->limit, now);
    stream->used = 0;
    return 0;
}

/*
 * Replaces control characters, which could make a foreign text look like another line, or move the reader's cursor.
 */
static char printable(char c) {
    unsigned char byte = (unsigned char)c;

    return (byte < 0x20 && byte != '\t') || byte == 0x7f ? '?' : c;
}

static void end_line(struct ns_log_stream *stream, uint64_t now) {
    stream->line[stream->used++] = '\n';
    if (ns_loglimit_take(&stream->limit, stream->line, stream->used, now))
        ns_logfile_line(&stream->file, stream->line, stream->used);
    stream->used = 0;
}

void ns_log_stream_take(struct ns_log_stream *stream, const char *bytes, size_t length, uint64_t now) {
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n')
            end_line(stream, now);
        else if (stream->used < NS_LOG_LINE - 1)
            stream->line[stream->used++] = printable(bytes[i]);
    }
}

void ns_log_stream_read(struct ns_log_stream *stream, uint64_t now) {
    static char bytes[READ_BYTES];

    for (int i = 0; i < READS; i++) {
        ssize_t length = read(stream->in, bytes, sizeof bytes);

        if (length <= 0)
            return;
        ns_log_stream_take(stream, bytes, (size_t)length, now);
    }
}

static void tell(void *context, const char *subject, uint64_t lines) {
    struct ns_log_stream *stream = context;
    char text[192];
    int used =
        snprintf(text, sizeof text, "warn supervisor: %s: suppressed %llu lines\n", subject, (unsigned long long)lines);

    ns_logfile_line(&stream->file, text, (size_t)used);
}

uint64_t ns_log_stream_tick(struct ns_log_stream *stream, uint64_t now) {
    ns_loglimit_tell(&stream->limit, now, tell, stream);
    return ns_loglimit_due(&stream->limit);
}
