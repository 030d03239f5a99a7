/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-gist - sends GIST packets (RFC 5971) that a node has to withstand or to leave alone. Needs CAP_NET_RAW.
 *
 *   lab-gist queries  PREFIX DESTINATION COUNT RATE SEED    Queries for the NetServ application. The source is from
 *                                                           PREFIX (address/length). Session, cookie and peer
 *                                                           identity are random.
 *   lab-gist confirms PREFIX DESTINATION COUNT RATE SEED    Confirms in D-mode with guessed Responder cookies, random
 *                                                           in the same way.
 *   lab-gist transit  PREFIX DESTINATION COUNT RATE SEED    by turns a Query of an application that no node hosts,
 *                                                           a Data in D-mode, and a datagram without magic number.
 *
 * RATE is in packets/s, 0 = as fast as possible. A packet of `transit` carries its number, from 0, in eight bytes
 * of the UDP payload, where the other packets have their session. Its source is random, too, unless the prefix is
 * a whole address. The program prints "sent=N errors=N seconds=S".
 *
 *   payload:  4e04bda5 | common header 8 | MRI 20 or 44 | SID 20 | NLI | Query-Cookie | stack proposal, configuration
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 270
#define SOURCE_PORT 40270
#define MAGIC 0x4e04bda5u
#define NETSERV 32710u /* the NSLPID of NetServ */
#define FOREIGN 1u     /* an NSLPID that no node of the lab hosts */
#define PACKET_MAX 1024
#define UDP_HEADER 8

enum type { QUERY = 0, CONFIRM = 2, DATA = 3 };
enum object {
    MRI = 0,
    SID = 1,
    NLI = 2,
    PROPOSAL = 3,
    CONFIGURATION = 4,
    QUERY_COOKIE = 5,
    RESPONDER_COOKIE = 6,
    NSLP_DATA = 8
};

struct address {
    int family;
    size_t length; /* 4 or 16 */
    uint8_t bytes[16];
};

struct packet {
    size_t length;
    uint8_t bytes[PACKET_MAX];
};

static uint64_t random_state;

/* Draws a random number by SplitMix64, which has no bad seed. */
static uint64_t draw(void) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void put(struct packet *p, const void *bytes, size_t length) {
    memcpy(p->bytes + p->length, bytes, length);
    p->length += length;
}

static void put8(struct packet *p, unsigned value) {
    p->bytes[p->length++] = (uint8_t)value;
}

static void put16(struct packet *p, unsigned value) {
    put8(p, value >> 8);
    put8(p, value & 0xff);
}

static void put32(struct packet *p, uint32_t value) {
    put16(p, value >> 16);
    put16(p, value & 0xffff);
}

static void put64(struct packet *p, uint64_t value) {
    put32(p, (uint32_t)(value >> 32));
    put32(p, (uint32_t)value);
}

static void put_random(struct packet *p, unsigned words) {
    for (unsigned i = 0; i < words; i++)
        put32(p, (uint32_t)draw());
}

/* Puts the type word of an object: AB = 00, a length in words. */
static void put_object(struct packet *p, enum object type, size_t bytes) {
    put16(p, type);
    put16(p, (unsigned)(bytes / 4));
}

static void put_mri(struct packet *p, const struct address *from, const struct address *to) {
    put_object(p, MRI, 8 + 2 * from->length);
    put16(p, 0);                                       /* path-coupled, no NAT needed */
    put16(p, from->length == 4 ? 4u << 12 : 6u << 12); /* IP version; no flag: addresses only; downstream */
    put(p, from->bytes, from->length);
    put(p, to->bytes, to->length);
    put8(p, (unsigned)from->length * 8);
    put8(p, (unsigned)to->length * 8);
    put16(p, 0);
}

static void put_nli(struct packet *p, const struct address *from) {
    put_object(p, NLI, 8 + 16 + from->length);
    put8(p, 16); /* length of the peer identity */
    put8(p, 64); /* TTL as in the IP header */
    put16(p, from->length == 4 ? 4u << 12 : 6u << 12);
    put32(p, 30000); /* validity, ms */
    put_random(p, 4);
    put(p, from->bytes, from->length);
}

