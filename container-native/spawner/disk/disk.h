/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.h - the layer `disk`: a container's data directory as a file system of its own, so that it has so much room and no more.
 *
 *     var/lib/netserv/containers/NAME        the data: the mount point, or without the layer the data themselves
 *     var/lib/netserv/containers/.NAME.img   the file system; once it is there, it alone has the data
 *                                .NAME.new   one that is being made
 *                                .NAME.old   the plain directory, from when its data are in .NAME.new until they are no
 *                                            longer needed: without .NAME.img it is what counts
 *
 * The mount is in our mount namespace: it goes with the last process that has it, however that ends.
 */
#ifndef NS_DISK_H
#define NS_DISK_H

#include "image.h"
#include "paths.h"
#include <stdbool.h>

/* Ends what a crash has interrupted. 0, or -1 with the reason. */
int ns_disk_recover(const struct ns_paths *paths, const char *name, char why[160]);

/*
 * Makes the file system if there is none, with what is in the directory; grows it to `size`; mounts it. The directory is
 * there. 0, or -1 with the reason, and then nothing is mounted.
 */
int ns_disk_mount(const struct ns_paths *paths, const char *name, struct ns_image_size size, uid_t uid, gid_t gid,
                  char why[160]);

/* As above, of one that there is nothing of yet, and that nobody keeps: two mounts less. */
int ns_disk_mount_new(const struct ns_paths *paths, const char *name, struct ns_image_size size, uid_t uid, gid_t gid,
                      char why[160]);

/* Takes away what a start that was cut off has mounted and half made. The data stay. */
void ns_disk_abandon(const struct ns_paths *paths, const char *name);

void ns_disk_unmount(const struct ns_paths *paths, const char *name);

/* Takes away all that there is of it, whether mounted or not. 0, or -1 with errno. */
int ns_disk_remove(const struct ns_paths *paths, const char *name);

/* The container runs without the layer: says so in the log if its data are in a file system that it will not see. */
void ns_disk_leave(const struct ns_paths *paths, const char *name);

struct ns_disk_use {
    uint64_t bytes, inodes;
    bool full, inodes_full; /* (next to) nothing is free */
};

/* Of one that is mounted; all zero if that cannot be told. */
struct ns_disk_use ns_disk_use(const struct ns_paths *paths, const char *name);

#endif
