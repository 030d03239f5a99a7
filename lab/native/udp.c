/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-udp - sends datagrams with a forged source, sends honest datagrams that must come back, or opens a socket
 * that nobody should reach.
 *
 *   lab-udp forge SOURCE PORT DESTINATION PORT COUNT RATE LETTER    raw socket; prints "sent=N".
 *   lab-udp echo LOCALPORT DESTINATION PORT COUNT RATE LETTER       prints "sent=N answered=N"; answered counts the
 *                                                                   datagrams that came back whole. At most 64 are
 *                                                                   under way until one is missing for 3 s.
 *   lab-udp sink PORT                                               prints "ready", then "received=N" with each
 *                                                                   datagram; never ends.
 *
 * LETTER begins each datagram, and its number follows. RATE is in packets/s. Both addresses have the same family.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PAYLOAD 32u
#define ECHO_MOST 4096u
#define LAST_ANSWER_S 3
#define WINDOW 64u /* datagrams under way at most: fewer than the buffer of a socket holds */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static void fail(const char *what) {
    fprintf(stderr, "lab-udp: ");
    perror(what);
    exit(1);
}

static socklen_t read_address(union address *to, const char *text, const char *port) {
    memset(to, 0, sizeof *to);
    if (inet_pton(AF_INET, text, &to->v4.sin_addr) == 1) {
        to->v4.sin_family = AF_INET;
        to->v4.sin_port = htons((uint16_t)atoi(port));
        return sizeof to->v4;
    }
    if (inet_pton(AF_INET6, text, &to->v6.sin6_addr) != 1) {
        fprintf(stderr, "lab-udp: %s is no address\n", text);
        exit(2);
    }
    to->v6.sin6_family = AF_INET6;
    to->v6.sin6_port = htons((uint16_t)atoi(port));
    return sizeof to->v6;
}

static void pace(const char *rate) {
    struct timespec t = {0, (long)(1e9 / strtod(rate, NULL))};

    nanosleep(&t, NULL);
}

static void fill(uint8_t payload[PAYLOAD], const char *letter, uint32_t number) {
    memset(payload, '.', PAYLOAD);
    payload[0] = (uint8_t)letter[0];
    memcpy(payload + 4, &number, sizeof number);
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static uint32_t sum(uint32_t from, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 2)
        from += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    return from;
}

static uint16_t finish(uint32_t from) {
    while (from >> 16 != 0)
        from = (from & 0xffff) + (from >> 16);
    return (uint16_t)~from;
}

/* Makes the whole packet and returns its length. The kernel makes IPv4's checksum. */
static size_t make(uint8_t *packet, const union address *from, const union address *to, const char *letter,
                   uint32_t number) {
    bool v4 = from->any.sa_family == AF_INET;
    size_t header = v4 ? 20 : 40, size = v4 ? 4 : 16, at = v4 ? 12 : 8, length = 8 + PAYLOAD;
    uint8_t *udp = packet + header;

    memset(packet, 0, header + 8);
    packet[0] = v4 ? 0x45 : 0x60;
    put16(packet + (v4 ? 2 : 4), (uint32_t)(v4 ? header + length : length));
    packet[v4 ? 9 : 6] = IPPROTO_UDP;
    packet[v4 ? 8 : 7] = 64;
    memcpy(packet + at, v4 ? (const void *)&from->v4.sin_addr : (const void *)&from->v6.sin6_addr, size);
    memcpy(packet + at + size, v4 ? (const void *)&to->v4.sin_addr : (const void *)&to->v6.sin6_addr, size);
    memcpy(udp, v4 ? &from->v4.sin_port : &from->v6.sin6_port, 2);
    memcpy(udp + 2, v4 ? &to->v4.sin_port : &to->v6.sin6_port, 2);
    put16(udp + 4, (uint32_t)length);
    fill(udp + 8, letter, number);
    put16(udp + 6, finish(sum(sum((uint32_t)(IPPROTO_UDP + length), packet + at, 2 * size), udp, length)));
    return header + length;
}

