/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io.c - natives of org.netserv.io.Natives. Blocks and modules load no library; the host registers these functions.
 * Java has handles of sockets, and no function takes a descriptor.
 */
#include "host.h"

#include "ns_log.h"
#include "selector.h"
#include <errno.h>
#include <string.h>

/* Maps the memory of a batch. Returns false if it is not of this shape. */
static bool map_batch(JNIEnv *env, struct ns_datagrams *batch, jobject memory, jint capacity, jint rooms, jint size) {
    jlong bytes = (*env)->GetDirectBufferCapacity(env, memory);

    *batch = (struct ns_datagrams){
        .memory = (*env)->GetDirectBufferAddress(env, memory),
        .bytes = bytes < 0 ? 0 : (size_t)bytes,
        .capacity = (uint32_t)capacity,
        .rooms = (uint32_t)rooms,
        .size = (uint32_t)size,
    };
    return ns_datagrams_fit(batch);
}

static void put_half(uint8_t *to, jlong half) {
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)((uint64_t)half >> (56 - 8 * i));
}

static jlong get_half(const uint8_t *from) {
    uint64_t half = 0;

    for (int i = 0; i < 8; i++)
        half = half << 8 | from[i];
    return (jlong)half;
}

/* --- sockets --- */

static jlong JNICALL native_open(JNIEnv *env, jclass natives, jlong high, jlong low, jint scope, jint port,
                                 jboolean shared, jboolean one_family) {
    uint8_t address[16];

    (void)env;
    (void)natives;
    put_half(address, high);
    put_half(address + 8, low);
    return ns_sockets_open(address, (uint32_t)scope, (uint16_t)port,
                           (shared ? NS_OPEN_SHARED : 0) | (one_family ? NS_OPEN_ONE_FAMILY : 0));
}

static jint JNICALL native_close(JNIEnv *env, jclass natives, jlong handle) {
    (void)env;
    (void)natives;
    return ns_sockets_close(handle);
}

static jint JNICALL native_set(JNIEnv *env, jclass natives, jlong handle, jint option, jint value) {
    struct ns_socket *socket;
    int result;

    (void)env;
    (void)natives;
    ns_sockets_hold();
    socket = ns_sockets_find(handle, NS_SOCKET_UDP);
    result = socket == NULL ? -EBADF : ns_sockets_set(socket, (enum ns_socket_option)option, value);
    ns_sockets_drop();
    return result;
}

/* Writes the halves of the socket's address, and returns its port. */
static jint JNICALL native_local(JNIEnv *env, jclass natives, jlong handle, jlongArray halves) {
    uint8_t address[16] = {0};
    struct ns_socket *socket;
    jlong values[2];
    int result;

    (void)natives;
    ns_sockets_hold();
    socket = ns_sockets_find(handle, NS_SOCKET_UDP);
    result = socket == NULL ? -EBADF : ns_sockets_local(socket, address);
    ns_sockets_drop();
    values[0] = get_half(address);
    values[1] = get_half(address + 8);
    (*env)->SetLongArrayRegion(env, halves, 0, 2, values);
    return result;
}

/* Tells whether the kernel still cuts the messages of this socket. */
static jint JNICALL native_cuts(JNIEnv *env, jclass natives, jlong handle) {
    struct ns_socket *socket;
    int result;

    (void)env;
    (void)natives;
    ns_sockets_hold();
    socket = ns_sockets_find(handle, NS_SOCKET_UDP);
    result = socket == NULL ? -EBADF : (__atomic_load_n(&socket->flags, __ATOMIC_RELAXED) & NS_SOCKET_UNCUT) == 0;
    ns_sockets_drop();
    return result;
}

/* --- datagrams --- */

static jint JNICALL native_receive(JNIEnv *env, jclass natives, jlong handle, jobject memory, jint capacity, jint rooms,
                                   jint size) {
    struct ns_datagrams batch;
    struct ns_filled filled = {.entries = 0};
    struct ns_socket *socket;
    int result;

    (void)natives;
    if (!map_batch(env, &batch, memory, capacity, rooms, size))
        return -EINVAL;
    ns_sockets_hold();
    socket = ns_sockets_find(handle, NS_SOCKET_UDP);
    result = socket == NULL ? -EBADF : ns_datagrams_receive(socket, &batch, batch.rooms, &filled);
    ns_sockets_drop();
    return result < 0 ? result : (jint)filled.entries;
}

static jint JNICALL native_errors(JNIEnv *env, jclass natives, jlong handle, jobject memory, jint capacity, jint rooms,
                                  jint size) {
    struct ns_datagrams batch;
    struct ns_socket *socket;
    int result;

    (void)natives;
    if (!map_batch(env, &batch, memory, capacity, rooms, size))
        return -EINVAL;
    ns_sockets_hold();
    socket = ns_sockets_find(handle, NS_SOCKET_UDP);
    result = socket == NULL ? -EBADF : ns_datagrams_errors(socket, &batch);
    ns_sockets_drop();
    return result;
}

