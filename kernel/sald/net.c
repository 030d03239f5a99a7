/* SPDX-License-Identifier: Apache-2.0 */
#include "net.h"

#include "ns_log.h"
#include "ns_sal.h"
#include "ns_time.h"
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

#define NEIGHBOUR_NUMBERS 0x80000000u /* of requests about neighbours; those about routes count from 1 */

static int fail(const char *what) {
    ns_error("%s: %s", what, strerror(errno));
    return -1;
}

/* --- opening --- */

static int open_udp(uint16_t port) {
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    const int no = 0, yes = 1, bytes = 1 << 20, priority = NS_SAL_PRIORITY;
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0 ||
        setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &yes, sizeof yes) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority) != 0 ||
        bind(fd, (struct sockaddr *)&any, sizeof any) != 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    return fd;
}

static int open_raw(uint8_t protocol) {
    const int yes = 1, bytes = 1 << 20;
    int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);

    if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &yes, sizeof yes) != 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    return fd;
}

/*
 * Opens a tap for one protocol. The kernel hands it packets behind the programs of tc, so those that a program takes
 * cost it nothing. A tap for all protocols would come before them.
 */
static int open_tap(unsigned interface, uint16_t protocol) {
    struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(protocol), .sll_ifindex = (int)interface};
    const int yes = 1, bytes = 1 << 20;
    int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    return fd;
}

static int open_news(void) {
    struct sockaddr_nl groups = {.nl_family = AF_NETLINK,
                                 .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR |
                                              RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE |
                                              1u << (RTNLGRP_IPV4_NETCONF - 1)}; /* rp_filter */
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

    return fd < 0 || bind(fd, (struct sockaddr *)&groups, sizeof groups) != 0 ? -1 : fd;
}

static int read_link(struct ns_sal_net *net, const char *name) {
    struct ifreq request = {0};

    if (strlen(name) >= sizeof request.ifr_name)
        return -1;
    memcpy(request.ifr_name, name, strlen(name));
    if (ioctl(net->udp, SIOCGIFHWADDR, &request) != 0)
        return -1;
    memcpy(net->link, request.ifr_hwaddr.sa_data, sizeof net->link);
    if (ioctl(net->udp, SIOCGIFMTU, &request) != 0)
        return -1;
    net->mtu = (uint32_t)request.ifr_mtu;
    return 0;
}

/*
 * Has the kernel cut trains of TCP behind sal0, before they come to the program at sal1: it cannot cut them behind UDP
 * and SAL. The local TCP still makes trains, which pass through its stack as one packet.
 */
static int cut_trains(const struct ns_sal_net *net, const char *name) {
    struct ethtool_value off = {.cmd = ETHTOOL_STSO};
    struct ifreq request = {.ifr_data = (char *)&off};

    memcpy(request.ifr_name, name, strlen(name)); /* read_link has looked at its length */
    return ioctl(net->udp, SIOCETHTOOL, &request) != 0 && errno != EOPNOTSUPP ? -1 : 0; /* a link may never have it */
}

static void read_addresses(struct ns_sal_net *net) {
    struct ifaddrs *list = NULL;

    net->own_count = 0;
    if (getifaddrs(&list) != 0) {
        fail("addresses");
        return;
    }
    for (struct ifaddrs *at = list; at != NULL && net->own_count < NS_SAL_OWN_ADDRESSES; at = at->ifa_next) {
        int family = at->ifa_addr == NULL ? AF_UNSPEC : at->ifa_addr->sa_family;

        if (family != AF_INET && family != AF_INET6)
            continue;
        net->own[net->own_count].interface = if_nametoindex(at->ifa_name);
        net->own[net->own_count++].address =
            family == AF_INET ? ns_sal_address_of(4, &((struct sockaddr_in *)at->ifa_addr)->sin_addr, 0)
                              : ns_sal_address_of(6, &((struct sockaddr_in6 *)at->ifa_addr)->sin6_addr, 0);
    }
    freeifaddrs(list);
}

