/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sald - Serval for the programs of a host as they are. docs/protocols/sald.md.
 *
 *     sald --object FILE --pins DIRECTORY --control SOCKET --interface NAME... [--inside sal0] [--beside sal1]
 *          [--port 54325] [--raw 144] [--native] [--short] [--dns ADDRESS:PORT] [--orders FILE] [--set-up 0]
 *          [--seccomp 0] [--hooks FILE [--look MILLISECONDS]]
 *     sald --ask SOCKET VERB [KEY=VALUE]...
 *     sald --talk SOCKET
 *     sald --down --pins DIRECTORY --interface NAME... [--inside sal0] [--beside sal1]
 *
 * Starts with CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON and CAP_NET_RAW, and keeps the first two. Its end ends no flow: the
 * programs go on with those that are open, and the next sald takes them over. Exit status: 0 stopped; 1 the kernel or
 * the interfaces do not allow it; 2 usage.
 */
#include "ask.h"
#include "dns.h"
#include "ns_caps.h"
#include "ns_libbpf.h"
#include "ns_log.h"
#include "ns_seccomp.h"
#include "ns_time.h"
#include "ns_value.h"
#include "sald.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 64u
#define SWEEP_MS 60000u
#define IDLE_MS 1000
#define LOOK_MOST_MS 3600000u

struct options {
    const char *object, *pins, *control, *inside, *beside, *orders, *ask, *talk, *hooks;
    struct ns_sal_address dns;
    uint32_t look_ms; /* between two looks with hooks */
    uint16_t port;
    uint8_t raw;
    bool down, native, brief, seccomp, set_up;
};

static struct ns_sald sald;
static int askers[NS_SAL_ASKERS];

/* --- options --- */

static bool add_interface(const char *name) {
    if (!ns_value_interface(name) || sald.interface_count == NS_SAL_INTERFACES)
        return false;
    strcpy(sald.interfaces[sald.interface_count++], name);
    return true;
}

static bool take_option(struct options *options, int option) {
    uint64_t number;

    switch (option) {
    case 'o':
        options->object = optarg;
        return true;
    case 'p':
        options->pins = optarg;
        return true;
    case 'c':
        options->control = optarg;
        return true;
    case 'i':
        options->inside = optarg;
        return ns_value_interface(optarg);
    case 'b':
        options->beside = optarg;
        return ns_value_interface(optarg);
    case 'v':
        options->native = true;
        return true;
    case 'w':
        options->brief = true;
        return true;
    case 'f':
        options->orders = optarg;
        return true;
    case 'a':
        options->ask = optarg;
        return true;
    case 'h':
        options->hooks = optarg;
        return true;
    case 'l':
        if (!ns_value_number(optarg, 1, LOOK_MOST_MS, &number))
            return false;
        options->look_ms = (uint32_t)number;
        return true;
    case 'k':
        options->talk = optarg;
        return true;
    case 'd':
        options->down = true;
        return true;
    case 's':
        options->seccomp = strcmp(optarg, "0") != 0;
        return true;
    case 't':
        options->set_up = strcmp(optarg, "0") != 0;
        return true;
    case 'e':
        return add_interface(optarg);
    case 'n':
        return ns_sal_address_read(&options->dns, optarg, 53);
    case 'u':
        if (!ns_value_number(optarg, 1, 65535, &number))
            return false;
        options->port = (uint16_t)number;
        return true;
    case 'r':
        if (!ns_value_number(optarg, 1, 255, &number) || number == IPPROTO_TCP || number == IPPROTO_UDP)
            return false;
        options->raw = (uint8_t)number;
        return true;
    default:
        return false;
    }
}

