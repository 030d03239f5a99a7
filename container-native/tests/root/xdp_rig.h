/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xdp_rig.h - plane_rig.h's sender, router and receiver. The test loads the steering program and plays bpfd, for
 * container 1 with filters for UDP to port 5060.
 */
#ifndef NS_TEST_XDP_RIG_H
#define NS_TEST_XDP_RIG_H

#include "ns_libbpf.h"
#include "ns_steer.h"
#include "plane_afxdp.h"

#include <linux/if_packet.h>
#include <net/ethernet.h>

#define CONTAINER 1u

static struct {
    const char *steer, *bpfd_program;
    int stranger, tap, bpfd; /* a receiver without neighbours, packets that enter the receiver, bpfd's end */
    int filters, queues, ports, sockets, counts; /* maps */
    unsigned ifindex[2];
    uint8_t r1[6], b0[6];
} steering;

static void need(bool condition, const char *what) {
    if (condition)
        return;
    perror(what);
    exit(2);
}

static uint64_t counted(uint32_t what) {
    int cpus = libbpf_num_possible_cpus();
    uint64_t values[256], sum = 0;

    what = ns_steer_counter(CONTAINER, what);
    if (cpus <= 0 || cpus > 256 || bpf_map_lookup_elem(steering.counts, &what, values) != 0)
        return 0;
    for (int i = 0; i < cpus; i++)
        sum += values[i];
    return sum;
}

/* --- bpfd's part --- */

/* Handles a message of pktio and the socket that came with it. Returns false if no message comes in ten seconds. */
static bool heed_one(void) {
    struct ns_steer_attach message;
    struct ns_steer_queue queue;
    struct ns_steer_socket to = {.container = CONTAINER};
    struct ns_steer_exit exit = {.container = CONTAINER};
    uint32_t port;
    int fd;

    if (ns_rights_receive(steering.bpfd, &message, sizeof message, 0, &fd, 1) != (ssize_t)sizeof message ||
        message.magic != NS_STEER_ATTACH)
        return false;
    queue = (struct ns_steer_queue){message.ifindex, message.queue};
    to.index = message.ifindex == steering.ifindex[1];
    if (message.port == 0) {
        bpf_map_delete_elem(steering.sockets, &to.index);
        return send(steering.bpfd, &message, sizeof message, 0) == (ssize_t)sizeof message;
    }
    memcpy(to.address, message.address, 6);
    exit.ifindex = message.ifindex;
    port = message.port;
    need(bpf_map_update_elem(steering.ports, &exit, &port, BPF_ANY) == 0, "port");
    need(bpf_map_update_elem(steering.sockets, &to.index, &fd, BPF_ANY) == 0, "socket");
    need(bpf_map_update_elem(steering.queues, &queue, &to, BPF_ANY) == 0, "queue");
    close(fd);
    return true;
}

static void fill_filters(void) {
    static struct ns_steer_filters filters;
    uint32_t zero = 0;
    int list = bpf_map_create(BPF_MAP_TYPE_ARRAY, "list", sizeof zero, sizeof filters, 1, NULL);

    filters.count = 2;
    for (int i = 0; i < 2; i++)
        filters.filter[i] = (struct ns_steer_filter){
            .source_ports = {0, 65535},
            .destination_ports = {5060, 5060},
            .family = i == 0 ? 4 : 6,
            .protocol = IPPROTO_UDP,
            .steer = 1,
            .container = CONTAINER,
        };
    need(bpf_map_update_elem(list, &zero, &filters, BPF_ANY) == 0, "list");
    need(bpf_map_update_elem(steering.filters, &zero, &list, BPF_ANY) == 0, "filters");
    close(list);
}

static void load(const char *path) {
    struct bpf_object *object = bpf_object__open_file(path, NULL);
    int program;

    need(object != NULL && bpf_object__load(object) == 0, path);
    steering.filters = bpf_object__find_map_fd_by_name(object, "steer_filters");
    steering.queues = bpf_object__find_map_fd_by_name(object, "steer_queues");
    steering.ports = bpf_object__find_map_fd_by_name(object, "steer_ports");
    steering.sockets = bpf_object__find_map_fd_by_name(object, "steer_xsks");
    steering.counts = bpf_object__find_map_fd_by_name(object, "steer_counts");
    program = bpf_program__fd(bpf_object__find_program_by_name(object, "ns_steer"));
    for (int i = 0; i < 2; i++) {
        steering.ifindex[i] = if_nametoindex(i == 0 ? "r0" : "r1");
        need(bpf_xdp_attach((int)steering.ifindex[i], program, 0, NULL) == 0, "XDP");
    }
    fill_filters();
}

/* --- pktio --- */

static const struct plane xdp_plane = {.name = "xdp", .arguments = afxdp_arguments};

static void start_steered(const char *deadline, bool with_bpfd) {
    struct timeval bound = {10, 0};
    int pair[2];

    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0, "pair");
    if (steering.bpfd > 0)
        close(steering.bpfd);
    steering.bpfd = pair[1];
    setsockopt(steering.bpfd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
    bpfd.pair[0] = with_bpfd ? pair[0] : 0;
    start_pktio(deadline);
    close(pair[0]);
    bpfd.pair[0] = 0;
    if (with_bpfd)
        NS_CHECK(heed_one() && heed_one());
    NS_EQUAL(with_bpfd ? 2 : 0, rig.counters->xdp_sockets);
    NS_EQUAL(0, rig.counters->xdp_zero_copy); /* veth has none */
}

static int end_orderly(void) {
    int status = -1;

    kill(rig.pktio, SIGTERM);
    NS_CHECK(heed_one() && heed_one());
    waitpid(rig.pktio, &status, 0);
    return status;
}

/* --- the network --- */

static void set_offload(const char *interface, uint32_t which, uint32_t on) {
    struct ethtool_value value = {.cmd = which, .data = on};
    struct ifreq request = {.ifr_data = (char *)&value};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    strcpy(request.ifr_name, interface);
    need(ioctl(fd, SIOCETHTOOL, &request) == 0, interface);
    close(fd);
}

/* Opens a socket that sees every packet that enters the receiver. */
static int tap(void) {
    struct sockaddr_ll here = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
    struct ifreq request = {.ifr_name = "b0"};
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_IP)), ignore = 1;

    here.sll_ifindex = (int)if_nametoindex("b0");
    need(bind(fd, (struct sockaddr *)&here, sizeof here) == 0, "tap");
    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &ignore, sizeof ignore);
    need(ioctl(fd, SIOCGIFHWADDR, &request) == 0, "b0");
    memcpy(steering.b0, request.ifr_hwaddr.sa_data, 6);
    return fd;
}

static void open_xdp(char **argv) {
    int router = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    struct ifreq request = {.ifr_name = "r1"};

    open_rig(argv);
    rig.plane = &xdp_plane;
    enter(argv[2]);
    /*
     * Checksums are on. If a veth's peer runs XDP, the veth leaves checksums out otherwise, and nobody adds them on
     * this way.
     */
    set_offload("a0", ETHTOOL_STXCSUM, 0);
    enter(argv[3]);
    steering.stranger = udp(AF_INET, "10.9.2.3", 5060); /* nobody has asked for its link address yet */
    steering.tap = tap();
    set_offload("b0", ETHTOOL_SGRO, 1);
    need(router >= 0 && setns(router, CLONE_NEWNET) == 0, "router");
    need(ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCGIFHWADDR, &request) == 0, "r1");
    memcpy(steering.r1, request.ifr_hwaddr.sa_data, 6);
    steering.steer = argv[4];
    steering.bpfd_program = argv[5];
    load(steering.steer);
}

#endif