static jint JNICALL native_send(JNIEnv *env, jclass natives, jlong handle, jobject memory, jint capacity, jint rooms,
                                jint size, jint first, jint count) {
    struct ns_datagrams batch;
    struct ns_socket *socket;
    int result;

    (void)natives;
    if (!map_batch(env, &batch, memory, capacity, rooms, size))
        return -EINVAL;
    ns_sockets_hold();
    socket = ns_sockets_find(handle, NS_SOCKET_UDP);
    result = socket == NULL ? -EBADF : (int)ns_datagrams_send(socket, &batch, (uint32_t)first, (uint32_t)count);
    ns_sockets_drop();
    return result;
}

static jint JNICALL native_send_each(JNIEnv *env, jclass natives, jobject memory, jint capacity, jint rooms, jint size,
                                     jint first, jint count) {
    struct ns_datagrams batch;

    (void)natives;
    if (!map_batch(env, &batch, memory, capacity, rooms, size))
        return -EINVAL;
    return (jint)ns_datagrams_send_each(&batch, (uint32_t)first, (uint32_t)count);
}

/* --- selectors --- */

static jlong JNICALL native_selector(JNIEnv *env, jclass natives) {
    (void)env;
    (void)natives;
    return ns_selector_open();
}

static jint JNICALL native_add(JNIEnv *env, jclass natives, jlong selector, jlong socket, jlong key) {
    struct ns_socket *at, *of;
    int result;

    (void)env;
    (void)natives;
    ns_sockets_hold();
    at = ns_sockets_find(selector, NS_SOCKET_SELECTOR);
    of = ns_sockets_find(socket, NS_SOCKET_UDP);
    result = at == NULL || of == NULL ? -EBADF : ns_selector_add(at, of, (uint64_t)key);
    ns_sockets_drop();
    return result;
}

/* A negative interest removes the socket. */
static jint JNICALL native_change(JNIEnv *env, jclass natives, jlong selector, jlong socket, jint interest) {
    struct ns_socket *at, *of;
    int result = -EBADF;

    (void)env;
    (void)natives;
    ns_sockets_hold();
    at = ns_sockets_find(selector, NS_SOCKET_SELECTOR);
    of = ns_sockets_find(socket, NS_SOCKET_UDP);
    if (at != NULL && of != NULL)
        result = interest < 0 ? ns_selector_remove(at, of) : ns_selector_change(at, of, (uint32_t)interest);
    ns_sockets_drop();
    return result;
}

static jint JNICALL native_wake(JNIEnv *env, jclass natives, jlong selector) {
    struct ns_socket *at;

    (void)env;
    (void)natives;
    ns_sockets_hold();
    at = ns_sockets_find(selector, NS_SOCKET_SELECTOR);
    if (at != NULL)
        ns_selector_wake(at);
    ns_sockets_drop();
    return at == NULL ? -EBADF : 0;
}

/* Writes the events from byte 8 of their memory on, and their number to its first bytes. */
static jint JNICALL native_wait(JNIEnv *env, jclass natives, jlong selector, jobject memory, jint capacity, jint rooms,
                                jint size, jint timeout, jobject events) {
    uint8_t *at = (*env)->GetDirectBufferAddress(env, events);
    jlong bytes = (*env)->GetDirectBufferCapacity(env, events);
    struct ns_datagrams batch;
    uint32_t count = 0;
    int result;

    (void)natives;
    if (at == NULL || bytes < (jlong)(8 + sizeof(struct ns_event)) ||
        !map_batch(env, &batch, memory, capacity, rooms, size))
        return -EINVAL;
    result = ns_selector_receive(selector, &batch, timeout, (struct ns_event *)(void *)(at + 8),
                                 (uint32_t)((bytes - 8) / (jlong)sizeof(struct ns_event)), &count);
    memcpy(at, &count, sizeof count);
    return result;
}

static jboolean JNICALL native_ready(JNIEnv *env, jclass natives) {
    (void)env;
    (void)natives;
    return JNI_TRUE;
}

void ns_io_bind(JNIEnv *env) {
    static const JNINativeMethod methods[] = {
        {"ready", "()Z", (void *)native_ready},
        {"open", "(JJIIZZ)J", (void *)native_open},
        {"close", "(J)I", (void *)native_close},
        {"set", "(JII)I", (void *)native_set},
        {"local", "(J[J)I", (void *)native_local},
        {"cuts", "(J)I", (void *)native_cuts},
        {"receive", "(JLjava/nio/ByteBuffer;III)I", (void *)native_receive},
        {"errors", "(JLjava/nio/ByteBuffer;III)I", (void *)native_errors},
        {"send", "(JLjava/nio/ByteBuffer;IIIII)I", (void *)native_send},
        {"sendEach", "(Ljava/nio/ByteBuffer;IIIII)I", (void *)native_send_each},
        {"selector", "()J", (void *)native_selector},
        {"add", "(JJJ)I", (void *)native_add},
        {"change", "(JJI)I", (void *)native_change},
        {"wake", "(J)I", (void *)native_wake},
        {"await", "(JLjava/nio/ByteBuffer;IIIILjava/nio/ByteBuffer;)I", (void *)native_wait},
    };
    jclass natives = (*env)->FindClass(env, "org/netserv/io/Natives");

    if (natives == NULL || (*env)->RegisterNatives(env, natives, methods, sizeof methods / sizeof methods[0]) != JNI_OK)
        ns_error("no batches of datagrams: the block io is missing, or another version");
    (*env)->ExceptionClear(env);
}
