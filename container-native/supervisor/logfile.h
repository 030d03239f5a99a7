/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logfile.h - one log file of bounded size. A full file becomes <name>.log.1, the former <name>.log.1 becomes
 * <name>.log.2, and so on.
 *
 * The directory belongs to the controller, which is trusted less than the supervisor. Files are therefore opened and
 * renamed below a descriptor of the directory, never through a link. If a file cannot be renamed, its old lines are
 * lost, but the bound holds.
 */
#ifndef NS_LOGFILE_H
#define NS_LOGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ns_logfile {
    int directory;
    const char *name; /* without ".log" */
    uint64_t most;    /* bytes of one file */
    unsigned files;   /* files kept, including the file being written */
    int fd;           /* -1 while the file cannot be opened */
    uint64_t size, lost;
    int error; /* reason for lost lines */
};

/* Opens or makes the file. After a failure the next line tries again. */
void ns_logfile_open(struct ns_logfile *file, int directory, const char *name, uint64_t most, unsigned files);

/*
 * Appends a line with its newline, all of it or nothing. Lines that could not be written are counted, and the next
 * line that can be written reports them.
 */
void ns_logfile_line(struct ns_logfile *file, const char *line, size_t length);

/* Opens the file by its name again, because another program may have renamed it. */
void ns_logfile_reopen(struct ns_logfile *file);

void ns_logfile_close(struct ns_logfile *file);

#endif
