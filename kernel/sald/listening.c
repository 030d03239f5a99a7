/* SPDX-License-Identifier: Apache-2.0 */
#include "listening.h"

#include "ns_log.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <sys/time.h>

/* States of the kernel's sockets. One of UDP is established if it is connected, else closed. */
#define ESTABLISHED 1u
#define CLOSED 7u
#define LISTEN 10u

int ns_sal_listening_open(struct ns_sal_listening *listening) {
    const struct timeval bound = {1, 0}; /* the kernel answers within the call; the bound is a safeguard */
    struct sockaddr_nl self = {.nl_family = AF_NETLINK};

    listening->hooked_ms = NS_SAL_HOOKED_LOOK_MS;
    listening->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (listening->fd < 0 || bind(listening->fd, (struct sockaddr *)&self, sizeof self) != 0)
        return -1;
    return setsockopt(listening->fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
}

void ns_sal_listening_hook(struct ns_sal_listening *listening,
                           bool (*port)(void *context, bool datagrams, uint16_t port, bool watched),
                           bool (*socket)(void *context, const struct ns_sal_listener_socket *socket, bool there),
                           void *context) {
    listening->hook_port = port;
    listening->hook_socket = socket;
    listening->context = context;
}

static bool has(const uint8_t *ports, uint16_t port) {
    return (ports[port / 8] >> port % 8 & 1) != 0;
}

static void set(uint8_t *ports, uint16_t port) {
    ports[port / 8] |= (uint8_t)(1u << port % 8);
}

/* --- watched ports --- */

bool ns_sal_listening_add(struct ns_sal_listening *listening, const struct ns_sal_rule *rule) {
    if (listening->count == NS_SAL_WATCHED)
        return false;
    if (listening->hook_port != NULL &&
        !listening->hook_port(listening->context, rule->datagrams, rule->target.port, true))
        return false;
    listening->watched[listening->count] = (struct ns_sal_watched){.rule = *rule};
    listening->watched[listening->count++].rule.origin = NS_SAL_ORIGIN_LISTENING;
    set(listening->wanted[rule->datagrams], rule->target.port);
    listening->look_at = 0; /* behind the hook, so that none who begins meanwhile is missed */
    if (listening->why == NS_SAL_LOOK_POLL)
        listening->why = NS_SAL_LOOK_ORDER;
    return true;
}

/* Watches a port no longer, unless another service has it, too. */
static void let_go(struct ns_sal_listening *listening, bool datagrams, uint16_t port) {
    for (unsigned i = 0; i < listening->count; i++) {
        if (listening->watched[i].rule.datagrams == datagrams && listening->watched[i].rule.target.port == port)
            return;
    }
    listening->wanted[datagrams][port / 8] &= (uint8_t) ~(1u << port % 8);
    if (listening->hook_port != NULL)
        listening->hook_port(listening->context, datagrams, port, false);
}

bool ns_sal_listening_remove(struct ns_sal_listening *listening, struct ns_sal_services *services, const uint8_t *id,
                             unsigned bits) {
    unsigned before = listening->count;

    for (unsigned i = listening->count; i-- > 0;) {
        struct ns_sal_rule rule = listening->watched[i].rule;

        if (rule.bits != bits || memcmp(rule.id, id, NS_SAL_ID) != 0)
            continue;
        ns_sal_services_end(services, &rule);
        listening->watched[i] = listening->watched[--listening->count];
        let_go(listening, rule.datagrams, rule.target.port);
    }
    return listening->count != before;
}

bool ns_sal_listening_drain(struct ns_sal_listening *listening, const uint8_t *id, unsigned bits, bool drained) {
    bool found = false;

    for (unsigned i = 0; i < listening->count; i++) {
        struct ns_sal_rule *rule = &listening->watched[i].rule;

        if (rule->bits != bits || memcmp(rule->id, id, NS_SAL_ID) != 0)
            continue;
        rule->drained = drained;
        found = true;
    }
    return found;
}

/* --- looking --- */

bool ns_sal_listening_found(struct ns_sal_listening *listening, bool datagrams, uint16_t port, uint64_t cookie) {
    struct ns_sal_listener_socket socket = {.cookie = cookie, .port = port, .datagrams = datagrams, .seen = true};

    set(listening->ports[datagrams], port);
    if (listening->hook_socket == NULL || !has(listening->wanted[datagrams], port))
        return false;
    for (unsigned i = 0; i < listening->socket_count; i++) {
        if (listening->sockets[i].cookie == cookie) {
            listening->sockets[i].seen = true;
            return false;
        }
    }
    if (listening->socket_count == NS_SAL_LISTEN_SOCKETS ||
        !listening->hook_socket(listening->context, &socket, true)) {
        listening->unhooked = true;
        return false;
    }
    listening->sockets[listening->socket_count++] = socket;
    return true;
}

/* Takes the sockets that a look has not found out of the hooks. */
static void forget_gone(struct ns_sal_listening *listening) {
    for (unsigned i = listening->socket_count; i-- > 0;) {
        if (listening->sockets[i].seen)
            continue;
        listening->hook_socket(listening->context, &listening->sockets[i], false);
        listening->sockets[i] = listening->sockets[--listening->socket_count];
    }
}

/*
 * Takes the sockets of one part of the answer. Sets `fresh` if one of them was not known to the hooks. Returns false
 * behind the last part.
 */
static bool take_part(struct ns_sal_listening *listening, bool datagrams, const char *bytes, size_t length,
                      bool *fresh) {
    const struct nlmsghdr *at = (const struct nlmsghdr *)bytes;

    for (; NLMSG_OK(at, length); at = NLMSG_NEXT(at, length)) {
        struct inet_diag_msg socket;
        const uint32_t *cookie = socket.id.idiag_cookie;

        if (at->nlmsg_type != SOCK_DIAG_BY_FAMILY || at->nlmsg_len < NLMSG_LENGTH(sizeof socket))
            return false; /* done, or an error */
        memcpy(&socket, NLMSG_DATA(at), sizeof socket);
        *fresh |= ns_sal_listening_found(listening, datagrams, ntohs(socket.id.idiag_sport),
                                         (uint64_t)cookie[1] << 32 | cookie[0]);
    }
    return true;
}

static bool ask(struct ns_sal_listening *listening, uint8_t family, bool datagrams, bool *fresh) {
    static char answer[16384] __attribute__((aligned(8)));
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } request = {.header = {.nlmsg_len = sizeof request,
                            .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
                 .body = {.sdiag_family = family,
                          .sdiag_protocol = datagrams ? IPPROTO_UDP : IPPROTO_TCP,
                          .idiag_states = 1u << (datagrams ? CLOSED : LISTEN)}};
    ssize_t n;

    if (send(listening->fd, &request, sizeof request, 0) < 0)
        return false;
    do
        n = recv(listening->fd, answer, sizeof answer, 0);
    while (n > 0 && take_part(listening, datagrams, answer, (size_t)n, fresh));
    return n > 0;
}

/* Asks for all sockets. Returns false if the kernel does not answer. */
static bool ask_all(struct ns_sal_listening *listening, bool *fresh) {
    *fresh = false;
    listening->unhooked = false;
    memset(listening->ports, 0, sizeof listening->ports);
    for (unsigned i = 0; i < listening->socket_count; i++)
        listening->sockets[i].seen = false;
    for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
        if (!ask(listening, AF_INET, datagrams, fresh) || !ask(listening, AF_INET6, datagrams, fresh))
            return false;
    }
    forget_gone(listening);
    return true;
}

