/* SPDX-License-Identifier: Apache-2.0 */
#include "tracked.h"

#include "overlap.h"
#include "subnet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define DUMP_SIZE 65536u
#define FLOWS 1024u /* forgotten by one dump; the next one finds those beyond */
#define DUMPS 64u   /* of an address */
#define WAIT_MS 1000
#define TUPLE_BYTES 128u
#define UDP 17u

/* Bits of CTA_FILTER_ORIG_FLAGS, which the kernel's headers do not have. Kernels before 5.8 do not filter. */
#define BY_DESTINATION (1u << 1)
#define BY_PROTOCOL (1u << 3)

/* One direction of a flow. */
struct tuple {
    struct ns_net source, destination;
    uint16_t source_port, destination_port;
    uint8_t protocol;
};

/* A flow to forget: its first tuple as the kernel told it, and the number by which it differs from a later one. */
struct flow {
    uint16_t length;
    uint32_t id;
    char tuple[TUPLE_BYTES];
};

/* A dump of the flows to one address of the node, or to all of a family. */
struct dump {
    const struct ns_rules *rules;
    const struct ns_cell_node *node;
    const struct ns_net *address; /* NULL = all */
    uint8_t family;
    unsigned count;
    struct flow flows[FLOWS];
};

/* --- reading --- */

static void read_net(const struct nlattr *attribute, uint8_t family, struct ns_net *net) {
    size_t size = family == 4 ? 4 : 16;

    if (mnl_attr_get_payload_len(attribute) != size)
        return;
    *net = (struct ns_net){.family = family, .bits = (uint8_t)(size * 8)};
    memcpy(net->address, mnl_attr_get_payload(attribute), size);
}

static uint16_t read_port(const struct nlattr *attribute) {
    return mnl_attr_get_payload_len(attribute) == 2 ? ntohs(mnl_attr_get_u16(attribute)) : 0;
}

static void read_addresses(const struct nlattr *nest, struct tuple *tuple) {
    const struct nlattr *at;

    mnl_attr_for_each_nested(at, nest) {
        switch (mnl_attr_get_type(at)) {
        case CTA_IP_V4_SRC:
            read_net(at, 4, &tuple->source);
            break;
        case CTA_IP_V4_DST:
            read_net(at, 4, &tuple->destination);
            break;
        case CTA_IP_V6_SRC:
            read_net(at, 6, &tuple->source);
            break;
        case CTA_IP_V6_DST:
            read_net(at, 6, &tuple->destination);
            break;
        default:
            break;
        }
    }
}

static void read_ports(const struct nlattr *nest, struct tuple *tuple) {
    const struct nlattr *at;

    mnl_attr_for_each_nested(at, nest) {
        if (mnl_attr_get_type(at) == CTA_PROTO_NUM && mnl_attr_get_payload_len(at) == 1)
            tuple->protocol = mnl_attr_get_u8(at);
        if (mnl_attr_get_type(at) == CTA_PROTO_SRC_PORT)
            tuple->source_port = read_port(at);
        if (mnl_attr_get_type(at) == CTA_PROTO_DST_PORT)
            tuple->destination_port = read_port(at);
    }
}

static void read_tuple(const struct nlattr *nest, struct tuple *tuple) {
    const struct nlattr *at;

    mnl_attr_for_each_nested(at, nest) {
        if (mnl_attr_get_type(at) == CTA_TUPLE_IP)
            read_addresses(at, tuple);
        if (mnl_attr_get_type(at) == CTA_TUPLE_PROTO)
            read_ports(at, tuple);
    }
}

/* --- the flows to forget --- */