static bool read_options(struct options *options, int argc, char **argv) {
    static const struct option table[] = {
        {"object", required_argument, NULL, 'o'},    {"pins", required_argument, NULL, 'p'},
        {"control", required_argument, NULL, 'c'},   {"inside", required_argument, NULL, 'i'},
        {"beside", required_argument, NULL, 'b'},    {"orders", required_argument, NULL, 'f'},
        {"ask", required_argument, NULL, 'a'},       {"down", no_argument, NULL, 'd'},
        {"interface", required_argument, NULL, 'e'}, {"dns", required_argument, NULL, 'n'},
        {"port", required_argument, NULL, 'u'},      {"raw", required_argument, NULL, 'r'},
        {"seccomp", required_argument, NULL, 's'},   {"native", no_argument, NULL, 'v'},
        {"set-up", required_argument, NULL, 't'},    {"hooks", required_argument, NULL, 'h'},
        {"look", required_argument, NULL, 'l'},      {"short", no_argument, NULL, 'w'},
        {"talk", required_argument, NULL, 'k'},      {NULL, 0, NULL, 0}};
    int option;

    *options = (struct options){.inside = "sal0",
                                .beside = "sal1",
                                .port = NS_SAL_PORT,
                                .seccomp = true,
                                .set_up = true,
                                .look_ms = NS_SAL_HOOKED_LOOK_MS};
    while ((option = getopt_long(argc, argv, "+", table, NULL)) != -1) {
        if (!take_option(options, option))
            return false;
    }
    if (options->ask != NULL)
        return optind < argc;
    if (options->talk != NULL)
        return optind == argc;
    if (options->down)
        return optind == argc && options->pins != NULL;
    return optind == argc && options->object != NULL && options->pins != NULL && options->control != NULL &&
           sald.interface_count > 0;
}

/* --- opening --- */

static int fail(const char *what) {
    ns_error("%s: %s", what, strerror(errno));
    return -1;
}

static void attach_interfaces(void) {
    for (unsigned i = 0; i < sald.interface_count; i++) {
        unsigned index = if_nametoindex(sald.interfaces[i]);

        if (index == sald.attached[i])
            continue;
        if (index != 0 && ns_sal_programs_attach(&sald.programs, index) != 0)
            fail(sald.interfaces[i]);
        sald.attached[i] = index;
        ns_info("%s: %s", sald.interfaces[i], index == 0 ? "gone" : "attached");
    }
}

static void look_at_links(void) {
    ns_sal_links_look(&sald.links, &sald.net, sald.attached, sald.interface_count);
}

static int take_event(void *context, void *data, size_t size) {
    const struct ns_sal_event *event = data;

    (void)context;
    if (size >= sizeof *event && event->kind != NS_SAL_SET_UP) /* that one has woken sald, which looks at all slots */
        ns_sal_host_event(&sald.host, data, ns_now());
    return 0;
}

static bool adopt(void *context, const struct ns_sal_kept *kept) {
    (void)context;
    if (!ns_sal_host_adopt(&sald.host, kept, ns_now()))
        return false;
    if (kept->flow.client)
        ns_sal_surrogate_find(&sald.names, kept->inner.destination, kept->inner.family, ns_now());
    return true;
}

/* Notes the addresses of sal0, from which the local stack answers. */
static void find_inside(void) {
    for (unsigned i = 0; i < sald.net.own_count; i++) {
        const struct ns_sal_address *own = &sald.net.own[i].address;

        if (sald.net.own[i].interface != sald.net.inside)
            continue;
        if (ns_sal_is_ipv4(own))
            memcpy(&sald.host.inside4, own->ip + 12, 4);
        else
            memcpy(sald.host.inside6, own->ip, 16);
    }
}