int ns_sal_net_open(struct ns_sal_net *net, const char *inside, const char *beside, uint16_t port, uint8_t raw) {
    memset(net, 0, sizeof *net);
    net->inside = if_nametoindex(inside);
    net->beside = if_nametoindex(beside);
    if (net->inside == 0 || net->beside == 0)
        return fail(net->inside == 0 ? inside : beside);
    net->udp = open_udp(port);
    if (net->udp < 0)
        return fail("UDP");
    net->raw = raw == 0 ? -1 : open_raw(raw);
    if (raw != 0 && net->raw < 0)
        return fail("raw IP");
    net->tap[0] = open_tap(net->beside, ETH_P_IP);
    net->tap[1] = open_tap(net->beside, ETH_P_IPV6);
    if (net->tap[0] < 0 || net->tap[1] < 0)
        return fail("packets");
    net->news = open_news();
    if (net->news < 0 || ns_routes_open(&net->routes) != 0)
        return fail("rtnetlink");
    if (read_link(net, inside) != 0 || cut_trains(net, inside) != 0)
        return fail(inside);
    read_addresses(net);
    return 0;
}

/* --- datagrams --- */

union info {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
    char room4[CMSG_SPACE(sizeof(struct in_pktinfo))];
};

/* Reads a packet with the address of arrival. Returns its length, -1 if there is none, or 0 without that address. */
static ssize_t receive(int fd, void *from, socklen_t from_size, uint8_t *bytes, size_t size, int kind, void *local,
                       size_t local_size) {
    union info info;
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_name = from,
                             .msg_namelen = from_size,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &info,
                             .msg_controllen = sizeof info};
    ssize_t n = recvmsg(fd, &message, 0);
    const struct cmsghdr *at;

    if (n < 0)
        return -1;
    at = CMSG_FIRSTHDR(&message);
    if (at == NULL || at->cmsg_type != kind || (message.msg_flags & MSG_TRUNC) != 0)
        return 0; /* an empty packet is refused by name */
    memcpy(local, CMSG_DATA(at), local_size);
    return n;
}

bool ns_sal_net_receive(struct ns_sal_net *net, struct ns_sal_arrival *arrival, uint8_t *bytes, size_t size) {
    struct sockaddr_in6 from;
    struct in6_pktinfo local = {0};
    ssize_t n = receive(net->udp, &from, sizeof from, bytes, size, IPV6_PKTINFO, &local, sizeof local);

    if (n < 0)
        return false;
    *arrival = (struct ns_sal_arrival){.interface = local.ipi6_ifindex, .length = (size_t)n};
    arrival->from = ns_sal_address_of(6, &from.sin6_addr, ntohs(from.sin6_port));
    arrival->local = ns_sal_address_of(6, &local.ipi6_addr, 0);
    return true;
}

bool ns_sal_net_receive_raw(struct ns_sal_net *net, struct ns_sal_arrival *arrival, uint8_t *bytes, size_t size) {
    struct sockaddr_in from;
    struct in_pktinfo local = {0};
    ssize_t n = receive(net->raw, &from, sizeof from, bytes, size, IP_PKTINFO, &local, sizeof local);

    if (n < 0)
        return false;
    *arrival = (struct ns_sal_arrival){.interface = (uint32_t)local.ipi_ifindex};
    arrival->start = n == 0 ? 0 : (size_t)(bytes[0] & 15) * 4; /* the kernel hands the IP header on */
    arrival->length = (size_t)n - arrival->start;
    arrival->from = ns_sal_address_of(4, &from.sin_addr, 0);
    arrival->to = ns_sal_address_of(4, &local.ipi_addr, 0);
    arrival->local = ns_sal_address_of(4, &local.ipi_spec_dst, 0);
    return true;
}

static unsigned interface_of(const struct ns_sal_net *net, const struct ns_sal_address *own) {
    for (unsigned i = 0; i < net->own_count; i++) {
        if (memcmp(net->own[i].address.ip, own->ip, sizeof own->ip) == 0)
            return net->own[i].interface;
    }
    return 0;
}

