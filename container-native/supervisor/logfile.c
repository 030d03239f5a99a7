/* SPDX-License-Identifier: Apache-2.0 */
#include "logfile.h"

#include "tree.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void name_of(const struct ns_logfile *file, unsigned age, char name[NAME_MAX + 1]) {
    if (age == 0)
        snprintf(name, NAME_MAX + 1, "%.64s.log", file->name);
    else
        snprintf(name, NAME_MAX + 1, "%.64s.log.%u", file->name, age);
}

/* Opens the file if it is a plain file with one name, and not a link. */
static int open_plain(struct ns_logfile *file) {
    char name[NAME_MAX + 1];
    struct stat status;
    int fd;

    name_of(file, 0, name);
    fd = openat(file->directory, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0640);
    if (fd < 0)
        return -1;
    if (!ns_tree_plain(fd) || fstat(fd, &status) != 0) {
        close(fd);
        return -1;
    }
    file->size = (uint64_t)status.st_size;
    return fd;
}

void ns_logfile_open(struct ns_logfile *file, int directory, const char *name, uint64_t most, unsigned files) {
    *file = (struct ns_logfile){.directory = directory, .name = name, .most = most, .files = files};
    file->fd = open_plain(file);
}

void ns_logfile_reopen(struct ns_logfile *file) {
    int fd = open_plain(file);

    if (fd < 0)
        return;
    ns_logfile_close(file);
    file->fd = fd;
}

void ns_logfile_close(struct ns_logfile *file) {
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* Renames the files, the oldest first. A file that keeps its name is emptied. */
static void rotate(struct ns_logfile *file) {
    char from[NAME_MAX + 1], to[NAME_MAX + 1];
    int fresh = -1;

    for (unsigned age = file->files - 1; age > 0; age--) {
        name_of(file, age - 1, from);
        name_of(file, age, to);
        if (renameat(file->directory, from, file->directory, to) != 0 && errno != ENOENT && age == 1)
            break;
    }
    if (file->files > 1)
        fresh = open_plain(file);
    if (fresh >= 0) {
        close(file->fd);
        file->fd = fresh;
    }
    /* Either only one file is kept, or the name did not change. */
    if (file->size >= file->most || fresh < 0) {
        if (ftruncate(file->fd, 0) == 0)
            file->size = 0;
    }
}

static bool append(struct ns_logfile *file, const char *line, size_t length) {
    ssize_t written;

    if (file->fd < 0)
        file->fd = open_plain(file);
    if (file->fd < 0) {
        file->error = errno;
        return false;
    }
    if (file->size > 0 && file->size + length > file->most)
        rotate(file);
    do {
        written = write(file->fd, line, length);
    } while (written < 0 && errno == EINTR);
    if (written == (ssize_t)length) {
        file->size += length;
        return true;
    }
    file->error = written < 0 ? errno : ENOSPC;
    if (written > 0 && ftruncate(file->fd, (off_t)file->size) != 0)
        file->size += (uint64_t)written; /* a part of a line remains */
    return false;
}

void ns_logfile_line(struct ns_logfile *file, const char *line, size_t length) {
    char text[160];
    int used;

    if (file->lost > 0) {
        used = snprintf(text, sizeof text, "warn supervisor: %.64s.log: %llu lines lost: %s\n", file->name,
                        (unsigned long long)file->lost, strerror(file->error));
        if (!append(file, text, (size_t)used)) {
            file->lost++;
            return;
        }
        file->lost = 0;
    }
    if (!append(file, line, length))
        file->lost++;
}
