/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_root.h - a private, minimal file system tree: an empty root
 * that holds what is listed, under the paths it has outside.
 *
 * Whoever runs in it needs no permission on the directories above a listed path (a node's root may lie in a home
 * directory of mode 0700), and sees nothing that is not listed.
 */
#ifndef NS_ROOT_H
#define NS_ROOT_H

#include <stddef.h>

enum ns_root_flags {
    NS_ROOT_WRITE = 1,     /* else read-only */
    NS_ROOT_EXECUTE = 2,   /* else noexec */
    NS_ROOT_DEVICE = 4,    /* else nodev; nosuid always */
    NS_ROOT_RECURSIVE = 8, /* with the mounts beneath */
};

struct ns_root_entry {
    const char *path; /* absolute, without symbolic links but the last part; a missing path is passed over */
    unsigned flags;
};

/*
 * The paths that every program needs: libraries, name service, time zone, certificates, harmless devices, CPU
 * topology, cgroups.
 */
extern const struct ns_root_entry ns_root_system[];
extern const size_t ns_root_system_count;

/*
 * Moves the calling process into such a tree of ns_root_system and `entries` (a directory comes before the entries
 * beneath it) with a /proc of its own pid namespace. The process is root in its own mount namespace. 0, or -1 with
 * errno and the path at fault in *failed.
 */
int ns_root_enter(const struct ns_root_entry *entries, size_t count, const char **failed);

#endif