/* Returns the interface of an own address, 0 if the routing table does not lead to the peer by it. */
static unsigned interface_toward(struct ns_sal_net *net, const struct ns_sal_address *own,
                                 const struct ns_sal_address *to, uint64_t now_ns) {
    unsigned by = interface_of(net, own);
    bool v4 = ns_sal_is_ipv4(to);
    struct ns_route route;

    if (by == 0 ||
        ns_route_get(&net->routes, &route, v4 ? 4 : 6, v4 ? to->ip + 12 : to->ip, by | NS_ROUTE_OF_TABLE, now_ns) != 0)
        return 0;
    return by;
}

/*
 * Sends a packet with the address from which it goes, by the interface of that address if it has a way to the target,
 * or else by the kernel's choice.
 */
static bool transmit(int fd, void *target, socklen_t target_size, const uint8_t *bytes, size_t length, int level,
                     int kind, const void *source, size_t source_size) {
    union info info = {0};
    struct iovec part = {(void *)bytes, length};
    struct msghdr message = {.msg_name = target,
                             .msg_namelen = target_size,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &info,
                             .msg_controllen = CMSG_SPACE(source_size)};

    info.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(source_size), .cmsg_level = level, .cmsg_type = kind};
    memcpy(CMSG_DATA(&info.header), source, source_size);
    return sendmsg(fd, &message, 0) == (ssize_t)length;
}

static bool send_raw(struct ns_sal_net *net, const struct ns_sal_address *from, const struct ns_sal_address *to,
                     const uint8_t *bytes, size_t length) {
    struct sockaddr_in target = {.sin_family = AF_INET};
    struct in_pktinfo source = {.ipi_ifindex = (int)interface_toward(net, from, to, ns_now_ns())};

    if (net->raw < 0 || !ns_sal_is_ipv4(from) || !ns_sal_is_ipv4(to))
        return false;
    memcpy(&target.sin_addr, to->ip + 12, sizeof target.sin_addr);
    memcpy(&source.ipi_spec_dst, from->ip + 12, sizeof source.ipi_spec_dst);
    return transmit(net->raw, &target, sizeof target, bytes, length, IPPROTO_IP, IP_PKTINFO, &source, sizeof source);
}

bool ns_sal_net_send(struct ns_sal_net *net, const struct ns_sal_address *from, const struct ns_sal_address *to,
                     const uint8_t *bytes, size_t length) {
    struct sockaddr_in6 target = {.sin6_family = AF_INET6, .sin6_port = htons(to->port)};
    struct in6_pktinfo source = {.ipi6_ifindex = interface_toward(net, from, to, ns_now_ns())};

    if (ns_sal_is_raw(to))
        return send_raw(net, from, to, bytes, length);
    memcpy(&target.sin6_addr, to->ip, sizeof target.sin6_addr);
    memcpy(&source.ipi6_addr, from->ip, sizeof source.ipi6_addr);
    return transmit(net->udp, &target, sizeof target, bytes, length, IPPROTO_IPV6, IPV6_PKTINFO, &source,
                    sizeof source);
}

/* --- packets of the local stack --- */

size_t ns_sal_net_read(int tap, uint8_t *packet, size_t size) {
    ssize_t n = recv(tap, packet, size, 0);

    return n < 0 ? 0 : (size_t)n;
}

void ns_sal_net_inject(struct ns_sal_net *net, const uint8_t *packet, size_t length, bool out) {
    struct sockaddr_ll at = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(packet[0] >> 4 == 4 ? ETH_P_IP : ETH_P_IPV6),
                             .sll_ifindex = (int)(out ? net->inside : net->beside),
                             .sll_halen = 6};

    memcpy(at.sll_addr, net->link, sizeof net->link);
    net->answered[packet[0] >> 4 != 4] |= !out;
    if (sendto(net->tap[0], packet, length, 0, (struct sockaddr *)&at, sizeof at) < 0)
        ns_debug("packet of %zu bytes: %s", length, strerror(errno));
}

