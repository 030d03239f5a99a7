/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - natives of org.netserv.media.Natives: has the spawner start a program, and moves bytes between Java and
 * the program's pipes. One call is one run, on the thread of the caller; one run at a time. Each descriptor of a run
 * belongs to its call and is closed there, so Java never holds one.
 *
 *     fill()  <- bytes for the program's input    take()  -> bytes of its output    wanted() <- false ends it
 */
#include "host.h"

#include "ns_fd.h"
#include "ns_log.h"
#include "ns_program.h"
#include "ns_time.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define START_MS 30000  /* for the answer to a START */
#define LINGER_MS 10000 /* beyond the deadline, for the spawner to tell the end */
#define TURN_MS 200     /* between two looks whether the run is still wanted */
#define TAIL_MOST 1024  /* bytes of what the program said last */
#define NO_ANSWER 100   /* a reason of our own: the spawner says nothing */
#define NUMBERS 8       /* of an order: all of ns_program_order from `program` on but `reserved` */
#define RESULTS 3       /* reason, status, length of the tail */

enum end { INPUT, PICTURE, OUTPUT, ERRORS };

/* Bytes on their way into a pipe. */
struct bytes {
    const uint8_t *at;
    size_t used, done;
};

struct run {
    JNIEnv *env;
    jobject exchange;
    jthrowable thrown; /* by a call into Java; thrown again at the end */
    uint32_t number;
    uint64_t give_up;
    int end[NS_PROGRAM_ENDS]; /* -1 = closed */
    struct bytes input, picture;
    uint8_t *in, *out;
    size_t in_size, out_size;
    bool cancelled, ended;
    struct ns_program_answer answer;
    uint8_t tail[TAIL_MOST];
    size_t tail_used;
};

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static jmethodID fill, take, wanted;

/* --- the spawner --- */

static bool ask(const struct ns_program_order *order) {
    return write(ns_host.options.ask_fd, order, sizeof *order) == (ssize_t)sizeof *order;
}

static void cancel(struct run *run) {
    const struct ns_program_order order = {.magic = NS_PROGRAM_MAGIC, .verb = NS_PROGRAM_CANCEL, .number = run->number};

    if (!run->cancelled && ask(&order))
        run->give_up = ns_now() + LINGER_MS;
    run->cancelled = true;
}

/* Copies the descriptors of a message, -1 where there is none. */
static void take_ends(struct msghdr *message, int ends[NS_PROGRAM_ENDS]) {
    const struct cmsghdr *control = CMSG_FIRSTHDR(message);

    for (int i = 0; i < NS_PROGRAM_ENDS; i++)
        ends[i] = -1;
    if (control != NULL && control->cmsg_type == SCM_RIGHTS &&
        control->cmsg_len == CMSG_LEN(NS_PROGRAM_ENDS * sizeof(int)))
        memcpy(ends, CMSG_DATA(control), NS_PROGRAM_ENDS * sizeof(int));
}

static void close_ends(int ends[NS_PROGRAM_ENDS]) {
    for (int i = 0; i < NS_PROGRAM_ENDS; i++)
        ns_fd_drop(&ends[i]);
}

