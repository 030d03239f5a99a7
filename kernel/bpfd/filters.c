/* SPDX-License-Identifier: Apache-2.0 */
#include "filters.h"

#include <arpa/inet.h>
#include <string.h>

static bool read_way(struct ns_way_filter *filter, const char *text) {
    static const char *const ways[] = {"queue", "sample", "steer", "count"};

    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(text, ways[i]) == 0) {
            filter->way = (enum ns_way)i;
            return true;
        }
    }
    return false;
}

static bool add_field(void *context, const char *name) {
    static const char *const names[] = {"src", "dst", "sport", "dport", "proto", "ttl"};
    uint8_t *fields = context;

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *fields |= (uint8_t)(1u << i);
            return true;
        }
    }
    return false;
}

static bool read_key(struct ns_way_filter *filter, const char *key, const char *value) {
    uint64_t number;

    if (strcmp(key, "container") == 0) {
        if (!ns_value_name(value))
            return false;
        strcpy(filter->container, value);
        return true;
    }
    if (strcmp(key, "family") == 0) {
        filter->family = (uint8_t)(value[0] - '0');
        return strcmp(value, "4") == 0 || strcmp(value, "6") == 0;
    }
    if (strcmp(key, "proto") == 0 && ns_value_number(value, 0, 255, &number)) {
        filter->protocol = (uint8_t)number;
        return true;
    }
    if (strcmp(key, "claim") == 0)
        return ns_value_number(value, 0, INT64_MAX, &filter->claim);
    if (strcmp(key, "do") == 0)
        return read_way(filter, value);
    if (strcmp(key, "every") == 0 && ns_value_number(value, 1, UINT32_MAX, &number)) {
        filter->every = (uint32_t)number;
        return true;
    }
    if (strcmp(key, "count") == 0)
        return ns_value_list(value, add_field, &filter->fields) && filter->fields != 0;
    if (strcmp(key, "src") == 0)
        return ns_value_net(value, &filter->source);
    if (strcmp(key, "dst") == 0)
        return ns_value_net(value, &filter->destination);
    if (strcmp(key, "sport") == 0)
        return ns_value_ports(value, &filter->source_ports);
    if (strcmp(key, "dport") == 0)
        return ns_value_ports(value, &filter->destination_ports);
    return false;
}

bool ns_way_parse(struct ns_way_filter *filter, const struct ns_line *line, const char **why) {
    static const char *const mandatory[] = {"container", "family", "proto", "do"};

    memset(filter, 0, sizeof *filter);
    filter->source_ports.last = filter->destination_ports.last = 65535;
    for (unsigned i = 0; i < line->count; i++) {
        *why = line->pairs[i].key;
        if (!read_key(filter, line->pairs[i].key, line->pairs[i].value))
            return false;
    }
    for (size_t i = 0; i < sizeof mandatory / sizeof mandatory[0]; i++) {
        *why = mandatory[i];
        if (ns_line_get(line, mandatory[i]) == NULL)
            return false;
    }
    *why = "family";
    if ((filter->source.family != 0 && filter->source.family != filter->family) ||
        (filter->destination.family != 0 && filter->destination.family != filter->family))
        return false;
    *why = "every";
    if (filter->every != 0 && filter->way != NS_WAY_SAMPLE)
        return false;
    *why = "count";
    return (filter->way == NS_WAY_COUNT) == (filter->fields != 0);
}

bool ns_net_contains(const struct ns_net *net, const uint8_t *address) {
    unsigned bytes = net->bits / 8, rest = net->bits % 8;

    if (memcmp(net->address, address, bytes) != 0)
        return false;
    return rest == 0 || ((net->address[bytes] ^ address[bytes]) & (uint8_t)(0xff00u >> rest)) == 0;
}

static bool ports_contain(const struct ns_ports *ports, uint16_t port) {
    return port >= ports->first && port <= ports->last;
}

bool ns_way_matches(const struct ns_way_filter *filter, const struct ns_way_flow *flow) {
    return filter->family == flow->family && (filter->protocol == 0 || filter->protocol == flow->protocol) &&
           ns_net_contains(&filter->source, flow->source) && ns_net_contains(&filter->destination, flow->destination) &&
           ports_contain(&filter->source_ports, flow->source_port) &&
           ports_contain(&filter->destination_ports, flow->destination_port);
}

