/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - a file that holds an ext4 file system: made, checked, grown and mounted over a loop device. The file is
 * sparse, so it takes only the space of its contents. The file system has no journal, so e2fsck repairs the damage of
 * a machine crash before the next mount.
 */
#ifndef NS_IMAGE_H
#define NS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_IMAGE_DEVICE 32 /* bytes of a loop device's path */

struct ns_image_size {
    uint64_t mib, inodes; /* inodes: files and directories that fit, with the root directory */
};

/*
 * Makes a file system of at least this size, mode 0600. The root directory gets this owner. 0, or -1 with a line in
 * the log.
 */
int ns_image_make(const char *path, struct ns_image_size size, uid_t uid, gid_t gid);

/* Reads the size of the file system from its superblock. 0, or -1 with errno. */
int ns_image_size(const char *path, struct ns_image_size *size);

/* Checks a file system that was not cleanly unmounted. 0 = it can be mounted. */
int ns_image_check(const char *path);

/*
 * Grows a file system that is not mounted. The number of inodes grows too, or stays. 0, or -1 with a line in the log.
 */
int ns_image_grow(const char *path, uint64_t mib);

/*
 * Returns true if a loop device still has the file after two seconds, and names the device. The end of an earlier
 * mount may take this long. If it takes longer, another mount namespace has a copy of the earlier mount, and its end
 * is not in sight. Then the caller must not check or grow the file. It may mount only this device, because two
 * devices would be two caches over one disk.
 */
bool ns_image_held(const char *path, char device[NS_IMAGE_DEVICE]);

/*
 * Mount the file system on a directory: noexec, nosuid, nodev, noatime. The loop device goes with the last mount. 0,
 * or -1 with errno. ns_image_mount() is for a file that no loop device holds. For a held file, use its device.
 */
int ns_image_mount(const char *path, const char *directory);
int ns_image_mount_device(const char *device, const char *directory);

#endif
