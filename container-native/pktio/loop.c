/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - the loop of pktio. One turn takes everything that is ready. If nothing is ready, the loop sleeps until an
 * event or the nearest deadline.
 *
 * The loop makes no call to the kernel only to learn that a queue is empty. After a batch that was not full it
 * sleeps. The sleep ends at once if more packets have come, and its events tell the loop which queues to read. Only
 * while verdicts are waiting there is no sleep; then a queue that just had packets is read again on suspicion.
 *
 * The loop never waits for more packets. Packets that come while a batch is on its way make the next batch: one
 * packet when traffic is light, 64 when there are more than pktio keeps up with. Naps between batches cost ten times
 * the latency and saved no time.
 *
 * The container holds the same eventfds and can make them block, because their flags are shared with it. So pktio
 * never reads its own eventfd, but watches it edge-triggered: each write of the container is an edge. A write to the
 * container's eventfd is broken off by SIGALRM. SIGALRM ticks ten times a second and is also the heartbeat of an idle
 * pktio.
 */
#include "loop.h"

#include "asks.h"
#include "ns_log.h"
#include "ns_time.h"
#include "receive.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#define TICK_USEC 100000
#define VERDICTS_PER_TURN 1024u
#define POLL_EVERY 16u /* busy turns between two looks at signals and copies */
#define IDLE_MSEC 500
#define FLUSHES 100u /* at the end, while AF_XDP has frames to send */

static void to_kernel(void *context, const struct ns_answer *answer) {
    struct ns_loop *loop = context;

    if (answer->xdp)
        ns_xdp_answer(&loop->xdp, answer);
    else
        ns_nfq_answer(answer->copy ? &loop->copies : &loop->packets, answer);
}

static void to_kernel_up_to(void *context, uint32_t id) {
    ns_nfq_accept_up_to(&((struct ns_loop *)context)->packets, id);
}

static void to_kernel_flush(void *context) {
    struct ns_loop *loop = context;

    ns_nfq_flush(&loop->packets);
    ns_nfq_flush(&loop->copies);
    ns_xdp_flush(&loop->xdp);
}

static void on_tick(int signal) {
    (void)signal; /* the signal's only purpose is to break off a blocked call */
}

static int open_signals(struct ns_loop *loop) {
    struct sigaction action = {.sa_handler = on_tick}; /* no SA_RESTART */
    struct itimerval tick = {.it_interval = {0, TICK_USEC}, .it_value = {0, TICK_USEC}};
    sigset_t handled;

    sigemptyset(&handled);
    sigaddset(&handled, SIGTERM);
    sigaddset(&handled, SIGINT);
    sigaddset(&handled, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &handled, NULL) != 0 || sigaction(SIGALRM, &action, NULL) != 0)
        return -1;
    loop->signal_fd = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
    if (loop->signal_fd < 0)
        return -1;
    sigemptyset(&handled);
    sigaddset(&handled, SIGALRM);
    return sigprocmask(SIG_UNBLOCK, &handled, NULL) != 0 || setitimer(ITIMER_REAL, &tick, NULL) != 0 ? -1 : 0;
}

