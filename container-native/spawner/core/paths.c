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
