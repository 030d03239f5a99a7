/* SPDX-License-Identifier: Apache-2.0 */
#include "idmap.h"

#include "ns_syscalls.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int fail(char why[160], const char *what) {
    snprintf(why, 160, "%s: %s", what, strerror(errno));
    return -1;
}

static int open_namespace(pid_t pid, const char *kind) {
    char path[48];

    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, kind);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int wait_for(pid_t pid) {
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* Writes the uid or gid map of `pid`: a single line that maps one id. */
static int write_map(pid_t pid, const char *kind, unsigned on_disk, unsigned seen) {
    char path[48], text[32];
    int fd, length = snprintf(text, sizeof text, "%u %u 1\n", on_disk, seen), result;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, kind);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    result = write(fd, text, (size_t)length) == length ? 0 : -1;
    close(fd);
    return result;
}

/*
 * Opens a user namespace with the map of ids, because a mount takes its map from a user namespace. The child that
 * made the namespace ends here: no process has to stay in it.
 */
static int open_map(const struct ns_idmap *ids) {
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    int fd = -1, saved;

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        for (;;)
            pause();
    }
    if (pid < 0)
        return -1;
    if (write_map(pid, "uid_map", ids->disk_uid, ids->uid) == 0 &&
        write_map(pid, "gid_map", ids->disk_gid, ids->gid) == 0)
        fd = open_namespace(pid, "user");
    saved = errno;
    kill(pid, SIGKILL);
    wait_for(pid);
    errno = saved;
    return fd;
}

/* Clones the tree below `from` and gives it the map. The kernel accepts a map only while the tree is not mounted. */
static int take(const char *from, int map) {
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
                              .userns_fd = (uint64_t)map};
    int tree = open_tree(AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC), saved;

    if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0)
        return tree;
    saved = errno;
    close(tree);
    errno = saved;
    return -1;
}

/* Mounts the tree at `over` in the namespace of `pid`. A symbolic link at `over` is not followed. */
static int put(int tree, pid_t pid, const char *over) {
    int namespace = open_namespace(pid, "mnt"), result;
    pid_t child = namespace < 0 ? -1 : fork();

    if (child == 0) {
        if (setns(namespace, CLONE_NEWNS) != 0 || move_mount(tree, "", AT_FDCWD, over, MOVE_MOUNT_F_EMPTY_PATH) != 0)
            _exit(errno);
        _exit(0);
    }
    if (namespace >= 0)
        close(namespace);
    if (child < 0)
        return -1;
    result = wait_for(child);
    errno = result > 0 ? result : errno;
    return result == 0 ? 0 : -1;
}

int ns_idmap_mount(const char *from, pid_t pid, const char *over, const struct ns_idmap *ids, char why[160]) {
    int map = open_map(ids), tree, result;

    if (map < 0)
        return fail(why, "user namespace of a mount");
    tree = take(from, map);
    close(map);
    if (tree < 0)
        return fail(why, "mount with a map of ids");
    result = put(tree, pid, over);
    if (result != 0)
        fail(why, over);
    close(tree);
    return result;
}