/* Puts an offer of TCP: one profile of one protocol, and no options. */
static void put_offer(struct packet *p) {
    put_object(p, PROPOSAL, 8);
    put32(p, 1u << 24);
    put32(p, 1u << 24 | 1u << 16);
    put_object(p, CONFIGURATION, 12);
    put32(p, 1u << 24);
    put32(p, 30000); /* hold time, ms */
    put32(p, 1u << 24);
}

/* Puts a GIST message for UDP. `session` is the first half of its SID. */
static void message(struct packet *p, enum type type, unsigned nslp, const struct address *from,
                    const struct address *to, uint64_t session) {
    size_t start = p->length;
    put32(p, MAGIC);
    put8(p, 1);  /* version */
    put8(p, 30); /* hops */
    put16(p, 0); /* length, below */
    put16(p, nslp);
    put8(p, (type == QUERY ? 0x80u : 0) | type);                  /* C-flag */
    put8(p, type == QUERY ? 0x40u : type == CONFIRM ? 0x80u : 0); /* R-flag; S-flag in D-mode */
    put_mri(p, from, to);
    put_object(p, SID, 16);
    put64(p, session);
    put_random(p, 2);
    put_nli(p, from);
    if (type == QUERY) {
        put_object(p, QUERY_COOKIE, 16);
        put_random(p, 4);
        put_offer(p);
    } else if (type == CONFIRM) {
        put_object(p, RESPONDER_COOKIE, 40);
        put_random(p, 10);
    } else {
        put_object(p, NSLP_DATA, 16);
        put_random(p, 4);
    }
    size_t words = (p->length - start - 4 - 8) / 4;
    p->bytes[start + 6] = (uint8_t)(words >> 8);
    p->bytes[start + 7] = (uint8_t)words;
}

/* Puts a payload of a Data's length without the magic number. Its number is in the same place as a Data's. */
static void noise(struct packet *p, size_t number_at, uint64_t number) {
    for (size_t i = 0; i < number_at; i += 4)
        put32(p, 0x6e6f6973);
    put64(p, number);
    put_random(p, 8);
}

static uint32_t sum(uint32_t so_far, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i + 1 < length; i += 2)
        so_far += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    return length & 1 ? so_far + ((uint32_t)bytes[length - 1] << 8) : so_far;
}

static uint16_t fold(uint32_t total) {
    while (total >> 16)
        total = (total & 0xffff) + (total >> 16);
    return (uint16_t)~total;
}

/*
 * Writes IP and UDP headers and the payload. A Query has the router alert option, as IPv4 option or hop-by-hop
 * header.
 */
static size_t headers(uint8_t *out, const struct packet *payload, const struct address *from, const struct address *to,
                      bool alert) {
    struct packet h = {.length = 0};
    size_t udp = UDP_HEADER + payload->length;
    unsigned value = 65503;
    if (from->family == AF_INET) {
        unsigned words = alert ? 6 : 5;
        put16(&h, (4u << 12) | words << 8);
        put16(&h, (unsigned)(words * 4 + udp));
        put16(&h, (unsigned)draw() & 0xffff);
        put16(&h, 0x4000); /* DF */
        put8(&h, 64);
        put8(&h, IPPROTO_UDP);
        put16(&h, 0); /* checksum, which the kernel fills in */
        put(&h, from->bytes, 4);
        put(&h, to->bytes, 4);
        if (alert)
            put32(&h, 0x94040000u | value);
    } else {
        put32(&h, 6u << 28);
        put16(&h, (unsigned)(udp + (alert ? 8 : 0)));
        put8(&h, alert ? IPPROTO_HOPOPTS : IPPROTO_UDP);
        put8(&h, 64);
        put(&h, from->bytes, 16);
        put(&h, to->bytes, 16);
        if (alert) {
            put16(&h, IPPROTO_UDP << 8);
            put32(&h, 0x05020000u | value);
            put16(&h, 0x0100); /* PadN */
        }
    }
    size_t at = h.length;
    put16(&h, SOURCE_PORT);
    put16(&h, PORT);
    put16(&h, (unsigned)udp);
    put16(&h, 0);
    uint32_t total = sum(0, from->bytes, from->length);
    total = sum(total, to->bytes, to->length) + IPPROTO_UDP + (uint32_t)udp;
    total = sum(total, h.bytes + at, UDP_HEADER);
    uint16_t check = fold(sum(total, payload->bytes, payload->length));
    if (!check)
        check = 0xffff;
    h.bytes[at + 6] = (uint8_t)(check >> 8);
    h.bytes[at + 7] = (uint8_t)check;
    memcpy(out, h.bytes, h.length);
    memcpy(out + h.length, payload->bytes, payload->length);
    return h.length + payload->length;
}

