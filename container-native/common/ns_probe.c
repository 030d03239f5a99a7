/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_probe.h"

#include "ns_caps.h"
#include "ns_e2fs.h"
#include "ns_identity.h"
#include "ns_landlock.h"
#include "ns_root.h"
#include "ns_seccomp.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/loop.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*try_fn)(void); /* 0, or an errno */

/* Runs it in a child, so that its changes end with it. */
static int in_child(try_fn try) {
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(try() & 0xff);
    if (pid < 0)
        return errno;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return errno;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : ECANCELED;
}

static int error_of(int result) {
    return result == 0 ? 0 : errno;
}

static int nothing(void) {
    return 0;
}

static int try_user(void) {
    return error_of(unshare(CLONE_NEWUSER));
}

/* The next child is its first process. */
static int try_pid(void) {
    return unshare(CLONE_NEWPID) != 0 ? errno : in_child(nothing);
}

static int try_mount(void) {
    const char *failed;

    return unshare(CLONE_NEWNS) != 0 ? errno : error_of(ns_root_enter(NULL, 0, &failed));
}

static int try_net(void) {
    return error_of(unshare(CLONE_NEWNET));
}

static int try_ipc(void) {
    return error_of(unshare(CLONE_NEWIPC));
}

static int try_uts(void) {
    return error_of(unshare(CLONE_NEWUTS));
}

static int try_ext4(void) {
    FILE *list = fopen("/proc/filesystems", "re");
    int result = EPROTONOSUPPORT;
    char line[64];

    while (list != NULL && fgets(line, sizeof line, list) != NULL) {
        if (strcmp(line, "\text4\n") == 0)
            result = 0;
    }
    if (list != NULL)
        fclose(list);
    return result;
}

/* Tries the tools and the loop device that a file system in a file needs. */
static int try_disk(void) {
    static const char *const tools[] = {NS_MKE2FS, NS_E2FSCK, NS_RESIZE2FS};
    int fd = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

    if (fd < 0 || ioctl(fd, LOOP_CTL_GET_FREE) < 0)
        return errno;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
        if (access(tools[i], X_OK) != 0)
            return errno;
    }
    return try_ext4();
}

static int try_rlimits(void) {
    const struct rlimit none = {0, 0};

    return error_of(setrlimit(RLIMIT_CORE, &none));
}

static int try_uid(void) {
    uid_t id = NS_ID_JOB(NS_ID_BASE);

    return setgroups(0, NULL) != 0 || setresgid(id, id, id) != 0 ? errno : error_of(setresuid(id, id, id));
}

static int try_capabilities(void) {
    return ns_caps_bound(0) != 0 || ns_caps_lock() != 0 ? errno : error_of(ns_caps_set(0, 0));
}

static int try_no_new_privs(void) {
    return error_of(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

/* Enters a Landlock without a rule, on a kernel with that ABI or a later one. */
static int enter_landlock(int abi, unsigned kinds) {
    struct ns_landlock landlock;

    if (ns_landlock_abi() < abi)
        return ns_landlock_abi() == 0 ? ENOSYS : EOPNOTSUPP;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return error_of(ns_landlock_open(&landlock, kinds) != 0 ? -1 : ns_landlock_enter(&landlock));
}

/* It must deny a path that no rule allows. */
static int try_landlock(void) {
    int error = enter_landlock(1, NS_LANDLOCK_FILES);

    if (error != 0)
        return error;
    return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 ? EINVAL : 0;
}

/* The same for ports, and no more than that. */
static int try_landlock_net(void) {
    const struct sockaddr_in any = {.sin_family = AF_INET};
    int error = enter_landlock(NS_LANDLOCK_TCP_ABI, NS_LANDLOCK_TCP);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (error != 0 || fd < 0)
        return error != 0 ? error : errno;
    if (bind(fd, (const struct sockaddr *)&any, sizeof any) == 0)
        return EINVAL;
    return errno == EACCES ? 0 : errno;
}

/* The very filter of containers, and a call that it denies. */
static int try_seccomp(void) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (ns_seccomp_enter(&ns_seccomp_container) != 0)
        return errno;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? EINVAL : 0;
}

int ns_probe_layer(enum ns_layer layer) {
    static const try_fn tries[NS_LAYER_COUNT] = {
        [NS_LAYER_CGROUP] = nothing,
        [NS_LAYER_USER] = try_user,
        [NS_LAYER_PID] = try_pid,
        [NS_LAYER_MOUNT] = try_mount,
        [NS_LAYER_NET] = try_net,
        [NS_LAYER_IPC] = try_ipc,
        [NS_LAYER_UTS] = try_uts,
        [NS_LAYER_RULES] = nothing,
        [NS_LAYER_DISK] = try_disk,
        [NS_LAYER_RLIMITS] = try_rlimits,
        [NS_LAYER_UID] = try_uid,
        [NS_LAYER_CAPABILITIES] = try_capabilities,
        [NS_LAYER_NO_NEW_PRIVS] = try_no_new_privs,
        [NS_LAYER_LANDLOCK] = try_landlock,
        [NS_LAYER_LANDLOCK_NET] = try_landlock_net,
        [NS_LAYER_SECCOMP] = try_seccomp,
        [NS_LAYER_JAVA] = nothing,
    };

    return tries[layer] == nothing ? 0 : in_child(tries[layer]);
}
