/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idmap.h - a directory of one id's, put before another id's process as if it were its own:
 *
 *     on the disk        uid 700003                      uid 700003
 *     mounted at `over`  uid 770001, in the mount namespace of the process; nosuid, nodev, noexec
 *
 * What either writes belongs to the first id on the disk. An id that is not one of the two is nobody on the mount.
 */
#ifndef NS_IDMAP_H
#define NS_IDMAP_H

#include <sys/types.h>

struct ns_idmap {
    uid_t disk_uid, uid;
    gid_t disk_gid, gid;
};

/* `from` is ours, `over` a path in the namespace of `pid`. 0, or -1 with the reason; then nothing is mounted. */
int ns_idmap_mount(const char *from, pid_t pid, const char *over, const struct ns_idmap *ids, char why[160]);

#endif