static int open_host(const struct options *options) {
    struct ns_sal_settings settings = {.port = htons(options->port), .raw = options->raw};
    unsigned removed;

    if (ns_sal_net_open(&sald.net, options->inside, options->beside, options->port, options->raw) != 0 ||
        ns_sal_programs_open(&sald.programs, options->object, options->pins, options->set_up, take_event, NULL) != 0)
        return -1;
    if (ns_sal_listening_open(&sald.listening) != 0)
        return fail("sock_diag");
    sald.listening.hooked_ms = options->look_ms;
    ns_sal_hooks_open(&sald.hooks, options->hooks, &sald.listening);
    ns_sald_wire(&sald);
    if (!ns_sal_host_open(&sald.host, &sald.wire, &sald.services, &sald.names, NS_SAL_FLOWS))
        return fail("memory");
    sald.host.port = options->port;
    sald.native = options->native;
    if (options->native)
        sald.host.abilities |= NS_SAL_ABILITY_NATIVE;
    sald.host.mtu = sald.net.mtu;
    find_inside();
    ns_sal_programs_read_places(&sald.programs, &sald.names);
    sald.restored = ns_sal_programs_restore(&sald.programs, adopt, NULL);
    sald.host.now = ns_now();
    if (ns_sal_pool_open(&sald.pool, &sald.host, &sald.programs) != 0)
        return fail("set-up");
    sald.restored += sald.pool.restored;
    removed = ns_sal_programs_clean(&sald.programs);
    if (removed > 0)
        ns_info("%u flows without a state removed", removed);
    settings.inside = sald.net.inside;
    settings.native = options->native;
    memcpy(settings.link, sald.net.link, sizeof settings.link);
    if (ns_sal_programs_inside(&sald.programs, &settings, sald.net.beside) != 0)
        return fail(options->beside);
    attach_interfaces();
    if (ns_sal_links_open(&sald.links, ns_sal_programs_map(&sald.programs, "ns_set_links"), options->brief) != 0)
        return fail("links");
    look_at_links();
    return 0;
}

static int open_dns(const struct ns_sal_address *at) {
    struct sockaddr_in6 self = {.sin6_family = AF_INET6, .sin6_port = htons(at->port)};
    const int no = 0;
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    memcpy(&self.sin6_addr, at->ip, sizeof self.sin6_addr);
    if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0 ||
        bind(fd, (struct sockaddr *)&self, sizeof self) != 0)
        return fail("DNS");
    return fd;
}

