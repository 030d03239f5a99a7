/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - a file that holds an ext4 file system: made, checked, grown and mounted over a loop device. Sparse, without a
 * journal: it takes what is in it, and what a crash of the machine leaves is put right by e2fsck before the next mount.
 */
#ifndef NS_IMAGE_H
#define NS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_IMAGE_DEVICE 32 /* of a loop device's path */

struct ns_image_size {
    uint64_t mib, inodes; /* inodes: files and directories that fit, its root with them */
};

/* Makes one of this size at least, mode 0600, its root directory owned so. 0, or -1 with a line in the log. */
int ns_image_make(const char *path, struct ns_image_size size, uid_t uid, gid_t gid);

/* Its size, from its superblock. 0, or -1 with errno. */
int ns_image_size(const char *path, struct ns_image_size *size);

/* Checks it if it was not cleanly unmounted. 0 = it can be mounted. */
int ns_image_check(const char *path);

/* Grows it; the number of inodes grows with it or stays. It is not mounted. 0, or -1 with a line in the log. */
int ns_image_grow(const char *path, uint64_t mib);

/*
 * Does a loop device have it, and go on having it for two seconds? So long an end may take. Longer, and another mount namespace has
 * a copy of an earlier mount, whose end is not in sight: then it is not to be checked or grown, and may be mounted only by that
 * device, for two devices would be two caches over one disk.
 */
bool ns_image_held(const char *path, char device[NS_IMAGE_DEVICE]);

/*
 * Mounts it on a directory: noexec, nosuid, nodev, noatime. The loop device goes with the last mount. 0, or -1 with errno. Not one
 * that is held: of that, the device.
 */
int ns_image_mount(const char *path, const char *directory);
int ns_image_mount_device(const char *device, const char *directory);

#endif
