/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <arpa/inet.h>
#include <string.h>

enum { GIST_PORT = 270, PROTO_TCP = 6, PROTO_UDP = 17, LEAVE = 0xff, TURNED_TTL = 64 };

static struct ns_way_flow flow_of(const struct ns_offload *r) {
    return (struct ns_way_flow){r->family, r->protocol, r->source, r->destination, r->source_port, r->destination_port};
}

static bool zero(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

/* Tells whether an address fits the family: an IPv4 address is followed by 12 bytes of zero. */
static bool address_fits(const struct ns_offload *r, const uint8_t *address) {
    return r->family == 6 || zero(address + 4, 12);
}

static bool has_ports(uint8_t protocol) {
    return protocol == PROTO_TCP || protocol == PROTO_UDP || protocol == 33 || protocol == 132 || protocol == 136;
}

static bool well_formed(const struct ns_offload *r) {
    if ((r->family != 4 && r->family != 6) || r->action > NS_OFFLOAD_REWRITE || r->seconds == 0)
        return false;
    if (r->zero != 0 || r->zero2 != 0 || r->zero3 != 0 || (r->set & ~0xfu) != 0)
        return false;
    if ((r->action == NS_OFFLOAD_REWRITE) != (r->set != 0))
        return false;
    if (!address_fits(r, r->source) || !address_fits(r, r->destination))
        return false;
    if (!has_ports(r->protocol) && (r->source_port | r->destination_port) != 0)
        return false;
    if ((r->set & NS_SET_ADDRESSES) && (!address_fits(r, r->new_source) || !address_fits(r, r->new_destination)))
        return false;
    return (!(r->set & NS_SET_DSCP) || r->dscp <= 63) && (!(r->set & NS_SET_TTL) || (r->ttl != 0 && r->ttl != LEAVE));
}

/*
 * Tells whether flows of the protocol can be offloaded. ICMP is refused, because its errors may be for us or for
 * others. Addresses and ports are rewritten for TCP and UDP only, because a rewrite must cover every header that the
 * checksum covers. IPv6 extension headers are refused, because the programs do not look behind them.
 */
static bool protocol_fits(const struct ns_offload *r) {
    static const uint8_t extensions[] = {0, 43, 44, 51, 60, 135, 139, 140};

    if (r->protocol == 1 || r->protocol == 58)
        return false;

    for (size_t i = 0; i < sizeof extensions; i++) {
        if (r->family == 6 && r->protocol == extensions[i])
            return false;
    }
    return (r->set & (NS_SET_ADDRESSES | NS_SET_PORTS)) == 0 || r->protocol == PROTO_TCP || r->protocol == PROTO_UDP;
}

/* Tells whether an address is in 0/8, loopback, link-local, multicast or above. */
static bool martian4(const uint8_t *a) {
    return a[0] == 0 || a[0] == 127 || (a[0] == 169 && a[1] == 254) || a[0] >= 224;
}

/*
 * Tells whether an address is the unspecified address, loopback or any other with 96 leading bits of zero, mapped
 * from IPv4, link-local or multicast.
 */
static bool martian6(const uint8_t *a) {
    return (zero(a, 10) && ((a[10] == 0 && a[11] == 0) || (a[10] == 0xff && a[11] == 0xff))) ||
           (a[0] == 0xfe && (a[1] & 0xc0) == 0x80) || a[0] == 0xff;
}

bool ns_check_martian(uint8_t family, const uint8_t *address) {
    return family == 4 ? martian4(address) : martian6(address);
}

static bool martian(uint8_t family, const uint8_t *source, const uint8_t *destination) {
    return ns_check_martian(family, source) || ns_check_martian(family, destination);
}

/* Fills in the flow as it will leave. Fields that the request does not set remain as they came. */
static void leaving(struct ns_ip *out, const struct ns_offload *r) {
    bool addresses = (r->set & NS_SET_ADDRESSES) != 0, ports = (r->set & NS_SET_PORTS) != 0;

    *out = (struct ns_ip){.family = r->family, .protocol = r->protocol};
    memcpy(out->source, addresses ? r->new_source : r->source, 16);
    memcpy(out->destination, addresses ? r->new_destination : r->destination, 16);
    out->source_port = ports ? r->new_source_port : r->source_port;
    out->destination_port = ports ? r->new_destination_port : r->destination_port;
}

static enum ns_refused egress(const struct ns_offload *r, const struct ns_ip *out, const struct ns_rewrite *rewrite,
                              bool *turned) {
    bool same = memcmp(out->source, r->source, 16) == 0 && memcmp(out->destination, r->destination, 16) == 0;
    bool swapped = memcmp(out->source, r->destination, 16) == 0 && memcmp(out->destination, r->source, 16) == 0;

    if (same && out->source_port == r->source_port && out->destination_port == r->destination_port)
        return NS_REFUSED_NOT;
    *turned = swapped && out->source_port == r->destination_port && out->destination_port == r->source_port;
    if (*turned || ns_rewrite_allows(rewrite, out))
        return NS_REFUSED_NOT;
    return same || swapped ? NS_REFUSED_port : NS_REFUSED_address;
}

/* Returns the folded sum of the new words and of the old words' complements. */
static uint16_t difference(const void *from, const void *to, size_t bytes) {
    uint32_t sum = 0;
    uint16_t a, b;

    for (size_t i = 0; i < bytes; i += 2) {
        memcpy(&a, (const uint8_t *)from + i, 2);
        memcpy(&b, (const uint8_t *)to + i, 2);
        sum += (uint16_t)~a + (uint32_t)b;
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)(sum + (sum >> 16));
}

static void compile(struct ns_accepted *accepted, const struct ns_asker *asker, const struct ns_ip *out, bool turned) {
    const struct ns_offload *r = &accepted->request;
    struct ns_flow *flow = &accepted->flow;
    uint16_t old[2] = {htons(r->source_port), htons(r->destination_port)}, new[2];
    uint8_t from[32], to[32];

    memcpy(from, r->source, 16);
    memcpy(from + 16, r->destination, 16);
    memcpy(to, out->source, 16);
    memcpy(to + 16, out->destination, 16);
    *flow = (struct ns_flow){.action = r->action, .set = r->set, .turned = turned, .ttl = r->ttl};
    flow->mark = turned ? asker->turned_mark : asker->offload_mark;
    flow->dscp = (uint8_t)(r->dscp << 2);
    memcpy(flow->source, out->source, 16);
    memcpy(flow->destination, out->destination, 16);
    flow->source_port = htons(out->source_port);
    flow->destination_port = htons(out->destination_port);
    flow->address_diff = difference(from, to, sizeof from);
    new[0] = flow->source_port;
    new[1] = flow->destination_port;
    flow->port_diff = difference(old, new, sizeof old);
    if (turned) {
        flow->set |= NS_SET_TTL;
        flow->ttl = TURNED_TTL;
    }
}

/*
 * Tells whether the flow is signalling. The firewall's rule for signalling stands before the containers' rules, so no
 * container's filter sees it.
 */
static bool signaling(const struct ns_way_flow *flow) {
    return flow->protocol == PROTO_UDP && flow->destination_port == GIST_PORT;
}

enum ns_refused ns_check_flow(const struct ns_asker *asker, const struct ns_way_flow *flow) {
    const struct ns_way_filter *filter = ns_way_find(asker->filters, flow);

    if (filter == NULL || strcmp(filter->container, asker->container) != 0 || signaling(flow))
        return NS_REFUSED_filter;
    if (ns_way_sampled(asker->filters, flow, asker->container))
        return NS_REFUSED_sampled;
    return martian(flow->family, flow->source, flow->destination) ? NS_REFUSED_martian : NS_REFUSED_NOT;
}

bool ns_check_again(const struct ns_offload *request, const struct ns_asker *asker,
                    const struct ns_way_filters *before) {
    struct ns_way_flow flow = flow_of(request);
    const struct ns_way_filter *filter = ns_way_find(asker->filters, &flow);

    return filter != NULL && strcmp(filter->container, asker->container) == 0 &&
           !ns_way_sampled(asker->filters, &flow, asker->container) &&
           ns_way_same(before, asker->filters, &flow, asker->container);
}

enum ns_refused ns_check(struct ns_accepted *accepted, const struct ns_asker *asker, const void *bytes, size_t length) {
    struct ns_offload *r = &accepted->request;
    struct ns_way_flow flow;
    struct ns_ip out;
    enum ns_refused refused;
    bool turned = false;

    if (length != sizeof *r)
        return NS_REFUSED_malformed;
    memcpy(r, bytes, sizeof *r);
    if (!well_formed(r))
        return NS_REFUSED_malformed;
    if (!protocol_fits(r))
        return NS_REFUSED_protocol;
    flow = flow_of(r);
    refused = ns_check_flow(asker, &flow);
    if (refused != NS_REFUSED_NOT)
        return refused;
    leaving(&out, r);
    if (martian(r->family, out.source, out.destination))
        return NS_REFUSED_martian;
    refused = egress(r, &out, asker->rewrite, &turned);
    if (refused == NS_REFUSED_NOT)
        compile(accepted, asker, &out, turned);
    return refused;
}
