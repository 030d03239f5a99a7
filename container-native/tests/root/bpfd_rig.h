/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd_rig.h - runs bpfd under a test that gives it orders as the spawner does, for one container "c" and the
 * interfaces r0 and r1.
 */
#ifndef NS_TEST_BPFD_RIG_H
#define NS_TEST_BPFD_RIG_H

#include "ns_rights.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct {
    pid_t pid;
    int orders, pair[2]; /* of the container: pktio's end, and bpfd's; the test keeps both, as the spawner does */
} bpfd;

/* Sends a datagram, with a descriptor if `fd` is not -1. */
static inline bool bpfd_send(const char *text, int fd) {
    return ns_rights_send(bpfd.orders, text, strlen(text), &fd, fd >= 0) >= 0;
}

/* Sends an order. Returns true if the answer is "ok". */
static inline bool bpfd_order(const char *text, int fd) {
    char answer[2048];

    return bpfd_send(text, fd) && recv(bpfd.orders, answer, sizeof answer, 0) > 2 && memcmp(answer, "ok", 2) == 0;
}

/* Sends the whole list of filters: one line each. */
static inline bool bpfd_filters(unsigned count, const char *const *lines) {
    char head[64];

    snprintf(head, sizeof head, "filters id=9 count=%u", count);
    if (!bpfd_send(head, -1))
        return false;
    for (unsigned i = 0; i + 1 < count; i++) {
        if (!bpfd_send(lines[i], -1))
            return false;
    }
    return bpfd_order(lines[count - 1], -1);
}

/* Starts bpfd, has it attach, and grants the container. */
static inline bool bpfd_start(const char *program, const char *programs) {
    struct timeval bound = {10, 0};
    char fd[16];
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0 ||
        setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) != 0 ||
        (bpfd.pair[0] == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, bpfd.pair) != 0))
        return false;
    bpfd.pid = fork();
    if (bpfd.pid == 0) {
        fcntl(pair[1], F_SETFD, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(fd, sizeof fd, "%d", pair[1]);
        execl(program, "bpfd", "--programs", programs, "--orders-fd", fd, (char *)NULL);
        _exit(127);
    }
    close(pair[1]);
    if (bpfd.orders > 0)
        close(bpfd.orders);
    bpfd.orders = pair[0];
    return bpfd_order("interfaces id=1 interfaces=r0,r1 mode=native forward=kernel", -1) &&
           bpfd_order("grant id=2 container=c serial=1 flows=0 rewrite=", bpfd.pair[1]);
}

#endif
