/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-mlffr - one configuration of `netserv bench mlffr`: sends through the router, counts at the other end.
 *
 *   lab-mlffr OBJECTS SENDER:IF ROUTER:IF RECEIVER:IF BYTES PORT CORES [CLIENT SERVER CHANNEL COUNTED]
 *
 *   sender, CPU 0 ----> router, CPU 1; with CORES 2 its NAPI thread is on CPU 0 ----> receiver, CPU 1.
 *
 * A machine with one processor has the router on CPU 0, too. Then only the work of the router's tasks means
 * something, but no rate and no time.
 *
 * With CLIENT the frames are ChannelData of 64 clients of a TURN server. CLIENT is the first client's address, PORT the
 * port of all and of SERVER, and COUNTED the port of the peer.
 *
 * The three are network namespaces. The program reads a line at a time from standard input and answers each with
 * "name=number ..." or "error". The lines are:
 *
 *   pin PID THREAD      runs the threads of that name on the router's CPU, first in, first out; "-" = all threads,
 *                       "+" = none: all threads run elsewhere.
 *   tasks [PID[:THREAD]...]
 *                       processes to measure, beside the NAPI thread; THREAD is the one on the packet path.
 *   counters PID        process that counts the packets it has seen; 0 = nobody reads packets.
 *   trial RATE PACKETS BURST KIND        packets per second (0 = as fast as possible); KIND 1 = look at stamps,
 *                                        2 = look at the cost.
 *
 * The program ends with its standard input, and with its parent. SIGALRM ends a trial that does not end.
 */
#include "mlffr.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define WATCHDOG_SECONDS 30
#define SENDER_PRIORITY 40
#define READER_PRIORITY 50
#define NAPI_PRIORITY 60
#define RECEIVER_PRIORITY 61 /* its ring has 256 places */
#define RECEIVER_BEHIND 45   /* behind all others: see tasks.c */
#define QUIET_MS 40          /* no packet comes after this silence */
#define WAIT_MS 1500

enum kind { RATE, LATENCY, COST };

static struct wires wires;
static int napi, receiver_napi;
static bool two_processors;

static bool place_parse(struct place *place, const char *text) {
    return sscanf(text, "%255[^:]:%15s", place->name, place->interface) == 2;
}

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/*
 * Waits until nothing has arrived for a while and no packet waits in a queue. A packet that waits for a reader that
 * has not run would count in no trial.
 */
static void settle(void) {
    struct queue_state queues;
    uint64_t before = ~0ull;
    int quiet = 0;

    for (int waited = 0; waited < WAIT_MS && quiet < QUIET_MS; waited += 5) {
        uint64_t now = __atomic_load_n(&wires.count->packets, __ATOMIC_RELAXED);

        bool waits = router_queues(wires.queues, &queues) == 0 && queues.waiting != 0;

        quiet = now == before && !waits ? quiet + 5 : 0;
        before = now;
        pause_ms(5);
    }
}

struct state {
    struct cost cost;
    struct seen seen;
    struct queue_state queues;
};

static int look(struct state *state) {
    tasks_cost(&state->cost);
    counters_read(&state->seen);
    return router_queues(wires.queues, &state->queues);
}

/* Returns the microseconds that `share` of the packets did not exceed. */
static uint32_t percentile(uint64_t total, double share) {
    uint64_t passed = 0;

    for (uint32_t i = 0; i < WIRE_BUCKETS; i++) {
        passed += wires.count->micros[i];
        if (passed != 0 && (double)passed >= share * (double)total)
            return i;
    }
    return 0;
}

/*
 * Reads the idle time of the router's processor. If a part of the router shares the sender's processor, the idle time
 * is unknown and counts as 0.
 */
static int idle_of_router(uint64_t *nanos) {
    *nanos = 0;
    return two_processors ? 0 : router_idle(nanos);
}

static int send_all(uint64_t rate, uint64_t packets, uint32_t burst, bool latency) {
    struct state before, after;
    uint64_t received, idle, idle_after;
    int64_t nanos;

    wires.count->packets = 0;
    wires.count->stamp = latency ? wires.frame.stamp : 0;
    if (latency)
        memset(wires.count->micros, 0, sizeof wires.count->micros);
    if (look(&before) != 0 || idle_of_router(&idle) != 0)
        return -1;
    nanos = wires_send(&wires, packets, burst, rate == 0 ? 0 : burst * 1000000000ull / rate);
    if (nanos < 0 || idle_of_router(&idle_after) != 0)
        return -1;
    settle();
    if (look(&after) != 0)
        return -1;
    received = wires.count->packets;
    printf("sent=%" PRIu64 " received=%" PRIu64 " nanos=%" PRId64 " idle=%" PRIu64, (uint64_t)wires.send->sent,
           received, nanos, idle_after - idle);
    printf(" cpu=%" PRIu64 " path=%" PRIu64 " instructions=%" PRIu64 " cycles=%" PRIu64,
           after.cost.nanos - before.cost.nanos, after.cost.path_nanos - before.cost.path_nanos,
           after.cost.instructions - before.cost.instructions, after.cost.cycles - before.cost.cycles);
    printf(" seen=%" PRIu64 " passed=%" PRIu64 " other=%" PRIu64, after.seen.received - before.seen.received,
           after.seen.passed - before.seen.passed, after.seen.other - before.seen.other);
    printf(" queued=%" PRIu64 " queue_dropped=%" PRIu64 " user_dropped=%" PRIu64,
           after.queues.queued - before.queues.queued, after.queues.queue_dropped - before.queues.queue_dropped,
           after.queues.user_dropped - before.queues.user_dropped);
    if (latency)
        printf(" p50=%u p90=%u p99=%u", percentile(received, 0.5), percentile(received, 0.9),
               percentile(received, 0.99));
    printf("\n");
    return 0;
}

