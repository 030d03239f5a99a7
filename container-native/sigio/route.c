/* SPDX-License-Identifier: Apache-2.0 */
#include "route.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define REQUEST_BYTES 128
#define ANSWER_BYTES 4096
#define KEEP 100000000ull

int ns_routes_open(struct ns_routes *routes) {
    const struct timeval bound = {1, 0}; /* the kernel answers within the call; the bound is a safeguard */
    struct sockaddr_nl self = {.nl_family = AF_NETLINK};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

    if (fd < 0 || bind(fd, (struct sockaddr *)&self, sizeof self) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) != 0)
        return -1;
    memset(routes, 0, sizeof *routes);
    routes->fd = fd;
    return 0;
}

static int take_metric(const struct nlattr *attribute, void *route) {
    if (mnl_attr_get_type(attribute) == RTAX_MTU && mnl_attr_get_payload_len(attribute) >= 4)
        ((struct ns_route *)route)->mtu = mnl_attr_get_u32(attribute);
    return MNL_CB_OK;
}

static int take_attribute(const struct nlattr *attribute, void *context) {
    struct ns_route *route = context;
    size_t length = mnl_attr_get_payload_len(attribute);

    switch (mnl_attr_get_type(attribute)) {
    case RTA_OIF:
        if (length >= 4)
            route->interface = mnl_attr_get_u32(attribute);
        break;
    case RTA_PREFSRC:
        if (length != 4 && length != 16)
            break;
        memcpy(route->source, mnl_attr_get_payload(attribute), length);
        route->has_source = true;
        break;
    case RTA_GATEWAY:
        if (length != 4 && length != 16)
            break;
        memcpy(route->gateway, mnl_attr_get_payload(attribute), length);
        route->has_gateway = true;
        break;
    case RTA_METRICS:
        mnl_attr_parse_nested(attribute, take_metric, route);
        break;
    default:
        break;
    }
    return MNL_CB_OK;
}

static size_t write_request(char *buffer, uint32_t sequence, uint8_t family, const uint8_t *destination,
                            uint32_t interface) {
    struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
    struct rtmsg *message;
    size_t bytes = family == 4 ? 4 : 16;

    header->nlmsg_type = RTM_GETROUTE;
    header->nlmsg_flags = NLM_F_REQUEST;
    header->nlmsg_seq = sequence;
    message = mnl_nlmsg_put_extra_header(header, sizeof *message);
    message->rtm_family = family == 4 ? AF_INET : AF_INET6;
    message->rtm_dst_len = (unsigned char)(bytes * 8);
    mnl_attr_put(header, RTA_DST, bytes, destination);
    if ((interface & NS_ROUTE_OF_TABLE) != 0)
        message->rtm_flags = RTM_F_FIB_MATCH;
    interface &= ~NS_ROUTE_OF_TABLE;
    if (interface != 0)
        mnl_attr_put_u32(header, RTA_OIF, interface);
    return header->nlmsg_len;
}

static int read_answer(struct ns_route *route, const struct nlmsghdr *header) {
    const struct rtmsg *message = mnl_nlmsg_get_payload(header);

    if (header->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = mnl_nlmsg_get_payload(header);

        return error->error < 0 ? -error->error : EPROTO;
    }
    if (header->nlmsg_type != RTM_NEWROUTE)
        return EPROTO;
    route->local = message->rtm_type == RTN_LOCAL;
    mnl_attr_parse(header, sizeof *message, take_attribute, route);
    return 0;
}

static int ask(int fd, struct ns_route *route, uint8_t family, const uint8_t *destination, uint32_t interface) {
    static uint32_t sequence;
    char request[REQUEST_BYTES] __attribute__((aligned(8)));
    char answer[ANSWER_BYTES] __attribute__((aligned(8)));
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    size_t length = write_request(request, ++sequence, family, destination, interface);

    memset(route, 0, sizeof *route);
    if (sendto(fd, request, length, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return errno;
    for (;;) {
        const struct nlmsghdr *header = (const struct nlmsghdr *)answer;
        ssize_t n = recv(fd, answer, sizeof answer, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (mnl_nlmsg_ok(header, (int)n) && header->nlmsg_seq == sequence && header->nlmsg_len >= NLMSG_LENGTH(12))
            return read_answer(route, header);
    }
}

static struct ns_known_route *place(struct ns_routes *routes, const uint8_t *destination, size_t bytes) {
    uint32_t mixed = 0;

    for (size_t i = 0; i < bytes; i++)
        mixed = mixed * 31 + destination[i];
    return &routes->known[mixed % NS_ROUTES];
}

int ns_route_get(struct ns_routes *routes, struct ns_route *route, uint8_t family, const uint8_t *destination,
                 uint32_t interface, uint64_t now) {
    size_t bytes = family == 4 ? 4 : 16;
    struct ns_known_route *known = place(routes, destination, bytes);
    int error;

    if (known->until > now && known->family == family && known->interface == interface &&
        memcmp(known->destination, destination, bytes) == 0) {
        *route = known->route;
        return 0;
    }
    error = ask(routes->fd, route, family, destination, interface);
    if (error != 0)
        return error;
    *known = (struct ns_known_route){.until = now + KEEP, .interface = interface, .family = family, .route = *route};
    memcpy(known->destination, destination, bytes);
    return 0;
}
