/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pktio with real AF_XDP sockets, run in the router's namespace by xdp.sh: xdp <pktio> <steer.bpf.o> <sender's netns> <receiver's>
 * and then <bpfd>, which the last tests start; before that the test loads the steering program itself and plays bpfd: container 1, its
 * filters UDP to port 5060.
 */
#include "bpfd_rig.h"
#include "container.h"
#include "ns_caps.h"
#include "ns_counters.h"
#include "ns_steer.h"
#include "ns_test.h"
#include "port.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <grp.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#define SLOTS 256u
#define WAIT_MSEC 20000 /* bound of every wait */
#define CONTAINER 1u

static struct {
    const char *program, *steer, *bpfd_program;
    struct ns_ring_fds ring;
    int receive_fd, send_fd, stats_fd, sender, receiver, sender6, receiver6, stranger, foreign, tap, bpfd;
    volatile int *mode;
    volatile struct ns_counters *counters;
    pid_t pktio, container;
    int filters, queues, ports, sockets, counts; /* maps */
    unsigned ifindex[2];
    uint8_t r1[6], b0[6];
} rig;

static void pause_msec(long msec) {
    struct timespec time = {msec / 1000, msec % 1000 * 1000000};

    nanosleep(&time, NULL);
}

#define WAIT_FOR(condition)                                                                                            \
    do {                                                                                                               \
        int left = WAIT_MSEC;                                                                                          \
        while (!(condition) && left-- > 0)                                                                             \
            pause_msec(1);                                                                                             \
        NS_CHECK(condition);                                                                                           \
    } while (0)

static void need(bool condition, const char *what) {
    if (condition)
        return;
    perror(what);
    exit(2);
}

static void enter(const char *netns) {
    int fd = open(netns, O_RDONLY | O_CLOEXEC);

    need(fd >= 0 && setns(fd, CLONE_NEWNET) == 0, netns);
    close(fd);
}

static int udp(const char *address, unsigned port) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    bool four = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    struct timeval bound = {10, 0};
    int fd = socket(four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    need(four || inet_pton(AF_INET6, address, &v6.sin6_addr) == 1, address);
    need(bind(fd, four ? (void *)&v4 : (void *)&v6, four ? sizeof v4 : sizeof v6) == 0, address);
    need(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) == 0, address);
    return fd;
}

/* Sends datagram `number` (with `length` bytes) to `to`, wherever that is bound. */
static void send_one(int from, int to, uint32_t number, size_t length) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    uint8_t data[1500] = {'.'};

    memcpy(data + 4, &number, 4);
    NS_EQUAL(0, getsockname(to, (struct sockaddr *)&address, &size));
    NS_EQUAL(length, sendto(from, data, length, 0, (struct sockaddr *)&address, size));
}

/* Receives up to `count` datagrams; ten seconds of silence end it. `first` is what their first byte must be. */
static unsigned receive(int fd, unsigned count, char first) {
    unsigned received = 0;
    uint8_t data[2048];

    while (received < count && recv(fd, data, sizeof data, 0) >= 8 && data[0] == first)
        received++;
    return received;
}

