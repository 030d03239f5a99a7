/* SPDX-License-Identifier: Apache-2.0 */
#include "overlap.h"

#include <errno.h>
#include <ifaddrs.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define DEFAULT_BITS 1 /* prefix length of half of a default route */
#define DUMP_SIZE 32768

bool ns_overlap_nets(const struct ns_net *a, const struct ns_net *b) {
    unsigned bits = a->bits < b->bits ? a->bits : b->bits;

    if (a->family != b->family || memcmp(a->address, b->address, bits / 8) != 0)
        return false;
    return bits % 8 == 0 || (a->address[bits / 8] ^ b->address[bits / 8]) >> (8 - bits % 8) == 0;
}

static bool ours(const char *device) {
    return strncmp(device, "nsv", 3) == 0;
}

static void say(char what[NS_OVERLAP_TEXT], const char *kind, const struct ns_net *net, const char *device) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(net, text);
    snprintf(what, NS_OVERLAP_TEXT, "%s %s%s%s", kind, text, device[0] != '\0' ? " of " : "", device);
}

/* --- addresses --- */

static unsigned ones(const uint8_t *mask, unsigned size) {
    unsigned bits = 0;

    while (bits < size * 8 && (mask[bits / 8] & 0x80u >> bits % 8) != 0)
        bits++;
    return bits;
}

/* Reads an interface's address, with the prefix length of its network. */
static bool read_address(const struct ifaddrs *at, struct ns_net *net) {
    memset(net, 0, sizeof *net);
    if (at->ifa_addr == NULL || at->ifa_netmask == NULL)
        return false;
    if (at->ifa_addr->sa_family == AF_INET) {
        net->family = 4;
        memcpy(net->address, &((const struct sockaddr_in *)(const void *)at->ifa_addr)->sin_addr, 4);
        net->bits =
            (uint8_t)ones((const uint8_t *)&((const struct sockaddr_in *)(const void *)at->ifa_netmask)->sin_addr, 4);
    } else if (at->ifa_addr->sa_family == AF_INET6) {
        net->family = 6;
        memcpy(net->address, &((const struct sockaddr_in6 *)(const void *)at->ifa_addr)->sin6_addr, 16);
        net->bits = (uint8_t)ones(
            (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)at->ifa_netmask)->sin6_addr, 16);
    }
    return net->family != 0;
}

static int find_address(const struct ns_net *net, char what[NS_OVERLAP_TEXT]) {
    struct ifaddrs *all = NULL;
    struct ns_net own;
    int found = 0;

    if (getifaddrs(&all) != 0) {
        snprintf(what, NS_OVERLAP_TEXT, "addresses: %s", strerror(errno));
        return -1;
    }
    for (const struct ifaddrs *at = all; at != NULL && found == 0; at = at->ifa_next) {
        if (ours(at->ifa_name) || !read_address(at, &own) || !ns_overlap_nets(&own, net))
            continue;
        say(what, "address", &own, at->ifa_name);
        found = 1;
    }
    freeifaddrs(all);
    return found;
}

/* --- routes --- */

static bool leads_somewhere(const struct rtmsg *route) {
    bool reaches = route->rtm_type == RTN_UNICAST || route->rtm_type == RTN_LOCAL || route->rtm_type == RTN_BROADCAST ||
                   route->rtm_type == RTN_ANYCAST;

    return reaches && route->rtm_dst_len > DEFAULT_BITS && (route->rtm_flags & RTM_F_CLONED) == 0;
}

bool ns_overlap_route(const struct nlmsghdr *message, const struct ns_net *net, char what[NS_OVERLAP_TEXT]) {
    const struct rtmsg *route = mnl_nlmsg_get_payload(message);
    struct ns_net to = {.family = net->family};
    const struct nlattr *attribute;
    char device[IF_NAMESIZE] = "";
    size_t size = net->family == 4 ? 4 : 16;

    if (message->nlmsg_type != RTM_NEWROUTE || message->nlmsg_len < mnl_nlmsg_size(MNL_ALIGN(sizeof *route)))
        return false;
    if (route->rtm_family != (net->family == 4 ? AF_INET : AF_INET6) || !leads_somewhere(route))
        return false;
    to.bits = route->rtm_dst_len;
    mnl_attr_for_each(attribute, message, sizeof *route) {
        uint16_t type = mnl_attr_get_type(attribute);

        if (type == RTA_DST && mnl_attr_get_payload_len(attribute) == size)
            memcpy(to.address, mnl_attr_get_payload(attribute), size);
        if (type == RTA_OIF && mnl_attr_get_payload_len(attribute) == sizeof(uint32_t))
            if_indextoname(mnl_attr_get_u32(attribute), device);
    }
    if (to.bits > size * 8 || ours(device) || !ns_overlap_nets(&to, net))
        return false;
    say(what, "route", &to, device);
    return true;
}

static bool ask_for_routes(const struct mnl_socket *socket, uint8_t family) {
    char request[MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(struct rtmsg))];
    struct nlmsghdr *head = mnl_nlmsg_put_header(request);
    struct rtmsg *route = mnl_nlmsg_put_extra_header(head, sizeof *route);

    head->nlmsg_type = RTM_GETROUTE;
    head->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    route->rtm_family = family == 4 ? AF_INET : AF_INET6;
    return mnl_socket_sendto(socket, head, head->nlmsg_len) >= 0;
}

/* Reads one datagram of a dump. 1 = found, 0 = go on, 2 = the dump has ended, -1 = refused, with errno. */
static int read_routes(const char *bytes, int length, const struct ns_net *net, char what[NS_OVERLAP_TEXT]) {
    const struct nlmsghdr *message = (const void *)bytes;

    while (mnl_nlmsg_ok(message, length)) {
        if (message->nlmsg_type == NLMSG_DONE)
            return 2;
        if (message->nlmsg_type == NLMSG_ERROR) {
            errno = -((const struct nlmsgerr *)mnl_nlmsg_get_payload(message))->error;
            return -1;
        }
        if (ns_overlap_route(message, net, what))
            return 1;
        message = mnl_nlmsg_next(message, &length);
    }
    return 0;
}

/*
 * Looks through the routes. Routes that change meanwhile may be missed or seen. The kernel marks such a dump as
 * interrupted, but it is not read again.
 */
static int find_route(const struct ns_net *net, char what[NS_OVERLAP_TEXT]) {
    static _Alignas(struct nlmsghdr) char bytes[DUMP_SIZE];
    struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
    int result = socket != NULL && ask_for_routes(socket, net->family) ? 0 : -1;

    while (result == 0) {
        ssize_t length = mnl_socket_recvfrom(socket, bytes, sizeof bytes);

        if (length > 0)
            result = read_routes(bytes, (int)length, net, what);
        else if (length == 0 || errno != EINTR)
            result = -1;
    }
    if (result < 0)
        snprintf(what, NS_OVERLAP_TEXT, "routes: %s", strerror(errno));
    if (socket != NULL)
        mnl_socket_close(socket);
    return result == 2 ? 0 : result;
}

int ns_overlap_find(const struct ns_net *net, char what[NS_OVERLAP_TEXT]) {
    int found = find_address(net, what);

    return found != 0 ? found : find_route(net, what);
}
