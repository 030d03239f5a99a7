/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the complete text of our iptables chains for one family, as iptables-restore --noflush reads it: what needs NFQUEUE,
 * and what only a rule in the operator's own FORWARD can accept. Pure; docs/protocols/spawner.md, "Rules it writes", has the picture.
 */
#ifndef NS_RULES_H
#define NS_RULES_H

#include "connect.h"
#include "match.h"
#include <stdio.h>

#define NS_COUNT_TEXT 40     /* "src,dst,sport,dport,proto,ttl" */
#define NS_NETWORKS_MAX 4096 /* indices */
#define NS_CONTAINERS_MAX 256
#define NS_RULES_INTERFACES 64  /* where the fast path takes samples */
#define NS_RULES_LINKS 1024     /* interfaces of the node; packets turned on further ones meet the operator's rules */
#define NS_PACKETS_MOST 1000000 /* a second: what hashlimit can count; a higher limit has no rule */
#define NS_BYTES_LEAST 2048     /* a second: below, the steps of hashlimit are too coarse */

/* Where a packet must come from and go to, to be queued. */
struct ns_filter {
    uint8_t family;   /* 4 or 6 */
    uint8_t protocol; /* 0 = any */
    bool has_source, has_destination, has_source_ports, has_destination_ports;
    struct ns_net source, destination;
    struct ns_ports source_ports, destination_ports;
    uint16_t queue;            /* even */
    char count[NS_COUNT_TEXT]; /* fields by which the fast path counts, "" = they go to the queue */
    uint32_t sample;           /* every Nth packet is copied to queue + 1; 0 = all go to queue */
    bool afxdp; /* the fast path may hand its packets over by AF_XDP; what does not come so, comes by the queue */
    struct ns_match match;
    uint64_t claim; /* of the modules whose filter it is, any number that is another when they are others */
};

/* What the rules know of a container. */
struct ns_rules_container {
    const char *name;
    uint64_t serial; /* of its start: equal serials have equal rules */
    uint16_t queue;
    uint64_t packets, bytes; /* a second through its modules; 0 = any */
    int network;             /* index, -1 = none */
    bool open;               /* without the layer `rules`: everything of it is forwarded */
    uint64_t connections;    /* at once */
    unsigned connects, listens;
    const struct ns_connect *connect, *listen;
};

struct ns_rules {
    uint32_t turned_mark, copy_mark;
    uint32_t offload_mark; /* of what the fast path has done, 0 = it marks nothing */
    bool gist;             /* UDP/270 and errors about it go to sigio */
    bool match; /* the kernel's firewall takes programs; else all packets of a filter that has one are queued */
    unsigned filters;
    const struct ns_filter *filter;
    const bool *taken; /* of each: the fast path takes its samples on these interfaces; NULL = of none */
    unsigned interfaces;
    const char *interface[NS_RULES_INTERFACES];
    unsigned links; /* the node's own interfaces, without loopback and containers' */
    const char (*link)[16];
    unsigned containers;
    const struct ns_rules_container *container;
};

/*
 * What stands in the kernel, so that a script makes each jump exactly once and removes the chains of queues that no container has
 * any more. A container's own chains are written when it starts and not again, because they count.
 */
struct ns_rules_standing {
    bool raw, forward; /* the jumps from PREROUTING and FORWARD */
    bool sample;       /* raw: samples that the fast path does not take where it is */
    unsigned count;
    struct ns_rules_chains {
        uint64_t serial; /* 0 = of nobody who is known */
        unsigned queue;  /* of one chain: packets or copies */
    } chains[2 * NS_CONTAINERS_MAX];
};

#define NS_RULES_CHAIN "NETSERV"

/* Writes the script that leads from `standing` to `rules`, and what stands after it into *after. */
void ns_rules_print(FILE *out, const struct ns_rules *rules, int family, const struct ns_rules_standing *standing,
                    struct ns_rules_standing *after);

/* How many rules our chains of table raw, or of filter, have then; the jumps to them are not among these. */
unsigned ns_rules_count(const struct ns_rules *rules, int family, bool raw);

/* Is a chain of this name ours, or a former version's? An operator's chain that only begins alike is not. */
bool ns_rules_is_chain(const char *name);

/* Of a chain for a queue's limits: the queue; -1 = it is another chain. */
int ns_rules_queue(const char *name);

/* Has iptables a port match for this protocol? */
bool ns_rules_has_ports(uint8_t protocol);

#endif
