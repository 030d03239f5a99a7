/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plane_rig.h - a sender, a router and a receiver in namespaces of their own, and pktio with a forwarding plane in
 * the router. Each datagram carries its number behind four bytes. A container changes the first of them.
 */
#ifndef NS_TEST_PLANE_RIG_H
#define NS_TEST_PLANE_RIG_H

#include "container.h"
#include "ns_caps.h"
#include "ns_counters.h"
#include "patience.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#define SLOTS 256u
#define QUEUE_LENGTH 512 /* including packets in the ring, which the kernel keeps until they are answered */
#define TEXT(number) #number
#define NUMBER(name) TEXT(name)
#define ARGUMENTS_MAX 64

/*
 * The properties of a plane. `begin` makes the kernel claim the packets of plane.sh's rules, once, in the router's
 * namespace. `arguments` runs in the child while it is root; it adds to pktio's command line, from `argv` on, and
 * returns the number of arguments. `end` undoes begin. NULL = nothing to do.
 */
struct plane {
    const char *name;
    void (*begin)(void);
    int (*arguments)(char **argv);
    void (*end)(void);
    bool samples;           /* one packet in n is copied, as plane.sh's rule for port 5070 asks */
    uint64_t (*took)(void); /* packets that came by it, if the others come by the queue; NULL = all */
    bool opens_when_full;   /* packets beyond its room go on, and only the container misses them */
};

static struct {
    const struct plane *plane;
    const char *program;
    struct ns_ring_fds ring;
    int receive_fd, send_fd, stats_fd;
    int sender, receiver, sender6, receiver6; /* claimed */
    int other, other6, sample;                /* receivers of unclaimed packets */
    int raw_out, raw_in, dial, dial_at;       /* raw sockets; a TCP socket of the sender, one that listens */
    volatile int *mode;
    volatile struct ns_counters *counters;
    pid_t pktio, container;
} rig;

static void enter(const char *netns) {
    int fd = open(netns, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) {
        perror(netns);
        exit(2);
    }
    close(fd);
}

static int udp(int family, const char *address, unsigned port) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct timeval bound = {10, 0};
    int room = 4 << 20;
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int bound_to =
        family == AF_INET
            ? inet_pton(family, address, &v4.sin_addr) == 1 && bind(fd, (struct sockaddr *)&v4, sizeof v4) == 0
            : inet_pton(family, address, &v6.sin6_addr) == 1 && bind(fd, (struct sockaddr *)&v6, sizeof v6) == 0;

    if (fd < 0 || !bound_to || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0) {
        perror(address);
        exit(2);
    }
    return fd;
}

static int listener(const char *address, unsigned port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || inet_pton(AF_INET, address, &at.sin_addr) != 1 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(fd, 1) != 0) {
        perror(address);
        exit(2);
    }
    return fd;
}

/* Sends datagram `number` (with `length` bytes) to the address that `to` is bound to. */
static void send_one(int from, int to, uint32_t number, size_t length) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    uint8_t data[2048] = {'.'};

    memcpy(data + 4, &number, 4);
    NS_EQUAL(0, getsockname(to, (struct sockaddr *)&address, &size));
    NS_EQUAL(length, sendto(from, data, length, 0, (struct sockaddr *)&address, size));
}

static void send_some(int from, int to, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        send_one(from, to, i, 100);
}

/* Receives up to `count` datagrams that have `first` as their first byte. Ten seconds of silence end the wait. */
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

/* Sends `count` datagrams in twenties, and checks that they come back. */
static void turn_many(int from, int to, unsigned count) {
    for (unsigned sent = 0; sent < count; sent += 20) {
        for (unsigned i = 0; i < 20; i++)
            send_one(from, to, sent + i, 8 + (sent * 7) % 1400);
        NS_EQUAL(20, receive(from, 20, 'T'));
    }
    NS_CHECK(silent(to));
}

/* Sends `count` datagrams, and checks that they arrive. */
static void pass_some(unsigned count) {
    send_some(rig.sender, rig.receiver, count);
    NS_EQUAL(count, receive(rig.receiver, count, '.'));
    NS_CHECK(silent(rig.sender));
}

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

static char *number(char *text, int value) {
    snprintf(text, 16, "%d", value);
    return text;
}