static bool silent(int fd) {
    uint8_t data[2048];

    return recv(fd, data, sizeof data, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

static uint64_t counted(uint32_t what) {
    int cpus = libbpf_num_possible_cpus();
    uint64_t values[256], sum = 0;

    if (cpus <= 0 || cpus > 256 || bpf_map_lookup_elem(rig.counts, &what, values) != 0)
        return 0;
    for (int i = 0; i < cpus; i++)
        sum += values[i];
    return sum;
}

/* --- bpfd's part --- */

/* A message of pktio, with the socket that came with it; false if there is none in ten seconds. */
static bool heed_one(void) {
    struct ns_steer_attach message;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {&message, sizeof message};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct ns_steer_queue queue;
    struct ns_steer_socket to = {.container = CONTAINER};
    struct ns_steer_exit exit = {.container = CONTAINER};
    uint32_t port;
    int fd;

    if (recvmsg(rig.bpfd, &header, 0) != (ssize_t)sizeof message || message.magic != NS_STEER_ATTACH)
        return false;
    queue = (struct ns_steer_queue){message.ifindex, message.queue};
    to.index = message.ifindex == rig.ifindex[1];
    if (message.port == 0) {
        bpf_map_delete_elem(rig.sockets, &to.index);
        return send(rig.bpfd, &message, sizeof message, 0) == (ssize_t)sizeof message;
    }
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof fd);
    memcpy(to.address, message.address, 6);
    exit.ifindex = message.ifindex;
    port = message.port;
    need(bpf_map_update_elem(rig.ports, &exit, &port, BPF_ANY) == 0, "port");
    need(bpf_map_update_elem(rig.sockets, &to.index, &fd, BPF_ANY) == 0, "socket");
    need(bpf_map_update_elem(rig.queues, &queue, &to, BPF_ANY) == 0, "queue");
    close(fd);
    return true;
}

static void fill_filters(void) {
    static struct ns_steer_filters filters;
    uint32_t zero = 0;

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
    need(bpf_map_update_elem(rig.filters, &zero, &filters, BPF_ANY) == 0, "filters");
}

static void load(const char *path) {
    struct bpf_object *object = bpf_object__open_file(path, NULL);
    int program;

    need(object != NULL && bpf_object__load(object) == 0, path);
    rig.filters = bpf_object__find_map_fd_by_name(object, "steer_filters");
    rig.queues = bpf_object__find_map_fd_by_name(object, "steer_queues");
    rig.ports = bpf_object__find_map_fd_by_name(object, "steer_ports");
    rig.sockets = bpf_object__find_map_fd_by_name(object, "steer_xsks");
    rig.counts = bpf_object__find_map_fd_by_name(object, "steer_counts");
    program = bpf_program__fd(bpf_object__find_program_by_name(object, "ns_steer"));
    for (int i = 0; i < 2; i++) {
        rig.ifindex[i] = if_nametoindex(i == 0 ? "r0" : "r1");
        need(bpf_xdp_attach((int)rig.ifindex[i], program, 0, NULL) == 0, "XDP");
    }
    fill_filters();
}

/* --- pktio and container --- */

static void start_container(void) {
    rig.container = fork();
    if (rig.container == 0) {
        struct container c = {.receive_fd = rig.receive_fd, .send_fd = rig.send_fd, .mode = rig.mode};

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ns_ring_map(&c.ring, rig.ring.desc_ro, rig.ring.slots, SLOTS, 0) == 0)
            container_run(&c);
        _exit(1);
    }
}

/* Another uid with one capability, as the spawner does it. */
static bool become_pktio(void) {
    uint64_t mask = NS_CAP(CAP_NET_ADMIN);

    return ns_caps_bound(mask) == 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
           setresgid(690002, 690002, 690002) == 0 && setresuid(690002, 690002, 690002) == 0 &&
           ns_caps_set(mask, mask) == 0 && ns_caps_ambient(mask) == 0;
}

