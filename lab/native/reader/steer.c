/* SPDX-License-Identifier: Apache-2.0 */
#include "steer.h"

#include "ns_rights.h"
#include "reader.h"
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ANSWER_SECONDS 10
#define FILTER "container=c family=4 proto=17 dport=5060 do=steer"

static void pair(int fds[2]) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        reader_fail("socketpair");
}

static void run(const char *bpfd, const char *programs, int orders) {
    char fd[16];

    reader_follow_parent();
    fcntl(orders, F_SETFD, 0);
    snprintf(fd, sizeof fd, "%d", orders);
    execl(bpfd, "bpfd", "--programs", programs, "--orders-fd", fd, (char *)NULL);
    reader_fail(bpfd);
}

/* Sends one datagram, with a descriptor unless `fd` is -1. */
static void say(int orders, const char *text, int fd) {
    if (ns_rights_send(orders, text, strlen(text), &fd, fd >= 0) < 0)
        reader_fail("bpfd");
}

static void hear(int orders, const char *what) {
    char answer[2048];
    ssize_t n = recv(orders, answer, sizeof answer - 1, 0);

    answer[n < 0 ? 0 : n] = '\0';
    if (strncmp(answer, "ok", 2) == 0)
        return;
    fprintf(stderr, "bpfd: %s: %s\n", what, n <= 0 ? "no answer" : answer);
    exit(1);
}

static void order(int orders, const char *text, int fd) {
    say(orders, text, fd);
    hear(orders, text);
}

static int raw_socket(int family, int type, int protocol) {
    int fd = socket(family, type, protocol);

    if (fd < 0)
        reader_fail("socket");
    return fd;
}

void steer_start(struct steer *steer, const char *bpfd, const char *programs,
                 char *const interfaces[STEER_INTERFACES]) {
    struct timeval bound = {ANSWER_SECONDS, 0};
    int orders[2], fastpath[2];
    char text[256];

    pair(orders);
    pair(fastpath);
    if (setsockopt(orders[0], SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) != 0)
        reader_fail("bpfd");
    if (fork() == 0)
        run(bpfd, programs, orders[1]);
    close(orders[1]);
    snprintf(text, sizeof text, "interfaces id=1 interfaces=%s,%s mode=auto forward=direct", interfaces[0],
             interfaces[1]);
    order(orders[0], text, -1);
    order(orders[0], "grant id=2 container=c serial=1 flows=0 rewrite=", fastpath[1]);
    say(orders[0], "filters id=3 count=1", -1);
    order(orders[0], FILTER, -1);
    for (int i = 0; i < STEER_INTERFACES; i++) {
        steer->fds[i] = raw_socket(AF_XDP, SOCK_RAW, 0);
        snprintf(steer->option[i], sizeof steer->option[i], "--xsk=%u:0:%d", if_nametoindex(interfaces[i]),
                 steer->fds[i]);
    }
    steer->fds[2] = fastpath[0];
    steer->fds[3] = raw_socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
    snprintf(steer->option[2], sizeof steer->option[2], "--fastpath-fd=%d", steer->fds[2]);
    snprintf(steer->option[3], sizeof steer->option[3], "--raw4-fd=%d", steer->fds[3]);
}
