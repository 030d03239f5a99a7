/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd - the only process of a node that loads programs into the kernel. docs/protocols/bpfd.md.
 *
 *     bpfd --programs DIRECTORY --orders-fd N [--turned-mark 0x400000] [--seccomp 0] [--own xdp-2:FD]...
 *
 * The spawner starts it with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON. bpfd ends when the spawner closes its end of the
 * pair, and everything that it has put into the kernel ends with it. Exit status: 0 the spawner has closed; 1 the
 * kernel takes no programs; 2 usage.
 */
#include "ns_log.h"
#include "ns_marks.h"
#include "ns_rights.h"
#include "ns_seccomp.h"
#include "ns_time.h"
#include "orders.h"
#include "requests.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define SWEEP_MS 1000

struct options {
    const char *programs;
    long orders;
    uint32_t turned_mark;
    bool seccomp;
    struct ns_owns owns;
};

static bool read_options(struct options *options, int argc, char **argv) {
    static const struct option table[] = {
        {"programs", required_argument, NULL, 'p'},    {"orders-fd", required_argument, NULL, 'o'},
        {"turned-mark", required_argument, NULL, 't'}, {"seccomp", required_argument, NULL, 's'},
        {"own", required_argument, NULL, 'w'},         {NULL, 0, NULL, 0}};
    int option;

    *options = (struct options){.orders = -1, .turned_mark = 0x00400000, .seccomp = true};
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == 'p')
            options->programs = optarg;
        else if (option == 'o')
            options->orders = strtol(optarg, NULL, 10);
        else if (option == 't' && ns_mark_read("turned-mark", optarg, &options->turned_mark) != 0)
            return false;
        else if (option == 's')
            options->seccomp = strcmp(optarg, "0") != 0;
        else if (option != 't' && (option != 'w' || !ns_own_add(&options->owns, optarg)))
            return false;
    }
    return optind == argc && options->programs != NULL && options->orders >= 3;
}

/* Reads an order. Returns false if the spawner has gone. */
static bool read_order(struct ns_orders *orders) {
    static char text[NS_ORDER_MAX + 1];
    int fds[NS_ORDER_FDS];
    ssize_t n = ns_rights_receive(orders->socket, text, NS_ORDER_MAX, 0, fds, NS_ORDER_FDS);
    unsigned count = 0;

    if (n <= 0)
        return n < 0 && (errno == EINTR || errno == EAGAIN);
    while (count < NS_ORDER_FDS && fds[count] >= 0)
        count++;
    ns_orders_line(orders, text, (size_t)n, fds, count);
    return true;
}

static void loop(struct ns_bpfd *bpfd, struct ns_orders *orders) {
    static struct pollfd set[1 + NS_FASTPATH_CONTAINERS];
    struct ns_granted *owners[1 + NS_FASTPATH_CONTAINERS];

    for (uint64_t swept = 0;;) {
        nfds_t used = 1;

        if (ns_now_ns() - swept >= SWEEP_MS * 1000000ull) {
            swept = ns_now_ns();
            ns_flows_sweep(bpfd);
        }

        set[0] = (struct pollfd){.fd = orders->socket, .events = POLLIN};
        for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
            if (bpfd->granted[i] == NULL || bpfd->granted[i]->closed)
                continue;
            owners[used] = bpfd->granted[i];
            set[used++] = (struct pollfd){.fd = bpfd->granted[i]->socket, .events = POLLIN};
        }
        if (poll(set, used, ns_programs_work(&bpfd->programs) ? SWEEP_MS : -1) < 0 && errno != EINTR)
            return;
        for (nfds_t i = 1; i < used; i++) {
            if (set[i].revents != 0)
                ns_requests_read(bpfd, owners[i]);
        }
        if (set[0].revents != 0 && !read_order(orders))
            return;
    }
}

int main(int argc, char **argv) {
    static struct ns_orders orders;
    static struct ns_bpfd bpfd;
    struct options options;

    ns_log_open("bpfd");
    if (!read_options(&options, argc, argv)) {
        ns_error(
            "usage: bpfd --programs DIRECTORY --orders-fd N [--turned-mark M] [--seccomp 0|1] [--own xdp-2:FD]...");
        return 2;
    }
    bpfd.offload_mark = NS_OFFLOAD_MARK;
    bpfd.turned_mark = options.turned_mark;
    bpfd.programs.owns = options.owns;
    if (getrandom(&bpfd.secret, sizeof bpfd.secret, 0) != (ssize_t)sizeof bpfd.secret)
        ns_warn("getrandom: %s: flow labels of IPv6 can be guessed", strerror(errno));
    if (ns_programs_open(&bpfd.programs, options.programs) != 0)
        return 1;
    if (options.seccomp && ns_seccomp_enter(&ns_seccomp_bpfd) != 0) {
        ns_error("seccomp: %s", strerror(errno));
        return 1;
    }
    orders = (struct ns_orders){.bpfd = &bpfd, .socket = (int)options.orders};
    ns_info("ready");
    loop(&bpfd, &orders);
    ns_programs_detach(&bpfd.programs);
    return 0;
}
