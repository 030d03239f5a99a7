/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-relay - a bad link: carries frames between two interfaces and impairs them.
 *
 *   lab-relay [--seed=N] [--loss=P] [--delay=MS] [--jitter=MS] [--reorder=P] [--duplicate=P] IF_A IF_B
 *   lab-relay ... --dry-run=N        prints the fate of N frames sent 1 ms apart, touches no interface
 *
 * Each direction has its own generator, seeded from N, and draws the same four numbers per frame whatever the
 * options. So the k-th frame of a direction meets the same fate in every run. Frames leave in the order they came,
 * except frames chosen for reordering, which skip the delay. At most HELD frames wait per direction. Further
 * frames are lost, and counted.
 *
 * Checksums may still be open, and frames may be larger than the MTU (offloads of veth). The virtio header carries
 * that along. SIGTERM prints the counts and ends the program.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define HELD 4096
#define FRAME_MAX (65536 + 64)
#define BURST 64 /* frames read before looking at the other direction */

struct options {
    uint64_t seed;
    double loss, reorder, duplicate; /* 0..1 */
    double delay_ms, jitter_ms;
    long dry_run;
};

struct fate {
    bool lost, duplicated, reordered;
    uint64_t delay_ns;
};

struct held {
    uint64_t due_ns;
    size_t length;
    struct virtio_net_hdr header;
    uint8_t *frame;
};

struct direction {
    const char *name;
    int in, out;
    uint64_t random; /* state of the generator */
    uint64_t last_due_ns;
    struct held queue[HELD]; /* ordered by due_ns */
    size_t waiting;
    uint64_t received, lost, duplicated, reordered, overflowed, sent, send_errors;
};

static volatile sig_atomic_t stopping;

static void on_signal(int signal) {
    (void)signal;
    stopping = 1;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Draws a number 0 <= x < 1 by SplitMix64, which has no bad seed. */
static double draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

static struct fate decide(const struct options *o, uint64_t *random) {
    double loss = draw(random), duplicate = draw(random), reorder = draw(random), jitter = draw(random);
    struct fate fate = {
        .lost = loss < o->loss,
        .duplicated = duplicate < o->duplicate,
        .reordered = reorder < o->reorder,
    };
    if (!fate.reordered)
        fate.delay_ns = (uint64_t)((o->delay_ms + jitter * o->jitter_ms) * 1e6);
    return fate;
}

/*
 * Returns the time at which a frame that arrived at `now` leaves. A frame leaves before the frame ahead of it only if
 * it was chosen for reordering.
 */
static uint64_t due(struct direction *d, const struct fate *fate, uint64_t now) {
    uint64_t at = now + fate->delay_ns;
    if (fate->reordered)
        return at;
    if (at < d->last_due_ns)
        at = d->last_due_ns;
    d->last_due_ns = at;
    return at;
}

static void hold(struct direction *d, const struct held *frame) {
    if (d->waiting == HELD) {
        d->overflowed++;
        return;
    }
    struct held copy = *frame;
    copy.frame = malloc(frame->length);
    if (!copy.frame) {
        d->overflowed++;
        return;
    }
    memcpy(copy.frame, frame->frame, frame->length);
    size_t at = d->waiting++;
    for (; at > 0 && d->queue[at - 1].due_ns > copy.due_ns; at--)
        d->queue[at] = d->queue[at - 1];
    d->queue[at] = copy;
}

static void take(struct direction *d, const struct options *o, struct held *frame, uint64_t now) {
    struct fate fate = decide(o, &d->random);
    d->received++;
    if (fate.lost) {
        d->lost++;
        return;
    }
    d->reordered += fate.reordered;
    frame->due_ns = due(d, &fate, now);
    hold(d, frame);
    if (fate.duplicated) {
        d->duplicated++;
        hold(d, frame);
    }
}

/* Reads the frames that have arrived. Returns -1 on an error that will not pass. */
static int receive(struct direction *d, const struct options *o) {
    static uint8_t buffer[FRAME_MAX];
    for (int i = 0; i < BURST; i++) {
        struct held frame = {.frame = buffer};
        struct sockaddr_ll from;
        struct iovec parts[2] = {{&frame.header, sizeof frame.header}, {buffer, sizeof buffer}};
        struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = parts, .msg_iovlen = 2};
        ssize_t n = recvmsg(d->in, &message, MSG_DONTWAIT);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR || errno == ENETDOWN || errno == ENOBUFS ? 0 : -1;
        if (from.sll_pkttype == PACKET_OUTGOING || n <= (ssize_t)sizeof frame.header)
            continue;
        frame.length = (size_t)n - sizeof frame.header;
        take(d, o, &frame, now_ns());
    }
    return 0;
}

static void release(struct direction *d, uint64_t now) {
    size_t n = 0;
    for (; n < d->waiting && d->queue[n].due_ns <= now; n++) {
        struct held *frame = &d->queue[n];
        struct iovec parts[2] = {{&frame->header, sizeof frame->header}, {frame->frame, frame->length}};
        if (writev(d->out, parts, 2) < 0)
            d->send_errors++;
        else
            d->sent++;
        free(frame->frame);
    }
    memmove(d->queue, d->queue + n, (d->waiting - n) * sizeof d->queue[0]);
    d->waiting -= n;
}

