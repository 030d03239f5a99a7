/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigio_rig.h - sigio, gist's end of its socket, and the wire on both sides of the router. The tests write frames by
 * hand, from docs/protocols/sigio.md. Packet sockets on a0 and b0 see packets as they are on the wire.
 */
#ifndef NS_SIGIO_RIG_H
#define NS_SIGIO_RIG_H

#include "ns_bytes.h"
#include "ns_caps.h"
#include "ns_memfd.h"
#include "ns_sigio_counters.h"
#include "packets.h"
#include "patience.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GIST_UID 690004

struct wire {
    int tap;    /* sees the packets that pass the interface */
    int raw[2]; /* sends whole packets */
    int index;
};

static struct {
    const char *program, *directory;
    const char *sends; /* datagrams a second, NULL = the preset */
    int router;        /* namespace */
    struct wire a, b;
    int listener, client;
    pid_t sigio;
    int stats_fd;
    volatile struct ns_sigio_counters *counters;
} rig;

static inline void need(bool done, const char *what) {
    if (done)
        return;
    perror(what);
    exit(2);
}

static inline void enter(int ns) {
    need(setns(ns, CLONE_NEWNET) == 0, "setns");
}

static inline struct wire open_wire(const char *netns, const char *device) {
    int ns = open(netns, O_RDONLY | O_CLOEXEC), room = 64 << 20;
    struct wire wire;
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};

    need(ns >= 0, netns);
    enter(ns);
    close(ns);
    wire.index = (int)if_nametoindex(device);
    to.sll_ifindex = wire.index;
    wire.tap = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_ALL));
    need(wire.tap >= 0 && bind(wire.tap, (struct sockaddr *)&to, sizeof to) == 0, device);
    need(setsockopt(wire.tap, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) == 0, "SO_RCVBUFFORCE");
    wire.raw[0] = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    wire.raw[1] = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    need(wire.raw[0] >= 0 && wire.raw[1] >= 0, "raw socket");
    enter(rig.router);
    return wire;
}

static inline void inject(const struct wire *wire, const uint8_t *packet, size_t length) {
    struct sockaddr_in to4 = {.sin_family = AF_INET};
    struct sockaddr_in6 to6 = {.sin6_family = AF_INET6};

    memcpy(&to4.sin_addr, packet + 16, 4);
    memcpy(&to6.sin6_addr, packet + 24, 16);
    if (packet[0] >> 4 == 4)
        NS_EQUAL(length, sendto(wire->raw[0], packet, length, 0, (struct sockaddr *)&to4, sizeof to4));
    else
        NS_EQUAL(length, sendto(wire->raw[1], packet, length, 0, (struct sockaddr *)&to6, sizeof to6));
}

/* Returns the offset of the upper-layer header, and its protocol. */
static inline size_t upper(const uint8_t *packet, uint8_t *protocol) {
    if (packet[0] >> 4 == 4) {
        *protocol = packet[9];
        return (size_t)(packet[0] & 15) * 4;
    }
    *protocol = packet[6] != 0 ? packet[6] : packet[40];
    return packet[6] != 0 ? 40 : 40 + (size_t)(packet[41] + 1) * 8;
}

/*
 * Takes the next incoming packet of a protocol (UDP: to port 270). Returns its length, or 0 after `msec` without such
 * a packet.
 */
static inline size_t seen(const struct wire *wire, uint8_t protocol, uint8_t *packet, size_t size, int msec) {
    struct timespec now, end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += msec / 1000;
    end.tv_nsec += msec % 1000 * 1000000l;
    for (;;) {
        struct pollfd readable = {.fd = wire->tap, .events = POLLIN};
        struct sockaddr_ll from;
        socklen_t from_size = sizeof from;
        uint8_t found = 0;
        long left;
        size_t at;
        ssize_t n;

        clock_gettime(CLOCK_MONOTONIC, &now);
        left = (end.tv_sec - now.tv_sec) * 1000 + (end.tv_nsec - now.tv_nsec) / 1000000;
        if (poll(&readable, 1, left < 0 ? 0 : (int)left) != 1)
            return 0;
        n = recvfrom(wire->tap, packet, size, 0, (struct sockaddr *)&from, &from_size);
        if (n < 28 || from.sll_pkttype == PACKET_OUTGOING || (packet[0] >> 4 != 4 && packet[0] >> 4 != 6))
            continue;
        at = upper(packet, &found);
        if (found != protocol || (protocol == 17 && (packet[at + 2] << 8 | packet[at + 3]) != 270))
            continue;
        if (protocol == 58 && packet[at] >= 128)
            continue; /* neighbour discovery */
        return (size_t)n;
    }
}

