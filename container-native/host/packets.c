/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packets.c - the packets thread: takes descriptors, makes one upcall per batch, publishes verdicts. See ns_ring.h.
 *
 *     produced  acquire          the descriptors before it are complete.
 *     consumed  release          we have read them.
 *     answered  release          the verdict records before it are complete.
 *     sleep     flag := 1, full fence, look again, block on the eventfd;
 *               the other side publishes, full fence, reads the flag
 *
 * No allocation, lock or system call per packet; one JNI transition per batch of up to 64.
 *
 * An upcall takes the packets that are in the ring; the thread never waits for more. Packets that arrive meanwhile
 * make the next batch. The batch grows with the load.
 */
#include "host.h"

#include "ns_log.h"
#include "ns_time.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t wake_asked; /* atomic: somebody called wake() */
static jmethodID on_batch;

static uint64_t produced(void) {
    return __atomic_load_n(&ns_host.ring.d->produced, __ATOMIC_ACQUIRE);
}

static void signal_fd(int fd) {
    uint64_t one = 1;

    while (write(fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

/* Asks for an upcall. Any thread may call. Writes to the eventfd only if the packets thread sleeps. */
void JNICALL ns_packets_wake(JNIEnv *env, jclass port) {
    (void)env;
    (void)port;
    if (__atomic_exchange_n(&wake_asked, 1, __ATOMIC_SEQ_CST) != 0)
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ns_host.ring.s->container_sleeps, __ATOMIC_RELAXED) != 0)
        signal_fd(ns_host.options.receive_fd);
}

static void sleep_until_work(uint64_t consumed) {
    struct ns_ring_s *s = ns_host.ring.s;
    uint64_t count;

    __atomic_store_n(&s->container_sleeps, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (produced() == consumed && __atomic_load_n(&wake_asked, __ATOMIC_RELAXED) == 0) {
        while (read(ns_host.options.receive_fd, &count, sizeof count) < 0 && errno == EINTR)
            ;
    }
    __atomic_store_n(&s->container_sleeps, 0, __ATOMIC_RELAXED);
}

/* Passes a batch that Java did not answer, because every descriptor taken needs exactly one first verdict. */
static uint32_t pass_all(uint64_t first, uint32_t count, uint64_t answered) {
    const struct ns_ring_map *ring = &ns_host.ring;

    for (uint32_t i = 0; i < count; i++) {
        struct ns_ring_verdict *verdict = &ring->verdict[(answered + i) & (2 * ring->slots - 1)];

        verdict->seq = (uint32_t)(first + i);
        verdict->code = NS_VERDICT_PASS;
    }
    return count;
}

/* Makes one upcall. Returns the number of verdict records written. */
static uint32_t upcall(JNIEnv *env, uint64_t first, uint32_t count, uint64_t answered) {
    uint64_t room = 2 * ns_host.ring.slots - (answered - __atomic_load_n(&ns_host.ring.d->taken, __ATOMIC_ACQUIRE));
    jint written;

    __atomic_store_n(&ns_host.upcall_since, ns_now(), __ATOMIC_RELAXED);
    written =
        (*env)->CallStaticIntMethod(env, ns_host.port_class, on_batch, (jlong)first, (jint)count, (jlong)answered);
    __atomic_store_n(&ns_host.upcall_since, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ns_host.last->status[0], -1, __ATOMIC_RELAXED);
    if ((*env)->ExceptionCheck(env)) { /* onBatch never throws; if it does, the batch passes */
        (*env)->ExceptionDescribe(env);
        (*env)->ExceptionClear(env);
        return pass_all(first, count, answered);
    }
    if (written >= 0 && (uint64_t)written <= room)
        return (uint32_t)written;
    ns_error("upcall returned %d verdicts, there is room for %llu", (int)written, (unsigned long long)room);
    return pass_all(first, count, answered);
}

/* Tells whether questions about relays have come since the last call. Whoever writes one asks for an upcall. */
static bool has_asked(uint64_t *before) {
    uint64_t now;

    if (ns_host.ring.ask == NULL)
        return false;
    now = __atomic_load_n(&ns_host.ring.s->asked, __ATOMIC_ACQUIRE);
    if (now == *before)
        return false;
    *before = now;
    return true;
}

static void loop(JNIEnv *env) {
    struct ns_ring_s *s = ns_host.ring.s;
    uint64_t consumed = __atomic_load_n(&s->consumed, __ATOMIC_RELAXED);
    uint64_t answered = __atomic_load_n(&s->answered, __ATOMIC_RELAXED);
    uint64_t asked = 0;

    for (;;) {
        uint64_t waiting;
        uint32_t count;
        bool woken;
        uint32_t written;

        waiting = produced() - consumed;
        count = waiting > NS_RING_BATCH ? NS_RING_BATCH : (uint32_t)waiting;
        woken = __atomic_load_n(&wake_asked, __ATOMIC_RELAXED) != 0 &&
                __atomic_exchange_n(&wake_asked, 0, __ATOMIC_SEQ_CST) != 0;
        if (count == 0 && !woken) {
            sleep_until_work(consumed);
            continue;
        }
        written = upcall(env, consumed, count, answered);
        consumed += count;
        answered += written;
        __atomic_store_n(&s->consumed, consumed, __ATOMIC_RELEASE);
        if (written == 0 && !has_asked(&asked))
            continue;
        __atomic_store_n(&s->answered, answered, __ATOMIC_RELEASE);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (__atomic_load_n(&ns_host.ring.d->pktio_sleeps, __ATOMIC_RELAXED) != 0)
            signal_fd(ns_host.options.send_fd);
    }
}

/* Hands the mapped regions to Java, once. D is mapped read-only, so a write there would be a fault. */
static int attach_buffers(JNIEnv *env) {
    const struct ns_ring_map *ring = &ns_host.ring;
    jmethodID attach = (*env)->GetStaticMethodID(env, ns_host.port_class, "attach",
                                                 "(Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)V");
    jobject d = (*env)->NewDirectByteBuffer(env, ring->d, (jlong)ring->d_bytes);
    jobject s = (*env)->NewDirectByteBuffer(env, ring->s, (jlong)ring->s_bytes);
    jobject status = (*env)->NewDirectByteBuffer(env, ns_host.last->status, sizeof ns_host.last->status);

    if (attach != NULL && d != NULL && s != NULL && status != NULL)
        (*env)->CallStaticVoidMethod(env, ns_host.port_class, attach, d, s, status);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionDescribe(env);
        return -1;
    }
    on_batch = (*env)->GetStaticMethodID(env, ns_host.port_class, "onBatch", "(JIJ)I");
    return on_batch == NULL ? -1 : 0;
}

static void *run(void *argument) {
    JNIEnv *env = ns_jvm_attach(NS_THREAD_PACKETS);

    (void)argument;
    if (env == NULL) {
        ns_error("the packets thread cannot start");
        _exit(NS_EXIT_START);
    }
    if (CPU_COUNT(&ns_host.options.packets) > 0 &&
        sched_setaffinity(0, sizeof ns_host.options.packets, &ns_host.options.packets) != 0)
        ns_warn("packets: processors %s: %s", ns_host.options.packet_processors, strerror(errno));
    loop(env);
    return NULL;
}

int ns_packets_start(JNIEnv *env) {
    return attach_buffers(env) != 0 ? -1 : ns_thread_start(run, NULL);
}