static void run_pktio(const int *fds, const char *deadline, bool with_bpfd) {
    static const char *const names[] = {"desc", "slots", "rx", "tx", "stats", "raw4", "raw6", "fastpath"};
    static const char *const ends[] = {"-fd", "-fd", "-efd", "-efd", "-fd", "-fd", "-fd", "-fd"};
    char name[8][24], value[8][16], xsk[2][32];
    char *argv[40] = {"pktio", "--name", "test", "--queue", "100", "--slots", "256", "--deadline-ms", (char *)deadline};
    int n = 9;

    for (int i = 0; i < (with_bpfd ? 8 : 7); i++) {
        snprintf(name[i], sizeof name[i], "--%s%s", names[i], ends[i]);
        snprintf(value[i], sizeof value[i], "%d", fds[i]);
        argv[n++] = name[i];
        argv[n++] = value[i];
        fcntl(fds[i], F_SETFD, 0);
    }
    for (int i = 0; i < 2; i++) {
        int fd = socket(AF_XDP, SOCK_RAW, 0);

        snprintf(xsk[i], sizeof xsk[i], "%u:0:%d", rig.ifindex[i], fd);
        argv[n++] = "--xsk";
        argv[n++] = xsk[i];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (become_pktio())
        execv(rig.program, argv);
    _exit(127);
}

static void fork_pktio(int fastpath, const char *deadline, bool with_bpfd) {
    rig.pktio = fork();
    if (rig.pktio == 0) {
        int raw4 = socket(AF_INET, SOCK_RAW, IPPROTO_RAW), raw6 = socket(AF_INET6, SOCK_RAW, IPPROTO_RAW);
        int fds[] = {rig.ring.desc_rw, rig.ring.slots, rig.receive_fd, rig.send_fd, rig.stats_fd, raw4, raw6, fastpath};

        run_pktio(fds, deadline, with_bpfd);
    }
}

static void start_pktio(const char *deadline, bool with_bpfd) {
    struct timeval bound = {10, 0};
    uint64_t beats = rig.counters->heartbeat;
    int pair[2];

    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0, "pair");
    fork_pktio(pair[0], deadline, with_bpfd);
    close(pair[0]);
    if (rig.bpfd > 0)
        close(rig.bpfd);
    rig.bpfd = pair[1];
    setsockopt(rig.bpfd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
    if (with_bpfd)
        NS_CHECK(heed_one() && heed_one());
    WAIT_FOR(rig.counters->heartbeat > beats);
    NS_EQUAL(with_bpfd ? 2 : 0, rig.counters->xdp_sockets);
}

static int end(pid_t pid, int signal) {
    int status = -1;

    kill(pid, signal);
    waitpid(pid, &status, 0);
    return status;
}

static int end_orderly(void) {
    int status = -1;

    kill(rig.pktio, SIGTERM);
    NS_CHECK(heed_one() && heed_one());
    waitpid(rig.pktio, &status, 0);
    return status;
}

/* --- what is tested --- */

static void turn_many(int from, int to, unsigned count) {
    for (unsigned sent = 0; sent < count; sent += 20) {
        for (unsigned i = 0; i < 20; i++)
            send_one(from, to, sent + i, 8 + (sent * 7) % 1400);
        NS_EQUAL(20, receive(from, 20, 'T'));
    }
    NS_CHECK(silent(to));
}

static void pass_some(unsigned count) {
    for (unsigned i = 0; i < count; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    NS_EQUAL(count, receive(rig.receiver, count, '.'));
    NS_CHECK(silent(rig.sender));
}

NS_TEST(sockets_are_bound_and_steered_to) {
    start_container();
    start_pktio("200", true);
}

NS_TEST(turned_packets_arrive_at_the_sender) {
    *rig.mode = MODE_TURN;
    turn_many(rig.sender, rig.receiver, 1000);
    turn_many(rig.sender6, rig.receiver6, 1000);
    NS_EQUAL(2000, rig.counters->turned);
    NS_EQUAL(0, rig.counters->deadline);
    NS_EQUAL(2000, rig.counters->xdp_received);
}

/* What the router's own forwarding would have made of it: link addresses, one hop less, checksums (the receiver's kernel looks). */
NS_TEST(a_passed_packet_leaves_as_the_router_sends_it) {
    uint64_t sent, xdp;
    unsigned found = 0;
    uint8_t frame[2048];
    ssize_t length;

    *rig.mode = MODE_PASS;
    pass_some(1); /* the neighbour is known then */
    xdp = rig.counters->xdp_received;
    sent = rig.counters->xdp_sent;
    while (recv(rig.tap, frame, sizeof frame, MSG_DONTWAIT) > 0)
        continue;
    pass_some(200);
    NS_EQUAL(xdp + 200, rig.counters->xdp_received);
    NS_EQUAL(sent + 200, rig.counters->xdp_sent);
    while ((length = recv(rig.tap, frame, sizeof frame, MSG_DONTWAIT)) > 0) {
        if (length < 42 || frame[12] != 8 || frame[13] != 0 || frame[23] != IPPROTO_UDP)
            continue;
        found++;
        NS_EQUAL(0, memcmp(frame, rig.b0, 6));
        NS_EQUAL(0, memcmp(frame + 6, rig.r1, 6));
        NS_EQUAL(63, frame[22]);
    }
    NS_EQUAL(200, found);
}

/* Nothing of a flow without a filter is seen, or lost, however much goes to the socket meanwhile. */
NS_TEST(foreign_flows_stay_in_the_kernel) {
    uint64_t xdp = rig.counters->xdp_received, other = counted(NS_STEER_OTHER);

    *rig.mode = MODE_PASS;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 40; i++)
            send_one(rig.sender, i % 2 ? rig.receiver : rig.foreign, i, 300);
        NS_EQUAL(20, receive(rig.foreign, 20, '.'));
        NS_EQUAL(20, receive(rig.receiver, 20, '.'));
    }
    NS_EQUAL(xdp + 1000, rig.counters->xdp_received);
    NS_CHECK(counted(NS_STEER_OTHER) >= other + 1000);
}