static int forge(char **argv) {
    union address from, to;
    socklen_t size = read_address(&to, argv[2], argv[3]);
    unsigned long count = strtoul(argv[4], NULL, 10);
    uint8_t packet[128];
    int fd;

    read_address(&from, argv[0], argv[1]);
    fd = socket(to.any.sa_family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    if (fd < 0)
        fail("raw socket");
    for (unsigned long i = 0; i < count; i++, pace(argv[5])) {
        size_t length = make(packet, &from, &to, argv[6], (uint32_t)i);
        union address there = to;

        if (there.any.sa_family == AF_INET6)
            there.v6.sin6_port = 0; /* a raw socket allows no port */
        if (sendto(fd, packet, length, 0, &there.any, size) != (ssize_t)length)
            fail("send");
    }
    printf("sent=%lu\n", count);
    return 0;
}

/* Takes the answers that have come. Waits for the first at most as long as the socket's timeout. */
static unsigned take(int fd, bool *came, const char *letter, int flags) {
    uint8_t expected[PAYLOAD], bytes[2048];
    unsigned answered = 0;
    uint32_t number;

    while (recv(fd, bytes, sizeof bytes, flags) == PAYLOAD) {
        memcpy(&number, bytes + 4, sizeof number);
        fill(expected, letter, number);
        if (number < ECHO_MOST && !came[number] && memcmp(bytes, expected, PAYLOAD) == 0) {
            came[number] = true;
            answered++;
        }
        flags = MSG_DONTWAIT;
    }
    return answered;
}

static int echo(char **argv) {
    static bool came[ECHO_MOST];
    const struct timeval bound = {LAST_ANSWER_S, 0};
    unsigned count = (unsigned)strtoul(argv[3], NULL, 10), answered = 0, more = 1;
    union address local = {.any = {0}}, to;
    socklen_t size = read_address(&to, argv[1], argv[2]);
    uint8_t payload[PAYLOAD];
    int fd = socket(to.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (count > ECHO_MOST)
        return 2;
    local.any.sa_family = to.any.sa_family;
    local.v4.sin_port = htons((uint16_t)atoi(argv[0])); /* the port is at the same place in both families */
    if (fd < 0 || bind(fd, &local.any, size) != 0 || connect(fd, &to.any, size) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) != 0)
        fail("socket");
    for (unsigned i = 0; i < count; i++, pace(argv[4])) {
        fill(payload, argv[5], i);
        if (send(fd, payload, sizeof payload, 0) < 0)
            perror("lab-udp: send"); /* an ICMP error about an earlier datagram; this one will be missing */
        answered += take(fd, came, argv[5], MSG_DONTWAIT);
        while (more != 0 && i + 1 - answered >= WINDOW) { /* no longer once some have not come back */
            more = take(fd, came, argv[5], 0);
            answered += more;
        }
    }
    for (more = 1; answered < count && more != 0;) {
        more = take(fd, came, argv[5], 0);
        answered += more;
    }
    printf("sent=%u answered=%u\n", count, answered);
    return 0;
}

static int sink(char **argv) {
    union address here;
    socklen_t size = read_address(&here, "::", argv[0]);
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), off = 0;
    uint8_t bytes[2048];

    if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 || bind(fd, &here.any, size) != 0)
        fail("socket");
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("ready\n");
    for (unsigned long received = 0; recv(fd, bytes, sizeof bytes, 0) >= 0;)
        printf("received=%lu\n", ++received);
    fail("receive");
    return 1;
}

int main(int argc, char **argv) {
    if (argc == 9 && strcmp(argv[1], "forge") == 0)
        return forge(argv + 2);
    if (argc == 8 && strcmp(argv[1], "echo") == 0)
        return echo(argv + 2);
    if (argc == 3 && strcmp(argv[1], "sink") == 0)
        return sink(argv + 2);
    fprintf(stderr, "usage: lab-udp forge|echo|sink ...\n");
    return 2;
}