static inline void forget(const struct wire *wire) {
    uint8_t packet[2048];

    while (recv(wire->tap, packet, sizeof packet, MSG_DONTWAIT) >= 0)
        continue;
}

/* --- sigio --- */

static inline char *number(char *text, int value) {
    snprintf(text, 16, "%d", value);
    return text;
}

static inline bool become_sigio(void) {
    uint64_t mask = NS_CAP(CAP_NET_ADMIN) | NS_CAP(CAP_NET_RAW) | NS_CAP(CAP_NET_BIND_SERVICE);

    return ns_caps_bound(mask) == 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
           setresgid(690005, 690005, 690005) == 0 && setresuid(690005, 690005, 690005) == 0 &&
           ns_caps_set(mask, mask) == 0 && ns_caps_ambient(mask) == 0;
}

static inline void start_sigio(const char *deadline) {
    uint64_t beats = rig.counters->heartbeat;

    rig.sigio = fork();
    if (rig.sigio == 0) {
        char text[3][16];

        if (!become_sigio())
            _exit(126);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fcntl(rig.listener, F_SETFD, 0);
        fcntl(rig.stats_fd, F_SETFD, 0);
        execl(rig.program, "sigio", "--listen-fd", number(text[0], rig.listener), "--stats-fd",
              number(text[1], rig.stats_fd), "--client-uid", number(text[2], GIST_UID), "--deadline-ms", deadline,
              rig.sends == NULL ? NULL : "--sends-per-second", rig.sends, (char *)NULL);
        _exit(127);
    }
    WAIT_FOR(rig.counters->heartbeat > beats);
}

static inline int end_sigio(int signal) {
    int status = -1;

    if (rig.sigio <= 0)
        return -1;
    kill(rig.sigio, signal);
    waitpid(rig.sigio, &status, 0);
    rig.sigio = 0;
    return status;
}

/* --- frames --- */

static inline uint16_t u16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t u32(const uint8_t *at) {
    return (uint32_t)u16(at) << 16 | u16(at + 2);
}

static inline bool read_all(uint8_t *bytes, size_t count) {
    while (count > 0) {
        struct pollfd readable = {.fd = rig.client, .events = POLLIN};
        ssize_t n = poll(&readable, 1, WAIT_MSEC) == 1 ? read(rig.client, bytes, count) : -1;

        if (n <= 0)
            return false;
        bytes += n;
        count -= (size_t)n;
    }
    return true;
}

struct frame {
    uint8_t type;
    size_t length; /* of the body */
    uint8_t body[66000];
};

/*
 * Reads the next frame. Skips COUNTERS and ICMP unless asked for. Returns false for another type, a closed
 * connection, or no frame.
 */
static inline bool next_frame(struct frame *frame, uint8_t type) {
    uint8_t head[8];
    unsigned left = 20; /* COUNTERS come each second, so silence alone would not end it */

    do {
        if (left == 0 || !read_all(head, 8))
            return false;
        frame->type = head[4];
        left -= frame->type == 7;
        frame->length = u32(head) - 4;
        if (frame->length > sizeof frame->body || !read_all(frame->body, frame->length))
            return false;
    } while (frame->type != type && (frame->type == 6 || frame->type == 7));
    return frame->type == type;
}

static inline void put_frame(uint8_t type, const uint8_t *body, size_t length) {
    static uint8_t bytes[66000];

    memset(bytes, 0, 8);
    ns_put32(bytes, (uint32_t)length + 4);
    bytes[4] = type;
    memcpy(bytes + 8, body, length);
    NS_EQUAL(length + 8, write(rig.client, bytes, length + 8));
}

static inline void say_verdict(const uint8_t *token, uint8_t verdict, const uint8_t *payload, size_t length) {
    static uint8_t body[66000];

    memset(body, 0, 12);
    memcpy(body, token, 8);
    body[8] = verdict;
    if (length != 0)
        memcpy(body + 12, payload, length);
    put_frame(3, body, 12 + length);
}

static inline int connect_as(uid_t uid) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), result;

    snprintf(address.sun_path, sizeof address.sun_path, "%s/sigio.sock", rig.directory);
    NS_CHECK(setegid(uid) == 0 && seteuid(uid) == 0);
    result = connect(fd, (struct sockaddr *)&address, sizeof address);
    NS_CHECK(seteuid(0) == 0 && setegid(0) == 0);
    NS_EQUAL(0, result);
    return fd;
}