static int open_interface(const char *name) {
    unsigned index = if_nametoindex(name);
    if (!index) {
        perror(name);
        return -1;
    }
    int one = 1, size = 8 << 20;
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)index};
    struct packet_mreq promiscuous = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_PROMISC};
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) ||
        setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) ||
        setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) ||
        setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous) ||
        bind(fd, (struct sockaddr *)&address, sizeof address)) {
        perror(name);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static void report(const struct direction *d) {
    printf("%s received=%" PRIu64 " lost=%" PRIu64 " duplicated=%" PRIu64 " reordered=%" PRIu64 " overflowed=%" PRIu64
           " sent=%" PRIu64 " send-errors=%" PRIu64 "\n",
           d->name, d->received, d->lost, d->duplicated, d->reordered, d->overflowed, d->sent, d->send_errors);
}

/* Returns the nanoseconds until the next frame is due, or -1. */
static int64_t next_due(const struct direction *d, uint64_t now) {
    if (!d[0].waiting && !d[1].waiting)
        return -1;
    uint64_t first = UINT64_MAX;
    for (int i = 0; i < 2; i++)
        if (d[i].waiting && d[i].queue[0].due_ns < first)
            first = d[i].queue[0].due_ns;
    return first > now ? (int64_t)(first - now) : 0;
}

static int run(struct direction *d, const struct options *o) {
    while (!stopping) {
        int64_t wait = next_due(d, now_ns());
        struct timespec time = {wait / 1000000000, wait % 1000000000};
        struct pollfd ready[2] = {{d[0].in, POLLIN, 0}, {d[1].in, POLLIN, 0}};
        if (ppoll(ready, 2, wait < 0 ? NULL : &time, NULL) < 0 && errno != EINTR) {
            perror("poll");
            return 1;
        }
        for (int i = 0; i < 2; i++) {
            if ((ready[i].revents & POLLIN) && receive(&d[i], o)) {
                perror(d[i].name);
                return 1;
            }
            release(&d[i], now_ns());
        }
    }
    return 0;
}

static void dry_run(struct direction *d, const struct options *o) {
    for (long i = 0; i < o->dry_run; i++) {
        struct fate fate = decide(o, &d->random);
        uint64_t at = fate.lost ? 0 : due(d, &fate, (uint64_t)i * 1000000);
        printf("%ld %s%s%s due=%" PRIu64 "\n", i, fate.lost ? "lost" : "kept", fate.duplicated ? " doubled" : "",
               fate.reordered ? " reordered" : "", at);
    }
}

/* Parses a decimal number from least to most. Exits on anything else. */
static double number(const char *name, const char *text, double least, double most) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno || end == text || *end || !(value >= least && value <= most)) {
        fprintf(stderr, "lab-relay: --%s=%s: expected %g to %g\n", name, text, least, most);
        exit(2);
    }
    return value;
}

static int parse(struct options *o, int argc, char **argv) {
    static const struct option known[] = {
        {"seed", 1, NULL, 's'},    {"loss", 1, NULL, 'l'},      {"delay", 1, NULL, 'd'},   {"jitter", 1, NULL, 'j'},
        {"reorder", 1, NULL, 'r'}, {"duplicate", 1, NULL, 'u'}, {"dry-run", 1, NULL, 'n'}, {0},
    };
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case 's':
            o->seed = strtoull(optarg, NULL, 10);
            break;
        case 'l':
            o->loss = number("loss", optarg, 0, 1);
            break;
        case 'd':
            o->delay_ms = number("delay", optarg, 0, 60000);
            break;
        case 'j':
            o->jitter_ms = number("jitter", optarg, 0, 60000);
            break;
        case 'r':
            o->reorder = number("reorder", optarg, 0, 1);
            break;
        case 'u':
            o->duplicate = number("duplicate", optarg, 0, 1);
            break;
        case 'n':
            o->dry_run = (long)number("dry-run", optarg, 1, 1e6);
            break;
        default:
            return -1;
        }
    }
    return o->dry_run || argc - optind == 2 ? 0 : -1;
}

int main(int argc, char **argv) {
    static struct direction d[2];
    struct options o = {.seed = 1};
    if (parse(&o, argc, argv)) {
        fprintf(stderr,
                "usage: lab-relay [--seed=N] [--loss=P] [--delay=MS] [--jitter=MS] [--reorder=P] [--duplicate=P] "
                "[--dry-run=N] IF_A IF_B\n");
        return 2;
    }
    d[0].name = "a-to-b";
    d[1].name = "b-to-a";
    d[0].random = o.seed;
    d[1].random = ~o.seed;
    if (o.dry_run) {
        dry_run(&d[0], &o);
        return 0;
    }
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    int a = open_interface(argv[optind]), b = open_interface(argv[optind + 1]);
    int status = 1;
    if (a >= 0 && b >= 0) {
        d[0].in = d[1].out = a;
        d[1].in = d[0].out = b;
        setvbuf(stdout, NULL, _IOLBF, 0);
        puts("ready");
        status = run(d, &o);
        report(&d[0]);
        report(&d[1]);
    }
    if (a >= 0)
        close(a);
    if (b >= 0)
        close(b);
    return status;
}
