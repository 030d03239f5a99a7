/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filters.h - the filters of all containers, in the order in which the firewall meets them, and their form for the
 * kernel. Pure.
 */
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
    NS_WAY_COUNT,  /* for no container: counted on arrival */
};

struct ns_way_filter {
    char container[NS_NAME_MAX + 1];
    uint8_t family, protocol; /* protocol 0 = any */
    uint8_t fields;           /* NS_COUNT_*, of NS_WAY_COUNT */
    enum ns_way way;
    uint32_t every;                    /* of NS_WAY_SAMPLE: the kernel copies 1 of so many; 0 = the firewall copies */
    struct ns_net source, destination; /* bits 0 = any */
    struct ns_ports source_ports, destination_ports; /* 0-65535 = any */
    uint64_t claim;                                  /* of the modules behind it: other modules, another number */
};

struct ns_way_filters {
    unsigned count;
    struct ns_way_filter filter[NS_FILTERS_MAX];
};

/* A flow as it arrives. Ports are in host order, 0 if there are none. */
struct ns_way_flow {
    uint8_t family, protocol;
    const uint8_t *source, *destination;
    uint16_t source_port, destination_port;
};

/* Tells whether a prefix has an address of its own family. */
bool ns_net_contains(const struct ns_net *net, const uint8_t *address);

/* Parses one line of pairs. Returns false, with the key at fault in `why`. */
bool ns_way_parse(struct ns_way_filter *filter, const struct ns_line *line, const char **why);

bool ns_way_matches(const struct ns_way_filter *filter, const struct ns_way_flow *flow);

/* Returns the filter that decides about the flow's packets: the first one of QUEUE and STEER. NULL = none. */
const struct ns_way_filter *ns_way_find(const struct ns_way_filters *filters, const struct ns_way_flow *flow);

/*
 * Tells whether the same filters of this container, of the same modules, match the flow in both lists. Counting
 * filters do not matter, because they see the flow in any case.
 */
bool ns_way_same(const struct ns_way_filters *a, const struct ns_way_filters *b, const struct ns_way_flow *flow,
                 const char *container);

/* Tells whether another container samples this flow, and would miss it. */
bool ns_way_sampled(const struct ns_way_filters *filters, const struct ns_way_flow *flow, const char *but);

/* Fills in the words for the programs to compare. */
void ns_way_compile_match(struct ns_packet_match *out, const struct ns_way_filter *filter);

/* Fills in the words of a counting filter for the programs to compare and keep. */
void ns_way_compile(struct ns_count_filter *out, const struct ns_way_filter *filter, unsigned container);

#endif
