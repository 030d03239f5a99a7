/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include "ns_log.h"
#include "ns_time.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define IDLE_MSEC 500 /* the heartbeat of an idle sigio */
#define BATCH 64u     /* messages of one source per turn */

struct loop {
    struct ns_sigio *sigio;
    int poll_fd, signal_fd;
    int watched_client;  /* descriptor in the poll set, -1 = none */
    bool watched_writes; /* is it watched for room, too? */
    uint64_t report_at;  /* when the counters go out again */
    bool stop, failed;
};

static int watch(const struct loop *loop, int fd, uint32_t events, int operation) {
    struct epoll_event event = {.events = events, .data.fd = fd};

    return epoll_ctl(loop->poll_fd, operation, fd, &event);
}

static int open_signals(void) {
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return sigprocmask(SIG_BLOCK, &set, NULL) != 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int open_loop(struct loop *loop) {
    const struct ns_sigio *sigio = loop->sigio;
    const int fds[] = {loop->signal_fd, sigio->queue.fd, sigio->client.listener, sigio->sockets[0], sigio->sockets[1]};

    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0 && watch(loop, fds[i], EPOLLIN, EPOLL_CTL_ADD) != 0)
            return -1;
    }
    return 0;
}

/* Keeps the poll set in step with the client: a new client, no client, or a client with queued bytes. */
static void watch_client(struct loop *loop) {
    const struct ns_sig_client *client = &loop->sigio->client;
    bool writes = ns_sig_client_waits(client);

    if (client->fd == loop->watched_client && writes == loop->watched_writes)
        return;
    if (client->fd >= 0 && watch(loop, client->fd, EPOLLIN | (writes ? EPOLLOUT : 0),
                                 client->fd == loop->watched_client ? EPOLL_CTL_MOD : EPOLL_CTL_ADD) != 0) {
        ns_orders_drop(loop->sigio, strerror(errno));
    }
    loop->watched_client = client->fd; /* a closed descriptor has left the set by itself */
    loop->watched_writes = writes;
}

static void read_signals(struct loop *loop) {
    struct signalfd_siginfo info;

    while (read(loop->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        loop->stop |= info.ssi_signo != SIGHUP;
}

static void take_client(struct loop *loop) {
    struct ns_sigio *sigio = loop->sigio;

    if (ns_sig_client_accept(&sigio->client)) {
        ns_intake_expire(sigio, UINT64_MAX); /* the packets held for its predecessor */
        loop->watched_client = -1;
    }
}

static void serve(struct loop *loop, const struct epoll_event *event, uint64_t now) {
    struct ns_sigio *sigio = loop->sigio;
    int fd = event->data.fd;

    if (fd == loop->signal_fd)
        read_signals(loop);
    else if (fd == sigio->queue.fd)
        loop->failed |= ns_intake_queue(sigio, BATCH, now) < 0;
    else if (fd == sigio->client.listener)
        take_client(loop);
    else if (fd == sigio->sockets[0] || fd == sigio->sockets[1])
        ns_intake_socket(sigio, fd == sigio->sockets[1], BATCH, now);
    else if (fd == sigio->client.fd && (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
        ns_orders_read(sigio, now);
}

/* Returns the milliseconds until the next due time, rounded up. */
static int span(const struct loop *loop) {
    uint64_t now = ns_now_ns(), next = ns_held_next(&loop->sigio->held), left;

    if (loop->report_at < next)
        next = loop->report_at;
    left = next > now ? (next - now + 999999) / 1000000 : 0;
    return left > IDLE_MSEC ? IDLE_MSEC : (int)left;
}

static void flush(struct loop *loop) {
    struct ns_sigio *sigio = loop->sigio;

    if (!ns_sig_client_write(&sigio->client))
        ns_orders_drop(sigio, "cannot be written to");
    ns_nfq_flush(&sigio->queue);
    if (sigio->queue.failed != 0) {
        ns_error("verdicts refused: %s", strerror(sigio->queue.failed));
        loop->failed = true;
    }
    __atomic_store_n(&sigio->counters->held, sigio->held.count, __ATOMIC_RELAXED);
    ns_sigio_count(&sigio->counters->heartbeat);
}

static void turn(struct loop *loop) {
    struct epoll_event events[8];
    int count = epoll_wait(loop->poll_fd, events, 8, span(loop));
    uint64_t now = ns_now_ns();

    for (int i = 0; i < count; i++)
        serve(loop, &events[i], now);
    ns_intake_expire(loop->sigio, now);
    if (now >= loop->report_at) {
        ns_orders_report(loop->sigio);
        loop->report_at = now + SECOND;
    }
    flush(loop);
    watch_client(loop);
}

/* Lets new packets bypass, takes the packets queued meanwhile, and lets all of them go. No packet is lost. */
static void finish(struct loop *loop) {
    struct ns_sigio *sigio = loop->sigio;
    unsigned held = sigio->held.count;
    int count;

    ns_orders_drop(sigio, "we stop");
    if (ns_nfq_refuse_new(&sigio->queue) != 0)
        ns_warn("the queue could not be closed to new packets");
    do {
        count = ns_intake_queue(sigio, BATCH, ns_now_ns());
        ns_nfq_flush(&sigio->queue);
    } while (count > 0);
    ns_info("let go %u held packets", held);
}

int ns_sigio_loop(struct ns_sigio *sigio) {
    struct loop loop = {.sigio = sigio, .watched_client = -1};

    loop.signal_fd = open_signals();
    loop.poll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (loop.signal_fd < 0 || loop.poll_fd < 0 || open_loop(&loop) != 0) {
        ns_error("loop: %s", strerror(errno));
        return -1;
    }
    while (!loop.stop && !loop.failed)
        turn(&loop);
    if (sigio->queue.failed == 0)
        finish(&loop);
    close(loop.signal_fd);
    close(loop.poll_fd);
    return loop.failed ? -1 : 0;
}
