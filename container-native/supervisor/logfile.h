/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logfile.h - one log file of bounded size. A full file becomes <name>.log.1, that one <name>.log.2, and so on.
 *
 * The directory belongs to the controller, which is trusted less than the supervisor: files are opened and renamed
 * below a descriptor of the directory, never through a link. A name that cannot be renamed costs the old lines, not
 * the bound.
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
    unsigned files;   /* kept, the one that is written included */
    int fd;           /* -1 while it cannot be opened */
    uint64_t size, lost;
    int error; /* why lines are lost */
};

/* Opens or makes the file; a failure is found out again by the next line. */
void ns_logfile_open(struct ns_logfile *file, int directory, const char *name, uint64_t most, unsigned files);

/*
 * Appends a line with its newline, all of it or nothing. Lines that could not be written are counted and told by the
 * next that can.
 */
void ns_logfile_line(struct ns_logfile *file, const char *line, size_t length);

/* Opens the file by its name again, since another program may have renamed it. */
void ns_logfile_reopen(struct ns_logfile *file);

void ns_logfile_close(struct ns_logfile *file);

#endif
