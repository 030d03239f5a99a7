/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-serval - one round of `netserv bench serval`: the time of a datagram through a router, all on one processor.
 *
 *   lab-serval OBJECTS PROGRAMS SENDER:IF ROUTER:IN:OUT RECEIVER:IF PACKETS RULES
 *
 *   none    sender ---> router, which drops where packets arrive: the time of sending
 *   kernel  sender ---> router ---> receiver, forwarded by the kernel's stack to the receiver's address
 *   serval  sender ---> router ---> receiver, by bpfd's program, to the target of the serviceID
 *
 * The three are network namespaces with the addresses 10.0.0.2, 10.0.0.1 and 10.0.1.1, 10.0.1.2. The program reads
 * lines "KIND LIVE PAYLOAD" from standard input, answers each with "ns=N received=N", and ends with its standard input.
 * The rules of the router are put into the kernel by bpfd's own code: a third of them of 64, 96 and 256 bits each. The
 * first line "rules=N added=N bytes=N" tells their number, how many were put in a second, and the kernel's memory for
 * each.
 */
#include "serval.h"
#include "serval_table.h"

#include "link.h"
#include "ns_libbpf.h"
#include "ns_time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 64
#define PORT 54325
#define ROUTER 0x0a000001u
#define SENDER 0x0a000002u
#define RECEIVER 0x0a000102u
#define YEARS_NS (1ull << 62)

struct place {
    char name[256], interface[16], out[16];
};

static struct ns_bpfd bpfd = {.offload_mark = NS_OFFLOAD_MARK, .turned_mark = 0x400000};
static struct serval_send *state;
static struct serval_sink *at_router, *at_receiver;
static struct bpf_program *sender, *drop;
static struct place from, router, to;
static uint8_t frame[SERVAL_BYTES(SERVAL_FULL)];
static uint64_t packets;

static int failed(const char *what) {
    fprintf(stderr, "lab-serval: %s: %s\n", what, strerror(errno));
    return -1;
}

static int enter(const struct place *place) {
    char path[300];
    int fd, status;

    snprintf(path, sizeof path, "/run/netns/%s", place->name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    status = fd < 0 ? -1 : setns(fd, CLONE_NEWNET);
    if (fd >= 0)
        close(fd);
    return status == 0 ? 0 : failed(path);
}

static struct bpf_program *load(const char *objects, const char *name, size_t bytes, void **shared) {
    struct bpf_object *object;
    struct bpf_map *map;
    char path[512];

    snprintf(path, sizeof path, "%s/lab-%s.bpf.o", objects, name);
    object = bpf_object__open_file(path, NULL);
    if (object == NULL || bpf_object__load(object) != 0)
        return NULL;
    map = bpf_object__find_map_by_name(object, "state");
    *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    return *shared == MAP_FAILED ? NULL : bpf_object__find_program_by_name(object, name);
}

/* --- the frame --- */

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value & 0xffff);
}

/* Sums 16-bit words in memory order. */
static uint32_t sum(const uint8_t *at, size_t bytes) {
    uint32_t total = 0;

    for (size_t i = 0; i < bytes; i += 2)
        total += at[i] | (uint32_t)at[i + 1] << 8;
    return total;
}

static uint16_t fold(uint32_t total) {
    total = (total & 0xffff) + (total >> 16);
    return (uint16_t) ~((total & 0xffff) + (total >> 16));
}

static void put_sum(uint8_t *at, uint16_t value) {
    memcpy(at, &value, sizeof value);
}

/*
 * Makes a datagram to a destination. With its checksum the SAL header sums up to ones, whichever serviceID it has, so
 * the checksum of the UDP header in front of it is the same for all.
 */
static void make_frame(uint32_t destination, const uint8_t link[12], uint32_t payload) {
    uint8_t *ip = frame + 14, *udp = ip + 20, *sal = frame + SERVAL_SAL, *inner = sal + SERVAL_HEADER;
    uint32_t bytes = SERVAL_BYTES(payload) - 14;

    memset(frame, 0, sizeof frame);
    memcpy(frame, link, 12);
    put16(frame + 12, 0x0800);
    put16(ip, 0x4500);
    put16(ip + 2, bytes);
    put16(ip + 6, 0x4000);
    put16(ip + 8, 64 << 8 | 17);
    put32(ip + 12, SENDER);
    put32(ip + 16, destination);
    put_sum(ip + 10, fold(sum(ip, 20)));
    put16(udp, 4000);
    put16(udp + 2, PORT);
    put16(udp + 4, bytes - 20);
    put32(sal, 5);
    sal[8] = SERVAL_HEADER / 4;
    sal[9] = 17;
    put16(sal + 12, 0x2024);
    put16(sal + 48, 0x2024);
    put32(sal + 52, 0xd903);
    put16(inner + 4, 8 + payload);
    state->sum = sum(sal, SERVAL_HEADER);
    put_sum(udp + 6, fold(0xffff + sum(ip + 12, 8) + htons(17) + 2u * htons((uint16_t)(bytes - 20)) + sum(udp, 4) +
                          sum(inner, 8 + payload)));
    memcpy(state->header, frame, SERVAL_WRITTEN);
}

/* --- the router --- */