/* Each address that the kernel gave back was where it should be: copy mode once completed frames twice, see port.c. */
NS_TEST(every_frame_is_accounted_for) {
    NS_EQUAL(0, rig.counters->xdp_bad_frame);
    NS_EQUAL(0, rig.counters->xdp_bad_meta);
    NS_EQUAL(0, rig.counters->xdp_lost);
    NS_EQUAL(0, rig.counters->xdp_unsent);
    NS_EQUAL(rig.counters->xdp_received, counted(NS_STEER_STEERED));
    NS_EQUAL(rig.counters->xdp_received, rig.counters->xdp_sent + rig.counters->xdp_slow);
}

NS_TEST(the_last_hop_is_the_kernels) {
    uint64_t xdp = rig.counters->xdp_received, last = counted(NS_STEER_TTL);
    int hops = 1, usual = 64;

    setsockopt(rig.sender, IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    send_one(rig.sender, rig.receiver, 0, 100);
    WAIT_FOR(counted(NS_STEER_TTL) == last + 1);
    NS_EQUAL(xdp, rig.counters->xdp_received);
    setsockopt(rig.sender, IPPROTO_IP, IP_TTL, &usual, sizeof usual);
    pass_some(1);
}

/* Without a neighbour the kernel sends the packet, and asks for it. */
NS_TEST(what_has_no_neighbour_is_sent_by_the_kernel) {
    uint64_t slow = rig.counters->xdp_slow;

    *rig.mode = MODE_PASS;
    send_one(rig.sender, rig.stranger, 0, 100);
    NS_EQUAL(1, receive(rig.stranger, 1, '.'));
    WAIT_FOR(rig.counters->xdp_slow == slow + 1); /* counted when it has gone */
    for (unsigned i = 0; i < 20; i++)
        send_one(rig.sender, rig.stranger, i, 100);
    NS_EQUAL(20, receive(rig.stranger, 20, '.'));
    NS_EQUAL(slow + 1, rig.counters->xdp_slow);
}

/* Without a way the router would not forward it: it comes by the queue, to the same module, and the kernel says so to the sender. */
NS_TEST(what_has_no_route_comes_by_the_queue) {
    uint64_t queue = rig.counters->received - rig.counters->xdp_received, none = counted(NS_STEER_NO_ROUTE);
    uint64_t passed = rig.counters->passed;

    NS_EQUAL(0, system("ip route add prohibit 10.9.2.2"));
    send_one(rig.sender, rig.receiver, 0, 100);
    WAIT_FOR(rig.counters->received - rig.counters->xdp_received == queue + 1);
    NS_EQUAL(none + 1, counted(NS_STEER_NO_ROUTE));
    WAIT_FOR(rig.counters->passed == passed + 1); /* and is refused before there is a way again */
    NS_EQUAL(0, system("ip route del prohibit 10.9.2.2"));
    pass_some(1);
}

NS_TEST(a_killed_container_is_passed_by_at_the_deadline) {
    uint64_t deadline = rig.counters->deadline;

    *rig.mode = MODE_TURN;
    end(rig.container, SIGKILL);
    pass_some(50);
    WAIT_FOR(rig.counters->deadline == deadline + 50 && rig.counters->held == 0);
    start_container(); /* answers the late ones first */
    turn_many(rig.sender, rig.receiver, 100);
}

NS_TEST(a_killed_pktio_leaves_the_kernel_forwarding) {
    uint64_t received = rig.counters->received;

    *rig.mode = MODE_TURN;
    end(rig.pktio, SIGKILL);
    pass_some(50);
    NS_EQUAL(received, rig.counters->received);
    start_pktio("200", true);
    turn_many(rig.sender, rig.receiver, 600);
    turn_many(rig.sender6, rig.receiver6, 100);
}

NS_TEST(what_a_killed_pktio_held_is_lost_and_counted) {
    uint64_t unsent = rig.counters->xdp_unsent;

    *rig.mode = MODE_PASS;
    NS_EQUAL(0, end_orderly());
    *rig.mode = MODE_SILENT;
    start_pktio("10000", true);
    for (unsigned i = 0; i < 10; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    WAIT_FOR(rig.counters->xdp_held == 10);
    end(rig.pktio, SIGKILL);
    start_pktio("200", true);
    NS_EQUAL(unsent + 10, rig.counters->xdp_unsent);
    NS_CHECK(silent(rig.receiver));
}

NS_TEST(an_orderly_stop_sends_what_is_held) {
    uint64_t xdp;

    *rig.mode = MODE_PASS;
    pass_some(1);
    NS_EQUAL(0, end_orderly());
    *rig.mode = MODE_SILENT;
    start_pktio("10000", true);
    xdp = rig.counters->xdp_received;
    for (unsigned i = 0; i < 20; i++)
        send_one(rig.sender, rig.receiver, i, 100);
    WAIT_FOR(rig.counters->xdp_held == 20);
    NS_EQUAL(xdp + 20, rig.counters->xdp_received);
    NS_EQUAL(0, end_orderly());
    NS_EQUAL(20, receive(rig.receiver, 20, '.'));
}

NS_TEST(without_bpfd_packets_come_by_the_queue) {
    uint64_t received, xdp;

    *rig.mode = MODE_TURN;
    end(rig.container, SIGKILL);
    start_container();
    start_pktio("200", false);
    received = rig.counters->received;
    xdp = rig.counters->xdp_received;
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(received + 100, rig.counters->received);
    NS_EQUAL(xdp, rig.counters->xdp_received);
}

static void set_offload(const char *interface, uint32_t which, uint32_t on) {
    struct ethtool_value value = {.cmd = which, .data = on};
    struct ifreq request = {.ifr_data = (char *)&value};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    strcpy(request.ifr_name, interface);
    need(ioctl(fd, SIOCETHTOOL, &request) == 0, interface);
    close(fd);
}

/*
 * The receiver's end has NAPI with a ring of 256, and takes frames without TSO through it: so a fast sender meets a full ring, and the kernel
 * gives its packets back (EAGAIN). Each frame is still completed once, as long as nobody sends or reclaims what still stands in
 * the transmit ring: see ns_port_kick.
 */
NS_TEST(under_back_pressure_each_frame_is_completed_once) {
    static struct ns_umem umem;
    static struct ns_port port;
    uint64_t refused = 0, sent = 0;
    int error;

    set_offload("r1", ETHTOOL_STXCSUM, 0);
    NS_EQUAL(0, ns_umem_open(&umem, 2048));
    NS_EQUAL(0, ns_port_open(&port, &umem, socket(AF_XDP, SOCK_RAW, 0), rig.ifindex[1], 0, 1));
    while (sent < 200000) {
        uint32_t frame = ns_frames_fill(&umem.frames, 2);
        uint8_t *link = umem.area + (size_t)frame * NS_FRAME_SIZE;

        NS_CHECK(frame != NS_FRAME_NONE);
        ns_frames_received(&umem.frames, 2, (uint64_t)frame * NS_FRAME_SIZE, 60);
        memcpy(link, rig.b0, 6);
        memcpy(link + 6, rig.r1, 6);
        memcpy(link + 12, "\x88\xb5", 2); /* for experiments: nobody listens */
        while (!ns_port_transmit(&port, &umem, frame, (uint64_t)frame * NS_FRAME_SIZE, 60)) {
            error = ns_port_kick(&port, &umem, &refused);
            NS_CHECK(error == 0 || error == EAGAIN || error == EBUSY || error == ENOBUFS);
        }
        sent++;
    }
    for (int left = WAIT_MSEC; left > 0 && umem.frames.in[NS_FRAME_TX] != 0; left--) {
        ns_port_kick(&port, &umem, &refused);
        ns_port_complete(&port, &umem, &refused);
        pause_msec(1);
    }
    NS_EQUAL(0, umem.frames.in[NS_FRAME_TX]);
    NS_EQUAL(0, refused);
    ns_port_close(&port, &umem);
    ns_umem_close(&umem);
}

/* --- with bpfd itself --- */

/* Requests are read before orders: what was sent to bpfd until now has been obeyed. */
static void settle(void) {
    uint64_t beats = rig.counters->heartbeat;

    WAIT_FOR(rig.counters->heartbeat > beats + 1);
    NS_CHECK(bpfd_order("hello id=4", -1));
}

static void all_are_steered(void) {
    uint64_t received, xdp;

    turn_many(rig.sender, rig.receiver, 20);
    received = rig.counters->received;
    xdp = rig.counters->xdp_received;
    turn_many(rig.sender, rig.receiver, 100);
    turn_many(rig.sender6, rig.receiver6, 100);
    NS_EQUAL(xdp + 200, rig.counters->xdp_received);
    NS_EQUAL(received + 200, rig.counters->received);
}

static bool begin_bpfd(void) {
    static const char *const filters[] = {"container=c family=4 proto=17 dport=5060 do=steer",
                                          "container=c family=6 proto=17 dport=5060 do=steer"};
    char directory[256];

    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(rig.steer, '/') - rig.steer), rig.steer);
    return bpfd_start(rig.bpfd_program, directory) && bpfd_filters(2, filters);
}