static bool parse(struct address *a, const char *text) {
    a->family = strchr(text, ':') ? AF_INET6 : AF_INET;
    a->length = a->family == AF_INET ? 4 : 16;
    return inet_pton(a->family, text, a->bytes) == 1;
}

/* Returns an address below `prefix`. Its bits from `length` on are random. */
static struct address below(const struct address *prefix, unsigned length) {
    struct address a = *prefix;
    for (unsigned bit = length; bit < a.length * 8; bit++)
        if (draw() & 1)
            a.bytes[bit / 8] |= (uint8_t)(0x80u >> (bit % 8));
    return a;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pace(double start, double rate, unsigned long sent) {
    double ahead = rate > 0 ? start + (double)sent / rate - seconds() : 0;
    if (ahead > 0) {
        struct timespec t = {(time_t)ahead, (long)((ahead - (double)(time_t)ahead) * 1e9)};
        nanosleep(&t, NULL);
    }
}

/* Fills the payload. Returns true if the packet has the router alert option. */
static bool fill(struct packet *p, const char *kind, const struct address *from, const struct address *to,
                 uint64_t number) {
    p->length = 0;
    if (!strcmp(kind, "queries")) {
        message(p, QUERY, NETSERV, from, to, draw());
        return true;
    }
    if (!strcmp(kind, "confirms")) {
        message(p, CONFIRM, NETSERV, from, to, draw());
        return false;
    }
    if (number % 3 == 0) {
        message(p, QUERY, FOREIGN, from, to, number);
        return true;
    }
    if (number % 3 == 1)
        message(p, DATA, NETSERV, from, to, number);
    else
        noise(p, 4 + 8 + 4 + 8 + 2 * from->length + 4, number);
    return false;
}

static int raw_socket(const struct address *to) {
    int fd = socket(to->family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    int on = 1;
    if (fd >= 0 && to->family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_HDRINCL, &on, sizeof on)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        perror("lab-gist: raw socket");
    return fd;
}

static bool send_one(int fd, const uint8_t *bytes, size_t length, const struct address *to) {
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    memcpy(&v4.sin_addr, to->bytes, 4);
    memcpy(&v6.sin6_addr, to->bytes, to->length);
    const struct sockaddr *address = to->family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    return sendto(fd, bytes, length, 0, address, to->family == AF_INET ? sizeof v4 : sizeof v6) == (ssize_t)length;
}

int main(int argc, char **argv) {
    struct address prefix, to;
    char *slash = argc == 7 ? strchr(argv[2], '/') : NULL;
    if (slash)
        *slash = 0;
    if (argc != 7 || (strcmp(argv[1], "queries") && strcmp(argv[1], "confirms") && strcmp(argv[1], "transit")) ||
        !parse(&prefix, argv[2]) || !parse(&to, argv[3]) || prefix.family != to.family) {
        fprintf(stderr, "usage: lab-gist queries|confirms|transit PREFIX DESTINATION COUNT RATE SEED\n");
        return 2;
    }
    unsigned bits = slash ? (unsigned)strtoul(slash + 1, NULL, 10) : (unsigned)prefix.length * 8;
    unsigned long wanted = strtoul(argv[4], NULL, 10), sent = 0, errors = 0;
    double rate = strtod(argv[5], NULL);
    random_state = strtoull(argv[6], NULL, 10);
    int fd = raw_socket(&to);
    if (fd < 0)
        return 1;
    static struct packet payload;
    static uint8_t packet[2 * PACKET_MAX];
    double start = seconds();
    while (sent < wanted && errors < 1000) {
        struct address from = below(&prefix, bits);
        bool alert = fill(&payload, argv[1], &from, &to, sent);
        size_t length = headers(packet, &payload, &from, &to, alert);
        if (send_one(fd, packet, length, &to))
            sent++;
        else
            errors++; /* the interface's queue is full: try again */
        pace(start, rate, sent);
    }
    printf("sent=%lu errors=%lu seconds=%.3f\n", sent, errors, seconds() - start);
    close(fd);
    return sent == wanted ? 0 : 1;
}
