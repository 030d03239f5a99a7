/* SPDX-License-Identifier: Apache-2.0 */
#include "socket.h"

#include "quoted.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_BYTES 65536
#ifndef IPV6_FLOWINFO
#define IPV6_FLOWINFO 11 /* linux/in6.h, which does not go with netinet/in.h */
#endif
#define RECEIVE_BUFFER (1 << 20)

static int set(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value);
}

static int prepare(int fd, uint8_t family) {
    static const int v4[] = {IP_RECVTTL, IP_RECVTOS, IP_PKTINFO, IP_RECVERR};
    static const int v6[] = {IPV6_V6ONLY,      IPV6_RECVHOPLIMIT, IPV6_RECVTCLASS,
                             IPV6_RECVPKTINFO, IPV6_FLOWINFO,     IPV6_RECVERR};
    size_t count = family == 4 ? sizeof v4 / sizeof v4[0] : sizeof v6 / sizeof v6[0];

    for (size_t i = 0; i < count; i++) {
        if (set(fd, family == 4 ? IPPROTO_IP : IPPROTO_IPV6, family == 4 ? v4[i] : v6[i], 1) != 0)
            return -1;
    }
    return set(fd, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER);
}

static int bind_all(int fd, uint8_t family) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(NS_GIST_PORT)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(NS_GIST_PORT)};

    return family == 4 ? bind(fd, (struct sockaddr *)&v4, sizeof v4) : bind(fd, (struct sockaddr *)&v6, sizeof v6);
}

int ns_socket_open(uint8_t family) {
    int fd = socket(family == 4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), saved;

    if (fd < 0 || (prepare(fd, family) == 0 && bind_all(fd, family) == 0))
        return fd;
    saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* Reads address and port out of a socket address of either family. */
static void take_name(const struct sockaddr_storage *name, uint8_t *address, uint16_t *port) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)name;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)name;

    if (name->ss_family == AF_INET) {
        memcpy(address, &v4->sin_addr, 4);
        *port = ntohs(v4->sin_port);
    } else if (name->ss_family == AF_INET6) {
        memcpy(address, &v6->sin6_addr, 16);
        *port = ntohs(v6->sin6_port);
    }
}

static int number(const struct cmsghdr *part) {
    int value;

    memcpy(&value, CMSG_DATA(part), sizeof value);
    return value;
}

/* Reads the control data. Our own address, to which the datagram or the error came, goes to `own`. */
static void take_ipv4(struct ns_endpoints *ends, const struct cmsghdr *part, uint8_t *own) {
    struct in_pktinfo info;

    switch (part->cmsg_type) {
    case IP_TTL:
        ends->ttl = (uint8_t)number(part);
        break;
    case IP_TOS:
        ends->tclass = *CMSG_DATA(part);
        break;
    case IP_PKTINFO:
        memcpy(&info, CMSG_DATA(part), sizeof info);
        ends->interface = (uint32_t)info.ipi_ifindex;
        memcpy(own, &info.ipi_addr, 4);
        break;
    default:
        break;
    }
}

static void take_ipv6(struct ns_endpoints *ends, const struct cmsghdr *part, uint8_t *own) {
    struct in6_pktinfo info;

    switch (part->cmsg_type) {
    case IPV6_HOPLIMIT:
        ends->ttl = (uint8_t)number(part);
        break;
    case IPV6_TCLASS:
        ends->tclass = (uint8_t)number(part);
        break;
    case IPV6_FLOWINFO:
        ends->flow_label = ntohl((uint32_t)number(part)) & 0xfffff;
        break;
    case IPV6_PKTINFO:
        memcpy(&info, CMSG_DATA(part), sizeof info);
        ends->interface = info.ipi6_ifindex;
        memcpy(own, &info.ipi6_addr, 16);
        break;
    default:
        break;
    }
}

static void take_parts(struct msghdr *message, struct ns_endpoints *ends, uint8_t *own) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level == IPPROTO_IP)
            take_ipv4(ends, part, own);
        else if (part->cmsg_level == IPPROTO_IPV6)
            take_ipv6(ends, part, own);
    }
}