NS_TEST(bpfd_steers_to_the_sockets_it_is_sent) {
    for (int i = 0; i < 2; i++)
        bpf_xdp_detach((int)rig.ifindex[i], 0, NULL);
    *rig.mode = MODE_TURN;
    start_container();
    NS_CHECK(begin_bpfd());
    fork_pktio(bpfd.pair[0], "200", true);
    WAIT_FOR(rig.counters->xdp_sockets == 2);
    settle();
    all_are_steered();
}

/* Its programs end with it, packets come by the queue; the next one asks pktio for the sockets. */
NS_TEST(a_killed_bpfd_leaves_the_queue_and_its_successor_steers_again) {
    uint64_t xdp;

    end(bpfd.pid, SIGKILL);
    xdp = rig.counters->xdp_received;
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(xdp, rig.counters->xdp_received);
    NS_CHECK(begin_bpfd());
    settle();
    all_are_steered();
}

NS_TEST(what_is_sampled_or_counted_is_not_led_past) {
    static const char *const filters[] = {"container=c family=4 proto=17 dport=5060 do=steer",
                                          "container=d family=4 proto=17 sport=1000 do=count count=src"};
    uint64_t xdp = rig.counters->xdp_received;

    NS_CHECK(bpfd_filters(2, filters));
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(xdp, rig.counters->xdp_received);
    NS_CHECK(bpfd_order("revoke id=6 container=c", -1));
    turn_many(rig.sender, rig.receiver, 100);
    NS_EQUAL(xdp, rig.counters->xdp_received);
}

