/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigio - intercepts, receives and sends the datagrams of GIST for nsis-gist, which has no capability.
 * docs/protocols/sigio.md.
 *
 *     sigio --listen-fd N --client-uid U [--queue 270] [--queue-fd N] [--stats-fd N]
 *           [--deadline-ms 500] [--sends-per-second 50000]
 *
 * The spawner starts it with inherited descriptors: a listening UNIX socket, an unbound netlink socket, a page for
 * counters. sigio opens its own sockets (CAP_NET_RAW, CAP_NET_BIND_SERVICE) and then keeps only CAP_NET_ADMIN, for
 * the queue.
 *
 * SIGTERM lets everything held go on. Exit status: 0 stopped; 1 the queue or a socket cannot be used; 2 usage.
 */
#include "loop.h"
#include "ns_caps.h"
#include "ns_log.h"
#include "ns_memfd.h"
#include "ns_seccomp.h"
#include "ns_time.h"
#include "route.h"
#include "socket.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#define QUEUE_LENGTH 1024
#define PACKETS_PER_SECOND 5000 /* until gist says another number */
#define ERRORS_PER_SECOND 200
#define SENDS_PER_SECOND 50000 /* whatever limit gist sets: more than a node can use */

enum { LISTEN_FD, CLIENT_UID, QUEUE, QUEUE_FD, STATS_FD, DEADLINE, SENDS, SECCOMP, NUMBERS };

#define NONE (-1)

static const struct {
    const char *name;
    long least, most, preset;
} numbers[NUMBERS] = {
    [LISTEN_FD] = {"listen-fd", 3, INT_MAX, NONE},
    [CLIENT_UID] = {"client-uid", 0, UINT32_MAX - 1L, NONE},
    [QUEUE] = {"queue", 0, 65535, NS_GIST_PORT},
    [QUEUE_FD] = {"queue-fd", 3, INT_MAX, NONE},
    [STATS_FD] = {"stats-fd", 3, INT_MAX, NONE},
    [DEADLINE] = {"deadline-ms", 1, 10000, 500},
    [SENDS] = {"sends-per-second", 1, 1000000, SENDS_PER_SECOND},
    [SECCOMP] = {"seccomp", 0, 1, 1},
};

static bool read_number(int option, const char *text, long *value) {
    char *end;

    errno = 0;
    *value = strtol(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value >= numbers[option].least &&
        *value <= numbers[option].most)
        return true;
    ns_error("--%s: %s is not a number in %ld..%ld", numbers[option].name, text, numbers[option].least,
             numbers[option].most);
    return false;
}

static bool read_options(long *values, int argc, char **argv) {
    struct option table[NUMBERS + 1] = {{NULL, 0, NULL, 0}};
    int option;

    for (int i = 0; i < NUMBERS; i++) {
        table[i] = (struct option){numbers[i].name, required_argument, NULL, i};
        values[i] = numbers[i].preset;
    }
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == '?' || !read_number(option, optarg, &values[option]))
            return false;
    }
    if (optind == argc && values[LISTEN_FD] != NONE && values[CLIENT_UID] != NONE)
        return true;
    ns_error("usage: sigio --listen-fd N --client-uid U ...");
    return false;
}

/* Maps the counters shared with the spawner, or makes private ones. */
static struct ns_sigio_counters *map_counters(int fd) {
    void *at;

    if (fd != NONE && ns_memfd_check(fd, sizeof(struct ns_sigio_counters)) != 0)
        return NULL;
    at = mmap(NULL, sizeof(struct ns_sigio_counters), PROT_READ | PROT_WRITE,
              fd == NONE ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

static int fail(const char *what) {
    ns_error("%s: %s", what, strerror(errno));
    return 1;
}

static int open_sockets(struct ns_sigio *sigio) {
    sigio->sockets[0] = ns_socket_open(4);
    if (sigio->sockets[0] < 0)
        return fail("UDP port 270");
    sigio->sockets[1] = ns_socket_open(6);
    if (sigio->sockets[1] < 0 && errno != EAFNOSUPPORT)
        return fail("UDP port 270, IPv6");
    if (ns_routes_open(&sigio->routes) != 0 || ns_mtu_open(&sigio->mtu) != 0)
        return fail("rtnetlink");
    return ns_sender_open(&sigio->sender, &sigio->routes, &sigio->mtu) != 0 ? fail("raw socket") : 0;
}

/*
 * Returns the microseconds since boot as the first number, so that tokens of an earlier sigio, which gist may still
 * hold, are never given again.
 */
static uint64_t first_token(void) {
    return ns_now_ns() / 1000;
}

int main(int argc, char **argv) {
    static struct ns_sigio sigio;
    long values[NUMBERS];
    uint64_t seed;

    ns_log_open("sigio");
    if (!read_options(values, argc, argv))
        return 2;
    sigio.client =
        (struct ns_sig_client){.listener = (int)values[LISTEN_FD], .fd = -1, .uid = (uid_t)values[CLIENT_UID]};
    sigio.held.number = first_token();
    sigio.deadline = (uint64_t)values[DEADLINE] * 1000000;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        return fail("random numbers");
    ns_fair_set(&sigio.packets, PACKETS_PER_SECOND, seed | 1);
    sigio.datagrams = ns_bucket_of(PACKETS_PER_SECOND);
    sigio.errors = ns_bucket_of(ERRORS_PER_SECOND);
    sigio.sends = ns_bucket_of((uint64_t)values[SENDS]);
    sigio.counters = map_counters((int)values[STATS_FD]);
    if (sigio.counters == NULL)
        return fail("counters");
    if (open_sockets(&sigio) != 0)
        return 1;
    if (ns_caps_keep_only(NS_CAP(CAP_NET_ADMIN)) != 0)
        return fail("CAP_NET_ADMIN");
    if (ns_nfq_open(&sigio.queue, (int)values[QUEUE_FD], (uint16_t)values[QUEUE], QUEUE_LENGTH, NS_NFQ_PACKET_MAX) != 0)
        return fail("queue");
    ns_info("queue %ld, UDP port %d%s", values[QUEUE], NS_GIST_PORT, sigio.sockets[1] < 0 ? ", no IPv6" : "");
    if (values[SECCOMP] != 0 && ns_seccomp_enter(&ns_seccomp_packet) != 0)
        return fail("seccomp");
    return ns_sigio_loop(&sigio) == 0 ? 0 : 1;
}
