/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two lists of filters take turns while packets run through the steering program. A packet to 10.2.0.1 comes to the
 * receive queue of container a, and is never a's.
 *
 *     list     first filter            last filter          the packet is
 *     one      10.2.0.0/16 to b        everything to a      b's.
 *     other    10.3.0.0/16 to b        10.4.0.0/16 to a     nobody's.
 *
 * A program that meets the other list's first filter and then the first list's last filter would take the packet for
 * a's.
 */
#include "flows.h"
#include "ns_libbpf.h"
#include "ns_test.h"
#include "steer.h"
#include "wire.h"

#include <linux/bpf.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 400      /* number of lists put in place */
#define IN_PLACE 200000 /* at most */
#define BATCH 20000     /* packets of one call; the call waits for a grace period of its own */

static struct ns_bpfd bpfd = {.offload_mark = NS_OFFLOAD_MARK, .turned_mark = 0x400000};
static struct ns_granted *a;
static struct ns_way_filters lists[2];
static uint64_t *packets; /* number of packets run, counted by the process that runs them */
static pid_t hammer;

static void add(struct ns_way_filters *list, const char *format, unsigned number) {
    char text[128];
    struct ns_line line;
    const char *why;

    snprintf(text, sizeof text, format, number);
    NS_CHECK(ns_line_parse(&line, text, strlen(text), false));
    NS_CHECK(ns_way_parse(&list->filter[list->count++], &line, &why));
}

static void make_lists(void) {
    for (unsigned i = 0; i < 2; i++) {
        add(&lists[i], "container=b family=4 proto=17 do=steer dst=10.%u.0.0/16", 2 + i);
        for (unsigned other = 0; other < NS_STEER_FILTERS - 2; other++)
            add(&lists[i], "container=b family=4 proto=17 do=steer dst=192.0.2.%u", other % 256);
    }
    add(&lists[0], "container=a family=4 proto=17 do=steer", 0);
    add(&lists[1], "container=a family=4 proto=17 do=steer dst=10.4.0.0/16", 0);
}

static struct ns_granted *grant(const char *name) {
    int pair[2];

    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    close(pair[0]);
    return ns_flows_grant(&bpfd, name, pair[1], -1, -1);
}

/* Gives the queue to a. No socket stands behind it, because no packet may come so far. */
static void give_queue(const uint8_t *address) {
    const struct ns_steer_queue queue = {if_nametoindex("in0"), 0};
    struct ns_steer_socket to = {.container = (uint16_t)a->slot};

    memcpy(to.address, address, sizeof to.address);
    NS_EQUAL(0, bpf_map_update_elem(ns_programs_map(&bpfd.programs, "steer_queues"), &queue, &to, BPF_ANY));
}

/*
 * Binds a process to a processor of its own. On one processor the two would take turns, and never run at the same
 * time.
 */
static void stay_on(int processor) {
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        perror("processor");
}

static void run_for_ever(const uint8_t *frame, size_t length) {
    struct xdp_md context = {.data_end = (uint32_t)length, .ingress_ifindex = if_nametoindex("in0")};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    stay_on(1);
    for (;;) {
        LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = (uint32_t)length, .ctx_in = &context,
                    .ctx_size_in = sizeof context, .repeat = BATCH);

        if (bpf_prog_test_run_opts(ns_programs_program(&bpfd.programs, "ns_steer"), &options) != 0)
            abort();
        __atomic_fetch_add(packets, BATCH, __ATOMIC_RELAXED);
    }
}

static uint64_t of(const char *counts, const char *key) {
    return strtoull(strstr(counts, key) + strlen(key), NULL, 10);
}

/*
 * Returns the number of packets taken for a's: the packets that went on behind its filters. The interface's own
 * packets are unfit before them.
 */
