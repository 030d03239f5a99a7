/* SPDX-License-Identifier: Apache-2.0 */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * Binds as `uid`, so that the socket belongs to that user from its first moment. The directory does, too: a name
 * handed over afterwards could meanwhile be that of another file. Goes through a descriptor, for the user may have no
 * way to the directory by its path.
 */
static int bind_as(int listener, const char *path, uid_t uid, gid_t gid, mode_t mode) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char directory[PATH_MAX];
    const char *name = strrchr(path, '/');
    int result = -1, fd, saved;
    mode_t old;

    if (name == NULL || (size_t)(name - path) >= sizeof directory) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(directory, path, (size_t)(name - path));
    directory[name - path] = '\0';
    fd = open(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d%s", fd, name);
    old = umask(0777 & ~mode);
    setfsgid(gid);
    setfsuid(uid);
    if ((uid_t)setfsuid(uid) == uid) /* the call returns the id before it */
        result = bind(listener, (struct sockaddr *)&address, sizeof address);
    saved = errno;
    setfsuid(geteuid());
    setfsgid(getegid());
    umask(old);
    close(fd);
    errno = saved;
    return result;
}

int ns_listen(const char *path, uid_t uid, gid_t gid, mode_t mode) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), saved;

    if (fd >= 0 && (unlink(path) == 0 || errno == ENOENT) && bind_as(fd, path, uid, gid, mode) == 0 &&
        listen(fd, 4) == 0)
        return fd;
    saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return -1;
}
