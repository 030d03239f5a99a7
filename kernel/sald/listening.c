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

    listening->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (listening->fd < 0 || bind(listening->fd, (struct sockaddr *)&self, sizeof self) != 0)
        return -1;
    return setsockopt(listening->fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
}

bool ns_sal_listening_add(struct ns_sal_listening *listening, const struct ns_sal_rule *rule) {
    if (listening->count == NS_SAL_WATCHED)
        return false;
    listening->watched[listening->count] = (struct ns_sal_watched){.rule = *rule};
    listening->watched[listening->count++].rule.origin = NS_SAL_ORIGIN_LISTENING;
    listening->look_at = 0;
    return true;
}

bool ns_sal_listening_remove(struct ns_sal_listening *listening, struct ns_sal_services *services, const uint8_t *id,
                             unsigned bits) {
    unsigned before = listening->count;

    for (unsigned i = listening->count; i-- > 0;) {
        struct ns_sal_watched *watched = &listening->watched[i];

        if (watched->rule.bits != bits || memcmp(watched->rule.id, id, NS_SAL_ID) != 0)
            continue;
        ns_sal_services_end(services, &watched->rule);
        *watched = listening->watched[--listening->count];
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

/* Takes the sockets of one part of the answer. Returns false behind the last part. */
static bool take_part(uint8_t *ports, const char *bytes, size_t length) {
    const struct nlmsghdr *at = (const struct nlmsghdr *)bytes;

    for (; NLMSG_OK(at, length); at = NLMSG_NEXT(at, length)) {
        struct inet_diag_msg socket;
        uint16_t port;

        if (at->nlmsg_type != SOCK_DIAG_BY_FAMILY || at->nlmsg_len < NLMSG_LENGTH(sizeof socket))
            return false; /* done, or an error */
        memcpy(&socket, NLMSG_DATA(at), sizeof socket);
        port = ntohs(socket.id.idiag_sport);
        ports[port / 8] |= (uint8_t)(1u << port % 8);
    }
    return true;
}

static bool ask(struct ns_sal_listening *listening, uint8_t family, bool datagrams) {
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
    while (n > 0 && take_part(listening->ports[datagrams], answer, (size_t)n));
    return n > 0;
}

/* The kernel takes the two ends of a socket of UDP in the order in which they stand in a packet to it. */
bool ns_sal_listening_is_connected(struct ns_sal_listening *listening, const struct ns_sal_tuple *tuple) {
    static char answer[4096] __attribute__((aligned(8)));
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = tuple->family == 4 ? AF_INET : AF_INET6,
                 .sdiag_protocol = IPPROTO_UDP,
                 .idiag_states = UINT32_MAX,
                 .id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    struct inet_diag_msg socket;
    ssize_t n;

    memcpy(&request.body.id.idiag_dport, &tuple->ports, 2);
    memcpy(&request.body.id.idiag_sport, (const uint8_t *)&tuple->ports + 2, 2);
    memcpy(request.body.id.idiag_src, tuple->destination, sizeof tuple->destination);
    memcpy(request.body.id.idiag_dst, tuple->source, sizeof tuple->source);
    if (send(listening->fd, &request, sizeof request, 0) < 0)
        return false;
    n = recv(listening->fd, answer, sizeof answer, 0);
    if (n < (ssize_t)NLMSG_LENGTH(sizeof socket) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return false;
    memcpy(&socket, NLMSG_DATA(header), sizeof socket);
    return socket.idiag_state == ESTABLISHED;
}

void ns_sal_listening_apply(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now) {
    for (unsigned i = 0; i < listening->count; i++) {
        struct ns_sal_watched *watched = &listening->watched[i];
        uint16_t port = watched->rule.target.port;
        bool listens = (listening->ports[watched->rule.datagrams][port / 8] >> port % 8 & 1) != 0;

        if (listens && !watched->listening)
            watched->listening = ns_sal_services_add(services, &watched->rule, now) == NS_SAL_RULE_OK;
        else if (!listens && watched->listening)
            watched->listening = !ns_sal_services_end(services, &watched->rule);
    }
}

uint64_t ns_sal_listening_due(struct ns_sal_listening *listening, struct ns_sal_services *services, uint64_t now) {
    if (listening->count == 0)
        return UINT64_MAX;
    if (now < listening->look_at)
        return listening->look_at;
    listening->look_at = now + NS_SAL_LOOK_MS;
    memset(listening->ports, 0, sizeof listening->ports);
    if (ask(listening, AF_INET, false) && ask(listening, AF_INET6, false) && ask(listening, AF_INET, true) &&
        ask(listening, AF_INET6, true))
        ns_sal_listening_apply(listening, services, now);
    else
        ns_warn("listening sockets: %s", strerror(errno)); /* the rules stay as they are */
    return listening->look_at;
}