static int open_signals(void) {
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return sigprocmask(SIG_BLOCK, &set, NULL) != 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* --- the loop --- */

struct loop {
    int poll, signals, control, dns;
    bool stop;
};

static void watch(const struct loop *loop, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (fd >= 0 && epoll_ctl(loop->poll, EPOLL_CTL_ADD, fd, &event) != 0)
        fail("epoll");
}

static void read_tap(int tap) {
    static uint8_t packet[NS_SAL_PACKET_MAX];

    for (unsigned i = 0; i < BATCH; i++) {
        size_t length = ns_sal_net_read(tap, packet, sizeof packet);

        if (length == 0)
            return;
        ns_sal_host_segment(&sald.host, packet, length, ns_now());
    }
}

/*
 * Reads the answers of the local stack at once. It answers within the call that hands it a packet, so they are there
 * before the loop would look.
 */
static void read_answers(void) {
    for (unsigned i = 0; i < 2; i++) {
        if (!sald.net.answered[i])
            continue;
        sald.net.answered[i] = false;
        read_tap(sald.net.tap[i]);
    }
}

static void read_udp(void) {
    static uint8_t bytes[NS_SAL_PACKET_MAX];
    struct ns_sal_arrival arrival;

    for (unsigned i = 0; i < BATCH && ns_sal_net_receive(&sald.net, &arrival, bytes, sizeof bytes); i++) {
        arrival.local.port = sald.host.port;
        ns_sal_host_datagram(&sald.host, &arrival.from, &arrival.local, arrival.interface, bytes, arrival.length,
                             ns_now());
        read_answers();
    }
}

static void read_raw(void) {
    static uint8_t bytes[NS_SAL_PACKET_MAX];
    struct ns_sal_arrival at;

    for (unsigned i = 0; i < BATCH && ns_sal_net_receive_raw(&sald.net, &at, bytes, sizeof bytes); i++) {
        ns_sal_host_raw(&sald.host, &at.from, &at.to, &at.local, at.interface, bytes + at.start, at.length, ns_now());
        read_answers();
    }
}

static void read_dns(int fd) {
    uint8_t question[NS_SAL_DNS_MAX], answer[NS_SAL_DNS_MAX];
    struct sockaddr_storage from;

    for (unsigned i = 0; i < BATCH; i++) {
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(fd, question, sizeof question, 0, (struct sockaddr *)&from, &size);
        size_t length = n < 0 ? 0 : ns_sal_dns_answer(&sald.names, question, (size_t)n, answer, ns_now());

        if (n < 0)
            return;
        ns_sald_note_place(&sald);
        if (length > 0)
            sendto(fd, answer, length, 0, (struct sockaddr *)&from, size);
    }
}

static void take_asker(const struct loop *loop) {
    int fd = accept4(loop->control, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    const int bytes = 2 * NS_SAL_REPLY_MAX;

    for (unsigned i = 0; fd >= 0 && i < NS_SAL_ASKERS; i++) {
        if (askers[i] != 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
        askers[i] = fd;
        watch(loop, fd);
        return;
    }
    if (fd >= 0)
        close(fd);
}

/* Watches the processes that an order has made owners. */
static void watch_owners(const struct loop *loop) {
    for (unsigned i = 0; i < NS_SAL_OWNERS; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = sald.owners[i].fd};

        if (sald.owners[i].pid != 0)
            epoll_ctl(loop->poll, EPOLL_CTL_ADD, sald.owners[i].fd, &event); /* EEXIST for those before */
    }
}

static bool read_asker(const struct loop *loop, int fd) {
    static char order[NS_SAL_ORDER_MAX], reply[NS_SAL_REPLY_MAX];

    for (unsigned i = 0; i < NS_SAL_ASKERS; i++) {
        ssize_t n;

        if (askers[i] != fd)
            continue;
        n = recv(fd, order, sizeof order - 1, 0);
        if (n <= 0) {
            close(fd);
            askers[i] = 0;
            ns_sal_controller_gone(&sald.controller, fd);
            return true;
        }
        sald.controller.asker = fd;
        ns_sald_order(&sald, order, (size_t)n - (order[n - 1] == '\n'), reply, sizeof reply);
        ns_sal_pool_look(&sald.pool, ns_now()); /* before the reply: its asker counts on what it has changed */
        watch_owners(loop);
        if (send(fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
            ns_warn("reply of %zu bytes: %s", strlen(reply), strerror(errno));
        return true;
    }
    return false;
}

static void read_owner(int fd) {
    for (unsigned i = 0; i < NS_SAL_OWNERS; i++) {
        if (sald.owners[i].pid != 0 && sald.owners[i].fd == fd)
            ns_sald_owner_gone(&sald, &sald.owners[i]);
    }
}

static void read_news(void) {
    if (!ns_sal_net_news(&sald.net))
        return;
    attach_interfaces();
    look_at_links();
    find_inside();
    ns_sal_pool_renew(&sald.pool);
    ns_sal_pool_take_all(&sald.pool, ns_now());
    ns_sal_host_reroute(&sald.host, ns_now());
    ns_sal_registrar_moved(&sald.registrar, &sald.host, ns_now());
    ns_sal_controller_moved(&sald.controller);
}

static void serve(struct loop *loop, int fd) {
    if (fd == loop->signals)
        loop->stop = true;
    else if (fd == sald.net.tap[0] || fd == sald.net.tap[1])
        read_tap(fd);
    else if (fd == sald.net.udp)
        read_udp();
    else if (fd == sald.net.raw)
        read_raw();
    else if (fd == sald.net.news)
        read_news();
    else if (fd == sald.programs.events_fd)
        ring_buffer__consume(sald.programs.events);
    else if (fd == sald.hooks.events_fd)
        ns_sal_hooks_read(&sald.hooks);
    else if (fd == loop->control)
        take_asker(loop);
    else if (fd == loop->dns)
        read_dns(fd);
    else if (!read_asker(loop, fd))
        read_owner(fd);
}

static int span(uint64_t due, uint64_t now) {
    if (due <= now)
        return 0;
    return due - now > IDLE_MS ? IDLE_MS : (int)(due - now);
}

/* Does what is due, and returns when something is due again. */
static uint64_t do_due(uint64_t now) {
    uint64_t flows = ns_sal_host_due(&sald.host, now), next;

    next = ns_sal_listening_due(&sald.listening, &sald.services, now);
    ns_sal_services_expire(&sald.services, now);
    ns_sal_associations_expire(&sald.host.associations, now);
    if (sald.followed != sald.services.changes) {
        sald.followed = sald.services.changes;
        ns_sal_registrar_follow(&sald.registrar, &sald.host, now);
    }
    ns_sal_controller_look(&sald.controller, &sald.host);
    next = ns_sooner(next, ns_sal_registrar_due(&sald.registrar, &sald.host, now));
    next = ns_sooner(next, ns_sal_pool_look(&sald.pool, now));
    return ns_sooner(next, flows);
}

static int run(struct loop *loop) {
    struct epoll_event events[16];
    uint64_t swept = ns_now();

    ring_buffer__consume(sald.programs.events); /* the events of the time without sald */
    while (!loop->stop) {
        uint64_t now = ns_now(), due = do_due(now);
        int count = epoll_wait(loop->poll, events, 16, span(due, now));

        if (count < 0 && errno != EINTR)
            return fail("epoll");
        ns_sal_pool_look(&sald.pool, ns_now());
        for (int i = 0; i < count; i++)
            serve(loop, events[i].data.fd);
        if (ns_now() - swept >= SWEEP_MS) {
            swept = ns_now();
            ns_sal_host_sweep(&sald.host, swept);
        }
    }
    return 0;
}

static int open_loop(struct loop *loop, const struct options *options) {
    *loop = (struct loop){.poll = epoll_create1(EPOLL_CLOEXEC), .signals = open_signals(), .dns = -1};
    loop->control = ns_sald_listen(options->control);
    if (loop->poll < 0 || loop->signals < 0)
        return fail("loop");
    if (loop->control < 0)
        return fail(options->control);
    if (options->dns.port != 0 && (loop->dns = open_dns(&options->dns)) < 0)
        return -1;
    watch(loop, loop->signals);
    watch(loop, sald.net.tap[0]);
    watch(loop, sald.net.tap[1]);
    watch(loop, sald.net.udp);
    watch(loop, sald.net.raw);
    watch(loop, sald.net.news);
    watch(loop, sald.programs.events_fd);
    watch(loop, sald.hooks.events_fd);
    watch(loop, loop->control);
    watch(loop, loop->dns);
    watch_owners(loop);
    return 0;
}

static int down(const struct options *options) {
    unsigned interfaces[NS_SAL_INTERFACES + 2] = {if_nametoindex(options->inside), if_nametoindex(options->beside)};

    for (unsigned i = 0; i < sald.interface_count; i++)
        interfaces[i + 2] = if_nametoindex(sald.interfaces[i]);
    ns_sal_programs_remove(options->pins, interfaces, sald.interface_count + 2);
    return 0;
}

int main(int argc, char **argv) {
    struct options options;
    struct loop loop;

    ns_log_open("sald");
    if (!read_options(&options, argc, argv)) {
        ns_error("usage: sald --object FILE --pins DIRECTORY --control SOCKET --interface NAME... [--inside sal0] "
                 "[--beside sal1] [--port 54325] [--raw 144] [--native] [--short] [--dns ADDRESS:PORT] "
                 "[--orders FILE] [--set-up 0] [--hooks FILE [--look 5000]] | --ask SOCKET VERB... | --talk SOCKET | "
                 "--down --pins DIRECTORY --interface NAME...");
        return 2;
    }
    if (options.ask != NULL)
        return ns_sald_ask(options.ask, argv + optind, argc - optind);
    if (options.talk != NULL)
        return ns_sald_talk(options.talk);
    if (options.down)
        return down(&options);
    if (open_host(&options) != 0 || (options.orders != NULL && ns_sald_orders_file(&sald, options.orders) != 0) ||
        open_loop(&loop, &options) != 0)
        return 1;
    if (ns_caps_keep_only(NS_CAP(CAP_BPF) | NS_CAP(CAP_NET_ADMIN)) != 0)
        return -fail("capabilities");
    if (options.seccomp && ns_seccomp_enter(&ns_seccomp_sald) != 0)
        return -fail("seccomp");
    ns_info("ready, %llu flows taken over", (unsigned long long)sald.restored);
    return run(&loop) == 0 ? 0 : 1;
}