/*
 * Connects as gist. When it returns, sigio has taken the connection and its hello, because it has answered a datagram
 * that has no route.
 */
static inline void connect_client(void) {
    static const uint8_t version[] = {0, 1, 0, 0};
    static const uint8_t destination[] = {203, 0, 113, 1};
    static const uint8_t query[] = {0x4e, 0x04, 0xbd, 0xa5, 1, 3, 0, 0, 0x7f, 0xc0, 0x80, 0};
    uint8_t nowhere[64 + sizeof query] = {[12] = 4};
    struct frame *frame = malloc(sizeof *frame);

    rig.client = connect_as(GIST_UID);
    NS_CHECK(next_frame(frame, 1));
    NS_EQUAL(0x00010000, u32(frame->body));
    put_frame(1, version, 4);
    ns_put16(nowhere + 22, 270);
    memcpy(nowhere + 48, destination, 4);
    memcpy(nowhere + 64, query, sizeof query);
    put_frame(4, nowhere, sizeof nowhere);
    NS_CHECK(next_frame(frame, 5));
    NS_EQUAL(ENETUNREACH, u32(frame->body + 8));
    free(frame);
}

static inline void leave(void) {
    if (rig.client >= 0)
        close(rig.client);
    rig.client = -1;
}

/* --- packets --- */

struct shape {
    const char *source, *destination;
    unsigned source_port;
    bool rao, not_gist, d_mode;
    size_t data; /* bytes behind the common header */
};

static inline void fill(uint8_t *payload, const struct shape *shape) {
    static const uint8_t head[] = {0x4e, 0x04, 0xbd, 0xa5, 1, 3, 0, 0, 0x7f, 0xc0, 0x80, 0};

    memcpy(payload, head, sizeof head);
    payload[0] ^= shape->not_gist;
    payload[10] &= (uint8_t)(shape->d_mode ? 0x7f : 0xff);
    memset(payload + sizeof head, 'd', shape->data);
}

/* Makes a packet to port 270 as another host would send it. Returns its length. */
static inline size_t build(uint8_t *packet, const struct shape *shape) {
    static const uint8_t rao4[] = {0x94, 4, 0xff, 0xdf}, rao6[] = {17, 0, 5, 2, 0xff, 0xdf, 1, 0};
    size_t length, udp, data = 12 + shape->data;
    uint8_t protocol;

    if (strchr(shape->source, ':') == NULL) {
        length = udp4_options(packet, shape->source, shape->source_port, shape->destination, 270, data, rao4,
                              shape->rao ? sizeof rao4 : 0);
        ns_put16(packet + 4, 0x1234); /* else the kernel would write an identification of its own */
        packet[1] = 0xb8;
        ns_checksum_ipv4(packet, (size_t)(packet[0] & 15) * 4);
    } else {
        length = udp6_chain(packet, shape->source, shape->source_port, shape->destination, 270, data, 0, rao6,
                            shape->rao ? sizeof rao6 : 0);
        packet[1] = 0x2a; /* traffic class x2, flow label abcde */
        packet[2] = 0xbc;
        packet[3] = 0xde;
    }
    udp = upper(packet, &protocol);
    fill(packet + udp + 8, shape);
    ns_checksum_udp(packet, packet + udp, 8 + data);
    return length;
}

/* Changes a packet as forwarding does. */
static inline void forwarded(uint8_t *packet) {
    packet[packet[0] >> 4 == 4 ? 8 : 7]--;
    if (packet[0] >> 4 == 4)
        ns_checksum_ipv4(packet, (size_t)(packet[0] & 15) * 4);
}

static inline bool udp_right(const uint8_t *packet, size_t length) {
    uint8_t copy[4096], protocol;
    size_t at = upper(packet, &protocol);

    memcpy(copy, packet, length);
    ns_checksum_udp(copy, copy + at, length - at);
    return u16(packet + at + 4) == length - at && memcmp(copy, packet, length) == 0;
}

static inline void address_of(uint8_t out[16], const char *text) {
    memset(out, 0, 16);
    inet_pton(strchr(text, ':') == NULL ? AF_INET : AF_INET6, text, out);
}

static inline void expect_at_b(uint8_t *packet, size_t length) {
    uint8_t got[4096];

    forwarded(packet);
    NS_EQUAL(length, seen(&rig.b, 17, got, sizeof got, WAIT_MSEC));
    NS_EQUAL(0, memcmp(packet, got, length));
}

#endif