static uint64_t mistaken(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    uint64_t all = 0;

    ns_steer_print_counts(&bpfd, a, out);
    fclose(out);
    for (char *at = text; (at = strchr(at, '=')) != NULL; at++)
        all += strtoull(at + 1, NULL, 10);
    all -= of(text, " steer-other=") + of(text, " steer-unfit=");
    free(text);
    return all;
}

static bool packets_run(uint64_t count) {
    uint64_t from = __atomic_load_n(packets, __ATOMIC_RELAXED);

    for (unsigned left = 10000; left != 0; left--) {
        if (__atomic_load_n(packets, __ATOMIC_RELAXED) - from >= count)
            return true;
        usleep(1000);
    }
    return false;
}

NS_TEST(packets_run_through_the_program) {
    static const char name[][NS_INTERFACE_MAX + 1] = {"in0"};
    static const struct wire w = {4, 17, 64, 0, "192.0.2.10", "10.2.0.1", 5000, 5060, 40, false};
    uint32_t index = if_nametoindex("in0");
    struct ns_interface interface;
    uint8_t frame[WIRE_MAX];
    size_t length;

    make_lists();
    ns_programs_attach(&bpfd.programs, 1, name, NS_XDP_NATIVE, false);
    a = grant("a");
    NS_CHECK(a != NULL && grant("b") != NULL);
    NS_EQUAL(0, bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "ns_interfaces"), &index, &interface));
    give_queue(interface.address);
    ns_flows_filter(&bpfd, &lists[0]);
    length = wire_make(frame, &w);
    memcpy(frame, interface.address, 6);
    packets = mmap(NULL, sizeof *packets, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stay_on(0);
    hammer = fork();
    if (hammer == 0)
        run_for_ever(frame, length);
    NS_CHECK(packets_run(100000));
    NS_EQUAL(0, mistaken());
}

NS_TEST(no_packet_meets_filters_of_two_lists) {
    uint64_t from = __atomic_load_n(packets, __ATOMIC_RELAXED);

    for (unsigned i = 0; i < ROUNDS; i++) {
        NS_EQUAL(0, ns_flows_filter(&bpfd, &lists[i % 2]));
        NS_EQUAL(0, mistaken());
    }
    NS_CHECK(packets_run(10000));
    NS_EQUAL(0, mistaken());
    printf("%u lists, %llu packets\n", ROUNDS, (unsigned long long)(__atomic_load_n(packets, __ATOMIC_RELAXED) - from));
}

static int list_slot(const void *context, const char *container) {
    (void)context;
    return container[0] == 'a' ? (int)a->slot : (int)a->slot + 1;
}

/*
 * The control: the list is one element of an array, as in earlier versions. The kernel copies a new list over the old
 * one while programs read.
 */
NS_TEST(written_in_place_they_would) {
    static struct ns_steer_filters compiled[2];
    uint32_t zero = 0, id;
    unsigned i = 0;
    int list;

    for (unsigned k = 0; k < 2; k++)
        ns_steer_compile(&compiled[k], &lists[k], list_slot, NULL);
    NS_EQUAL(0, bpf_map_lookup_elem(ns_programs_map(&bpfd.programs, "steer_filters"), &zero, &id));
    list = bpf_map_get_fd_by_id(id);
    NS_CHECK(list >= 0);
    while (i < IN_PLACE && (i % 100 != 0 || mistaken() == 0))
        NS_EQUAL(0, bpf_map_update_elem(list, &zero, &compiled[i++ % 2], BPF_ANY));
    printf("%llu packets mistaken after %u lists in place\n", (unsigned long long)mistaken(), i);
    NS_CHECK(mistaken() != 0);
    close(list);
    kill(hammer, SIGKILL);
    waitpid(hammer, NULL, 0);
}

int main(int argc, char **argv) {
    if (argc != 2 || ns_programs_open(&bpfd.programs, argv[1]) != 0)
        return 1;
    NS_RUN(packets_run_through_the_program);
    NS_RUN(no_packet_meets_filters_of_two_lists);
    NS_RUN(written_in_place_they_would);
    return ns_test_end();
}
