/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include "ask.h"
#include "dns.h"
#include "ns_libbpf.h"
#include "ns_log.h"
#include "ns_time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 64u
#define SWEEP_MS 60000u
#define IDLE_MS 1000

static int open_dns(const struct ns_sal_address *at) {
    struct sockaddr_in6 self = {.sin6_family = AF_INET6, .sin6_port = htons(at->port)};
    const int no = 0;
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    memcpy(&self.sin6_addr, at->ip, sizeof self.sin6_addr);
    if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0 ||
        bind(fd, (struct sockaddr *)&self, sizeof self) != 0)
        return ns_sald_fail("DNS");
    return fd;
}

static int open_signals(void) {
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return sigprocmask(SIG_BLOCK, &set, NULL) != 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void watch(const struct ns_sald_loop *loop, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (fd >= 0 && epoll_ctl(loop->poll, EPOLL_CTL_ADD, fd, &event) != 0)
        ns_sald_fail("epoll");
}

static void read_tap(struct ns_sald *sald, int tap) {
    static uint8_t packet[NS_SAL_PACKET_MAX];

    for (unsigned i = 0; i < BATCH; i++) {
        size_t length = ns_sal_net_read(tap, packet, sizeof packet);

        if (length == 0)
            return;
        ns_sal_host_segment(&sald->host, packet, length, ns_now());
    }
}

/*
 * Reads the answers of the local stack at once. It answers within the call that hands it a packet, so they are there
 * before the loop would look.
 */
static void read_answers(struct ns_sald *sald) {
    for (unsigned i = 0; i < 2; i++) {
        if (!sald->net.answered[i])
            continue;
        sald->net.answered[i] = false;
        read_tap(sald, sald->net.tap[i]);
    }
}

static void read_udp(struct ns_sald *sald) {
    static uint8_t bytes[NS_SAL_PACKET_MAX];
    struct ns_sal_arrival arrival;

    for (unsigned i = 0; i < BATCH && ns_sal_net_receive(&sald->net, &arrival, bytes, sizeof bytes); i++) {
        arrival.local.port = sald->host.port;
        ns_sal_host_datagram(&sald->host, &arrival.from, &arrival.local, arrival.interface, bytes, arrival.length,
                             ns_now());
        read_answers(sald);
    }
}

static void read_raw(struct ns_sald *sald) {
    static uint8_t bytes[NS_SAL_PACKET_MAX];
    struct ns_sal_arrival at;

    for (unsigned i = 0; i < BATCH && ns_sal_net_receive_raw(&sald->net, &at, bytes, sizeof bytes); i++) {
        ns_sal_host_raw(&sald->host, &at.from, &at.to, &at.local, at.interface, bytes + at.start, at.length, ns_now());
        read_answers(sald);
    }
}

static void read_dns(struct ns_sald *sald, int fd) {
    uint8_t question[NS_SAL_DNS_MAX], answer[NS_SAL_DNS_MAX];
    struct sockaddr_storage from;

    for (unsigned i = 0; i < BATCH; i++) {
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(fd, question, sizeof question, 0, (struct sockaddr *)&from, &size);
        size_t length = n < 0 ? 0 : ns_sal_dns_answer(&sald->names, question, (size_t)n, answer, ns_now());

        if (n < 0)
            return;
        ns_sald_note_place(sald);
        if (length > 0)
            sendto(fd, answer, length, 0, (struct sockaddr *)&from, size);
    }
}

static void take_asker(struct ns_sald_loop *loop) {
    int fd = accept4(loop->control, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    const int bytes = 2 * NS_SAL_REPLY_MAX;

    for (unsigned i = 0; fd >= 0 && i < NS_SAL_ASKERS; i++) {
        if (loop->askers[i] != 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
        loop->askers[i] = fd;
        watch(loop, fd);
        return;
    }
    if (fd >= 0)
        close(fd);
}

/* Watches the processes that an order has made owners. */
static void watch_owners(const struct ns_sald_loop *loop) {
    const struct ns_sald *sald = loop->sald;

    for (unsigned i = 0; i < NS_SAL_OWNERS; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = sald->owners[i].fd};

        if (sald->owners[i].pid != 0)
            epoll_ctl(loop->poll, EPOLL_CTL_ADD, sald->owners[i].fd, &event); /* EEXIST for those before */
    }
}

static bool read_asker(struct ns_sald_loop *loop, int fd) {
    static char order[NS_SAL_ORDER_MAX], reply[NS_SAL_REPLY_MAX];
    struct ns_sald *sald = loop->sald;

    for (unsigned i = 0; i < NS_SAL_ASKERS; i++) {
        ssize_t n;

        if (loop->askers[i] != fd)
            continue;
        n = recv(fd, order, sizeof order - 1, 0);
        if (n <= 0) {
            close(fd);
            loop->askers[i] = 0;
            ns_sal_controller_gone(&sald->controller, fd);
            return true;
        }
        sald->controller.asker = fd;
        ns_sald_order(sald, order, (size_t)n - (order[n - 1] == '\n'), reply, sizeof reply);
        ns_sal_pool_look(&sald->pool, ns_now()); /* before the reply: its asker counts on what it has changed */
        watch_owners(loop);
        if (send(fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
            ns_warn("reply of %zu bytes: %s", strlen(reply), strerror(errno));
        return true;
    }
    return false;
}

static void read_owner(struct ns_sald *sald, int fd) {
    for (unsigned i = 0; i < NS_SAL_OWNERS; i++) {
        if (sald->owners[i].pid != 0 && sald->owners[i].fd == fd)
            ns_sald_owner_gone(sald, &sald->owners[i]);
    }
}

static void read_news(struct ns_sald *sald) {
    if (!ns_sal_net_news(&sald->net))
        return;
    ns_sald_attach(sald);
    ns_sald_look_at_links(sald);
    ns_sald_find_inside(sald);
    ns_sal_pool_renew(&sald->pool);
    ns_sal_pool_take_all(&sald->pool, ns_now());
    ns_sal_host_reroute(&sald->host, ns_now());
    ns_sal_registrar_moved(&sald->registrar, &sald->host, ns_now());
    ns_sal_controller_moved(&sald->controller);
}

static void serve(struct ns_sald_loop *loop, int fd) {
    struct ns_sald *sald = loop->sald;

    if (fd == loop->signals)
        loop->stop = true;
    else if (fd == sald->net.tap[0] || fd == sald->net.tap[1])
        read_tap(sald, fd);
    else if (fd == sald->net.udp)
        read_udp(sald);
    else if (fd == sald->net.raw)
        read_raw(sald);
    else if (fd == sald->net.news)
        read_news(sald);
    else if (fd == sald->programs.events_fd)
        ring_buffer__consume(sald->programs.events);
    else if (fd == sald->hooks.events_fd)
        ns_sal_hooks_read(&sald->hooks);
    else if (fd == loop->control)
        take_asker(loop);
    else if (fd == loop->dns)
        read_dns(sald, fd);
    else if (!read_asker(loop, fd))
        read_owner(sald, fd);
}

static int span(uint64_t due, uint64_t now) {
    if (due <= now)
        return 0;
    return due - now > IDLE_MS ? IDLE_MS : (int)(due - now);
}

/* Does the work that is due. Returns the time of the next. */
static uint64_t do_due(struct ns_sald *sald, uint64_t now) {
    uint64_t flows = ns_sal_host_due(&sald->host, now), next;

    next = ns_sal_listening_due(&sald->listening, &sald->services, now);
    ns_sal_services_expire(&sald->services, now);
    ns_sal_associations_expire(&sald->host.associations, now);
    if (sald->followed != sald->services.changes) {
        sald->followed = sald->services.changes;
        ns_sal_registrar_follow(&sald->registrar, &sald->host, now);
    }
    ns_sal_controller_look(&sald->controller, &sald->host);
    next = ns_sooner(next, ns_sal_registrar_due(&sald->registrar, &sald->host, now));
    next = ns_sooner(next, ns_sal_pool_look(&sald->pool, now));
    return ns_sooner(next, flows);
}

int ns_sald_loop_run(struct ns_sald_loop *loop) {
    struct ns_sald *sald = loop->sald;
    struct epoll_event events[16];
    uint64_t swept = ns_now();

    ring_buffer__consume(sald->programs.events); /* the events of the time without sald */
    while (!loop->stop) {
        uint64_t now = ns_now(), due = do_due(sald, now);
        int count = epoll_wait(loop->poll, events, 16, span(due, now));

        if (count < 0 && errno != EINTR)
            return ns_sald_fail("epoll");
        ns_sal_pool_look(&sald->pool, ns_now());
        for (int i = 0; i < count; i++)
            serve(loop, events[i].data.fd);
        if (ns_now() - swept >= SWEEP_MS) {
            swept = ns_now();
            ns_sal_host_sweep(&sald->host, swept);
        }
    }
    return 0;
}

int ns_sald_loop_open(struct ns_sald_loop *loop, struct ns_sald *sald, const struct ns_sald_options *options) {
    *loop =
        (struct ns_sald_loop){.sald = sald, .poll = epoll_create1(EPOLL_CLOEXEC), .signals = open_signals(), .dns = -1};
    loop->control = ns_sald_listen(options->control);
    if (loop->poll < 0 || loop->signals < 0)
        return ns_sald_fail("loop");
    if (loop->control < 0)
        return ns_sald_fail(options->control);
    if (options->dns.port != 0 && (loop->dns = open_dns(&options->dns)) < 0)
        return -1;
    watch(loop, loop->signals);
    watch(loop, sald->net.tap[0]);
    watch(loop, sald->net.tap[1]);
    watch(loop, sald->net.udp);
    watch(loop, sald->net.raw);
    watch(loop, sald->net.news);
    watch(loop, sald->programs.events_fd);
    watch(loop, sald->hooks.events_fd);
    watch(loop, loop->control);
    watch(loop, loop->dns);
    watch_owners(loop);
    return 0;
}
