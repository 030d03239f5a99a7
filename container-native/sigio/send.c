/* SPDX-License-Identifier: Apache-2.0 */
#include "send.h"

#include "ns_bytes.h"
#include "ns_checksum.h"
#include "permit.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { PROTO_UDP = 17 };

#define TTL_PRESET 64
#define PACKET_MOST 65535u

int ns_sender_open(struct ns_sender *sender, struct ns_routes *routes, struct ns_mtu_cache *mtu) {
    int type = SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK;

    sender->routes = routes;
    sender->mtu = mtu;
    sender->v4 = socket(AF_INET, type, IPPROTO_RAW); /* IPPROTO_RAW: we write the header, nothing is ever received */
    sender->v6 = socket(AF_INET6, type, IPPROTO_RAW);
    return sender->v4 < 0 ? -1 : 0;
}

static uint8_t ttl_of(const struct ns_endpoints *ends) {
    return ends->ttl != 0 ? ends->ttl : TTL_PRESET;
}

/* Writes the IPv4 header. Identification is 0, with DF: RFC 6864. The kernel fills in the header checksum again. */
static size_t ipv4_header(uint8_t *out, const struct ns_endpoints *ends, size_t udp_length) {
    size_t header = ends->has_rao ? 24 : 20;

    memset(out, 0, header);
    out[0] = (uint8_t)(0x40 | header / 4);
    out[1] = ends->tclass;
    ns_put16(out + 2, header + udp_length);
    out[6] = 0x40;
    out[8] = ttl_of(ends);
    out[9] = PROTO_UDP;
    memcpy(out + 12, ends->source, 4);
    memcpy(out + 16, ends->destination, 4);
    if (ends->has_rao) {
        out[20] = 0x94;
        out[21] = 4;
        ns_put16(out + 22, ends->rao);
    }
    ns_checksum_ipv4(out, header);
    return header;
}

static size_t ipv6_header(uint8_t *out, const struct ns_endpoints *ends, size_t udp_length) {
    static const uint8_t router_alert[] = {PROTO_UDP, 0, 5, 2, 0, 0, 1, 0};
    size_t header = ends->has_rao ? 48 : 40;

    memset(out, 0, header);
    out[0] = (uint8_t)(0x60 | ends->tclass >> 4);
    out[1] = (uint8_t)(ends->tclass << 4 | (ends->flow_label >> 16 & 15));
    ns_put16(out + 2, ends->flow_label & 0xffff);
    ns_put16(out + 4, header - 40 + udp_length);
    out[6] = ends->has_rao ? 0 : PROTO_UDP;
    out[7] = ttl_of(ends);
    memcpy(out + 8, ends->source, 16);
    memcpy(out + 24, ends->destination, 16);
    if (ends->has_rao) {
        memcpy(out + 40, router_alert, sizeof router_alert);
        ns_put16(out + 44, ends->rao);
    }
    return header;
}

size_t ns_send_build(uint8_t *out, const struct ns_endpoints *ends, const uint8_t *payload, size_t length) {
    size_t header = ends->family == 4 ? ipv4_header(out, ends, 8 + length) : ipv6_header(out, ends, 8 + length);
    uint8_t *udp = out + header;

    ns_put16(udp, ends->source_port != 0 ? ends->source_port : NS_GIST_PORT);
    ns_put16(udp + 2, ends->destination_port);
    ns_put16(udp + 4, 8 + length);
    memcpy(udp + 8, payload, length);
    ns_checksum_udp(out, udp, 8 + length);
    return header + 8 + length;
}

static int hand_over(int fd, const struct ns_endpoints *ends, const uint8_t *packet, size_t length) {
    char control[CMSG_SPACE(sizeof(struct in6_pktinfo))] __attribute__((aligned(8))) = {0};
    struct sockaddr_in to4 = {.sin_family = AF_INET};
    struct sockaddr_in6 to6 = {.sin6_family = AF_INET6};
    struct iovec part = {(void *)packet, length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct cmsghdr *choice = (struct cmsghdr *)control;
    bool v4 = ends->family == 4;

    memcpy(&to4.sin_addr, ends->destination, 4);
    memcpy(&to6.sin6_addr, ends->destination, 16);
    if (IN6_IS_ADDR_LINKLOCAL(&to6.sin6_addr))
        to6.sin6_scope_id = ends->interface;
    message.msg_name = v4 ? (void *)&to4 : (void *)&to6;
    message.msg_namelen = v4 ? sizeof to4 : sizeof to6;
    if (ends->interface != 0) {
        struct in_pktinfo info4 = {.ipi_ifindex = (int)ends->interface};
        struct in6_pktinfo info6 = {.ipi6_ifindex = ends->interface};

        choice->cmsg_level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
        choice->cmsg_type = v4 ? IP_PKTINFO : IPV6_PKTINFO;
        choice->cmsg_len = v4 ? CMSG_LEN(sizeof info4) : CMSG_LEN(sizeof info6);
        memcpy(CMSG_DATA(choice), v4 ? (void *)&info4 : (void *)&info6, v4 ? sizeof info4 : sizeof info6);
        message.msg_control = control;
        message.msg_controllen = v4 ? CMSG_SPACE(sizeof info4) : CMSG_SPACE(sizeof info6);
    }
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

/* Tells whether the datagram may leave with this source. */
static bool permitted(const struct ns_sender *sender, const struct ns_endpoints *ends, const uint8_t *payload,
                      size_t length, uint64_t now) {
    enum ns_permit permit = ns_permit_look(ends, payload, length);
    uint32_t interface = ns_permit_link_local(ends->family, ends->source) ? ends->interface : 0;
    struct ns_route route;

    if (permit != NS_PERMIT_OWN || ns_permit_no_source(ends))
        return permit != NS_PERMIT_NOT;
    return ns_route_get(sender->routes, &route, ends->family, ends->source, interface, now) == 0 && route.local;
}

int ns_send(const struct ns_sender *sender, const struct ns_endpoints *ends, const uint8_t *payload, size_t length,
            uint64_t now, uint32_t *mtu) {
    static uint8_t packet[NS_SEND_HEADERS + PACKET_MOST];
    struct ns_endpoints real = *ends;
    struct ns_route route;
    int fd = ends->family == 4 ? sender->v4 : sender->v6, error;
    uint32_t of_interface;
    size_t total;

    *mtu = 0;
    if (fd < 0)
        return EAFNOSUPPORT;
    if (!permitted(sender, ends, payload, length, now))
        return EACCES;
    error = ns_route_get(sender->routes, &route, ends->family, ends->destination, ends->interface, now);
    if (error != 0)
        return error;
    if (ns_permit_no_source(ends)) {
        if (!route.has_source)
            return EADDRNOTAVAIL;
        memcpy(real.source, route.source, 16);
    }
    total = ns_send_build(packet, &real, payload, length);
    of_interface = ns_mtu_get(sender->mtu, route.interface, now);
    *mtu = route.mtu != 0 && (of_interface == 0 || route.mtu < of_interface) ? route.mtu : of_interface;
    if (*mtu != 0 && total > *mtu)
        return EMSGSIZE;
    error = total > PACKET_MOST ? EMSGSIZE : hand_over(fd, &real, packet, total);
    if (error != EMSGSIZE)
        *mtu = 0;
    return error;
}
