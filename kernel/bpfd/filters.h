/* SPDX-License-Identifier: Apache-2.0 */
/* filters.h - the filters of all containers, in the order in which the firewall meets them, and what of them is the kernel's. Pure. */
#ifndef NS_BPFD_FILTERS_H
#define NS_BPFD_FILTERS_H

#include "ns_line.h"
#include "ns_programs.h"
#include "ns_value.h"

#define NS_FILTERS_MAX 1024

enum ns_way {
    NS_WAY_QUEUE,  /* to the container */
    NS_WAY_SAMPLE, /* copies of some packets to the container, all go on */
    NS_WAY_STEER,  /* to the container's AF_XDP socket */
    NS_WAY_COUNT,  /* nobody: counted where they come in */
};

struct ns_way_filter {
    char container[NS_NAME_MAX + 1];
    uint8_t family, protocol; /* protocol 0 = any */
    uint8_t fields;           /* NS_COUNT_*, of NS_WAY_COUNT */
    enum ns_way way;
    uint32_t every;                    /* of NS_WAY_SAMPLE: one of so many is copied by us; 0 = the firewall copies */
    struct ns_net source, destination; /* bits 0 = any */
    struct ns_ports source_ports, destination_ports; /* 0-65535 = any */
    uint64_t claim;                                  /* of the modules behind it: another number when they are others */
};

struct ns_way_filters {
    unsigned count;
    struct ns_way_filter filter[NS_FILTERS_MAX];
};

/* A flow as it arrives; ports in host order, 0 without. */
struct ns_way_flow {
    uint8_t family, protocol;
    const uint8_t *source, *destination;
    uint16_t source_port, destination_port;
};

/* One line of pairs. False, with the key at fault in `why`. */
bool ns_way_parse(struct ns_way_filter *filter, const struct ns_line *line, const char **why);

bool ns_way_matches(const struct ns_way_filter *filter, const struct ns_way_flow *flow);

/* The filter that decides about the flow's packets: the first of QUEUE and STEER. NULL = none. */
const struct ns_way_filter *ns_way_find(const struct ns_way_filters *filters, const struct ns_way_flow *flow);

/* Do the same filters of this container, of the same modules, match the flow in both lists? Those that count see it in any case. */
bool ns_way_same(const struct ns_way_filters *a, const struct ns_way_filters *b, const struct ns_way_flow *flow,
                 const char *container);

/* Has another container a sample of this flow, which it would miss? */
bool ns_way_sampled(const struct ns_way_filters *filters, const struct ns_way_flow *flow, const char *but);

/* What the programs compare. */
void ns_way_compile_match(struct ns_packet_match *out, const struct ns_way_filter *filter);

/* Of a counting filter: what they compare and keep. */
void ns_way_compile(struct ns_count_filter *out, const struct ns_way_filter *filter, unsigned container);

#endif