/* Reads one answer. False: there is none, or it is of an earlier run. */
static bool hear(struct run *run, int ends[NS_PROGRAM_ENDS]) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(NS_PROGRAM_ENDS * sizeof(int))];
    } control;
    struct iovec part = {&run->answer, sizeof run->answer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t n = recvmsg(ns_host.options.answer_fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

    if (n < 0)
        return false;
    take_ends(&message, ends);
    if (n == (ssize_t)sizeof run->answer && run->answer.magic == NS_PROGRAM_MAGIC && run->answer.number == run->number)
        return true;
    close_ends(ends);
    return false;
}

/* --- Java --- */

/* True if no call into Java has thrown. A call with an exception pending is not allowed. */
static bool calm(struct run *run) {
    jthrowable thrown = (*run->env)->ExceptionOccurred(run->env);

    if (thrown != NULL) {
        (*run->env)->ExceptionClear(run->env);
        if (run->thrown == NULL)
            run->thrown = thrown;
    }
    return run->thrown == NULL;
}

static bool still_wanted(struct run *run) {
    bool yes = run->thrown == NULL && (*run->env)->CallBooleanMethod(run->env, run->exchange, wanted);

    return calm(run) && yes;
}

/* --- the pipes --- */

static void put(struct run *run, enum end which, struct bytes *bytes) {
    ssize_t n = write(run->end[which], bytes->at + bytes->done, bytes->used - bytes->done);

    if (n > 0)
        bytes->done += (size_t)n;
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        ns_fd_drop(&run->end[which]); /* the program wants no more of it */
}

/* Writes what Java has filled in, and asks Java for more when all of it is written. */
static void feed(struct run *run) {
    jint count;

    if (run->input.done == run->input.used) {
        count = (*run->env)->CallIntMethod(run->env, run->exchange, fill);
        if (!calm(run) || count < 0 || (size_t)count > run->in_size) {
            ns_fd_drop(&run->end[INPUT]);
            return;
        }
        run->input = (struct bytes){run->in, (size_t)count, 0};
    }
    if (run->input.done < run->input.used)
        put(run, INPUT, &run->input);
}

static void feed_picture(struct run *run) {
    put(run, PICTURE, &run->picture);
    if (run->picture.done == run->picture.used)
        ns_fd_drop(&run->end[PICTURE]);
}

static void drain(struct run *run) {
    ssize_t n = read(run->end[OUTPUT], run->out, run->out_size);
    bool more;

    if (n == 0)
        ns_fd_drop(&run->end[OUTPUT]);
    if (n <= 0 || run->thrown != NULL)
        return;
    more = (*run->env)->CallBooleanMethod(run->env, run->exchange, take, (jint)n);
    if (!calm(run) || !more)
        cancel(run);
}

/* Keeps the last bytes of what the program says. */
static void listen_to(struct run *run) {
    uint8_t chunk[TAIL_MOST / 2];
    ssize_t n = read(run->end[ERRORS], chunk, sizeof chunk);
    size_t over;

    if (n == 0)
        ns_fd_drop(&run->end[ERRORS]);
    if (n <= 0)
        return;
    over = run->tail_used + (size_t)n > TAIL_MOST ? run->tail_used + (size_t)n - TAIL_MOST : 0;
    memmove(run->tail, run->tail + over, run->tail_used - over);
    run->tail_used -= over;
    memcpy(run->tail + run->tail_used, chunk, (size_t)n);
    run->tail_used += (size_t)n;
}

/* --- a run --- */

static bool pump(struct run *run) {
    struct pollfd set[NS_PROGRAM_ENDS + 1];
    int none[NS_PROGRAM_ENDS];

    if (run->cancelled)
        ns_fd_drop(&run->end[INPUT]);
    for (int i = 0; i < NS_PROGRAM_ENDS; i++)
        set[i] = (struct pollfd){.fd = run->end[i], .events = i < OUTPUT ? POLLOUT : POLLIN};
    set[NS_PROGRAM_ENDS] = (struct pollfd){.fd = run->ended ? -1 : ns_host.options.answer_fd, .events = POLLIN};
    if (poll(set, NS_PROGRAM_ENDS + 1, TURN_MS) < 0 && errno != EINTR)
        return false;
    if (set[INPUT].revents != 0)
        feed(run);
    if (set[PICTURE].revents != 0)
        feed_picture(run);
    if (set[OUTPUT].revents != 0)
        drain(run);
    if (set[ERRORS].revents != 0)
        listen_to(run);
    if (set[NS_PROGRAM_ENDS].revents != 0 && hear(run, none)) {
        close_ends(none);
        run->ended = run->answer.word == NS_PROGRAM_ENDED;
    }
    if (!run->ended && !still_wanted(run))
        cancel(run);
    return true;
}

/* Moves bytes until the program has ended and its pipes are empty. Returns the reason. */
static uint32_t go(struct run *run) {
    for (int i = 0; i < NS_PROGRAM_ENDS; i++) {
        if (fcntl(run->end[i], F_SETFL, O_NONBLOCK) != 0)
            return NO_ANSWER;
    }
    while (!run->ended || run->end[OUTPUT] >= 0 || run->end[ERRORS] >= 0) {
        if (ns_now() >= run->give_up || !pump(run))
            return NO_ANSWER;
    }
    return run->answer.reason;
}

static uint32_t begin(struct run *run, const struct ns_program_order *order) {
    struct pollfd answer = {.fd = ns_host.options.answer_fd, .events = POLLIN};
    uint64_t until = ns_now() + START_MS;
    bool heard = false;

    if (!ask(order))
        return NO_ANSWER;
    while (!heard && ns_now() < until) {
        if (poll(&answer, 1, TURN_MS) > 0) {
            if (answer.revents & (POLLHUP | POLLERR))
                return NO_ANSWER;
            heard = hear(run, run->end);
        }
        if (!heard && !still_wanted(run))
            cancel(run);
    }
    if (!heard)
        return NO_ANSWER;
    if (run->answer.word == NS_PROGRAM_STARTED && run->end[ERRORS] >= 0) {
        run->give_up = ns_now() + order->seconds * 1000ull + LINGER_MS;
        return NS_PROGRAM_NO_REASON;
    }
    return run->answer.reason == NS_PROGRAM_NO_REASON ? NS_PROGRAM_NOT_STARTED : run->answer.reason;
}

static struct ns_program_order order_of(JNIEnv *env, jintArray numbers) {
    static uint32_t last;
    jint n[NUMBERS];

    (*env)->GetIntArrayRegion(env, numbers, 0, NUMBERS, n);
    return (struct ns_program_order){.magic = NS_PROGRAM_MAGIC,
                                     .verb = NS_PROGRAM_START,
                                     .number = ++last,
                                     .program = (uint32_t)n[0],
                                     .seconds = (uint32_t)n[1],
                                     .input = (uint32_t)n[2],
                                     .output = (uint32_t)n[3],
                                     .corner = (uint32_t)n[4],
                                     .x = (uint32_t)n[5],
                                     .y = (uint32_t)n[6],
                                     .keyframe = (uint32_t)n[7]};
}

/* Closes the pipes at the end of whatever happens. A program that still runs then ends by its deadline. */
static void play(struct run *run, const struct ns_program_order *order, jint results[RESULTS]) {
    uint32_t reason = begin(run, order);

    results[1] = -1;
    if (reason == NS_PROGRAM_NO_REASON) {
        reason = go(run);
        results[1] = run->ended ? run->answer.status : -1;
    }
    results[0] = (jint)reason;
    results[2] = (jint)run->tail_used;
    close_ends(run->end);
}

/*
 * Runs one program. `numbers` are those of the order, `in` and `out` direct buffers, `picture` a direct buffer whose
 * first `length` bytes are the picture. `results` gets reason, status and the length of `tail`.
 */
static void JNICALL native_run(JNIEnv *env, jclass natives, jintArray numbers, jobject exchange, jobject in,
                               jobject out, jobject picture, jint length, jintArray results, jbyteArray tail) {
    struct run run = {.env = env, .exchange = exchange, .end = {-1, -1, -1, -1}};
    jint told[RESULTS] = {NO_ANSWER, -1, 0};
    struct ns_program_order order;

    (void)natives;
    run.in = (*env)->GetDirectBufferAddress(env, in);
    run.out = (*env)->GetDirectBufferAddress(env, out);
    run.in_size = (size_t)(*env)->GetDirectBufferCapacity(env, in);
    run.out_size = (size_t)(*env)->GetDirectBufferCapacity(env, out);
    run.picture = (struct bytes){(*env)->GetDirectBufferAddress(env, picture), (size_t)length, 0};
    if (run.in == NULL || run.out == NULL || run.picture.at == NULL || length < 0 ||
        length > (*env)->GetDirectBufferCapacity(env, picture) || (*env)->GetArrayLength(env, numbers) != NUMBERS ||
        (*env)->GetArrayLength(env, results) != RESULTS || (*env)->GetArrayLength(env, tail) != TAIL_MOST)
        return;
    if (pthread_mutex_trylock(&one) != 0) {
        told[0] = NS_PROGRAM_BUSY;
    } else {
        order = order_of(env, numbers);
        run.number = order.number;
        play(&run, &order, told);
        pthread_mutex_unlock(&one);
    }
    (*env)->SetIntArrayRegion(env, results, 0, RESULTS, told);
    (*env)->SetByteArrayRegion(env, tail, 0, (jsize)run.tail_used, (const jbyte *)run.tail);
    if (run.thrown != NULL)
        (*env)->Throw(env, run.thrown);
}

static jboolean JNICALL native_ready(JNIEnv *env, jclass natives) {
    (void)env;
    (void)natives;
    return ns_host.options.ask_fd > 0 && ns_host.options.answer_fd > 0;
}

static bool find_methods(JNIEnv *env) {
    jclass exchange = (*env)->FindClass(env, "org/netserv/media/Exchange");

    if (exchange == NULL)
        return false;
    fill = (*env)->GetMethodID(env, exchange, "fill", "()I");
    take = fill == NULL ? NULL : (*env)->GetMethodID(env, exchange, "take", "(I)Z");
    wanted = take == NULL ? NULL : (*env)->GetMethodID(env, exchange, "wanted", "()Z");
    return wanted != NULL;
}

void ns_program_bind(JNIEnv *env) {
    static const JNINativeMethod methods[] = {
        {"ready", "()Z", (void *)native_ready},
        {"run", "([ILorg/netserv/media/Exchange;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;I[I[B)V",
         (void *)native_run},
    };
    jclass natives = (*env)->FindClass(env, "org/netserv/media/Natives");

    if (natives == NULL || !find_methods(env) ||
        (*env)->RegisterNatives(env, natives, methods, sizeof methods / sizeof methods[0]) != JNI_OK)
        ns_error("no programs: the block media is missing, or another version");
    (*env)->ExceptionClear(env);
}
