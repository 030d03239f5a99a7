/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the host's loop on the ring: the packets of each upcall. The test plays pktio, and a function of the test
 * plays Java.
 */
#include "no_jvm.h"
#include "patience.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 1024u
#define CALLS_MAX 4096u

struct ns_host ns_host;

static struct ns_ring_map pktio;
static struct ns_last last;
static struct {
    uint64_t first;
    uint32_t count;
} calls[CALLS_MAX];
static uint32_t called; /* atomic */
static uint64_t made;   /* descriptors */
static uint32_t held;   /* atomic: the next call waits for `go` */
static sem_t go;
static pthread_t loop;

static uint32_t calls_made(void) {
    return __atomic_load_n(&called, __ATOMIC_ACQUIRE);
}

static uint64_t answered(void) {
    return __atomic_load_n(&pktio.s->answered, __ATOMIC_ACQUIRE);
}

static bool sleeps(void) {
    return __atomic_load_n(&pktio.s->container_sleeps, __ATOMIC_SEQ_CST) != 0;
}

/* --- the virtual machine --- */

static uint32_t on_batch(uint64_t first, uint32_t count, uint64_t number) {
    uint32_t at = calls_made();

    for (uint32_t i = 0; i < count; i++)
        ns_host.ring.verdict[(number + i) & (2 * SLOTS - 1)] = (struct ns_ring_verdict){.seq = (uint32_t)first + i};
    if (at < CALLS_MAX) {
        calls[at].first = first;
        calls[at].count = count;
    }
    __atomic_store_n(&called, at + 1, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&held, 0, __ATOMIC_SEQ_CST) != 0)
        sem_wait(&go);
    return count;
}

JNIEnv *ns_jvm_attach(const char *name) {
    (void)name;
    return &no_jvm;
}

int ns_thread_start(void *(*run)(void *), void *argument) {
    return pthread_create(&loop, NULL, run, argument) == 0 ? 0 : -1;
}

uint64_t ns_now(void) {
    return 1;
}

/* --- pktio --- */

/* Publishes so many descriptors as pktio does. Returns true if it had to wake the host for them. */
static bool publish(unsigned count) {
    uint64_t one = 1;

    made += count;
    __atomic_store_n(&pktio.d->produced, made, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return sleeps() && write(ns_host.options.receive_fd, &one, sizeof one) == sizeof one;
}

NS_TEST(the_loop_starts_asleep_on_its_own_processors) {
    unsigned last_one = CPU_SETSIZE - 1;
    struct ns_ring_fds fds;
    cpu_set_t all, after, its;

    NS_EQUAL(0, ns_ring_create(SLOTS, &fds));
    NS_EQUAL(0, ns_ring_map(&pktio, fds.desc_rw, fds.slots, SLOTS, 1));
    NS_EQUAL(0, ns_ring_map(&ns_host.ring, fds.desc_ro, fds.slots, SLOTS, 0));
    ns_ring_close(&fds);
    ns_host.last = &last;
    ns_host.options.receive_fd = eventfd(0, EFD_CLOEXEC);
    ns_host.options.send_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    NS_EQUAL(0, sem_init(&go, 0, 0));
    NS_EQUAL(0, sched_getaffinity(0, sizeof all, &all));
    while (!CPU_ISSET(last_one, &all))
        last_one--;
    CPU_SET(last_one, &ns_host.options.packets);
    ns_host.options.packet_processors = "the last";
    NS_EQUAL(0, ns_packets_start(&no_jvm));
    WAIT_FOR(sleeps());
    NS_EQUAL(0, calls_made());
    NS_EQUAL(0, pthread_getaffinity_np(loop, sizeof its, &its));
    NS_CHECK(CPU_EQUAL(&its, &ns_host.options.packets));
    NS_EQUAL(0, sched_getaffinity(0, sizeof after, &after));
    NS_CHECK(CPU_EQUAL(&after, &all)); /* the other threads keep theirs */
}

/* Each packet is answered before the next one comes: no call waits for a second packet. */
NS_TEST(packets_that_come_alone_go_up_alone) {
    for (unsigned i = 0; i < 1000; i++) {
        publish(1);
        for (unsigned turns = 0; answered() != made; turns++)
            if (turns > 1000)
                pause_msec(1);
    }
    NS_EQUAL(1000, calls_made());
    for (unsigned i = 0; i < 1000; i++) {
        NS_EQUAL(1, calls[i].count);
        NS_EQUAL(i, calls[i].first);
    }
}

NS_TEST(what_comes_during_a_call_goes_up_in_full_ones_and_wakes_nobody) {
    static const uint32_t counts[] = {1, 64, 64, 64, 64, 64, 64, 64, 64, 64, 24};
    uint32_t before = calls_made();
    uint64_t first = made;
    unsigned woken = 0;

    WAIT_FOR(sleeps());
    __atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
    NS_CHECK(publish(1));
    WAIT_FOR(calls_made() == before + 1);
    for (unsigned i = 0; i < 100; i++)
        woken += publish(6);
    NS_EQUAL(0, woken);
    sem_post(&go);
    WAIT_FOR(answered() == made);
    NS_EQUAL(before + sizeof counts / sizeof *counts, calls_made());
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        NS_EQUAL(first, calls[before + i].first);
        NS_EQUAL(counts[i], calls[before + i].count);
        first += counts[i];
    }
}

/* pktio is told of verdicts only while it sleeps, and once a call, for any number of verdicts. */
NS_TEST(verdicts_wake_pktio_once_a_call) {
    uint32_t before = calls_made();
    uint64_t count = 0;

    while (read(ns_host.options.send_fd, &count, sizeof count) > 0)
        continue;
    publish(10);
    WAIT_FOR(answered() == made);
    WAIT_FOR(sleeps()); /* so it has looked at pktio's flag */
    NS_CHECK(read(ns_host.options.send_fd, &count, sizeof count) < 0);
    __atomic_store_n(&pktio.d->pktio_sleeps, 1, __ATOMIC_SEQ_CST);
    publish(128);
    WAIT_FOR(answered() == made);
    WAIT_FOR(sleeps());
    __atomic_store_n(&pktio.d->pktio_sleeps, 0, __ATOMIC_SEQ_CST);
    NS_EQUAL(before + 3, calls_made());
    NS_EQUAL(sizeof count, read(ns_host.options.send_fd, &count, sizeof count));
    NS_EQUAL(2, count);
}

NS_TEST(a_wake_is_a_call_without_packets) {
    uint32_t before = calls_made();

    WAIT_FOR(sleeps());
    ns_packets_wake(&no_jvm, NULL);
    WAIT_FOR(calls_made() == before + 1);
    NS_EQUAL(0, calls[before].count);
    NS_EQUAL(made, calls[before].first);
}

int main(void) {
    NS_RUN(the_loop_starts_asleep_on_its_own_processors);
    NS_RUN(packets_that_come_alone_go_up_alone);
    NS_RUN(what_comes_during_a_call_goes_up_in_full_ones_and_wakes_nobody);
    NS_RUN(verdicts_wake_pktio_once_a_call);
    NS_RUN(a_wake_is_a_call_without_packets);
    return ns_test_end();
}
