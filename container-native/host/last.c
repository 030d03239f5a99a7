/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC 0x314c534eu /* "NSL1" */

/* Reads the file of the last host. The file is the container's own, so its texts are used as names at most. */
static void read_old(int fd, struct ns_last *old) {
    if (read(fd, old, sizeof *old) != (ssize_t)sizeof *old || old->magic != MAGIC)
        memset(old, 0, sizeof *old);
    for (int i = 0; i < NS_MODULES; i++) {
        old->names[i][NS_MODULE_NAME - 1] = '\0';
        old->packages[i][NS_MODULE_PACKAGES - 1] = '\0';
    }
}

int ns_last_open(struct ns_last *old) {
    char path[PATH_MAX];
    bool full;
    void *at;
    int fd, flags;

    snprintf(path, sizeof path, "%s/last", ns_host.options.data);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -1;
    /*
     * The file is read before it is mapped, so that a page that no module needs costs no memory. Its blocks are
     * allocated, because a write to a page without a block would end this process when the disk is full. If the disk
     * is full already, the memory is anonymous, and the next host knows nothing of this one.
     */
    read_old(fd, old);
    if (ftruncate(fd, 0) != 0) {
        close(fd);
        return -1;
    }
    full = posix_fallocate(fd, 0, sizeof *ns_host.last) != 0;
    flags = MAP_SHARED | (full ? MAP_ANONYMOUS : 0) | (ns_host.last != NULL ? MAP_FIXED : 0);
    at = mmap(ns_host.last, sizeof *ns_host.last, PROT_READ | PROT_WRITE, flags, full ? -1 : fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return -1;
    ns_host.last = at;
    ns_host.last->magic = MAGIC;
    ns_host.last->pid = (uint32_t)getpid();
    ns_host.last->status[0] = -1;
    return 0;
}