NS_TEST(pktio_ends_in_order_after_a_revoke) {
    NS_EQUAL(0, end(rig.pktio, SIGTERM));
    NS_EQUAL(0, rig.counters->held);
    end(bpfd.pid, SIGTERM);
    end(rig.container, SIGKILL);
}

/* Everything that enters the receiver. */
static int tap(void) {
    struct sockaddr_ll here = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
    struct ifreq request = {.ifr_name = "b0"};
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_IP)), ignore = 1;

    here.sll_ifindex = (int)if_nametoindex("b0");
    need(bind(fd, (struct sockaddr *)&here, sizeof here) == 0, "tap");
    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &ignore, sizeof ignore);
    need(ioctl(fd, SIOCGIFHWADDR, &request) == 0, "b0");
    memcpy(rig.b0, request.ifr_hwaddr.sa_data, 6);
    return fd;
}

static void open_rig(char **argv) {
    int router = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    struct ifreq request = {.ifr_name = "r1"};

    rig.program = argv[1];
    enter(argv[3]);
    /* with their checksums: a veth whose peer runs XDP leaves them out otherwise, and nobody adds them on this way */
    set_offload("a0", ETHTOOL_STXCSUM, 0);
    rig.sender = udp("10.9.1.2", 1000);
    rig.sender6 = udp("fd00:9:1::2", 1000);
    enter(argv[4]);
    rig.receiver = udp("10.9.2.2", 5060);
    rig.receiver6 = udp("fd00:9:2::2", 5060);
    rig.stranger = udp("10.9.2.3", 5060); /* nobody has asked for its link address yet */
    rig.foreign = udp("10.9.2.2", 5061);
    rig.tap = tap();
    set_offload("b0", ETHTOOL_SGRO, 1);
    need(router >= 0 && setns(router, CLONE_NEWNET) == 0, "router");
    need(ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCGIFHWADDR, &request) == 0, "r1");
    memcpy(rig.r1, request.ifr_hwaddr.sa_data, 6);
    load(argv[2]);
    need(ns_ring_create(SLOTS, &rig.ring) == 0 && ns_memfd_create("stats", 4096, &rig.stats_fd, NULL) == 0, "rig");
    rig.receive_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rig.send_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rig.mode = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    rig.counters = mmap(NULL, 4096, PROT_READ, MAP_SHARED, rig.stats_fd, 0);
    need(rig.receive_fd >= 0 && rig.send_fd >= 0 && rig.mode != MAP_FAILED && rig.counters != MAP_FAILED, "rig");
}

