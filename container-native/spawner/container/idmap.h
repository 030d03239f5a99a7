/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idmap.h - mounts a directory for a process with another id, so that the process sees the directory as its own.
 *
 *     on the disk        uid 700003                      uid 700003
 *     mounted at `over`  uid 770001, in the mount namespace of the process; nosuid, nodev, noexec
 *
 * Files that either id writes belong to the first id on the disk. On the mount, every other id appears as nobody.
 */
#ifndef NS_IDMAP_H
#define NS_IDMAP_H

#include <sys/types.h>

struct ns_idmap {
    uid_t disk_uid, uid;
    gid_t disk_gid, gid;
};

/*
 * Mounts `from`, a path in the spawner's namespace, at `over`, a path in the mount namespace of `pid`.
 * 0, or -1 with the reason; then nothing is mounted.
 */
int ns_idmap_mount(const char *from, pid_t pid, const char *over, const struct ns_idmap *ids, char why[160]);

#endif
