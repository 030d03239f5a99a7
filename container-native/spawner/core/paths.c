/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int append(char path[PATH_MAX], const char *base, const char *rest) {
    if (strcmp(base, "/") == 0)
        base = "";
    if (snprintf(path, PATH_MAX, "%s%s", base, rest) < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int ns_paths_make(struct ns_paths *paths, const char *root, const char *dist, const char *java) {
    if (realpath(root, paths->root) == NULL || realpath(dist, paths->dist) == NULL ||
        realpath(java, paths->java) == NULL)
        return -1;
    if (append(paths->run, paths->root, "/run/netserv") != 0 ||
        append(paths->jobs, paths->root, "/run/netserv/jobs") != 0)
        return -1;
    return append(paths->containers, paths->root, "/var/lib/netserv/containers");
}

static int open_directory(int at, const char *name) {
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int close_keeping_errno(int fd, int result) {
    int saved = errno;

    if (fd >= 0)
        close(fd);
    errno = saved;
    return result;
}

static int owned_by(int fd, uid_t uid) {
    struct stat status;

    if (fstat(fd, &status) != 0)
        return -1;
    if (status.st_uid == uid)
        return 0;
    errno = EPERM;
    return -1;
}

/* Files belong to the owner of their directory, so a change of owner is rare: with or without the layer uid. */
static struct {
    uid_t uid;
    gid_t gid;
} owner; /* nftw() has no argument for it */

static int own(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    return lchown(path, owner.uid, owner.gid);
}

int ns_paths_own(const char *directory, uid_t uid, gid_t gid) {
    struct stat status;

    if (lstat(directory, &status) != 0)
        return -1;
    if (status.st_uid == uid)
        return 0;
    owner.uid = uid;
    owner.gid = gid;
    return nftw(directory, own, 16, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
}

static int make_container(int above, const char *name, uid_t uid, gid_t gid) {
    int fd;

    if (mkdirat(above, name, 0700) != 0 && errno != EEXIST)
        return -1;
    fd = open_directory(above, name);
    if (fd < 0)
        return -1;
    if (fchown(fd, uid, gid) != 0 || fchmod(fd, 0700) != 0)
        return close_keeping_errno(fd, -1);
    return close_keeping_errno(fd, 0);
}

int ns_paths_container(const struct ns_paths *paths, const char *name, uid_t uid, gid_t gid) {
    int above = open_directory(AT_FDCWD, paths->containers), result = -1;
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", paths->containers, name);
    if (above >= 0 && owned_by(above, geteuid()) == 0 && (ns_paths_own(path, uid, gid) == 0 || errno == ENOENT))
        result = make_container(above, name, uid, gid);
    return close_keeping_errno(above, result);
}

/* A plain file with one name that is the controller's; a second name could be somebody else's file. */
static int hand_over(int directory, const char *name, uid_t controller, uid_t job) {
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), result = 0;
    struct stat status;

    if (fd < 0)
        return errno == ELOOP ? 0 : -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 && status.st_uid == controller)
        result = fchown(fd, job, controller);
    return close_keeping_errno(fd, result);
}

static int hand_over_all(int directory, uid_t controller, uid_t job) {
    int copy = dup(directory), result = 0;
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;

    if (list == NULL)
        return close_keeping_errno(copy, -1);
    while (result == 0 && (entry = readdir(list)) != NULL) {
        if (entry->d_type == DT_REG)
            result = hand_over(directory, entry->d_name, controller, job);
    }
    closedir(list);
    return result;
}

int ns_paths_job(const struct ns_paths *paths, const char *name, uid_t controller, uid_t job) {
    int above = open_directory(AT_FDCWD, paths->jobs), fd = -1, result = -1;

    if (above < 0)
        return -1;
    fd = open_directory(above, name);
    if (fd >= 0 && owned_by(fd, controller) == 0 && hand_over_all(fd, controller, job) == 0 &&
        fchown(fd, job, controller) == 0)
        result = fchmod(fd, 02770);
    close_keeping_errno(fd, result);
    return close_keeping_errno(above, result);
}

int ns_paths_spare_job(const struct ns_paths *paths, const char *name, uid_t controller, uid_t job) {
    int above = open_directory(AT_FDCWD, paths->jobs), fd = -1, result = -1;

    if (above < 0)
        return -1;
    if (mkdirat(above, name, 0700) == 0)
        fd = open_directory(above, name);
    if (fd >= 0 && fchown(fd, job, controller) == 0)
        result = fchmod(fd, 02770);
    close_keeping_errno(fd, result);
    return close_keeping_errno(above, result);
}

/* Moves the request, and renames the spare's directory over the empty one of the job. */
static int take_over(int above, int from, int to, const char *spare, const char *name, const char *request) {
    int error;

    if (renameat(from, request, to, request) != 0)
        return -1;
    if (renameat(above, spare, above, name) == 0)
        return 0;
    error = errno;
    if (renameat(to, request, from, request) != 0)
        return -1;
    errno = error;
    return -1;
}

int ns_paths_take_spare_job(const struct ns_paths *paths, const char *spare, const char *name, const char *request,
                            uid_t controller, uid_t job) {
    int above = open_directory(AT_FDCWD, paths->jobs), from = -1, to = -1, result = -1;

    if (above < 0)
        return -1;
    from = open_directory(above, name);
    if (from >= 0 && owned_by(from, controller) == 0)
        to = open_directory(above, spare);
    if (to >= 0 && owned_by(to, job) == 0 && hand_over(from, request, controller, job) == 0)
        result = take_over(above, from, to, spare, name, request);
    close_keeping_errno(to, result);
    close_keeping_errno(from, result);
    return close_keeping_errno(above, result);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

int ns_paths_remove_job(const struct ns_paths *paths, const char *name) {
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", paths->jobs, name);
    return nftw(path, remove_entry, 16, FTW_PHYS | FTW_MOUNT | FTW_DEPTH);
}

void ns_paths_each_spare_job(const struct ns_paths *paths, void (*visit)(const struct ns_paths *, const char *name)) {
    DIR *list = opendir(paths->jobs);
    struct dirent *entry;

    while (list != NULL && (entry = readdir(list)) != NULL) {
        if (entry->d_name[0] == '@')
            visit(paths, entry->d_name);
    }
    if (list != NULL)
        closedir(list);
}
