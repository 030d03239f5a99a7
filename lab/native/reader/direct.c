/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-direct - a Java virtual machine that reads the netfilter queue itself. There is no pktio and no second
 * process, and nothing is checked. Dispatcher, module and upcall are the same as in a container. Packets lie as in
 * a ring, but in memory that nobody shares.
 *
 *   lab-direct LIBJVM CLASS_PATH QUEUE LENGTH
 *
 *   queue -> recvmmsg, straight into slots -> descriptors -> one upcall -> verdicts -> one verdict for all that pass
 *
 * Everything but the upcall is as in lab-queue, so the two can be compared.
 */
#include "message.h"
#include "nfq.h"
#include "ns_memfd.h"
#include "reader.h"

#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define ROOM (NS_RING_SLOT_SIZE - NS_RING_HEADROOM)
#define PACKET_MAX (ROOM - NS_MESSAGE_HEAD)

static struct {
    struct iovec part[NS_NFQ_BATCH];
    struct mmsghdr message[NS_NFQ_BATCH];
} batch __attribute__((aligned(64)));

static struct ns_ring_map ring;
static uint32_t status[16]; /* status of the running module, as the host has it */
static uint64_t produced;
static JNIEnv *env;
static jclass port;
static jmethodID on_batch;

/* --- Java --- */

static void must(const void *found, const char *what) {
    if (found != NULL)
        return;
    if (env != NULL)
        (*env)->ExceptionDescribe(env);
    fprintf(stderr, "lab-direct: %s\n", what);
    exit(1);
}

/* Starts a virtual machine like a container's (container-native/host/jvm.c), in all that matters to packets. */
static void start_jvm(const char *library, const char *class_path) {
    char path[4096];
    JavaVMOption options[] = {
        {.optionString = path},
        {.optionString = (char *)"-XX:+UseSerialGC"},
        {.optionString = (char *)"-Xmx64m"},
        {.optionString = (char *)"-XX:+UseCountedLoopSafepoints"},
        {.optionString = (char *)"-XX:LoopStripMiningIter=1000"},
        {.optionString = (char *)"-XX:InlineSmallCode=6000"},
        {.optionString = (char *)"-XX:-UsePerfData"},
        {.optionString = (char *)"-Xrs"},
    };
    JavaVMInitArgs arguments = {
        .version = JNI_VERSION_10, .options = options, .nOptions = sizeof options / sizeof options[0]};
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    jint (*create)(JavaVM **, void **, void *);
    JavaVM *vm;

    must(handle, handle == NULL ? dlerror() : "");
    *(void **)&create = dlsym(handle, "JNI_CreateJavaVM");
    must((void *)create, "JNI_CreateJavaVM");
    snprintf(path, sizeof path, "-Djava.class.path=%s", class_path);
    if (create(&vm, (void **)&env, &arguments) != JNI_OK)
        reader_fail("JVM");
}

static void open_dispatcher(void) {
    jmethodID attach, open;
    jclass direct;

    port = (*env)->FindClass(env, "org/netserv/host/PacketPort");
    must(port, "PacketPort");
    attach = (*env)->GetStaticMethodID(env, port, "attach",
                                       "(Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)V");
    must(attach, "PacketPort.attach");
    (*env)->CallStaticVoidMethod(env, port, attach, (*env)->NewDirectByteBuffer(env, ring.d, (jlong)ring.d_bytes),
                                 (*env)->NewDirectByteBuffer(env, ring.s, (jlong)ns_ring_s_bytes(ring.slots)),
                                 (*env)->NewDirectByteBuffer(env, status, sizeof status));
    direct = (*env)->FindClass(env, "org/netserv/dispatcher/Direct");
    must(direct, "Direct");
    open = (*env)->GetStaticMethodID(env, direct, "open", "()V");
    must(open, "Direct.open");
    (*env)->CallStaticVoidMethod(env, direct, open);
    on_batch = (*env)->GetStaticMethodID(env, port, "onBatch", "(JIJ)I");
    must(on_batch, "PacketPort.onBatch");
    must((*env)->ExceptionCheck(env) ? NULL : env, "Direct.open");
}

/* --- packets --- */

