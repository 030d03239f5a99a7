/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include "ns_hash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_MAX_ARCHIVE (256ll << 20)
#define NAME_TEXT 64

/*
 * The hashes in the names detect stale and broken archives. They need not resist forgery, because only root can write
 * the directory, and root could write the archive itself.
 */

/* --- the key --- */

static uint64_t mix_file(uint64_t sum, const char *directory, const char *name) {
    char path[PATH_MAX + 64];
    struct stat status;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    sum = ns_hash_text(sum, path);
    if (stat(path, &status) != 0)
        return sum;
    sum = ns_hash(sum, &status.st_size, sizeof status.st_size);
    return ns_hash(sum, &status.st_mtim, sizeof status.st_mtim);
}

static int is_jar(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".jar") == 0;
}

static uint64_t mix_jars(uint64_t sum, const char *directory) {
    struct dirent **names;
    int count = scandir(directory, &names, is_jar, alphasort);

    for (int i = 0; i < count; i++) {
        sum = mix_file(sum, directory, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return sum;
}

static uint64_t mix_java(const struct ns_paths *paths) {
    static const char *const java[] = {"release", "lib/modules", "lib/server/libjvm.so", "lib/server/classes.jsa"};
    uint64_t sum = NS_HASH_FIRST;

    for (size_t i = 0; i < sizeof java / sizeof java[0]; i++)
        sum = mix_file(sum, paths->java, java[i]);
    return sum;
}

uint64_t ns_archive_key_host(const struct ns_paths *paths) {
    static const char *const dist[] = {"bin/host", "host/equinox.jar", "host/host.jar", "apps/keepalive.jar"};
    uint64_t sum = mix_java(paths);
    char blocks[PATH_MAX + 16];

    for (size_t i = 0; i < sizeof dist / sizeof dist[0]; i++)
        sum = mix_file(sum, paths->dist, dist[i]);
    snprintf(blocks, sizeof blocks, "%s/blocks", paths->dist);
    return mix_jars(sum, blocks);
}

uint64_t ns_archive_key_job(const struct ns_paths *paths) {
    char classes[PATH_MAX + 16];

    snprintf(classes, sizeof classes, "%s/controller", paths->dist);
    return mix_jars(mix_java(paths), classes);
}

/* --- the files --- */

static int keep_errno(int fd) {
    int saved = errno;

    if (fd >= 0)
        close(fd);
    errno = saved;
    return -1;
}

/* Opens a plain file of a plausible size. With `root`, also requires that only root can have written the file. */
static int open_plain(int at, const char *name, bool root) {
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return keep_errno(fd);
    if (S_ISREG(status.st_mode) && status.st_nlink == 1 && status.st_size > 0 && status.st_size <= SIZE_MAX_ARCHIVE &&
        (!root || (status.st_uid == geteuid() && (status.st_mode & 022) == 0)))
        return fd;
    errno = EBADMSG;
    return keep_errno(fd);
}

static int write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);

        if (n < 0)
            return -1;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

/* Reads `in` to its end, sums it up, and copies it to `out` (-1 = nowhere). 0, or -1 with errno. */
static int sum_up(int in, int out, uint64_t *sum) {
    static char chunk[1 << 16];
    ssize_t n;

    *sum = NS_HASH_FIRST;
    while ((n = read(in, chunk, sizeof chunk)) > 0) {
        *sum = ns_hash(*sum, chunk, (size_t)n);
        if (out >= 0 && write_all(out, chunk, (size_t)n) != 0)
            return -1;
    }
    return n < 0 ? -1 : 0;
}

static void name_of(const struct ns_archive *archive, uint64_t sum, char name[NAME_TEXT]) {
    snprintf(name, NAME_TEXT, "%s-%016" PRIx64 "-%016" PRIx64 ".jsa", archive->kind->name, archive->key, sum);
}

static bool is_of_kind(const struct ns_archive *archive, const char *name) {
    size_t length = strlen(archive->kind->name);

    return strncmp(name, archive->kind->name, length) == 0 && name[length] == '-';
}

static int open_directory(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return keep_errno(fd);
    if (status.st_uid == geteuid() && (status.st_mode & 022) == 0)
        return fd;
    errno = EPERM;
    return keep_errno(fd);
}

/* Tells whether the file is this archive: its name has the kind and the key, and its bytes have the name's sum. */
static bool is_whole(int at, const struct ns_archive *archive, const char *name) {
    char expected[NAME_TEXT];
    uint64_t sum;
    int fd, result;

    name_of(archive, 0, expected);
    if (strncmp(name, expected, (size_t)(strrchr(expected, '-') - expected)) != 0)
        return false;
    fd = open_plain(at, name, true);
    if (fd < 0)
        return false;
    result = sum_up(fd, -1, &sum);
    close(fd);
    name_of(archive, sum, expected);
    return result == 0 && strcmp(name, expected) == 0;
}

static int is_archive(const struct dirent *entry) {
    return strstr(entry->d_name, ".jsa") != NULL;
}

bool ns_archive_find(struct ns_archive *archive) {
    int at = open_directory(archive->directory);
    struct dirent **names;
    int count = at < 0 ? -1 : scandirat(at, ".", &names, is_archive, alphasort);
    bool found = false;

    for (int i = 0; i < count; i++) {
        if (!found && is_whole(at, archive, names[i]->d_name)) {
            snprintf(archive->path, sizeof archive->path, "%.4000s/%.64s", archive->directory, names[i]->d_name);
            found = true;
        }
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    keep_errno(at);
    return found;
}

static void remove_others(int at, const struct ns_archive *archive, const char *name) {
    struct dirent **names;
    int count = scandirat(at, ".", &names, is_archive, alphasort);

    for (int i = 0; i < count; i++) {
        if (is_of_kind(archive, names[i]->d_name) && strcmp(names[i]->d_name, name) != 0)
            unlinkat(at, names[i]->d_name, 0);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

static int copy(struct ns_archive *archive, int at, int in) {
    static const char *const fresh = "new.jsa";
    char name[NAME_TEXT];
    uint64_t sum;
    int out;

    if (unlinkat(at, fresh, 0) != 0 && errno != ENOENT)
        return -1;
    out = openat(at, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (out < 0)
        return -1;
    if (sum_up(in, out, &sum) != 0 || fchmod(out, 0444) != 0 || fsync(out) != 0)
        return keep_errno(out);
    close(out);
    name_of(archive, sum, name);
    if (renameat(at, fresh, at, name) != 0)
        return -1;
    snprintf(archive->path, sizeof archive->path, "%.4000s/%s", archive->directory, name);
    remove_others(at, archive, name);
    return 0;
}

int ns_archive_take(struct ns_archive *archive, const char *made) {
    int at = open_directory(archive->directory), in = open_plain(AT_FDCWD, made, false), result = -1;

    if (at >= 0 && in >= 0)
        result = copy(archive, at, in);
    keep_errno(at);
    keep_errno(in);
    return result;
}

static int clear_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)place;
    return type == FTW_DP ? rmdir(path) : unlink(path);
}

void ns_archive_clear(const char *directory) {
    nftw(directory, clear_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
