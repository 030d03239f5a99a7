/* SPDX-License-Identifier: Apache-2.0 */
#include "operator.h"

#include "ns_hash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void refuse(struct ns_operator_files *files, const char *name, const char *why) {
    size_t used = strlen(files->refused);

    snprintf(files->refused + used, sizeof files->refused - used, "%s%.40s: %s", used == 0 ? "" : "; ", name, why);
}

static bool roots_alone(const struct stat *status) {
    return status->st_uid == 0 && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Reads hook and slot from a name such as "xdp-2.bpf.o". False: the name is not of this form. */
static bool names_slot(const char *name, char hook[4], unsigned *slot) {
    char whole[32];

    if (sscanf(name, "%3[a-z]-%1u", hook, slot) != 2 || *slot < NS_SLOT_OWN || *slot >= NS_SLOTS ||
        (strcmp(hook, "xdp") != 0 && strcmp(hook, "tc") != 0))
        return false;
    snprintf(whole, sizeof whole, "%s-%u.bpf.o", hook, *slot);
    return strcmp(whole, name) == 0;
}

/* Adds a file to the mark. Marks are added up, because files come in no order. */
static void note(struct ns_operator_files *files, const char *name, const struct stat *status) {
    uint64_t mark = ns_hash_text(NS_HASH_FIRST, name);

    mark = ns_hash(mark, &status->st_ino, sizeof status->st_ino);
    mark = ns_hash(mark, &status->st_size, sizeof status->st_size);
    mark = ns_hash(mark, &status->st_mode, sizeof status->st_mode);
    mark = ns_hash(mark, &status->st_ctim, sizeof status->st_ctim);
    files->mark += mark;
}

static void add(struct ns_operator_files *files, int directory, const char *name) {
    struct stat status;
    unsigned slot;
    char hook[4];
    int fd;

    if (!names_slot(name, hook, &slot))
        return refuse(files, name, "not named {xdp,tc}-{2..7}.bpf.o");
    fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        refuse(files, name, strerror(errno));
    } else if (!S_ISREG(status.st_mode) || !roots_alone(&status)) {
        note(files, name, &status);
        refuse(files, name, "not a file that root alone can write");
    } else {
        note(files, name, &status);
        snprintf(files->text[files->count], NS_OPERATOR_TEXT, "%s-%u:%d", hook, slot, fd);
        files->fd[files->count++] = fd;
        return;
    }
    if (fd >= 0)
        close(fd);
}

static DIR *open_directory(struct ns_operator_files *files, const struct ns_paths *paths) {
    char path[PATH_MAX + 32];
    struct stat status;
    DIR *directory;
    int fd;

    snprintf(path, sizeof path, "%s/etc/netserv/programs.d", strcmp(paths->root, "/") == 0 ? "" : paths->root);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return NULL;
    if (fd < 0 || fstat(fd, &status) != 0 || !roots_alone(&status)) {
        refuse(files, "programs.d", "not a directory that root alone can write");
        directory = NULL;
    } else {
        directory = fdopendir(fd);
    }
    if (directory == NULL && fd >= 0)
        close(fd);
    return directory;
}

void ns_operator_open(struct ns_operator_files *files, const struct ns_paths *paths) {
    const struct dirent *entry;
    DIR *directory;

    *files = (struct ns_operator_files){0};
    directory = open_directory(files, paths);
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.' && files->count < NS_OPERATOR_FILES)
            add(files, dirfd(directory), entry->d_name);
    }
    if (directory != NULL)
        closedir(directory);
}

void ns_operator_close(struct ns_operator_files *files) {
    while (files->count > 0)
        close(files->fd[--files->count]);
}

uint64_t ns_operator_mark(const struct ns_paths *paths) {
    struct ns_operator_files files;

    ns_operator_open(&files, paths);
    ns_operator_close(&files);
    return files.mark;
}