static uint8_t *slot_of(uint64_t number) {
    return ring.slot + (size_t)(number & (ring.slots - 1)) * NS_RING_SLOT_SIZE;
}

static int receive(int fd) {
    for (unsigned i = 0; i < NS_NFQ_BATCH; i++) {
        batch.part[i] = (struct iovec){slot_of(produced + i) + NS_RING_HEADROOM, ROOM};
        batch.message[i].msg_hdr = (struct msghdr){.msg_iov = &batch.part[i], .msg_iovlen = 1};
    }
    return recvmmsg(fd, batch.message, NS_NFQ_BATCH, MSG_WAITFORONE, NULL);
}

/*
 * Describes a batch of packets. A message that is no packet leaves its slot unused. Packet numbers have no holes, so
 * the next packet keeps the slot into which it was received.
 */
static unsigned describe(unsigned count, uint32_t *last) {
    struct ns_message message;
    unsigned packets = 0;

    for (unsigned i = 0; i < count; i++) {
        uint64_t number = produced + packets;

        if (ns_message_parse(&message, batch.part[i].iov_base, batch.message[i].msg_len) != NS_MESSAGE_PACKET)
            continue;
        ring.desc[number & (ring.slots - 1)] = (struct ns_ring_desc){
            .seq = (uint32_t)number,
            .slot = (uint32_t)(produced + i) & (ring.slots - 1),
            .offset = NS_RING_HEADROOM + message.payload_offset,
            .length = message.length,
            .mark = message.mark,
            .ifindex = message.ifindex,
            .mtu = 1500,
            .family = message.family,
        };
        *last = message.id;
        packets++;
    }
    return packets;
}

/* Accepts all packets with one verdict. The module of this bench passes all packets, and ids only grow. */
static void answer(struct ns_nfq *queue, unsigned packets, uint32_t last) {
    for (unsigned i = 0; i < packets; i++) {
        const struct ns_ring_verdict *verdict = &ring.verdict[(produced + i) & (2 * ring.slots - 1)];

        if (verdict->seq != (uint32_t)(produced + i) || verdict->code != NS_VERDICT_PASS) {
            fprintf(stderr, "lab-direct: packet %u: verdict %u of packet %u\n", (unsigned)(produced + i), verdict->code,
                    verdict->seq);
            exit(1);
        }
    }
    ns_nfq_accept_up_to(queue, last);
    ns_nfq_flush(queue);
}

static void decide(struct ns_nfq *queue, unsigned count, struct ns_counters *counters) {
    uint32_t last = 0;
    unsigned packets = describe(count, &last);

    if (packets == 0)
        return;
    if ((*env)->CallStaticIntMethod(env, port, on_batch, (jlong)produced, (jint)packets, (jlong)produced) !=
        (jint)packets)
        must(NULL, "the upcall did not answer all packets");
    answer(queue, packets, last);
    produced += packets;
    counters->received += packets;
    counters->passed += packets;
}

int main(int argc, char **argv) {
    struct ns_counters *counters;
    struct ns_ring_fds fds;
    struct ns_nfq queue;
    int fd;

    if (argc != 5) {
        fprintf(stderr, "usage: lab-direct LIBJVM CLASS_PATH QUEUE LENGTH\n");
        return 2;
    }
    reader_follow_parent();
    counters = reader_counters(&fd);
    if (ns_ring_create(NS_RING_SLOTS_DEFAULT, &fds) != 0 ||
        ns_ring_map(&ring, fds.desc_rw, fds.slots, NS_RING_SLOTS_DEFAULT, 1) != 0)
        reader_fail("slots");
    start_jvm(argv[1], argv[2]);
    open_dispatcher();
    if (ns_nfq_open(&queue, -1, (uint16_t)atoi(argv[3]), (uint32_t)atoi(argv[4]), PACKET_MAX) != 0)
        reader_fail("queue");
    prctl(PR_SET_NAME, "packets");
    reader_ready();
    while (queue.failed == 0) {
        int count = receive(queue.fd);

        if (count > 0)
            decide(&queue, (unsigned)count, counters);
        else if (errno == ENOBUFS)
            counters->enobufs++;
        else if (errno != EINTR)
            reader_fail("recvmmsg");
    }
    return 1;
}
