/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include "ns_e2fs.h"
#include "ns_log.h"
#include "run.h"
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTROL "/dev/loop-control"
#define TOOL_MS 120000  /* for a check, or for a large growth */
#define RESERVED 10     /* inodes of ext4's own, without the root directory and lost+found, which we remove */
#define RETRIES 20      /* when other processes take the same free loop device */
#define RELEASE_MS 2000 /* for the end of an earlier mount */

static int extend(const char *path, uint64_t mib, int flags) {
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0600), result = -1;

    if (fd >= 0)
        result = ftruncate(fd, (off_t)(mib << 20));
    if (result != 0)
        ns_error("%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return result;
}

/*
 * Makes the file system without writing its tables: mke2fs would fill them with zeros, and the file is all zero
 * already.
 */
int ns_image_make(const char *path, struct ns_image_size size, uid_t uid, gid_t gid) {
    char inodes[24], options[96];
    const char *const argv[] = {NS_MKE2FS, "-q", "-F",   "-t", "ext4",         "-b", "4096",  "-I", "256", "-m",
                                "0",       "-N", inodes, "-O", "^has_journal", "-E", options, path, NULL};
    struct ns_run run = {.argv = argv, .msec = TOOL_MS};

    snprintf(inodes, sizeof inodes, "%llu", (unsigned long long)size.inodes + RESERVED);
    snprintf(options, sizeof options, "lazy_itable_init=1,nodiscard,root_owner=%u:%u", uid, gid);
    if (extend(path, size.mib, O_CREAT | O_EXCL) != 0)
        return -1;
    return ns_run(&run) == 0 ? 0 : -1;
}

/* The beginning of an ext4 superblock, little-endian, at byte 1024 of the file. */
struct superblock {
    uint32_t inodes, blocks, ignored[4], log_block_size;
    uint8_t ignored_too[28];
    uint16_t magic, state; /* at 0x38 */
};
#define MAGIC 0xef53
#define STATE_CLEAN 1
#define STATE_ERRORS 2

static int read_superblock(const char *path, struct superblock *superblock) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), saved;
    ssize_t n = fd < 0 ? -1 : pread(fd, superblock, sizeof *superblock, 1024);

    saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    if (n < 0)
        return -1;
    if (n == sizeof *superblock && le16toh(superblock->magic) == MAGIC)
        return 0;
    errno = EINVAL;
    return -1;
}

int ns_image_size(const char *path, struct ns_image_size *size) {
    struct superblock superblock;
    uint64_t inodes;

    if (read_superblock(path, &superblock) != 0)
        return -1;
    inodes = le32toh(superblock.inodes);
    size->inodes = inodes < RESERVED ? 0 : inodes - RESERVED;
    size->mib = ((uint64_t)le32toh(superblock.blocks) << (10 + (le32toh(superblock.log_block_size) & 7))) >> 20;
    return 0;
}

static int check(const char *path, const char *how) {
    const char *const argv[] = {NS_E2FSCK, how, path, NULL};
    struct ns_run run = {.argv = argv, .quiet = 1, .msec = TOOL_MS};
    int status = ns_run(&run);

    if (status == 0)
        return 0;
    ns_warn("%s: e2fsck %s: status %d: %s", path, how, status, run.error);
    return status == 1 || status == 2 ? 0 : -1; /* repaired */
}

int ns_image_check(const char *path) {
    struct superblock superblock;

    if (read_superblock(path, &superblock) == 0 && le16toh(superblock.state) == STATE_CLEAN)
        return 0;
    /* a repair that -p refuses is still better than no start until an operator comes */
    return check(path, "-p") == 0 ? 0 : check(path, "-fy");
}

int ns_image_grow(const char *path, uint64_t mib) {
    const char *const argv[] = {NS_RESIZE2FS, path, NULL};
    struct ns_run run = {.argv = argv, .msec = TOOL_MS};

    if (extend(path, mib, 0) != 0 || check(path, "-fp") != 0)
        return -1;
    return ns_run(&run) == 0 ? 0 : -1;
}

/* --- loop devices --- */

static bool holds(const char *device, const struct stat *file) {
    struct loop_info64 info;
    int fd = open(device, O_RDONLY | O_CLOEXEC);
    bool same = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0 && info.lo_inode == file->st_ino &&
                info.lo_device == file->st_dev;

    if (fd >= 0)
        close(fd);
    return same;
}

static bool attached(const struct stat *file, char device[NS_IMAGE_DEVICE]) {
    DIR *blocks = opendir("/sys/block");
    struct dirent *entry;
    char path[300];
    bool found = false;

    while (blocks != NULL && !found && (entry = readdir(blocks)) != NULL) {
        if (strncmp(entry->d_name, "loop", 4) != 0)
            continue;
        snprintf(path, sizeof path, "/sys/block/%s/loop", entry->d_name); /* exists while the device has a file */
        if (access(path, F_OK) != 0)
            continue;
        snprintf(device, NS_IMAGE_DEVICE, "/dev/%.26s", entry->d_name);
        found = holds(device, file);
    }
    if (blocks != NULL)
        closedir(blocks);
    return found;
}

bool ns_image_held(const char *path, char device[NS_IMAGE_DEVICE]) {
    struct stat status;

    if (lstat(path, &status) != 0)
        return false;
    for (int waited = 0; attached(&status, device); waited += 10) {
        if (waited >= RELEASE_MS)
            return true;
        usleep(10000);
    }
    return false;
}

/* Attaches the file to a free loop device. If another process takes the device first, tries the next one. */
static int attach(int file, char device[NS_IMAGE_DEVICE]) {
    struct loop_config config = {.fd = (uint32_t)file, .info.lo_flags = LO_FLAGS_AUTOCLEAR};
    int control = open(CONTROL, O_RDWR | O_CLOEXEC), loop = -1, saved;

    for (int i = 0; i < RETRIES && control >= 0; i++) {
        int n = ioctl(control, LOOP_CTL_GET_FREE);

        snprintf(device, NS_IMAGE_DEVICE, "/dev/loop%d", n);
        loop = n < 0 ? -1 : open(device, O_RDWR | O_CLOEXEC);
        if (loop < 0 || ioctl(loop, LOOP_CONFIGURE, &config) == 0)
            break;
        saved = errno;
        close(loop);
        loop = -1;
        errno = saved;
        if (saved != EBUSY)
            break;
    }
    saved = errno;
    if (control >= 0)
        close(control);
    errno = saved;
    return loop;
}

int ns_image_mount_device(const char *device, const char *directory) {
    /* noinit_itable: the kernel does not fill the sparse file with zeros in the background */
    return mount(device, directory, "ext4", MS_NOEXEC | MS_NOSUID | MS_NODEV | MS_NOATIME,
                 "noinit_itable,errors=remount-ro");
}

int ns_image_mount(const char *path, const char *directory) {
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC), loop = -1, result = -1, saved;
    char device[NS_IMAGE_DEVICE];

    if (file < 0)
        return -1;
    loop = attach(file, device);
    if (loop >= 0)
        result = ns_image_mount_device(device, directory);
    saved = errno;
    if (loop >= 0)
        close(loop);
    close(file);
    errno = saved;
    return result;
}