/*
 * Names the two ends of a socket as the kernel takes them: those of TCP from its own side, and those of UDP as they
 * stand in a packet to it.
 */
static void name_ends(struct inet_diag_sockid *id, const struct ns_sal_tuple *tuple, bool datagrams) {
    const uint8_t *ports = (const uint8_t *)&tuple->ports;

    memcpy(&id->idiag_sport, ports + (datagrams ? 2 : 0), 2);
    memcpy(&id->idiag_dport, ports + (datagrams ? 0 : 2), 2);
    memcpy(id->idiag_src, datagrams ? tuple->destination : tuple->source, sizeof tuple->source);
    memcpy(id->idiag_dst, datagrams ? tuple->source : tuple->destination, sizeof tuple->source);
    id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
}

bool ns_sal_listening_is_connected(struct ns_sal_listening *listening, const struct ns_sal_tuple *tuple,
                                   bool datagrams) {
    static char answer[4096] __attribute__((aligned(8)));
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = tuple->family == 4 ? AF_INET : AF_INET6,
                 .sdiag_protocol = datagrams ? IPPROTO_UDP : IPPROTO_TCP,
                 .idiag_states = UINT32_MAX}};
    struct inet_diag_msg socket;
    ssize_t n;

    name_ends(&request.body.id, tuple, datagrams);
    if (send(listening->fd, &request, sizeof request, 0) < 0)
        return false;
    n = recv(listening->fd, answer, sizeof answer, 0);
    if (n < (ssize_t)NLMSG_LENGTH(sizeof socket) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return false;
    memcpy(&socket, NLMSG_DATA(header), sizeof socket);
    return datagrams ? socket.idiag_state == ESTABLISHED : socket.idiag_inode != 0;
}

