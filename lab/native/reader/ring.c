/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-ring - a container without Java: a real pktio, and the host's own loop on the ring. The upcall is a C
 * function that passes every packet.
 *
 *   lab-ring PKTIO QUEUE LENGTH                                    packets come by the queue
 *   lab-ring PKTIO QUEUE LENGTH BPFD PROGRAMS INTERFACE INTERFACE  packets come by AF_XDP
 *
 * The host's packets.c is linked as it is.
 */
#include "no_jvm.h"
#include "reader.h"
#include "steer.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct ns_host ns_host;
static struct ns_last last;

static uint32_t on_batch(uint64_t first, uint32_t count, uint64_t answered) {
    const struct ns_ring_map *ring = &ns_host.ring;

    for (uint32_t i = 0; i < count; i++) {
        const struct ns_ring_desc *desc = &ring->desc[(first + i) & (ring->slots - 1)];

        ring->verdict[(answered + i) & (2 * ring->slots - 1)] =
            (struct ns_ring_verdict){.seq = desc->seq, .code = NS_VERDICT_PASS};
    }
    return count;
}

JNIEnv *ns_jvm_attach(const char *name) {
    prctl(PR_SET_NAME, name);
    return &no_jvm;
}

int ns_thread_start(void *(*run)(void *), void *argument) {
    pthread_t thread;

    return pthread_create(&thread, NULL, run, argument) == 0 ? 0 : -1;
}

static void become_pktio(char **argv, const struct ns_ring_fds *fds, int counters, struct steer *steer) {
    char option[10][40];
    char *arguments[11 + STEER_OPTIONS] = {argv[1], "--name", "bench"};
    const int values[7] = {fds->desc_rw,  fds->slots,   ns_host.options.receive_fd, ns_host.options.send_fd, counters,
                           atoi(argv[2]), atoi(argv[3])};
    static const char *const names[7] = {"desc-fd", "slots-fd", "rx-efd", "tx-efd", "stats-fd", "queue", "queue-len"};

    reader_follow_parent();
    for (int i = 0; i < 7; i++) {
        snprintf(option[i], sizeof option[i], "--%s=%d", names[i], values[i]);
        arguments[3 + i] = option[i];
    }
    for (int i = 0; i < 5; i++)
        fcntl(values[i], F_SETFD, 0); /* the first five are descriptors */
    for (int i = 0; steer != NULL && i < STEER_OPTIONS; i++) {
        arguments[10 + i] = steer->option[i];
        fcntl(steer->fds[i], F_SETFD, 0);
    }
    execv(argv[1], arguments);
    reader_fail(argv[1]);
}

/* Waits for the first turn of a pktio. A pktio counts its turns, and has its queue before the first. */
static void await_turn(const struct ns_counters *counters, pid_t pktio) {
    const struct timespec pause = {.tv_nsec = 10000000};

    while (__atomic_load_n(&counters->heartbeat, __ATOMIC_RELAXED) == 0) {
        if (waitpid(pktio, NULL, WNOHANG) == pktio)
            exit(1); /* pktio has printed the reason */
        nanosleep(&pause, NULL);
    }
}

int main(int argc, char **argv) {
    bool by_xdp = argc == 6 + STEER_INTERFACES;
    struct ns_ring_fds fds;
    struct steer steer;
    const struct ns_counters *counted;
    int counters, status;
    pid_t pktio;

    if (argc != 4 && !by_xdp) {
        fprintf(stderr, "usage: lab-ring PKTIO QUEUE LENGTH [BPFD PROGRAMS INTERFACE INTERFACE]\n");
        return 2;
    }
    reader_follow_parent();
    counted = reader_counters(&counters);
    if (ns_ring_create(NS_RING_SLOTS_DEFAULT, &fds) != 0 ||
        ns_ring_map(&ns_host.ring, fds.desc_ro, fds.slots, NS_RING_SLOTS_DEFAULT, 0) != 0)
        reader_fail("ring");
    ns_host.last = &last;
    ns_host.options.receive_fd = eventfd(0, EFD_CLOEXEC);
    ns_host.options.send_fd = eventfd(0, EFD_CLOEXEC);
    if (by_xdp)
        steer_start(&steer, argv[4], argv[5], argv + 6);
    pktio = fork();
    if (pktio == 0)
        become_pktio(argv, &fds, counters, by_xdp ? &steer : NULL);
    if (pktio < 0 || ns_packets_start(&no_jvm) != 0)
        reader_fail("start");
    await_turn(counted, pktio);
    reader_ready();
    waitpid(pktio, &status, 0);
    return 1;
}
