/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.h - the layer `disk`: a container's data directory is a file system of its own, which limits its size.
 *
 *     var/lib/netserv/containers/NAME        The mount point. Without the layer, the data themselves.
 *     var/lib/netserv/containers/.NAME.img   The file system. Once this file is there, it alone has the data.
 *                                .NAME.new   A file system that is being made.
 *                                .NAME.old   The plain directory, once its data are in .NAME.new and until it is no
 *                                            longer needed. It has the data while there is no .NAME.img.
 *
 * The mount is in the spawner's mount namespace. It goes with the last process that has the mount, however
 * that process ends.
 */
#ifndef NS_DISK_H
#define NS_DISK_H

#include "image.h"
#include "paths.h"
#include <stdbool.h>

/* Finishes, or takes back, a change of file systems that a crash interrupted. 0, or -1 with the reason. */
int ns_disk_recover(const struct ns_paths *paths, const char *name, char why[160]);

/*
 * Mounts the container's file system on its data directory, which exists. If there is no file system, makes one with
 * the contents of the directory. Grows a file system that is smaller than `size`. Returns 0, or -1 with the reason,
 * and then nothing is mounted.
 */
int ns_disk_mount(const struct ns_paths *paths, const char *name, struct ns_image_size size, uid_t uid, gid_t gid,
                  char why[160]);

/* Makes and mounts the file system of a spare container, which has no data yet and keeps none. Saves two mounts. */
int ns_disk_mount_new(const struct ns_paths *paths, const char *name, struct ns_image_size size, uid_t uid, gid_t gid,
                      char why[160]);

/* Unmounts the mounts of a start that was cut off, and removes its half-made file system. The data stay. */
void ns_disk_abandon(const struct ns_paths *paths, const char *name);

void ns_disk_unmount(const struct ns_paths *paths, const char *name);

/* Removes all files of the container's file system and its directory, mounted or not. 0, or -1 with errno. */
int ns_disk_remove(const struct ns_paths *paths, const char *name);

/* Warns in the log if a container that runs without the layer has data in a file system, which it will not see. */
void ns_disk_leave(const struct ns_paths *paths, const char *name);

struct ns_disk_use {
    uint64_t bytes, inodes;
    bool full, inodes_full; /* nothing, or next to nothing, is free */
};

/* Returns the use of a mounted file system. All zero if the use cannot be read. */
struct ns_disk_use ns_disk_use(const struct ns_paths *paths, const char *name);

#endif