static int watch(struct ns_loop *loop, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};

    return epoll_ctl(loop->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

int ns_loop_open(struct ns_loop *loop, struct ns_pktio *pktio, const struct ns_options *options) {
    int saved;

    *loop = (struct ns_loop){.name = options->name, .pktio = pktio, .signal_fd = -1, .poll_fd = -1};
    loop->packets.fd = loop->copies.fd = -1;
    loop->xdp.umem.fd = -1;
    if (ns_samples_open(&loop->samples, options->samples_fd) != 0)
        ns_warn("--samples-fd: %s: samples of the fast path are not seen", strerror(errno));
    loop->receive_fd = options->receive_fd;
    loop->send_fd = options->send_fd;
    pktio->kernel = (struct ns_kernel){loop, to_kernel, to_kernel_up_to, to_kernel_flush};
    loop->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    ns_receive_begin(pktio);
    if (loop->poll_fd < 0 || open_signals(loop) != 0)
        goto fail;
    if (ns_nfq_open(&loop->packets, options->packets_fd, (uint16_t)options->queue, options->queue_length,
                    NS_RING_PACKET_MAX) != 0 ||
        ns_nfq_open(&loop->copies, options->copies_fd, (uint16_t)(options->queue + 1), options->queue_length,
                    NS_RING_PACKET_MAX) != 0)
        goto fail;
    if (watch(loop, loop->packets.fd, EPOLLIN) != 0 || watch(loop, loop->copies.fd, EPOLLIN) != 0 ||
        watch(loop, loop->signal_fd, EPOLLIN) != 0 || watch(loop, loop->send_fd, EPOLLIN | EPOLLET) != 0)
        goto fail;
    if (loop->samples.fd >= 0 && watch(loop, loop->samples.fd, EPOLLIN) != 0)
        goto fail;
    ns_xdp_open(&loop->xdp, pktio, &options->xdp, options->fastpath_fd); /* last, because from now on packets come */
    for (unsigned i = 0; i < loop->xdp.ports; i++) {
        if (watch(loop, loop->xdp.port[i].fd, EPOLLIN) != 0)
            goto fail;
    }
    if (loop->xdp.ports != 0 && watch(loop, loop->xdp.bpfd, EPOLLIN) != 0)
        goto fail;
    return 0;
fail:
    saved = errno;
    ns_loop_close(loop);
    errno = saved;
    return -1;
}

void ns_loop_close(struct ns_loop *loop) {
    ns_xdp_close(&loop->xdp);
    ns_samples_close(&loop->samples);
    ns_nfq_close(&loop->packets);
    ns_nfq_close(&loop->copies);
    if (loop->signal_fd >= 0)
        close(loop->signal_fd);
    if (loop->poll_fd >= 0)
        close(loop->poll_fd);
    loop->signal_fd = loop->poll_fd = -1;
}

static void wake_container(struct ns_loop *loop) {
    uint64_t one = 1;

    if (write(loop->receive_fd, &one, sizeof one) == (ssize_t)sizeof one)
        ns_count(&loop->pktio->counters->wakeups);
    else if (!loop->pktio->abandoned) /* EAGAIN, or EINTR by a tick: only the container can have filled the counter */
        ns_ring_abandon(loop->pktio, "eventfd filled up");
}

static struct ns_received receive(struct ns_loop *loop, const struct ns_nfq *nfq, bool slots_only, uint64_t now) {
    struct ns_received received = ns_receive(loop->pktio, nfq, nfq == &loop->copies, slots_only, now);

    if (received.status == NS_RECEIVE_REFUSED) {
        ns_error("queue %u cannot be bound: %s", nfq->queue, strerror(received.error));
        loop->failed = true;
    } else if (received.status == NS_RECEIVE_FAILED) {
        ns_error("queue %u cannot be read: %s", nfq->queue, strerror(received.error));
        loop->failed = true;
    }
    return received;
}

/*
 * Leaves packets in the queue. The queue's socket is taken out of the poll set altogether, because neither packets
 * nor an error of an unread queue may end the sleep.
 */
static void leave_in_queue(struct ns_loop *loop, uint64_t now) {
    ns_room_close(&loop->room, now);
    if (epoll_ctl(loop->poll_fd, EPOLL_CTL_DEL, loop->packets.fd, NULL) != 0)
        loop->failed = true;
}

static unsigned receive_packets(struct ns_loop *loop, uint64_t now) {
    struct ns_pktio *pktio = loop->pktio;
    bool wait = !pktio->abandoned && ns_room_waits(&loop->room, now, pktio->limits.deadline);
    struct ns_received received = receive(loop, &loop->packets, wait, now);

    if (received.status == NS_RECEIVE_NO_ROOM)
        leave_in_queue(loop, now);
    else if (received.emptied)
        ns_room_emptied(&loop->room);
    return received.count;
}

/* Returns true if a queue that was left alone must be read again. */
static bool read_again(struct ns_loop *loop, uint64_t now) {
    struct ns_pktio *pktio = loop->pktio;
    uint32_t quarter = pktio->ring.slots / 4;
    uint32_t enough = quarter < NS_NFQ_BATCH ? quarter : NS_NFQ_BATCH;

    if (pktio->abandoned)
        enough = 0;
    if (!ns_room_opens(&loop->room, pktio->table.free.count, enough, now, pktio->limits.deadline))
        return false;
    loop->packets_ready = true;
    if (watch(loop, loop->packets.fd, EPOLLIN) != 0)
        loop->failed = true;
    return true;
}

/*
 * Returns true if a queue has filled its batch or there is room again, because then there is certainly more to read.
 */
static bool turn(struct ns_loop *loop) {
    struct ns_pktio *pktio = loop->pktio;
    uint64_t now = ns_now_ns();
    unsigned packets = 0, copies = 0, samples = 0, frames;

    ns_ring_look(pktio);
    frames = ns_xdp_receive(&loop->xdp, now);
    if (loop->packets_ready && !loop->room.closed)
        packets = receive_packets(loop, now);
    if (loop->copies_ready)
        copies = receive(loop, &loop->copies, false, now).count;
    if (loop->samples_ready)
        samples = ns_samples_receive(&loop->samples, pktio, now);
    loop->packets_ready = packets != 0;
    loop->copies_ready = copies == NS_NFQ_BATCH;
    loop->samples_ready = samples == NS_SAMPLES_BATCH;
    if (ns_ring_publish(pktio))
        wake_container(loop);
    ns_ring_look(pktio);
    ns_verdicts_take(pktio, VERDICTS_PER_TURN, now);
    ns_verdicts_expire(pktio, now);
    ns_pktio_flush(pktio);
    ns_asks_forward(pktio);
    ns_records_copy(&pktio->records, now);
    ns_xdp_look(&loop->xdp, now);
    if (loop->packets.failed != 0 || loop->copies.failed != 0) {
        ns_count(&pktio->counters->send_errors);
        ns_error("verdicts refused: %s",
                 strerror(loop->packets.failed != 0 ? loop->packets.failed : loop->copies.failed));
        loop->failed = true;
    }
    return read_again(loop, now) || packets == NS_NFQ_BATCH || copies == NS_NFQ_BATCH || samples == NS_SAMPLES_BATCH ||
           frames >= NS_NFQ_BATCH;
}

static void take_signals(struct ns_loop *loop) {
    struct signalfd_siginfo info;

    while (read(loop->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGHUP) {
            loop->stop = true;
        } else if (ns_pktio_reopen(loop->pktio) != 0) {
            ns_error("no memory to take the ring up again");
            loop->failed = true;
        } else {
            ns_receive_begin(loop->pktio);
            ns_info("ring taken up again");
        }
    }
}

/* Returns the milliseconds until the nearest deadline, rounded up. */
static int span(const struct ns_loop *loop) {
    uint64_t deadline = ns_table_deadline(&loop->pktio->table);
    uint64_t patience = ns_room_until(&loop->room, loop->pktio->limits.deadline);
    uint64_t now = ns_now_ns();
    uint64_t first = deadline < patience ? deadline : patience;
    uint64_t left = first > now ? (first - now + 999999) / 1000000 : 0;

    if ((loop->xdp.backlog || ns_asks_wait(loop->pktio, false)) && left > 1)
        return 1;
    return left > IDLE_MSEC ? IDLE_MSEC : (int)left;
}

static void poll_events(struct ns_loop *loop, int timeout) {
    struct epoll_event events[8];
    int count = epoll_wait(loop->poll_fd, events, 8, timeout);

    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == loop->packets.fd)
            loop->packets_ready = true;
        else if (events[i].data.fd == loop->copies.fd)
            loop->copies_ready = true;
        else if (events[i].data.fd == loop->samples.fd)
            loop->samples_ready = true;
        else if (events[i].data.fd == loop->signal_fd)
            take_signals(loop);
        else if (loop->xdp.ports != 0 && events[i].data.fd == loop->xdp.bpfd && !ns_xdp_heed(&loop->xdp))
            epoll_ctl(loop->poll_fd, EPOLL_CTL_DEL, loop->xdp.bpfd, NULL);
    }
}

