/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#include "ns_log.h"
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netconf.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <bpf/bpf.h>

#define STRICT 1u /* values of rp_filter */
#define LOOSE 2u

int ns_sal_links_open(struct ns_sal_links *links, int map, bool on) {
    *links = (struct ns_sal_links){.map = map, .on = on};
    links->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    return links->fd < 0 || map < 0 ? -1 : 0;
}

struct ns_sal_link ns_sal_link_judge(unsigned interface, bool has_master, unsigned filter, bool has4, bool has6) {
    struct ns_sal_link link = {.interface = interface};

    if (interface == 0 || has_master) /* a bridge or a VRF has rules of its own */
        return link;
    link.stays4 = filter == 0 || (filter == LOOSE && has4);
    link.stays6 = has6;
    return link;
}

/* Sends a request to the kernel and reads its answer. Returns NULL if that is not of the type. */
static const struct nlmsghdr *ask(const struct ns_sal_links *links, struct nlmsghdr *request, uint16_t type,
                                  char *answer, size_t size) {
    static uint32_t number;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    const struct nlmsghdr *header = (const struct nlmsghdr *)answer;

    request->nlmsg_flags = NLM_F_REQUEST;
    request->nlmsg_seq = ++number;
    if (sendto(links->fd, request, request->nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return NULL;
    for (;;) {
        ssize_t n = recv(links->fd, answer, size, 0);

        if (n < 0 || !mnl_nlmsg_ok(header, (int)n))
            return NULL;
        if (header->nlmsg_seq == request->nlmsg_seq)
            return header->nlmsg_type == type ? header : NULL;
    }
}

/* Returns rp_filter of a link, or of NETCONFA_IFINDEX_ALL. It is strict if the kernel does not tell. */
static unsigned read_filter(const struct ns_sal_links *links, int interface) {
    char request[128] __attribute__((aligned(8))), answer[4096] __attribute__((aligned(8)));
    struct nlmsghdr *header = mnl_nlmsg_put_header(request);
    const struct nlmsghdr *reply;
    const struct nlattr *at;

    header->nlmsg_type = RTM_GETNETCONF;
    ((struct netconfmsg *)mnl_nlmsg_put_extra_header(header, sizeof(struct netconfmsg)))->ncm_family = AF_INET;
    mnl_attr_put_u32(header, NETCONFA_IFINDEX, (uint32_t)interface);
    reply = ask(links, header, RTM_NEWNETCONF, answer, sizeof answer);
    if (reply == NULL)
        return STRICT;
    mnl_attr_for_each(at, reply, sizeof(struct netconfmsg)) {
        if (mnl_attr_get_type(at) == NETCONFA_RP_FILTER && mnl_attr_get_payload_len(at) == 4)
            return mnl_attr_get_u32(at);
    }
    return STRICT;
}

/* Tells whether a link is part of a bridge, a bond or a VRF. One that is not known counts as such. */
static bool has_master(const struct ns_sal_links *links, unsigned interface) {
    static char answer[16384] __attribute__((aligned(8)));
    char request[128] __attribute__((aligned(8)));
    struct nlmsghdr *header = mnl_nlmsg_put_header(request);
    const struct nlmsghdr *reply;
    const struct nlattr *at;
    struct ifinfomsg *link;

    header->nlmsg_type = RTM_GETLINK;
    link = mnl_nlmsg_put_extra_header(header, sizeof *link);
    link->ifi_index = (int)interface;
    reply = ask(links, header, RTM_NEWLINK, answer, sizeof answer);
    if (reply == NULL)
        return true;
    mnl_attr_for_each(at, reply, sizeof *link) {
        if (mnl_attr_get_type(at) == IFLA_MASTER)
            return true;
    }
    return false;
}

static struct ns_sal_link look(const struct ns_sal_links *links, const struct ns_sal_net *net, unsigned interface,
                               unsigned all) {
    unsigned own = read_filter(links, (int)interface);
    bool has[2] = {false};

    for (unsigned i = 0; i < net->own_count; i++) {
        if (net->own[i].interface == interface)
            has[!ns_sal_is_ipv4(&net->own[i].address)] = true;
    }
    return ns_sal_link_judge(interface, has_master(links, interface), own > all ? own : all, has[0], has[1]);
}

void ns_sal_links_look(struct ns_sal_links *links, const struct ns_sal_net *net, const unsigned *interfaces,
                       unsigned count) {
    struct ns_sal_link places[NS_SAL_LINKS] = {0};
    unsigned all = links->on ? read_filter(links, NETCONFA_IFINDEX_ALL) : STRICT;

    for (unsigned i = 0; links->on && i < count; i++) {
        if (interfaces[i] != 0)
            places[interfaces[i] % NS_SAL_LINKS] = look(links, net, interfaces[i], all);
    }
    for (uint32_t i = 0; i < NS_SAL_LINKS; i++) {
        if (bpf_map_update_elem(links->map, &i, &places[i], BPF_ANY) != 0)
            ns_warn("links: %s", strerror(errno));
    }
}