/* Room for one message and its control data. */
struct room {
    struct sockaddr_storage name;
    struct iovec part;
    char control[512] __attribute__((aligned(8)));
    struct msghdr message;
};

static ssize_t receive(int fd, struct room *room, uint8_t *buffer, int flags) {
    ssize_t n;

    memset(&room->name, 0, sizeof room->name);
    room->part = (struct iovec){buffer, BUFFER_BYTES};
    room->message = (struct msghdr){
        .msg_name = &room->name,
        .msg_namelen = sizeof room->name,
        .msg_iov = &room->part,
        .msg_iovlen = 1,
        .msg_control = room->control,
        .msg_controllen = sizeof room->control,
    };
    do {
        n = recvmsg(fd, &room->message, flags | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    return n;
}

long ns_socket_receive(int fd, uint8_t family, struct ns_endpoints *ends, uint8_t *buffer) {
    struct room room;
    ssize_t n = receive(fd, &room, buffer, 0);

    if (n < 0 && errno != EAGAIN)
        n = receive(fd, &room, buffer, 0); /* that was the pending error, which also comes by the error queue */
    if (n < 0)
        return -1;
    *ends = (struct ns_endpoints){.family = family, .local = true, .by_socket = true, .destination_port = NS_GIST_PORT};
    take_name(&room.name, ends->source, &ends->source_port);
    take_parts(&room.message, ends, ends->destination);
    return n;
}

static const struct cmsghdr *find_error(struct msghdr *message) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if ((part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_RECVERR) ||
            (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_RECVERR))
            return part;
    }
    return NULL;
}

/*
 * Tells whether the error is to be reported. "Port unreachable" is not, because sigio has seen it in the queue, on
 * its way in.
 */
static bool wanted(const struct sock_extended_err *error) {
    if (error->ee_origin == SO_EE_ORIGIN_ICMP)
        return error->ee_type != 3 || error->ee_code != 3;
    return error->ee_origin == SO_EE_ORIGIN_ICMP6 && (error->ee_type != 1 || error->ee_code != 4);
}

/*
 * Returns the MTU in an error, or 0. Only these two kinds of error have one; in the others the field points at the
 * fault.
 */
static uint32_t mtu_of(const struct sock_extended_err *error) {
    bool told =
        error->ee_origin == SO_EE_ORIGIN_ICMP ? error->ee_type == 3 && error->ee_code == 4 : error->ee_type == 2;

    return told ? error->ee_info : 0;
}

bool ns_socket_error(int fd, uint8_t family, struct ns_packet *packet, uint32_t *mtu, uint8_t *buffer) {
    struct room room;
    struct sock_extended_err error;
    struct sockaddr_storage offender;
    const struct cmsghdr *part;
    uint16_t no_port;
    ssize_t n = receive(fd, &room, buffer, MSG_ERRQUEUE);

    memset(packet, 0, sizeof *packet);
    if (n < 0)
        return false;
    part = find_error(&room.message);
    if (part == NULL || part->cmsg_len < CMSG_LEN(sizeof error + sizeof(struct sockaddr_in)))
        return true;
    memcpy(&error, CMSG_DATA(part), sizeof error);
    if (!wanted(&error))
        return true;
    memset(&offender, 0, sizeof offender);
    memcpy(&offender, CMSG_DATA(part) + sizeof error,
           part->cmsg_len < CMSG_LEN(sizeof error + sizeof(struct sockaddr_in6)) ? sizeof(struct sockaddr_in)
                                                                                 : sizeof(struct sockaddr_in6));
    take_name(&offender, packet->offender, &no_port);
    take_name(&room.name, packet->ends.destination, &packet->ends.destination_port);
    take_parts(&room.message, &packet->ends, packet->ends.source);
    packet->ends.ttl = packet->ends.tclass = 0;
    packet->ends.flow_label = 0;
    packet->ends.family = family;
    packet->ends.source_port = NS_GIST_PORT;
    packet->icmp_type = error.ee_type;
    packet->icmp_code = error.ee_code;
    packet->payload = buffer;
    packet->payload_length = (uint16_t)(n > (ssize_t)NS_QUOTED_MOST ? NS_QUOTED_MOST : n);
    *mtu = mtu_of(&error);
    return true;
}