unsigned ns_sal_listening_apply(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now) {
    unsigned changes = 0;

    for (unsigned i = 0; i < listening->count; i++) {
        struct ns_sal_watched *watched = &listening->watched[i];
        bool listens = has(listening->ports[watched->rule.datagrams], watched->rule.target.port);
        bool before = watched->listening;

        if (listens && !before)
            watched->listening = ns_sal_services_add(services, &watched->rule, now) == NS_SAL_RULE_OK;
        else if (!listens && before)
            watched->listening = !ns_sal_services_end(services, &watched->rule);
        changes += watched->listening != before;
    }
    return changes;
}

/* --- when to look --- */

void ns_sal_listening_wake(struct ns_sal_listening *listening, uint64_t now) {
    uint64_t least = listening->looked_at + NS_SAL_LOOK_AGAIN_MS, at = now < least ? least : now;

    listening->again = NS_SAL_LOOK_AGAIN_MS;
    listening->why = NS_SAL_LOOK_EVENT;
    if (at < listening->look_at)
        listening->look_at = at;
}

void ns_sal_listening_looked(struct ns_sal_listening *listening, unsigned changes, uint64_t now) {
    bool hooked = listening->hook_port != NULL && !listening->unhooked;

    listening->looked_at = now;
    listening->looks++;
    listening->polls += listening->why == NS_SAL_LOOK_POLL;
    if (listening->hook_port != NULL && listening->why == NS_SAL_LOOK_POLL)
        listening->late += changes;
    if (listening->why == NS_SAL_LOOK_EVENT && listening->again <= NS_SAL_LOOK_LAST_MS) {
        listening->look_at = now + listening->again;
        listening->again *= 4;
        return;
    }
    listening->why = NS_SAL_LOOK_POLL;
    listening->look_at = now + (hooked ? listening->hooked_ms : NS_SAL_LOOK_MS);
}

uint64_t ns_sal_listening_due(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now) {
    bool fresh = false, answered;

    if (listening->count == 0)
        return UINT64_MAX;
    if (now < listening->look_at)
        return listening->look_at;
    answered = ask_all(listening, &fresh);
    if (answered && fresh)
        answered = ask_all(listening, &fresh); /* one that ended before its hook knew it */
    if (answered && fresh)
        ns_sal_listening_wake(listening, now); /* others have come meanwhile */
    if (!answered)
        ns_warn("listening sockets: %s", strerror(errno)); /* the rules stay as they are */
    ns_sal_listening_looked(listening, answered ? ns_sal_listening_apply(listening, services, now) : 0, now);
    return listening->look_at;
}
