/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-flood - sends one UDP datagram again and again, as fast as the machine allows or at a given rate.
 *
 *   lab-flood [-s] ADDRESS PORT PACKETS RATE [SERVICE] < payload
 *
 *   -s         keeps to the clock: skips what was due while the program was kept from running for 10 ms and more
 *   RATE       packets/s, 0 = as fast as possible
 *   SERVICE    IPv4's octet of DSCP and ECN, 0 to 255
 *
 * Without -s a program that was kept from running makes up for it in one burst, which fills queues on the way.
 * The program reads at most 1400 bytes of payload from standard input. It prints "sent=N skipped=N errors=N seconds=S".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define PAYLOAD_MAX 1400
#define PAUSE_S 0.01

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int connect_to(const char *address, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found;
    int error = getaddrinfo(address, port, &hints, &found);
    if (error) {
        fprintf(stderr, "lab-flood: %s %s: %s\n", address, port, gai_strerror(error));
        return -1;
    }
    int fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        perror("lab-flood");
    freeaddrinfo(found);
    return fd;
}

/* Waits until the next packet is due. Returns how many are due already, 0 unless the program is later than PAUSE_S. */
static unsigned long pace(double start, double rate, unsigned long done) {
    double ahead = rate > 0 ? start + (double)done / rate - seconds() : 0;
    if (ahead > 0) {
        struct timespec t = {(time_t)ahead, (long)((ahead - (double)(time_t)ahead) * 1e9)};
        nanosleep(&t, NULL);
    }
    return ahead < -PAUSE_S ? (unsigned long)(-ahead * rate) : 0;
}

int main(int argc, char **argv) {
    bool skips = argc > 1 && strcmp(argv[1], "-s") == 0;
    if (skips) {
        argc--;
        argv++;
    }
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: lab-flood [-s] ADDRESS PORT PACKETS RATE [SERVICE] < payload\n");
        return 2;
    }
    static char payload[PAYLOAD_MAX];
    size_t length = fread(payload, 1, sizeof payload, stdin);
    unsigned long wanted = strtoul(argv[3], NULL, 10), sent = 0, skipped = 0, errors = 0;
    double rate = strtod(argv[4], NULL);
    int fd = connect_to(argv[1], argv[2]);
    if (fd < 0)
        return 1;
    int service = argc == 6 ? atoi(argv[5]) : 0;
    if (argc == 6 && setsockopt(fd, IPPROTO_IP, IP_TOS, &service, sizeof service) != 0) {
        perror("lab-flood: SERVICE");
        return 1;
    }
    struct iovec part = {payload, length};
    struct mmsghdr messages[BATCH];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < BATCH; i++) {
        messages[i].msg_hdr.msg_iov = &part;
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    double start = seconds();
    while (sent + skipped < wanted) {
        unsigned batch = rate > 0 && rate < 10000 ? 1 : BATCH;
        if (batch > wanted - sent - skipped)
            batch = (unsigned)(wanted - sent - skipped);
        int n = sendmmsg(fd, messages, batch, 0);
        if (n < 0) {
            errors++; /* an ICMP error of an earlier datagram, or a full queue: count it and go on */
            if (errors > wanted)
                break;
        } else {
            sent += (unsigned long)n;
        }
        unsigned long due = pace(start, rate, sent + skipped);
        if (skips)
            skipped += due;
    }
    printf("sent=%lu skipped=%lu errors=%lu seconds=%.3f\n", sent, skipped, errors, seconds() - start);
    close(fd);
    return 0;
}
