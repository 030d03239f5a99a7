/* SPDX-License-Identifier: Apache-2.0 */
#include "lacking_landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION 1ull  /* flag of landlock_create_ruleset: asks for the ABI */
#define NET_PORT 2ull /* type of a rule */
#define TCP_ABI 4
#define SCOPE_ABI 6
#define FLAGS_ABI 7 /* of landlock_restrict_self */

/* The attribute of landlock_create_ruleset. */
struct ruleset {
    uint64_t fs, net, scoped;
};

/* --- answers of an older Landlock: 0 = it takes the call, else an errno --- */

static uint64_t known_fs(int abi) {
    static const uint64_t known[] = {0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff, 0xffff};

    return known[abi];
}

static size_t known_size(int abi) {
    return abi >= SCOPE_ABI ? 24 : abi >= TCP_ABI ? 16 : 8;
}

static bool is_zero(const uint8_t *bytes, size_t from, size_t to) {
    for (; from < to; from++) {
        if (bytes[from] != 0)
            return false;
    }
    return true;
}

static int check_ruleset(int abi, pid_t pid, const uint64_t *args) {
    uint8_t bytes[256] = {0};
    size_t size = args[1] > sizeof bytes ? sizeof bytes : (size_t)args[1];
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)args[0], size};
    struct ruleset ruleset;

    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)size)
        return EFAULT;
    if (!is_zero(bytes, known_size(abi), size))
        return E2BIG;
    memcpy(&ruleset, bytes, sizeof ruleset);
    return (ruleset.fs & ~known_fs(abi)) != 0 ? EINVAL : 0;
}

static int check(int abi, const struct seccomp_notif *call) {
    const uint64_t *args = (const uint64_t *)call->data.args;

    if (abi == 0)
        return 0; /* the kernel has no Landlock, and says so itself */
    switch (call->data.nr) {
    case NS_LACKING_CREATE_RULESET:
        return args[2] == 0 ? check_ruleset(abi, (pid_t)call->pid, args) : EINVAL;
    case NS_LACKING_ADD_RULE:
        return abi < TCP_ABI && args[1] == NET_PORT ? EINVAL : 0;
    default:
        return abi < FLAGS_ABI && args[1] != 0 ? EINVAL : 0;
    }
}

/* --- the process that answers --- */

static bool asks_for_version(const struct seccomp_notif *call) {
    return call->data.nr == NS_LACKING_CREATE_RULESET && call->data.args[2] == VERSION;
}

static void answer(int listener, int abi) {
    struct seccomp_notif call = {0};
    struct seccomp_notif_resp reply = {0};

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        return; /* the caller has been killed */
    reply.id = call.id;
    if (asks_for_version(&call) && abi > 0) {
        reply.val = abi;
    } else {
        reply.error = -check(abi, &call);
        reply.flags = reply.error == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

/* Answers calls until the last process under the filter has ended. */
static void answer_all(int listener, int abi) {
    struct pollfd event = {.fd = listener, .events = POLLIN};

    while (poll(&event, 1, -1) > 0 || errno == EINTR) {
        if ((event.revents & (POLLHUP | POLLERR)) != 0)
            return;
        if ((event.revents & POLLIN) != 0)
            answer(listener, abi);
    }
}

/* Detaches this process, so that a reader of the command's output does not wait for it. */
static void let_go(int keep) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++) {
        if (fd != keep)
            close(fd);
    }
    setsid();
}

/* --- between the two --- */

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

static struct msghdr message(struct iovec *part, union control *control) {
    return (struct msghdr){
        .msg_iov = part, .msg_iovlen = 1, .msg_control = control->bytes, .msg_controllen = sizeof control->bytes};
}

static int send_descriptor(int socket, int fd) {
    char byte = 'd';
    struct iovec part = {&byte, 1};
    union control control = {{0}};
    struct msghdr header = message(&part, &control);
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    return sendmsg(socket, &header, 0) == 1 ? 0 : -1;
}

/* Returns the received descriptor, or -1 if the other end is gone. */
static int receive_descriptor(int socket) {
    char byte;
    struct iovec part = {&byte, 1};
    union control control = {{0}};
    struct msghdr header = message(&part, &control);
    int fd = -1;

    if (recvmsg(socket, &header, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&header) != NULL)
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof fd);
    return fd;
}

/* Returns the older of two ABIs, because the kernel itself may be older than the ABI to play. 0 = no Landlock. */
static int least(int abi) {
    long own = syscall(NS_LACKING_CREATE_RULESET, NULL, 0, VERSION);

    return own < 0 ? 0 : own < abi ? (int)own : abi;
}

/*
 * Starts the answering process as a grandchild, because the command must not find a child that it has not made. The
 * process starts before the filter, so the filter does not apply to it.
 */
static int start_answering(int socket, int abi) {
    pid_t child = fork();
    int listener;

    if (child < 0)
        return -1;
    if (child > 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
        return 0;
    }
    if (fork() != 0)
        _exit(0);
    abi = least(abi);
    let_go(socket);
    listener = receive_descriptor(socket);
    close(socket);
    if (listener >= 0)
        answer_all(listener, abi);
    _exit(0);
}

int ns_lacking_landlock(int abi, const struct sock_fprog *filter) {
    int ends[2], listener, result;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 || start_answering(ends[1], abi) != 0)
        return -1;
    close(ends[1]);
    listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, filter);
    if (listener < 0)
        return -1;
    result = send_descriptor(ends[0], listener);
    close(listener);
    close(ends[0]);
    return result;
}
