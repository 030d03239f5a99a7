/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_root.h"

#include "ns_syscalls.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define STAGE "/tmp" /* the new root is built here; any directory that is always there would do */

const struct ns_root_entry ns_root_system[] = {
    {"/usr", NS_ROOT_EXECUTE},
    {"/lib", NS_ROOT_EXECUTE},
    {"/lib64", NS_ROOT_EXECUTE},
    {"/bin", NS_ROOT_EXECUTE},
    {"/sbin", NS_ROOT_EXECUTE},
    {"/etc/ld.so.cache", 0},
    {"/etc/resolv.conf", 0},
    {"/etc/hosts", 0},
    {"/etc/nsswitch.conf", 0},
    {"/etc/host.conf", 0},
    {"/etc/gai.conf", 0},
    {"/etc/services", 0},
    {"/etc/protocols", 0},
    {"/etc/localtime", 0},
    {"/etc/timezone", 0},
    {"/etc/ssl", 0},
    {"/etc/java-17-openjdk", 0}, /* Debian's JDKs have their configuration there */
    {"/etc/java-21-openjdk", 0},
    {"/etc/java-25-openjdk", 0},
    {"/dev/null", NS_ROOT_DEVICE | NS_ROOT_WRITE},
    {"/dev/zero", NS_ROOT_DEVICE | NS_ROOT_WRITE},
    {"/dev/random", NS_ROOT_DEVICE | NS_ROOT_WRITE},
    {"/dev/urandom", NS_ROOT_DEVICE | NS_ROOT_WRITE},
    {"/sys/devices/system/cpu", 0},
    {"/sys/fs/cgroup", NS_ROOT_RECURSIVE},
};
const size_t ns_root_system_count = sizeof ns_root_system / sizeof ns_root_system[0];

enum { ENTRIES_MAX = 64 };

/* An entry taken out of the old tree, before anything is mounted over it. */
struct taken {
    const struct ns_root_entry *entry;
    int tree;              /* detached mount, -1 = none */
    int directory;         /* else a file */
    char target[PATH_MAX]; /* of a symbolic link, else empty */
};

static int take(struct taken *taken, const struct ns_root_entry *entry) {
    unsigned recursive = entry->flags & NS_ROOT_RECURSIVE ? AT_RECURSIVE : 0;
    struct stat status;
    ssize_t length;

    taken->entry = entry;
    taken->tree = -1;
    taken->target[0] = '\0';
    if (lstat(entry->path, &status) != 0)
        return errno == ENOENT ? 0 : -1;
    /* links at the top, such as /lib, stay links; others are followed, for what they point to need not be listed */
    if (S_ISLNK(status.st_mode) && strrchr(entry->path, '/') == entry->path) {
        length = readlink(entry->path, taken->target, sizeof taken->target - 1);
        if (length < 0)
            return -1;
        taken->target[length] = '\0';
        return 0;
    }
    if (stat(entry->path, &status) != 0)
        return errno == ENOENT ? 0 : -1;
    taken->directory = S_ISDIR(status.st_mode);
    taken->tree = open_tree(AT_FDCWD, entry->path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive);
    return taken->tree < 0 ? -1 : 0;
}

/* Makes the directories above the last part of `path`. */
static int make_parents(char *path) {
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        int result;

        *slash = '\0';
        result = mkdir(path, 0755);
        *slash = '/';
        if (result != 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

static int make_place(const struct taken *taken, char *path) {
    int fd;

    if (make_parents(path) != 0)
        return -1;
    if (taken->directory)
        return mkdir(path, 0755) == 0 || errno == EEXIST ? 0 : -1;
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno == EEXIST || errno == EROFS ? 0 : -1;
    return close(fd);
}

static int put(struct taken *taken) {
    unsigned flags = taken->entry->flags;
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID};
    char path[PATH_MAX];

    if (taken->tree < 0 && taken->target[0] == '\0')
        return 0;
    if ((size_t)snprintf(path, sizeof path, STAGE "%s", taken->entry->path) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (taken->tree < 0)
        return symlink(taken->target, path);
    if (make_place(taken, path) != 0)
        return -1;
    attr.attr_set |= flags & NS_ROOT_WRITE ? 0 : MOUNT_ATTR_RDONLY;
    attr.attr_set |= flags & NS_ROOT_EXECUTE ? 0 : MOUNT_ATTR_NOEXEC;
    attr.attr_set |= flags & NS_ROOT_DEVICE ? 0 : MOUNT_ATTR_NODEV;
    if (mount_setattr(taken->tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) != 0)
        return -1;
    return move_mount(taken->tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

static int mount_proc(void) {
    if (mkdir(STAGE "/proc", 0555) != 0)
        return -1;
    /* others' processes are hidden, should it share the namespace they are in; read-only, should it be root */
    return mount("proc", STAGE "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, "hidepid=2");
}

/* The new root over the old one, which is let go. */
static int pivot(void) {
    if (chdir(STAGE) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
        return -1;
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}

static int build(struct taken *taken, size_t count, const char **failed) {
    *failed = STAGE;
    if (mount("netserv", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        *failed = taken[i].entry->path;
        if (put(&taken[i]) != 0)
            return -1;
    }
    *failed = "/proc";
    if (mount_proc() != 0)
        return -1;
    *failed = "/";
    return pivot();
}

int ns_root_enter(const struct ns_root_entry *entries, size_t count, const char **failed) {
    static struct taken taken[ENTRIES_MAX];
    size_t total = ns_root_system_count + count;
    int result = 0, saved;
    size_t i;

    *failed = "/";
    if (total > ENTRIES_MAX) {
        errno = E2BIG;
        return -1;
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return -1;
    for (i = 0; i < total && result == 0; i++) {
        const struct ns_root_entry *entry =
            i < ns_root_system_count ? &ns_root_system[i] : &entries[i - ns_root_system_count];

        *failed = entry->path;
        result = take(&taken[i], entry);
    }
    total = i;
    if (result == 0)
        result = build(taken, total, failed);
    saved = errno;
    for (i = 0; i < total; i++) {
        if (taken[i].tree >= 0)
            close(taken[i].tree);
    }
    errno = saved;
    return result;
}