static void sleep_if_idle(struct ns_loop *loop) {
    if (!ns_ring_sleep(loop->pktio))
        return;
    loop->packets_ready = false;
    poll_events(loop, span(loop));
    ns_ring_wake(loop->pktio);
}

/* Lets new packets bypass, takes the packets queued meanwhile, and accepts everything. No packet is lost. */
static uint32_t finish(struct ns_loop *loop) {
    struct ns_pktio *pktio = loop->pktio;
    uint64_t now = ns_now_ns();
    uint32_t held;

    if (ns_nfq_refuse_new(&loop->packets) != 0 || ns_nfq_refuse_new(&loop->copies) != 0)
        ns_warn("queues could not be closed to new packets");
    ns_xdp_refuse_new(&loop->xdp);
    while (receive(loop, &loop->packets, false, now).count != 0 ||
           receive(loop, &loop->copies, false, now).count != 0 || ns_xdp_receive(&loop->xdp, now) != 0)
        continue;
    held = ns_pktio_accept_all(pktio, NULL);
    ns_pktio_flush(pktio);
    for (unsigned i = 0; i < FLUSHES && loop->xdp.backlog; i++)
        ns_xdp_flush(&loop->xdp);
    __atomic_store_n(&pktio->counters->held, held, __ATOMIC_RELAXED); /* the number that the spawner reports */
    return held;
}

int ns_loop_run(struct ns_loop *loop) {
    /* The first turn reads both queues at once, which also brings the kernel's answers to the binding. */
    loop->packets_ready = loop->copies_ready = loop->samples_ready = true;
    for (unsigned turns = 1; !loop->stop && !loop->failed; turns++) {
        bool full = turn(loop);

        if (loop->failed)
            break;
        ns_count(&loop->pktio->counters->heartbeat);
        if (turns % POLL_EVERY == 0)
            poll_events(loop, 0);
        else if (!full)
            sleep_if_idle(loop);
    }
    if (loop->packets.failed == 0 && loop->packets.fd >= 0)
        ns_info("%s: accepted %u held packets", loop->name, finish(loop));
    return loop->failed ? -1 : 0;
}
