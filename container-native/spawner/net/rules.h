/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - prints all our iptables chains of one family, for iptables-restore --noflush. They hold the rules that
 * need NFQUEUE, and the accepting rules that must be in the operator's own FORWARD. Pure. docs/protocols/spawner.md,
 * "Rules it writes", has the picture.
 */
#ifndef NS_RULES_H
#define NS_RULES_H

#include "connect.h"
#include "match.h"
#include <stdio.h>

#define NS_COUNT_TEXT 40     /* "src,dst,sport,dport,proto,ttl" */
#define NS_NETWORKS_MAX 4096 /* indices of networks */
#define NS_CONTAINERS_MAX 256
#define NS_RULES_INTERFACES 64  /* interfaces with samples of the fast path */
#define NS_RULES_LINKS 1024     /* interfaces of the node; turned packets on others meet the operator's rules */
#define NS_PACKETS_MOST 1000000 /* a second; hashlimit counts no more, and a higher limit has no rule */
#define NS_BYTES_LEAST 2048     /* a second; below, the steps of hashlimit are too coarse */

/* A filter: source and destination of the packets that go to a queue. */
struct ns_filter {
    uint8_t family;   /* 4 or 6 */
    uint8_t protocol; /* 0 = any */
    bool has_source, has_destination, has_source_ports, has_destination_ports;
    struct ns_net source, destination;
    struct ns_ports source_ports, destination_ports;
    uint16_t queue;            /* even */
    char count[NS_COUNT_TEXT]; /* fields by which the fast path counts; "" = the packets go to the queue */
    uint32_t sample;           /* every Nth packet is copied to queue + 1; 0 = all packets go to queue */
    bool afxdp;                /* the fast path may hand its packets over by AF_XDP; all others come by the queue */
    struct ns_match match;
    uint16_t take;  /* the container's port for its connections, which have no rule for the queue; 0 = its packets */
    uint64_t claim; /* number of the set of modules behind the filter; another set has another number */
};

/* The properties of a container that its rules depend on. */
struct ns_rules_container {
    const char *name;
    uint64_t serial; /* of its start; equal serials have equal rules */
    uint16_t queue;
    uint64_t packets, bytes; /* limits per second through its modules; 0 = none */
    int network;             /* index of its network, -1 = none */
    bool open;               /* without the layer `rules`: all its packets are forwarded */
    uint64_t connections;    /* connections at the same time */
    unsigned connects, listens, takes;
    const struct ns_connect *connect, *listen, *take;
};

struct ns_rules {
    uint32_t turned_mark, copy_mark;
    uint32_t offload_mark; /* of packets that the fast path has handled, 0 = it marks none */
    bool gist;             /* UDP/270 and ICMP errors about it go to sigio */
    bool match;            /* the kernel takes programs; else the queue gets all packets of a filter with a program */
    unsigned filters;
    const struct ns_filter *filter;
    const bool *taken; /* for each filter: the fast path takes its samples on these interfaces; NULL = of none */
    unsigned interfaces;
    const char *interface[NS_RULES_INTERFACES];
    unsigned links; /* the node's own interfaces, without loopback and containers' ends */
    const char (*link)[16];
    unsigned containers;
    const struct ns_rules_container *container;
};

/*
 * The jumps and chains in the kernel. By them, a script makes each jump exactly once, and removes the chains of
 * queues that no container has any more. A container's own chains are written at its start and not again, because
 * they count packets.
 */
struct ns_rules_standing {
    bool raw, forward; /* PREROUTING, or FORWARD, has its jump */
    bool sample;       /* table raw has the chain for samples outside the fast path */
    unsigned count;
    struct ns_rules_chains {
        uint64_t serial; /* 0 = the container is unknown */
        unsigned queue;  /* each chain has one queue: for packets or for copies */
    } chains[2 * NS_CONTAINERS_MAX];
};

#define NS_RULES_CHAIN "NETSERV"

/* Writes the script that leads from `standing` to `rules`. Sets *after to the jumps and chains after the script. */
void ns_rules_print(FILE *out, const struct ns_rules *rules, int family, const struct ns_rules_standing *standing,
                    struct ns_rules_standing *after);

/*
 * Returns the number of rules in our chains of table raw, or of table filter, after the script. Jumps to the chains
 * do not count.
 */
unsigned ns_rules_count(const struct ns_rules *rules, int family, bool raw);

/*
 * Returns true if a chain of this name is ours, or a former version's. An operator's chain may begin alike and is not
 * ours.
 */
bool ns_rules_is_chain(const char *name);

/* Returns the queue of a chain for a queue's limits, -1 for any other chain. */
int ns_rules_queue(const char *name);

/* Returns true if iptables has a port match for this protocol. */
bool ns_rules_has_ports(uint8_t protocol);

#endif