const struct ns_way_filter *ns_way_find(const struct ns_way_filters *filters, const struct ns_way_flow *flow) {
    for (unsigned i = 0; i < filters->count; i++) {
        const struct ns_way_filter *filter = &filters->filter[i];

        if ((filter->way == NS_WAY_QUEUE || filter->way == NS_WAY_STEER) && ns_way_matches(filter, flow))
            return filter;
    }
    return NULL;
}

/* Returns the container's next filter, from *at on, that hands the flow's packets to it. */
static const struct ns_way_filter *next_of(const struct ns_way_filters *filters, unsigned *at,
                                           const struct ns_way_flow *flow, const char *container) {
    while (*at < filters->count) {
        const struct ns_way_filter *filter = &filters->filter[(*at)++];

        if (filter->way != NS_WAY_COUNT && strcmp(filter->container, container) == 0 && ns_way_matches(filter, flow))
            return filter;
    }
    return NULL;
}

bool ns_way_same(const struct ns_way_filters *a, const struct ns_way_filters *b, const struct ns_way_flow *flow,
                 const char *container) {
    unsigned i = 0, j = 0;

    for (;;) {
        const struct ns_way_filter *one = next_of(a, &i, flow, container), *other = next_of(b, &j, flow, container);

        if (one == NULL || other == NULL)
            return one == other;
        if (memcmp(one, other, sizeof *one) != 0)
            return false;
    }
}

bool ns_way_sampled(const struct ns_way_filters *filters, const struct ns_way_flow *flow, const char *but) {
    for (unsigned i = 0; i < filters->count; i++) {
        const struct ns_way_filter *filter = &filters->filter[i];

        if (filter->way == NS_WAY_SAMPLE && strcmp(filter->container, but) != 0 && ns_way_matches(filter, flow))
            return true;
    }
    return false;
}

static void compile_net(const struct ns_net *net, uint32_t value[4], uint32_t mask[4]) {
    uint8_t bytes[16] = {0};

    for (unsigned bit = 0; bit < net->bits; bit++)
        bytes[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
    memcpy(mask, bytes, sizeof bytes);
    memcpy(value, net->address, sizeof net->address);
}

static uint32_t all_if(unsigned fields, unsigned field, uint32_t all) {
    return (fields & field) != 0 ? all : 0;
}

void ns_way_compile_match(struct ns_packet_match *out, const struct ns_way_filter *filter) {
    *out = (struct ns_packet_match){
        .source_ports = {filter->source_ports.first, filter->source_ports.last},
        .destination_ports = {filter->destination_ports.first, filter->destination_ports.last},
    };
    compile_net(&filter->source, out->value.source, out->mask.source);
    compile_net(&filter->destination, out->value.destination, out->mask.destination);
    out->value.meta = ns_meta(filter->family, filter->protocol, 0);
    out->mask.meta = ns_meta(0xff, filter->protocol != 0 ? 0xff : 0, 0);
}

/*
 * Compiles a counting filter. The source port is the first of the two in the packet, so it is the lower half of the
 * word on a little-endian machine.
 */
void ns_way_compile(struct ns_count_filter *out, const struct ns_way_filter *filter, unsigned container) {
    unsigned fields = filter->fields;
    const uint16_t ones = 0xffff;

    *out = (struct ns_count_filter){.container = (uint16_t)container, .fields = (uint16_t)fields};
    ns_way_compile_match(&out->match, filter);
    for (unsigned i = 0; i < 4; i++) {
        out->keep.source[i] = all_if(fields, NS_COUNT_SOURCE, ~0u);
        out->keep.destination[i] = all_if(fields, NS_COUNT_DESTINATION, ~0u);
    }
    out->keep.ports = all_if(fields, NS_COUNT_SOURCE_PORT, ones) | all_if(fields, NS_COUNT_DESTINATION_PORT, ~0xffffu);
    out->keep.meta =
        ns_meta(0xff, (uint8_t)all_if(fields, NS_COUNT_PROTOCOL, 0xff), (uint8_t)all_if(fields, NS_COUNT_TTL, 0xff));
}