static int put_rules(uint32_t count) {
    static const uint16_t lengths[] = {64, 96, 256};

    for (uint32_t i = 0; i < count; i++) {
        struct ns_serval_ask ask = {.family = 4,
                                    .what = NS_SERVAL_ASK_TARGET,
                                    .bits = lengths[i % 3],
                                    .router_port = PORT,
                                    .target_port = 7000,
                                    .weight = 1};

        for (uint32_t word = 0; word < ask.bits / 32u; word++) {
            uint32_t value = serval_word(i, word);

            memcpy(ask.id + 4 * word, &value, sizeof value);
        }
        put32(ask.router, ROUTER);
        put32(ask.target, RECEIVER);
        if (ns_serval_table_put(&bpfd, 0, &ask, YEARS_NS, false) != NS_SERVAL_REFUSED_NOT)
            return failed("a rule");
    }
    return 0;
}

/* Returns the bytes that the kernel has for a map, 0 if it does not tell. */
static uint64_t memory_of(const char *map) {
    char path[64], line[128];
    unsigned long long bytes = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", ns_programs_map(&bpfd.programs, map));
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "memlock: %llu", &bytes) == 1)
            break;
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

/* Attaches bpfd's entries to both interfaces, or none. */
static void attach(bool serval) {
    char names[2][NS_INTERFACE_MAX + 1];

    snprintf(names[0], sizeof names[0], "%s", router.interface);
    snprintf(names[1], sizeof names[1], "%s", router.out);
    ns_programs_attach(&bpfd.programs, serval ? 2 : 0, (const char(*)[NS_INTERFACE_MAX + 1]) names, NS_XDP_NATIVE,
                       true);
}

/* --- a run --- */

static int64_t send_all(uint64_t count, uint32_t payload) {
    DECLARE_LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = SERVAL_BYTES(payload),
                        .repeat = (int)count, .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = BATCH);

    state->sent = 0;
    if (bpf_prog_test_run_opts(bpf_program__fd(sender), &options) != 0)
        return failed("sending");
    return (int64_t)(state->last - state->begun); /* without the last batch */
}

static int measure(const char *kind, uint32_t live, uint32_t payload) {
    bool none = strcmp(kind, "none") == 0, serval = strcmp(kind, "serval") == 0;
    struct serval_sink *sink = none ? at_router : at_receiver;
    struct bpf_link *link = NULL;
    uint8_t links[12];
    int64_t took;

    if (enter(&from) != 0 || link_address(from.interface, links + 6) != 0 || enter(&router) != 0 ||
        link_address(router.interface, links) != 0)
        return failed("links");
    make_frame(serval ? ROUTER : RECEIVER, links, payload);
    state->live = live;
    state->random = 88172645u;
    attach(serval);
    if (none)
        link = bpf_program__attach_xdp(drop, (int)if_nametoindex(router.interface));
    if (enter(&from) != 0 || (none && link == NULL))
        return failed("the router");
    took = send_all(packets / 4 + 2 * live, payload); /* look-ups settle */
    sink->packets = 0;
    took = took < 0 ? took : send_all(packets, payload);
    bpf_link__destroy(link);
    if (took < 0)
        return -1;
    printf("ns=%.1f received=%llu\n", (double)took / (double)(packets - BATCH), (unsigned long long)sink->packets);
    return fflush(stdout);
}

static bool parse(struct place *place, const char *text) {
    return sscanf(text, "%255[^:]:%15[^:]:%15s", place->name, place->interface, place->out) >= 2;
}

static int pin(void) {
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0, &cpus);
    return sched_setaffinity(0, sizeof cpus, &cpus);
}

int main(int argc, char **argv) {
    static struct bpf_program *end;
    char line[64], kind[16];
    uint32_t live, payload, rules;
    uint64_t begun;

    if (argc != 8 || !parse(&from, argv[3]) || !parse(&router, argv[4]) || !parse(&to, argv[5])) {
        fprintf(stderr, "usage: lab-serval OBJECTS PROGRAMS SENDER:IF ROUTER:IN:OUT RECEIVER:IF PACKETS RULES\n");
        return 2;
    }
    packets = strtoull(argv[6], NULL, 10);
    sender = load(argv[1], "sal", sizeof *state, (void **)&state);
    drop = load(argv[1], "sink", sizeof *at_router, (void **)&at_router);
    end = load(argv[1], "sink", sizeof *at_receiver, (void **)&at_receiver);
    if (sender == NULL || drop == NULL || end == NULL || pin() != 0 || packets <= BATCH)
        return failed("the programs") != 0;
    if (enter(&to) != 0 || bpf_program__attach_xdp(end, (int)if_nametoindex(to.interface)) == NULL || enter(&from) != 0)
        return failed("the receiver") != 0;
    state->ifindex = if_nametoindex(from.interface);
    if (enter(&router) != 0 || ns_programs_open(&bpfd.programs, argv[2]) != 0)
        return 1;
    bpfd.programs.direct = true;
    rules = (uint32_t)strtoul(argv[7], NULL, 10);
    begun = ns_now_ns();
    if (rules == 0 || put_rules(rules) != 0)
        return 1;
    printf("rules=%u added=%.0f bytes=%.0f\n", bpfd.serval.rules, rules * 1e9 / (double)(ns_now_ns() - begun),
           (double)memory_of("ns_serval_rules") / rules);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%15s %u %u", kind, &live, &payload) != 3 || live == 0 || payload < SERVAL_PAYLOAD ||
            payload > SERVAL_FULL || payload % 2 != 0 || measure(kind, live, payload) != 0)
            puts("error");
    }
    return 0;
}