/* Takes on another uid with one capability, as the spawner does. */
static bool become_pktio(void) {
    uint64_t mask = NS_CAP(CAP_NET_ADMIN);

    return ns_caps_bound(mask) == 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
           setresgid(690002, 690002, 690002) == 0 && setresuid(690002, 690002, 690002) == 0 &&
           ns_caps_set(mask, mask) == 0 && ns_caps_ambient(mask) == 0;
}

static int common_arguments(char **argv, const char *deadline) {
    static char fds[5][16];
    const struct {
        const char *name, *value;
    } options[] = {
        {"--name", "test"},
        {"--queue", "100"},
        {"--queue-len", NUMBER(QUEUE_LENGTH)},
        {"--slots", "256"},
        {"--steal-ms", "300"},
        {"--deadline-ms", deadline},
        {"--desc-fd", number(fds[0], rig.ring.desc_rw)},
        {"--slots-fd", number(fds[1], rig.ring.slots)},
        {"--rx-efd", number(fds[2], rig.receive_fd)},
        {"--tx-efd", number(fds[3], rig.send_fd)},
        {"--stats-fd", number(fds[4], rig.stats_fd)},
    };
    int count = 0;

    argv[count++] = (char *)"pktio";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        argv[count++] = (char *)options[i].name;
        argv[count++] = (char *)options[i].value;
    }
    return count;
}

static void start_pktio(const char *deadline) {
    uint64_t beats = rig.counters->heartbeat;

    rig.pktio = fork();
    if (rig.pktio == 0) {
        int fds[] = {rig.ring.desc_rw, rig.ring.slots, rig.receive_fd, rig.send_fd, rig.stats_fd};
        char *argv[ARGUMENTS_MAX] = {NULL};
        int count = common_arguments(argv, deadline);

        if (rig.plane->arguments != NULL)
            rig.plane->arguments(argv + count);
        if (!become_pktio())
            _exit(126);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < 5; i++)
            fcntl(fds[i], F_SETFD, 0);
        execv(rig.program, argv);
        _exit(127);
    }
    WAIT_FOR(rig.counters->heartbeat > beats);
}

static int end(pid_t pid, int signal) {
    int status = -1;

    kill(pid, signal);
    waitpid(pid, &status, 0);
    return status;
}

static void open_rig(char **argv) {
    int router = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int stats;

    rig.program = argv[1];
    enter(argv[2]);
    rig.sender = udp(AF_INET, "10.9.1.2", 1000);
    rig.sender6 = udp(AF_INET6, "fd00:9:1::2", 1000);
    rig.raw_out = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    rig.dial = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    enter(argv[3]);
    rig.receiver = udp(AF_INET, "10.9.2.2", 5060);
    rig.receiver6 = udp(AF_INET6, "fd00:9:2::2", 5060);
    rig.other = udp(AF_INET, "10.9.2.2", 7000);
    rig.other6 = udp(AF_INET6, "fd00:9:2::2", 7000);
    rig.sample = udp(AF_INET, "10.9.2.2", 5070);
    rig.raw_in = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP);
    rig.dial_at = listener("10.9.2.2", 5060);
    if (router < 0 || setns(router, CLONE_NEWNET) != 0 || ns_ring_create(SLOTS, &rig.ring) != 0 ||
        ns_memfd_create("stats", 4096, &stats, NULL) != 0) {
        perror("rig");
        exit(2);
    }
    rig.stats_fd = stats;
    rig.receive_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rig.send_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rig.mode = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    rig.counters = mmap(NULL, 4096, PROT_READ, MAP_SHARED, stats, 0);
    if (rig.raw_out < 0 || rig.raw_in < 0 || rig.dial < 0 || rig.receive_fd < 0 || rig.send_fd < 0 ||
        rig.mode == MAP_FAILED || rig.counters == MAP_FAILED) {
        perror("rig");
        exit(2);
    }
}

/* Prints pktio's counters, for the reader of a failed run. */
static void print_counters(void) {
#define NS_X(name, text)                                                                                               \
    if (rig.counters->name != 0)                                                                                       \
        printf("    %-16s %8llu  %s\n", #name, (unsigned long long)rig.counters->name, text);
    NS_COUNTERS(NS_X)
#undef NS_X
}

#endif
