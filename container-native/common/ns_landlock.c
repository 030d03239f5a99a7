/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_landlock.h"

#include "ns_syscalls.h"
#include "ns_threads.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rights, as linux/landlock.h numbers them; the header of a build machine may be older than the kernel it runs on. */
#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_REMOVE_DIR (1ull << 4)
#define FS_REMOVE_FILE (1ull << 5)
#define FS_MAKE_DIR (1ull << 7)
#define FS_MAKE_REG (1ull << 8)
#define FS_MAKE_SYM (1ull << 12)
#define FS_ABI1 ((1ull << 13) - 1)
#define FS_REFER (1ull << 13)         /* ABI 2 */
#define FS_TRUNCATE (1ull << 14)      /* ABI 3 */
#define FS_IOCTL_DEV (1ull << 15)     /* ABI 5 */
#define NET_BIND_TCP NS_LANDLOCK_BIND /* ABI 4; (1 << 0) */
#define NET_CONNECT_TCP NS_LANDLOCK_CONNECT
#define SCOPE_ABSTRACT_UNIX (1ull << 0) /* ABI 6 */
#define SCOPE_SIGNAL (1ull << 1)

#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FS_WRITING                                                                                                     \
    (FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SYM | FS_REFER | FS_TRUNCATE)

enum { RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2 };
enum { CREATE_VERSION = 1, LOG_SAME_EXEC_OFF = 1 /* ABI 7 */ };

struct path_beneath {
    uint64_t allowed;
    int32_t parent_fd;
} __attribute__((packed));

struct net_port {
    uint64_t allowed;
    uint64_t port; /* host order */
};

int ns_landlock_abi(void) {
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

    return abi < 0 ? 0 : (int)abi;
}

struct ns_landlock_plan ns_landlock_plan(int abi) {
    struct ns_landlock_plan plan = {0, 0, 0};

    if (abi >= 1)
        plan.fs = FS_ABI1;
    if (abi >= 2)
        plan.fs |= FS_REFER;
    if (abi >= 3)
        plan.fs |= FS_TRUNCATE;
    if (abi >= NS_LANDLOCK_TCP_ABI)
        plan.net = NET_BIND_TCP | NET_CONNECT_TCP;
    if (abi >= 5)
        plan.fs |= FS_IOCTL_DEV;
    if (abi >= 6)
        plan.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
    return plan;
}

/* The kernel refuses a structure with bytes set behind the fields it knows, and accepts a shorter one. */
static size_t attribute_size(int abi) {
    if (abi >= 6)
        return sizeof(struct ns_landlock_plan);
    return abi >= 4 ? offsetof(struct ns_landlock_plan, scoped) : offsetof(struct ns_landlock_plan, net);
}

/* The kernel refuses a ruleset that denies nothing. */
static bool denies_nothing(const struct ns_landlock_plan *plan) {
    return plan->fs == 0 && plan->net == 0 && plan->scoped == 0;
}

int ns_landlock_open(struct ns_landlock *landlock, unsigned kinds) {
    int abi = ns_landlock_abi();

    landlock->fd = -1;
    landlock->plan = ns_landlock_plan(abi);
    landlock->plan.net &= kinds; /* the same bits */
    if ((kinds & NS_LANDLOCK_FILES) == 0)
        landlock->plan.fs = landlock->plan.scoped = 0;
    if (denies_nothing(&landlock->plan))
        return 0;
    landlock->fd = (int)syscall(SYS_landlock_create_ruleset, &landlock->plan, attribute_size(abi), 0);
    return landlock->fd < 0 ? -1 : 0;
}

static uint64_t rights(unsigned access) {
    uint64_t fs = FS_READ_FILE | FS_READ_DIR;

    if (access & NS_LANDLOCK_WRITE)
        fs |= FS_WRITING;
    if (access & NS_LANDLOCK_EXECUTE)
        fs |= FS_EXECUTE;
    return fs;
}

int ns_landlock_path(struct ns_landlock *landlock, const char *path, unsigned access) {
    struct path_beneath rule = {.allowed = rights(access) & landlock->plan.fs};
    struct stat status;
    int result = -1, saved;

    if (landlock->fd < 0)
        return 0;
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (fstat(rule.parent_fd, &status) == 0) {
        if (!S_ISDIR(status.st_mode))
            rule.allowed &= FS_OF_FILES;
        result = (int)syscall(SYS_landlock_add_rule, landlock->fd, RULE_PATH_BENEATH, &rule, 0);
    }
    saved = errno;
    close(rule.parent_fd);
    errno = saved;
    return result;
}

int ns_landlock_tcp(struct ns_landlock *landlock, enum ns_landlock_kind what, unsigned first, unsigned last) {
    struct net_port rule = {.allowed = what & landlock->plan.net, .port = first};

    if (landlock->fd < 0 || rule.allowed == 0)
        return 0;
    for (; rule.port <= last; rule.port++) {
        if (syscall(SYS_landlock_add_rule, landlock->fd, RULE_NET_PORT, &rule, 0) != 0)
            return -1;
    }
    return 0;
}

/* Restricts the calling thread. Returns 0 or an errno. Async-signal-safe, because it makes system calls alone. */
static int restrict_self(const void *landlock) {
    const int fd = ((const struct ns_landlock *)landlock)->fd;

    /* denials to a stranger's code come again and again: no news for the node's audit log */
    return syscall(SYS_landlock_restrict_self, fd, ns_landlock_abi() >= 7 ? LOG_SAME_EXEC_OFF : 0) == 0 ? 0 : errno;
}

static void close_ruleset(struct ns_landlock *landlock) {
    close(landlock->fd);
    landlock->fd = -1;
}

int ns_landlock_enter(struct ns_landlock *landlock) {
    int error;

    if (landlock->fd < 0)
        return 0;
    error = restrict_self(landlock);
    close_ruleset(landlock);
    errno = error;
    return error == 0 ? 0 : -1;
}

int ns_landlock_enter_all(struct ns_landlock *landlock, unsigned ms) {
    int result, saved;

    if (landlock->fd < 0)
        return 0;
    result = ns_threads_act(restrict_self, landlock, ms);
    saved = errno;
    close_ruleset(landlock);
    errno = saved;
    return result;
}