static int trial(uint64_t rate, uint64_t packets, uint32_t burst, enum kind kind) {
    int status;

    if (kind != COST)
        return send_all(rate, packets, burst, kind == LATENCY);
    if (task_pin(receiver_napi, router_cpu(), RECEIVER_BEHIND) != 0)
        return -1;
    status = send_all(rate, packets, burst, false);
    return task_pin(receiver_napi, router_cpu(), RECEIVER_PRIORITY) != 0 ? -1 : status;
}

static int pin(int pid, const char *thread) {
    int count = thread[0] == '+' ? tasks_pin(pid, NULL, MLFFR_SENDER_CPU, 0)
                                 : tasks_pin(pid, thread[0] == '-' ? NULL : thread, router_cpu(), READER_PRIORITY);

    if (count >= 0)
        printf("threads=%d\n", count);
    return count < 0 ? -1 : 0;
}

static int tasks(char *words) {
    tasks_clear();
    if (napi > 0 && tasks_add(napi, "") != 0)
        return -1;
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        const char *thread = strchr(word, ':');

        if (tasks_add(atoi(word), thread == NULL ? "" : thread + 1) != 0)
            return -1;
    }
    printf("countable=%d\n", tasks_countable());
    return 0;
}

static int counters(int pid) {
    counters_close();
    if (pid != 0 && counters_open(pid) != 0)
        return -1;
    printf("pid=%d\n", pid);
    return 0;
}

static int obey(char *line) {
    uint64_t rate, packets;
    unsigned burst, kind;
    char thread[32];
    int pid;

    if (sscanf(line, "trial %" SCNu64 " %" SCNu64 " %u %u", &rate, &packets, &burst, &kind) == 4 && packets != 0 &&
        packets <= 10000000 && burst != 0 && burst <= 256 && kind <= COST)
        return trial(rate, packets, burst, (enum kind)kind);
    if (sscanf(line, "pin %d %31s", &pid, thread) == 2)
        return pin(pid, thread);
    if (strncmp(line, "tasks", 5) == 0)
        return tasks(line + 5);
    if (sscanf(line, "counters %d", &pid) == 1)
        return counters(pid);
    fprintf(stderr, "lab-mlffr: %s: not understood\n", line);
    return -1;
}

/* Reads CLIENT SERVER CHANNEL COUNTED. */
static int channels(struct flows *flows, char **argv, const struct place *sender, const struct place *router) {
    struct in_addr client, server;

    if (inet_pton(AF_INET, argv[0], &client) != 1 || inet_pton(AF_INET, argv[1], &server) != 1)
        return -1;
    flows->source = ntohl(client.s_addr);
    flows->destination = ntohl(server.s_addr);
    flows->channel = (uint16_t)strtoul(argv[2], NULL, 0);
    flows->counted = (uint16_t)atoi(argv[3]);
    return wires_address(router, flows->links) != 0 || wires_address(sender, flows->links + 6) != 0 ? -1 : 0;
}

static int prepare(char **argv) {
    struct place sender, router, receiver;
    struct flows flows;

    if (!place_parse(&sender, argv[2]) || !place_parse(&router, argv[3]) || !place_parse(&receiver, argv[4]))
        return -1;
    frame_flows(&flows, (uint16_t)atoi(argv[6]));
    if (argv[8] != NULL && channels(&flows, argv + 8, &sender, &router) != 0)
        return -1;
    if (frame_make(&wires.frame, (size_t)atoi(argv[5]), &flows) != 0)
        return -1;
    if (wires_open_receiver(&wires, argv[1], &receiver, flows.counted) != 0)
        return -1;
    receiver_napi = napi_pin(&receiver, router_cpu(), RECEIVER_PRIORITY);
    two_processors = atoi(argv[7]) != 1;
    napi = napi_pin(&router, two_processors ? MLFFR_SENDER_CPU : router_cpu(), NAPI_PRIORITY);
    if (napi < 0 || receiver_napi < 0)
        return -1;
    wires.queues = router_queues_open();
    if (wires_open_sender(&wires, argv[1], &sender) != 0)
        return -1;
    return task_pin(0, MLFFR_SENDER_CPU, SENDER_PRIORITY);
}

int main(int argc, char **argv) {
    char line[1024];

    if (argc != 8 && argc != 12) {
        fprintf(stderr, "usage: lab-mlffr OBJECTS SENDER:IF ROUTER:IF RECEIVER:IF BYTES PORT CORES "
                        "[CLIENT SERVER CHANNEL COUNTED]\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(WATCHDOG_SECONDS);
    if (prepare(argv) != 0)
        return 1;
    printf("napi=%d countable=%d\n", napi, tasks_countable());
    for (alarm(0); fgets(line, sizeof line, stdin) != NULL; alarm(0)) {
        line[strcspn(line, "\n")] = '\0';
        alarm(WATCHDOG_SECONDS);
        if (obey(line) != 0)
            printf("error\n");
    }
    return 0;
}
