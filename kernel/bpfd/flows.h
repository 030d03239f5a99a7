/* SPDX-License-Identifier: Apache-2.0 */
/* flows.h - the containers that may ask, their flows in the kernel, and the ends of their flows. */
#ifndef NS_BPFD_FLOWS_H
#define NS_BPFD_FLOWS_H

#include "answer_check.h"
#include "check.h"
#include "ns_steer.h"
#include "programs.h"
#include "relay_check.h"
#include "serval_check.h"

struct ns_granted_flow {
    bool used;
    uint64_t expires;          /* nanoseconds, CLOCK_MONOTONIC */
    struct ns_offload request; /* as it came */
};

struct ns_granted_relay {
    bool used;
    uint64_t expires;       /* nanoseconds, CLOCK_MONOTONIC */
    struct ns_ring_ask ask; /* as it came */
};

/* The relays of a container. */
struct ns_granted_relays {
    struct ns_reach listen, connect;
    unsigned used;
    struct ns_granted_relay *place; /* NS_RING_RELAYS of them; NULL before the first */
    uint64_t asked, taken, ended_time, ended_revoked;
    uint64_t to_peer, to_client, bytes; /* packets and bytes of data of relays that have ended */
    uint64_t refused[NS_RELAY_REFUSED_KINDS];
};

/* A rule that the kernel has. */
struct ns_granted_rule {
    uint64_t expires; /* nanoseconds, CLOCK_MONOTONIC; 0 = there is no rule */
    uint8_t id[NS_SERVICE_BITS / 8];
    uint8_t target[16];
    uint16_t target_port, bits;
    uint16_t router; /* number */
    uint8_t what, family;
};

/* The rules of one place. */
struct ns_granted_place {
    unsigned used;
    uint32_t number; /* of the last question about the place */
    uint64_t next;   /* no rule expires before */
    struct ns_granted_rule rule[NS_SERVAL_PLACE];
};

/* The rules of a container's service routers. */
struct ns_granted_serval {
    struct ns_service_grants grants;
    unsigned used;
    struct ns_granted_place *place[NS_RING_RELAYS]; /* NULL = it has no rules */
    uint64_t asked, taken, ended_time, ended_revoked;
    uint64_t refused[NS_SERVAL_REFUSED_KINDS];
};

/* An answer by template, without its text. */
struct ns_granted_answer {
    uint32_t number; /* of the last question about it */
    struct ns_answer_entry entry;
    struct ns_answer_accepted accepted;
};

/* The pieces of an entry that have come. */
struct ns_answer_pieces {
    uint32_t number;
    uint16_t place, length, have; /* length 0 = none is under way */
    struct ns_answer_text text;
};

/* The answers of a container. */
struct ns_granted_answers {
    unsigned used;
    struct ns_granted_answer **place; /* NS_RING_RELAYS of them; NULL before the first */
    struct ns_answer_pieces pieces;
    uint64_t asked, taken, ended_time, ended_revoked;
    uint64_t refused[NS_ANSWER_REFUSED_KINDS];
};

/* The way of a container's packets out of its network, past the stack. */
struct ns_granted_leave {
    int network; /* number of its interface, -1 = none */
    struct ns_hooked hooked;
    uint64_t packets, bytes; /* of ways that have ended */
};

/* A service router in the kernel, by its number. */
struct ns_serval_entry {
    struct ns_serval_address at;
    unsigned container;                 /* slot */
    unsigned rules;                     /* 0 = the number is free */
    unsigned sets[NS_SERVICE_BITS + 1]; /* prefixes, by length */
};

struct ns_serval_entries {
    struct ns_serval_entry router[NS_SERVAL_ROUTERS];
    unsigned numbers; /* those from here on were never used */
    uint32_t generation;
    unsigned rules; /* of all routers */
};

/* The grace of a container that has died, see kept.h. */
struct ns_kept {
    char name[NS_NAME_MAX + 1];
    uint64_t until;             /* end of the grace, nanoseconds, CLOCK_MONOTONIC; 0 = the container lives */
    unsigned count, taken_over; /* relays that were kept, and those of them that the next container has */
};

/* The relays that were kept for containers of one name. */
struct ns_kept_count {
    char name[NS_NAME_MAX + 1];
    uint64_t kept, taken_over, ended;
};

struct ns_granted {
    char name[NS_NAME_MAX + 1]; /* "" = it has died, and some of its relays are kept */
    uint64_t serial;            /* of the container's start */
    unsigned slot, quota, used, next;
    int socket;  /* -1 = it has died */
    bool closed; /* the other end of the socket is closed everywhere */
    struct ns_rewrite rewrite;
    int records_fd;
    struct ns_ring_record *records;
    int samples_fd; /* -1 = the kernel takes no samples for the container */
    struct ns_granted_flow flow[NS_RING_RECORD_FLOWS];
    uint64_t asked, taken, ended_time, ended_idle, ended_revoked, packets,
        bytes; /* the last two: of flows that have ended */
    uint64_t refused[NS_REFUSED_KINDS];
    struct ns_granted_relays relays;
    struct ns_granted_serval serval;
    struct ns_granted_answers answers;
    struct ns_granted_leave leave;
    struct ns_kept kept;
};

/* A socket in the XSKMAP, by its index there. The kernel removes it when its owner dies. */
struct ns_steered {
    bool used;
    uint16_t container; /* slot */
    struct ns_steer_queue queue;
};

struct ns_bpfd {
    struct ns_programs programs;
    uint32_t offload_mark, turned_mark;
    struct ns_way_filters filters;
    struct ns_sample_filters sampling[2]; /* the lists that the programs have: of IPv4, of IPv6 */
    struct ns_granted *granted[NS_FASTPATH_CONTAINERS];
    struct ns_steered steered[NS_STEER_SOCKETS];
    struct ns_node node;
    struct ns_serval_entries serval;
    uint32_t secret;                 /* of IPv6's flow labels */
    unsigned total, relays, answers; /* flows, relays and answers in the kernel, of all containers */
    struct ns_kept_count kept_count[NS_FASTPATH_CONTAINERS];
    unsigned kept_counts; /* so many were made */
};

/*
 * Grants a container, and takes all descriptors. With `records` -1 it makes the records, and the ring buffer for
 * samples if the kernel can. Else `samples` is the ring buffer, -1 = none. Returns NULL, with all descriptors closed
 * and the reason in errno, if it cannot.
 */
struct ns_granted *ns_flows_grant(struct ns_bpfd *bpfd, const char *name, int socket, int records, int samples);

struct ns_granted *ns_flows_find(const struct ns_bpfd *bpfd, const char *name);

/* Ends all of the container's flows, relays, counts and samples in the kernel. */
void ns_flows_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted);

/*
 * Ends all of the container but its relays, and takes its name. Its slot and its records stay, because its relays
 * count there.
 */
void ns_flows_leave(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Handles a request that has come. */
void ns_flows_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const void *bytes, size_t length);

/*
 * Sets new filters. Ends the flows that they no longer lead to their container, and counts and samples by the new
 * filters. Returns 0, or -1 if the new sampling filters could not be set; the log has the reason.
 */
int ns_flows_filter(struct ns_bpfd *bpfd, const struct ns_way_filters *filters);

/* Ends the flows that have expired or are idle, and the relays that have expired. */
void ns_flows_sweep(struct ns_bpfd *bpfd);

/* Returns the packets and bytes of the container's flows, ended or not, or of its counts. */
void ns_flows_sum(const struct ns_granted *granted, bool counts, uint64_t *packets, uint64_t *bytes);

#endif
