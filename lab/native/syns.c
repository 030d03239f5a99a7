/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-syns - sends SYNs of Serval in UDP from addresses that are not the sender's, each with a TCP SYN in it.
 *
 *   lab-syns NETWORK TARGET PORT SERVICE PACKETS RATE
 *
 *   NETWORK    IPv4, whose last 16 bits are drawn for each SYN
 *   SERVICE    digits of a serviceID in hexadecimal; missing ones are zeros
 *   RATE       packets/s, 0 = as fast as possible
 *
 *     | IP 20 | UDP 8 | SAL 12 | CONTROL 20 | SERVICE 36 | TCP 24 with MSS |
 *
 * FlowIDs, vernos and nonces are drawn by a fixed seed. It prints "sent=N errors=N seconds=S".
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define PORT 54325
#define IP 20u
#define SAL (IP + 8)
#define SAL_BYTES 68u
#define TCP (SAL + SAL_BYTES)
#define TCP_BYTES 24u
#define LENGTH (TCP + TCP_BYTES)
#define BATCH 100u

static uint64_t state = 17;

/* Draws a random number by SplitMix64, which has no bad seed. */
static uint64_t draw(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value & 0xffff);
}

static unsigned checksum(const uint8_t *bytes, size_t length, uint32_t sum) {
    for (size_t i = 0; i < length; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

/* Writes all that no SYN changes. */
static void begin(uint8_t *packet, const struct in_addr *target, unsigned port, const uint8_t service[32]) {
    memset(packet, 0, LENGTH);
    packet[0] = 0x45;
    put16(packet + 2, LENGTH);
    packet[8] = 64;
    packet[9] = IPPROTO_UDP;
    memcpy(packet + 16, target, 4);
    put16(packet + IP, PORT);
    put16(packet + IP + 2, port);
    put16(packet + IP + 4, LENGTH - IP); /* checksum 0: none */
    packet[SAL + 8] = SAL_BYTES / 4;
    packet[SAL + 9] = IPPROTO_TCP;
    packet[SAL + 12] = 0x10;
    packet[SAL + 13] = 20;
    packet[SAL + 14] = 0x80;
    packet[SAL + 32] = 0x20;
    packet[SAL + 33] = 36;
    memcpy(packet + SAL + 36, service, 32);
    packet[TCP + 12] = TCP_BYTES / 4 << 4;
    packet[TCP + 13] = 0x02;
    put16(packet + TCP + 14, 64240);
    packet[TCP + 20] = 2;
    packet[TCP + 21] = 4;
    put16(packet + TCP + 22, 1400);
}

/* Gives the SYN another sender, and other numbers. */
static void renew(uint8_t *packet, uint32_t network) {
    uint32_t flow = (uint32_t)draw() | 1;

    put32(packet + 12, (network & 0xffff0000u) | (uint32_t)(draw() & 0xffff));
    put32(packet + SAL, flow);
    put32(packet + SAL + 16, (uint32_t)draw());
    put32(packet + SAL + 24, (uint32_t)draw());
    put32(packet + SAL + 28, (uint32_t)draw());
    put16(packet + SAL + 10, 0);
    put16(packet + SAL + 10, checksum(packet + SAL, SAL_BYTES, 0));
    put32(packet + TCP + 4, (uint32_t)draw());
    put16(packet + TCP + 16, 0);
    put16(packet + TCP + 16,
          checksum(packet + TCP, TCP_BYTES, (flow >> 16) + (flow & 0xffff) + IPPROTO_TCP + TCP_BYTES));
}

static double seconds(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pace(double start, double rate, unsigned long done) {
    double ahead = rate > 0 && done % BATCH == 0 ? start + (double)done / rate - seconds() : 0;

    if (ahead > 0) {
        struct timespec t = {(time_t)ahead, (long)((ahead - (double)(time_t)ahead) * 1e9)};
        nanosleep(&t, NULL);
    }
}

static int read_service(uint8_t service[32], const char *text) {
    char digits[65] = "";
    size_t length = strlen(text);

    if (length == 0 || length > 64 || strspn(text, "0123456789abcdefABCDEF") != length)
        return -1;
    memset(digits, '0', 64);
    memcpy(digits, text, length);
    for (unsigned i = 0; i < 32; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};

        service[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return 0;
}

int main(int argc, char **argv) {
    struct sockaddr_in to = {.sin_family = AF_INET};
    uint8_t packet[LENGTH], service[32];
    unsigned long wanted, errors = 0;
    struct in_addr network;
    double rate, start;
    int fd;

    if (argc != 7 || inet_pton(AF_INET, argv[1], &network) != 1 || inet_pton(AF_INET, argv[2], &to.sin_addr) != 1 ||
        read_service(service, argv[4]) != 0) {
        fprintf(stderr, "usage: lab-syns NETWORK TARGET PORT SERVICE PACKETS RATE\n");
        return 2;
    }
    wanted = strtoul(argv[5], NULL, 10);
    rate = strtod(argv[6], NULL);
    fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    if (fd < 0) {
        perror("lab-syns: raw socket");
        return 1;
    }
    begin(packet, &to.sin_addr, (unsigned)strtoul(argv[3], NULL, 10), service);
    start = seconds();
    for (unsigned long i = 0; i < wanted; i++) {
        renew(packet, ntohl(network.s_addr));
        if (sendto(fd, packet, sizeof packet, 0, (struct sockaddr *)&to, sizeof to) != sizeof packet)
            errors++;
        pace(start, rate, i + 1);
    }
    printf("sent=%lu errors=%lu seconds=%.3f\n", wanted - errors, errors, seconds() - start);
    return 0;
}