/* What was counted, for the reader of a failed run. */
static void print_counters(void) {
#define NS_X(name, text)                                                                                               \
    if (rig.counters->name != 0)                                                                                       \
        printf("    %-16s %8llu  %s\n", #name, (unsigned long long)rig.counters->name, text);
    NS_COUNTERS(NS_X)
#undef NS_X
    for (uint32_t i = 0; i < NS_STEER_COUNTS; i++)
        printf("    steer %u %llu\n", i, (unsigned long long)counted(i));
}

int main(int argc, char **argv) {
    if (argc != 6)
        return 2;
    rig.steer = argv[2];
    rig.bpfd_program = argv[5];
    open_rig(argv);
    NS_RUN(sockets_are_bound_and_steered_to);
    NS_RUN(turned_packets_arrive_at_the_sender);
    NS_RUN(a_passed_packet_leaves_as_the_router_sends_it);
    NS_RUN(foreign_flows_stay_in_the_kernel);
    NS_RUN(every_frame_is_accounted_for);
    NS_RUN(the_last_hop_is_the_kernels);
    NS_RUN(what_has_no_neighbour_is_sent_by_the_kernel);
    NS_RUN(what_has_no_route_comes_by_the_queue);
    NS_RUN(a_killed_container_is_passed_by_at_the_deadline);
    NS_RUN(a_killed_pktio_leaves_the_kernel_forwarding);
    NS_RUN(what_a_killed_pktio_held_is_lost_and_counted);
    NS_RUN(an_orderly_stop_sends_what_is_held);
    NS_RUN(without_bpfd_packets_come_by_the_queue);
    end(rig.pktio, SIGKILL);
    end(rig.container, SIGKILL);
    NS_RUN(under_back_pressure_each_frame_is_completed_once);
    NS_RUN(bpfd_steers_to_the_sockets_it_is_sent);
    NS_RUN(a_killed_bpfd_leaves_the_queue_and_its_successor_steers_again);
    NS_RUN(what_is_sampled_or_counted_is_not_led_past);
    NS_RUN(pktio_ends_in_order_after_a_revoke);
    print_counters();
    return ns_test_end();
}
