/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_syscalls.h - system calls that the headers of an older release lack: Ubuntu 22.04 has glibc 2.35 and Linux 5.15,
 * Debian 11 has glibc 2.31 and Linux 5.10. Their numbers are the same on every machine. A kernel without a call says
 * ENOSYS.
 */
#ifndef NS_SYSCALLS_H
#define NS_SYSCALLS_H

#include <fcntl.h>
#include <linux/close_range.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_set_mempolicy_home_node
#define SYS_set_mempolicy_home_node 450
#endif

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2) /* Linux 5.11 */
#endif
#if !__GLIBC_PREREQ(2, 34)
static inline int close_range(unsigned first, unsigned last, int flags) {
    return (int)syscall(SYS_close_range, first, last, flags);
}
#endif

/* glibc 2.36 has these; before, the kernel's header must come after the library's. */
#ifndef OPEN_TREE_CLONE
#include <linux/mount.h>
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef MOUNT_ATTR_IDMAP
#define MOUNT_ATTR_IDMAP 0x00100000
struct mount_attr {
    uint64_t attr_set;
    uint64_t attr_clr;
    uint64_t propagation;
    uint64_t userns_fd;
};
#endif

static inline int open_tree(int directory, const char *path, unsigned flags) {
    return (int)syscall(SYS_open_tree, directory, path, flags);
}

static inline int move_mount(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
    return (int)syscall(SYS_move_mount, from_directory, from, to_directory, to, flags);
}

static inline int mount_setattr(int directory, const char *path, unsigned flags, struct mount_attr *attributes,
                                size_t size) {
    return (int)syscall(SYS_mount_setattr, directory, path, flags, attributes, size);
}
#endif

#endif