static bool same(const struct ns_net *a, const struct ns_net *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Finds the container that has one of these ports of UDP of the node. Returns NULL if none has. */
static const struct ns_connect *find_listen(const struct ns_rules *rules, const struct ns_net *address,
                                            struct ns_ports ports, const struct ns_rules_container **of) {
    const struct ns_connect wanted = {.protocol = UDP, .to = *address, .ports = ports};

    for (unsigned i = 0; i < rules->containers; i++) {
        *of = &rules->container[i];
        for (unsigned k = 0; (*of)->network >= 0 && k < (*of)->listens; k++) {
            if (ns_connect_overlap(&(*of)->listen[k], &wanted))
                return &(*of)->listen[k];
        }
    }
    return NULL;
}

static bool is_asked_for(const struct dump *dump, const struct ns_net *address) {
    if (dump->address != NULL)
        return same(address, dump->address);
    for (unsigned i = 0; i < dump->node->count; i++) {
        if (!dump->node->broadcast[i] && same(address, &dump->node->address[i]))
            return true;
    }
    return false;
}

/*
 * Tells whether a flow leads elsewhere than to its container. `back` is its other direction. If its source is neither
 * the node nor an address of containers, somebody else has translated the flow.
 */
static bool leads_astray(const struct dump *dump, const struct tuple *to, const struct tuple *back) {
    const struct ns_ports port = {to->destination_port, to->destination_port};
    const struct ns_rules_container *container;
    const struct ns_connect *listen;
    struct ns_net own, all;

    if (to->protocol != UDP || !is_asked_for(dump, &to->destination))
        return false;
    listen = find_listen(dump->rules, &to->destination, port, &container);
    if (listen == NULL)
        return false;
    own = ns_subnet_container((unsigned)container->network, to->destination.family);
    own.bits = own.family == 4 ? 32 : 128;
    all = ns_subnet_all(own.family);
    if (same(&back->source, &own))
        return back->source_port != (listen->inside == 0 ? to->destination_port : listen->inside);
    return same(&back->source, &to->destination) || ns_overlap_nets(&all, &back->source);
}

static int take_flow(const struct nlmsghdr *message, void *context) {
    struct dump *dump = context;
    struct tuple to = {0}, back = {0};
    const struct nlattr *at, *first = NULL;
    uint32_t id = 0;

    mnl_attr_for_each(at, message, sizeof(struct nfgenmsg)) {
        switch (mnl_attr_get_type(at)) {
        case CTA_TUPLE_ORIG:
            first = at;
            read_tuple(at, &to);
            break;
        case CTA_TUPLE_REPLY:
            read_tuple(at, &back);
            break;
        case CTA_ID:
            id = mnl_attr_get_payload_len(at) == 4 ? mnl_attr_get_u32(at) : 0;
            break;
        default:
            break;
        }
    }
    if (first != NULL && mnl_attr_get_payload_len(first) <= TUPLE_BYTES && dump->count < FLOWS &&
        leads_astray(dump, &to, &back)) {
        struct flow *flow = &dump->flows[dump->count++];

        *flow = (struct flow){.length = mnl_attr_get_payload_len(first), .id = id};
        memcpy(flow->tuple, mnl_attr_get_payload(first), flow->length);
    }
    return MNL_CB_OK;
}

/* --- the kernel --- */

static struct nlmsghdr *put_head(void *buffer, uint8_t type, uint16_t flags, uint8_t family) {
    struct nlmsghdr *head = mnl_nlmsg_put_header(buffer);
    struct nfgenmsg *part = mnl_nlmsg_put_extra_header(head, sizeof *part);

    head->nlmsg_type = (uint16_t)(NFNL_SUBSYS_CTNETLINK << 8 | type);
    head->nlmsg_flags = NLM_F_REQUEST | flags;
    part->nfgen_family = family == 4 ? AF_INET : AF_INET6;
    part->version = NFNETLINK_V0;
    return head;
}

static int receive(const struct mnl_socket *socket, mnl_cb_t take, void *context) {
    static _Alignas(struct nlmsghdr) char bytes[DUMP_SIZE];
    unsigned port = mnl_socket_get_portid(socket);
    int result = MNL_CB_OK;

    while (result > MNL_CB_STOP) {
        ssize_t length = mnl_socket_recvfrom(socket, bytes, sizeof bytes);

        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return -1;
        result = mnl_cb_run(bytes, (size_t)length, 0, port, take, context);
    }
    return result;
}

/* Has the kernel leave out flows of other protocols and, if the dump has an address, those to other ones. */
static void put_filter(struct nlmsghdr *head, const struct dump *dump) {
    struct nlattr *tuple = mnl_attr_nest_start(head, CTA_TUPLE_ORIG), *part;
    uint32_t by = BY_PROTOCOL;

    if (dump->address != NULL) {
        part = mnl_attr_nest_start(head, CTA_TUPLE_IP);
        mnl_attr_put(head, CTA_IP_V4_DST, 4, dump->address->address);
        mnl_attr_nest_end(head, part);
        by |= BY_DESTINATION;
    }
    part = mnl_attr_nest_start(head, CTA_TUPLE_PROTO);
    mnl_attr_put_u8(head, CTA_PROTO_NUM, UDP);
    mnl_attr_nest_end(head, part);
    mnl_attr_nest_end(head, tuple);
    part = mnl_attr_nest_start(head, CTA_FILTER);
    mnl_attr_put_u32(head, CTA_FILTER_ORIG_FLAGS, by);
    mnl_attr_nest_end(head, part);
}

static int ask(const struct mnl_socket *socket, struct dump *dump) {
    char bytes[256];
    struct nlmsghdr *head = put_head(bytes, IPCTNL_MSG_CT_GET, NLM_F_DUMP, dump->family);

    put_filter(head, dump);
    dump->count = 0;
    return mnl_socket_sendto(socket, head, head->nlmsg_len) < 0 ? -1 : receive(socket, take_flow, dump);
}

/* Forgets a flow. One that has ended meanwhile is no failure. */
static int forget(const struct mnl_socket *socket, uint8_t family, const struct flow *flow) {
    char bytes[256];
    struct nlmsghdr *head = put_head(bytes, IPCTNL_MSG_CT_DELETE, NLM_F_ACK, family);

    mnl_attr_put(head, CTA_TUPLE_ORIG | NLA_F_NESTED, flow->length, flow->tuple);
    mnl_attr_put_u32(head, CTA_ID, flow->id);
    if (mnl_socket_sendto(socket, head, head->nlmsg_len) < 0)
        return -1;
    return receive(socket, NULL, NULL) < 0 && errno != ENOENT ? -1 : 0;
}

static int forget_at(const struct mnl_socket *socket, struct dump *dump) {
    int forgotten = 0;

    for (unsigned i = 0; i < DUMPS; i++) {
        if (ask(socket, dump) < 0)
            return -1;
        for (unsigned k = 0; k < dump->count; k++) {
            if (forget(socket, dump->family, &dump->flows[k]) != 0)
                return -1;
        }
        forgotten += (int)dump->count;
        if (dump->count < FLOWS)
            break;
    }
    return forgotten;
}

/* Tells whether a container has a port of UDP at an address. */
static bool has_ports(const struct ns_rules *rules, const struct ns_net *address) {
    const struct ns_ports any = {0, UINT16_MAX};
    const struct ns_rules_container *container;

    return find_listen(rules, address, any, &container) != NULL;
}

/*
 * Asks once for each address of IPv4, and once for IPv6: there the kernel's filter by destination leaves out the
 * flows that are asked for, and tells the others (seen on 6.18).
 */
static int forget_all(const struct mnl_socket *socket, struct dump *dump) {
    const struct ns_cell_node *node = dump->node;
    int forgotten = 0, more = 0;
    bool v6 = false;

    for (unsigned i = 0; i < node->count && more >= 0; i++) {
        const struct ns_net *address = &node->address[i];

        if (node->broadcast[i] || !has_ports(dump->rules, address) || (v6 && address->family == 6))
            continue;
        v6 |= address->family == 6;
        dump->family = address->family;
        dump->address = address->family == 4 ? address : NULL;
        more = forget_at(socket, dump);
        forgotten += more;
    }
    return more < 0 ? -1 : forgotten;
}

int ns_tracked_forget(const struct ns_rules *rules, const struct ns_cell_node *node) {
    static struct dump dump;
    const struct timeval wait = {WAIT_MS / 1000, WAIT_MS % 1000 * 1000};
    struct mnl_socket *socket = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
    int forgotten, saved;

    if (socket == NULL)
        return -1;
    setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    dump.rules = rules;
    dump.node = node;
    forgotten = forget_all(socket, &dump);
    saved = errno;
    mnl_socket_close(socket);
    errno = saved;
    return forgotten;
}