/* --- routes --- */

bool ns_sal_net_route(struct ns_sal_net *net, const struct ns_sal_address *to, struct ns_sal_address *own,
                      uint32_t *interface, uint64_t now_ns) {
    bool v4 = ns_sal_is_ipv4(to), given = !ns_sal_is_none(own);
    struct ns_route route;

    if (given) {
        *interface = interface_toward(net, own, to, now_ns);
        return *interface != 0;
    }
    if (ns_route_get(&net->routes, &route, v4 ? 4 : 6, v4 ? to->ip + 12 : to->ip, 0, now_ns) != 0)
        return false;
    *interface = route.interface;
    if (!route.has_source || route.local)
        return false;
    *own = ns_sal_address_of(v4 ? 4 : 6, route.source, 0);
    return true;
}

/* Sends a request about a neighbour. Returns its number, 0 if it did not leave. */
static uint32_t ask_neighbour(struct ns_sal_net *net, uint16_t type, bool v4, const uint8_t *neighbour,
                              uint32_t interface) {
    static uint32_t number = NEIGHBOUR_NUMBERS;
    char bytes[128] __attribute__((aligned(8)));
    struct nlmsghdr *header = mnl_nlmsg_put_header(bytes);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    struct ndmsg *entry;

    header->nlmsg_type = type;
    header->nlmsg_flags = NLM_F_REQUEST;
    header->nlmsg_seq = ++number | NEIGHBOUR_NUMBERS;
    entry = mnl_nlmsg_put_extra_header(header, sizeof *entry);
    entry->ndm_family = v4 ? AF_INET : AF_INET6;
    entry->ndm_ifindex = (int)interface;
    mnl_attr_put(header, NDA_DST, v4 ? 4 : 16, neighbour);
    if (sendto(net->routes.fd, bytes, header->nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return 0;
    return header->nlmsg_seq;
}

/* Returns NUD_*, NUD_NONE if the kernel does not know the neighbour. */
static unsigned neighbour_state(struct ns_sal_net *net, bool v4, const uint8_t *neighbour, uint32_t interface) {
    char answer[4096] __attribute__((aligned(8)));
    uint32_t number = ask_neighbour(net, RTM_GETNEIGH, v4, neighbour, interface);

    while (number != 0) {
        const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
        ssize_t n = recv(net->routes.fd, answer, sizeof answer, 0);

        if (n < 0)
            break;
        if (!mnl_nlmsg_ok(header, (int)n) || header->nlmsg_seq != number)
            continue;
        if (header->nlmsg_type != RTM_NEWNEIGH || header->nlmsg_len < NLMSG_LENGTH(sizeof(struct ndmsg)))
            break;
        return ((const struct ndmsg *)mnl_nlmsg_get_payload(header))->ndm_state;
    }
    return NUD_NONE;
}

void ns_sal_net_unblock(struct ns_sal_net *net, const struct ns_sal_address *peer, uint32_t interface,
                        uint64_t now_ns) {
    bool v4 = ns_sal_is_ipv4(peer);
    const uint8_t *next = v4 ? peer->ip + 12 : peer->ip;
    struct ns_route route = {0};

    if (ns_route_get(&net->routes, &route, v4 ? 4 : 6, next, interface, now_ns) == 0 && route.has_gateway)
        next = route.gateway;
    if ((neighbour_state(net, v4, next, interface) & NUD_INCOMPLETE) != 0)
        ask_neighbour(net, RTM_DELNEIGH, v4, next, interface); /* nobody waits for the number of an error */
}

bool ns_sal_net_news(struct ns_sal_net *net) {
    static char bytes[8192];
    bool any = false;

    while (recv(net->news, bytes, sizeof bytes, 0) >= 0 || errno == ENOBUFS)
        any = true;
    if (!any)
        return false;
    read_addresses(net);
    memset(net->routes.known, 0, sizeof net->routes.known);
    return true;
}
