/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* ns_programs.h - the content of the maps, shared by bpfd and its programs only. */
#ifndef NS_PROGRAMS_H
#define NS_PROGRAMS_H

#include "ns_fastpath.h"
#include "ns_slots.h"

#define NS_FASTPATH_CONTAINERS 256u
#define NS_FASTPATH_INTERFACES 64u
#define NS_FLOWS_MAX 65536u   /* of all containers together */
#define NS_COUNTS_MAX 262144u /* of all containers together */

/*
 * The keys of flows, in words as they lie in the packet: addresses and ports in network order, the source port first.
 * Meta is ns_meta(). The maps of IPv4 have short keys, because hashing is most of the cost of a lookup.
 */
struct ns_key4 {
    uint32_t source, destination, ports, meta;
};
struct ns_key6 {
    uint32_t source[4], destination[4], ports, meta;
};

static inline uint32_t ns_meta(uint8_t family, uint8_t protocol, uint8_t ttl) {
    return (uint32_t)family | (uint32_t)protocol << 8 | (uint32_t)ttl << 16; /* ttl: of counts only */
}

/*
 * The decision about a flow. Differences of checksums are folded sums of the new words and of the old words'
 * complements.
 */
struct ns_flow {
    uint64_t expires; /* nanoseconds, CLOCK_MONOTONIC */
    uint16_t container, record;
    uint8_t action; /* enum ns_offload_action */
    uint8_t set;    /* NS_SET_* */
    uint8_t dscp;   /* as in the header: shifted two bits to the left */
    uint8_t ttl;    /* the greatest TTL; for a turned flow the new TTL */
    uint8_t turned; /* the pair is swapped */
    uint8_t zero[3];
    uint32_t mark; /* or-ed to the packet's, in tc */
    uint64_t home; /* XDP's: interface and second in which the source was last found behind that interface */
    uint16_t address_diff, port_diff;
    uint8_t source[16], destination[16];    /* with NS_SET_ADDRESSES */
    uint16_t source_port, destination_port; /* with NS_SET_PORTS; network order */
};

/*
 * The two directions of a relay: ChannelData of the client to the peer, and data of the peer to the client. The key is
 * a flow's. Meta also has the channel's number in the upper 16 bits for packets of the client, and 0 there for packets
 * of the peer.
 */
struct ns_relay {
    uint64_t expires; /* nanoseconds, CLOCK_MONOTONIC */
    uint64_t home;    /* XDP's: as in struct ns_flow */
    uint64_t let_go;  /* time of the last packet that went the long way to keep the firewall's state, ns */
    uint16_t container, record;
    uint8_t to_client;   /* packets get the header of ChannelData; else they lose it */
    uint8_t family;      /* of the packets as they leave, 4 or 6 */
    uint16_t channel;    /* network order */
    uint32_t mark;       /* or-ed to the packet's, in tc */
    uint32_t label;      /* IPv6's first word as packets leave, without the traffic class; network order */
    uint16_t difference; /* of addresses and ports: folded sum of the new words and of the old words' complements */
    uint8_t unasked;     /* data of the peer goes to the client even if the client sends no ChannelData */
    uint8_t zero;
    uint32_t ports; /* as packets leave, source first; network order */
    uint32_t source[4], destination[4];
};

static inline uint32_t ns_relay_meta(uint8_t family, uint16_t channel) { /* host order; 0 = of the peer */
    return (uint32_t)family | 17u << 8 | (uint32_t)channel << 16;
}

#define NS_RELAY_LET_GO_SECONDS 15u /* half of the shortest time that connection tracking keeps a flow of UDP */
#define NS_RELAY_HEARD_SECONDS 120u /* as long as connection tracking keeps a flow of UDP with answers */

/*
 * Counters of one container's relays, by their name in `stats`. They count packets of a relay that went the long way,
 * to the module's own socket, for the reason that each names. The last counts packets that were lost.
 */
#define NS_RELAY_REASONS(X)                                                                                            \
    X(LET_GO, "relay-let-go", "one in 15 s of each direction, so that the firewall's state stays")                     \
    X(LENGTH, "relay-length", "the length of ChannelData or UDP is not the packet's")                                  \
    X(CHECKSUM, "relay-checksum", "a checksum of UDP that is missing toward IPv6, or that a card has to compute")      \
    X(UNHEARD, "relay-unheard", "of a peer, while the client has sent no ChannelData by the channel for 120 s")        \
    X(TRAIN, "relay-train", "packets that the kernel has merged")                                                      \
    X(TTL, "relay-ttl", "the last hop")                                                                                \
    X(FRAGMENT, "relay-fragment", "IPv4 without DF that would leave as IPv6 with more than 1,280 bytes")               \
    X(ROUTE, "relay-route", "no plain route, no neighbour, or longer than the MTU of the way")                         \
    X(LOCAL, "relay-local", "tc: the stack would drop it, because its new source is the node's own: see accept_local") \
    X(BACK, "relay-back", "the way back to its source is not the interface it came in by; not sent to our address")    \
    X(FAILED, "relay-failed", "dropped: the kernel refused a step when the packet was changed already")

enum ns_relay_reason {
#define NS_X(name, key, text) NS_RELAY_##name,
    NS_RELAY_REASONS(NS_X)
#undef NS_X
        NS_RELAY_COUNTS,
    NS_RELAY_FITS = NS_RELAY_COUNTS
};

/*
 * An answer by template: the decision about the packets of one flow (struct ns_answer_entry). The key is a flow's. Sums
 * are folded, over pseudo header, UDP's header without its checksum, and data with zeros in all fields and in the tag.
 */
#define NS_ANSWERS_MAX 16384u /* of all containers together */
#define NS_ANSWER_WORDS (NS_ANSWER_MESSAGE / 8)
#define NS_ANSWER_REPLY_WORDS (NS_ANSWER_REPLY / 8)

struct ns_answer {
    uint64_t expires; /* nanoseconds, CLOCK_MONOTONIC */
    uint64_t used;    /* packets answered since it was put or armed */
    uint64_t budget;  /* of these; 0 = any number */
    uint16_t container, record;
    uint32_t mark;           /* or-ed to the packet's, in tc */
    uint16_t message, reply; /* bytes of UDP's data */
    uint16_t tag;            /* offset in the reply, or NS_ANSWER_NO_TAG */
    uint16_t fields;
    uint16_t message_sum, reply_sum;
    uint16_t message_open, reply_open; /* checksums as they stand before a card completes them: of the pseudo header */
    struct ns_answer_field field[NS_ANSWER_FIELDS];
    uint8_t zero[4];
    uint8_t text[NS_ANSWER_WORDS], digits[NS_ANSWER_WORDS]; /* a bit for each byte of a word: what may stand there */
    uint64_t words[NS_ANSWER_WORDS];                        /* of the message */
    uint64_t answer[NS_ANSWER_REPLY_WORDS];                 /* of the reply */
};

/*
 * The packet that is being answered, on each processor. Both have room behind them, so that a masked offset stays
 * within.
 */
struct ns_answer_work {
    uint64_t message[NS_ANSWER_WORDS + NS_ANSWER_FIELD / 8];
    uint64_t reply[128 + NS_ANSWER_TAG / 8];
};

/*
 * Counters of one container's answers, by their name in `stats`. The first two count packets that the kernel has dealt
 * with, the last one packets that were lost, and all others packets that went the long way.
 */
#define NS_ANSWER_REASONS(X)                                                                                           \
    X(DONE, "answers-done", "answered by the kernel")                                                                  \
    X(SWALLOWED, "answers-swallowed", "dropped by the kernel, because they want no answer")                            \
    X(BUDGET, "answers-budget", "the entry has answered as many as it may")                                            \
    X(UNLIKE, "answers-unlike", "not like the template")                                                               \
    X(LENGTH, "answers-length", "the length of UDP is not the packet's")                                               \
    X(CHECKSUM, "answers-checksum", "a wrong checksum of UDP")                                                         \
    X(TRAIN, "answers-train", "packets that the kernel has merged")                                                    \
    X(ROUTE, "answers-route",                                                                                          \
      "XDP: no neighbour, no plain route back by the interface it came in by, not to our address")                     \
    X(FAILED, "answers-failed", "dropped: the kernel refused a step when the packet was changed already")

enum ns_answer_reason {
#define NS_X(name, key, text) NS_ANSWER_##name,
    NS_ANSWER_REASONS(NS_X)
#undef NS_X
        NS_ANSWER_COUNTS
};

/*
 * A service router of Serval: its address and port, the lengths of its prefixes, and its rules. The kernel routes what
 * a router at that address would route (docs/protocols/serval.md, "Service routers"); all else goes to the module.
 */
#define NS_SERVAL_ROUTERS_EACH 4u /* of a container */
#define NS_SERVAL_ROUTERS (NS_FASTPATH_CONTAINERS * NS_SERVAL_ROUTERS_EACH)
#define NS_SERVAL_LENGTHS 16u
#define NS_SERVAL_TARGETS 8u
#define NS_SERVAL_RULES 262144u  /* of all routers together */
#define NS_SERVAL_SETS 65536u    /* prefixes with more than one rule, likewise */
#define NS_SERVAL_PEERS 4096u    /* likewise */
#define NS_SERVAL_RECENT 131072u /* serviceIDs that were looked up last */
#define NS_SERVAL_PER_FLOW 128u  /* rules that a container may have for each of its `flows` */

struct ns_serval_address { /* network order; IPv4 as ::ffff:a.b.c.d, as in HOPS */
    uint32_t address[4];
    uint16_t port, zero;
};

struct ns_serval_router {
    uint32_t generation; /* another one after each change of its rules, never one of another router */
    uint16_t number;     /* in the keys of its rules */
    uint16_t container;  /* slot */
    uint32_t lengths;
    uint16_t length[NS_SERVAL_LENGTHS]; /* bits, the longest first */
};

struct ns_serval_key {
    uint32_t id[8]; /* as in the packet, zero behind the bits */
    uint16_t bits, router;
};

struct ns_serval_target {
    uint64_t expires; /* nanoseconds, CLOCK_MONOTONIC */
    struct ns_serval_address to;
    uint32_t weight; /* 1 to 65535 */
    uint32_t zero;
};

/*
 * The rules of one prefix, as small as most of them are: one target, or none and the module. If there are more,
 * `ns_serval_sets` has them all, by the same key.
 */
struct ns_serval_rule {
    uint64_t expires; /* of the target, or of the module's; nanoseconds, CLOCK_MONOTONIC */
    struct ns_serval_address to;
    uint16_t kind;   /* enum ns_serval_kind */
    uint16_t weight; /* of the target: 1 to 65535 */
};

enum ns_serval_kind { NS_SERVAL_KIND_TARGET, NS_SERVAL_KIND_MODULE, NS_SERVAL_KIND_SEVERAL };

/* The rules of a prefix that has more than one. */
struct ns_serval_set {
    uint64_t module; /* until then packets go to the module, 0 = they do not; ns, CLOCK_MONOTONIC */
    uint64_t count;
    struct ns_serval_target target[NS_SERVAL_TARGETS];
};

#define NS_SERVAL_ONE 0xffffu

/* The outcome of a look-up, by serviceID and router: one target, or the length of the prefix that has several. */
struct ns_serval_recent {
    uint64_t expires;
    struct ns_serval_address to;
    uint32_t generation;
    uint32_t bits; /* NS_SERVAL_ONE = `to` is the only target */
};

/*
 * The worth of recent look-ups, on each processor: while few are found, none is looked for. The map is filled for a
 * while before it is judged.
 */
struct ns_serval_worth {
    uint32_t filled, tried, found, skip;
};

#define NS_SERVAL_TRIED 8192u  /* look-ups between two judgements */
#define NS_SERVAL_FILL 65536u  /* look-ups before the first judgement */
#define NS_SERVAL_SKIP 524288u /* packets without one after a bad judgement: under half found */

/* A client that was last found behind an interface, on each processor, by some bits of its address. */
struct ns_serval_home {
    uint64_t home; /* interface and second */
    uint32_t client[4];
};

#define NS_SERVAL_HOMES 1024u /* a power of two */

struct ns_serval_peer {
    struct ns_serval_address at;
    uint32_t router; /* number */
};

/* Counters of one container's routers, by their name in `stats`. */
#define NS_SERVAL_REASONS(X)                                                                                           \
    X(ROUTED, "serval-routed", "packets that the kernel has sent on to a target")                                      \
    X(FOUND, "serval-recent", "of these, by a serviceID that was looked up before")                                    \
    X(SHAPE, "serval-shape", "neither a SYN nor an unconnected datagram, or with other extensions")                    \
    X(LIST, "serval-list", "a list of hops from an unknown router, or without room")                                   \
    X(NO_RULE, "serval-no-rule", "no rule, or none whose lifetime is not over")                                        \
    X(MODULE, "serval-module", "a rule leaves the packet to the module")                                               \
    X(LOOP, "serval-loop", "the target is in the list of hops")                                                        \
    X(LENGTH, "serval-length", "the length of UDP or SAL is not the packet's")                                         \
    X(CHECKSUM, "serval-checksum", "a checksum that a card has to compute, or none over IPv6")                         \
    X(TTL, "serval-ttl", "the last hop")                                                                               \
    X(ROUTE, "serval-route", "no plain route, no neighbour, or longer than the MTU of the way")                        \
    X(BACK, "serval-back", "the way back to its source is not the interface it came in by; not sent to our address")   \
    X(FAILED, "serval-failed", "dropped: the kernel refused a step when the packet was changed already")

enum ns_serval_reason {
#define NS_X(name, key, text) NS_SERVAL_##name,
    NS_SERVAL_REASONS(NS_X)
#undef NS_X
        NS_SERVAL_COUNTS,
    NS_SERVAL_FITS = NS_SERVAL_COUNTS
};

/* A packet's words for the key of a count. In a filter they are the masks of the kept bits. */
struct ns_count_words {
    uint32_t source[4], destination[4], ports, meta; /* IPv4 uses the first word of four */
};

/* The packets that a filter takes. */
struct ns_packet_match {
    struct ns_count_words value, mask;              /* the words required; ports are not compared */
    uint16_t source_ports[2], destination_ports[2]; /* first, last, host order; 0-65535 = also without ports */
};

#define NS_COUNT_FILTERS 8u /* of all containers together, each family */

/*
 * A counting filter. A packet counts once for a container: at the first of its filters that matches. The filters are
 * grouped by container.
 */
struct ns_count_filter {
    struct ns_packet_match match;
    struct ns_count_words keep;
    uint16_t container, fields; /* NS_COUNT_* */
};

/* A list of counting filters, one for IPv4, one for IPv6. */
struct ns_count_filters {
    uint32_t count;
    struct ns_count_filter filter[NS_COUNT_FILTERS];
};

/*
 * A sampling filter. A packet is copied once for a container: by the first of its filters that matches and has its
 * turn. The filters are grouped by container, too.
 */
struct ns_sample_filter {
    struct ns_packet_match match;
    uint64_t turn;  /* packets that have matched: counted by the programs */
    uint32_t every; /* of these, the first and every such packet behind it are copied */
    uint16_t container, zero;
};

/*
 * The limit of a container's samples in a second, in packets and bytes. Each family has a bucket of one second's
 * worth.
 */
struct ns_sample_limit {
    uint64_t packets, bytes;                   /* 0 = any number */
    uint64_t packets_until[2], bytes_until[2]; /* when the samples let through are paid for, ns, CLOCK_MONOTONIC */
};

/* The list of one family. Each list is a map of its own, so that a new list takes its place as a whole. */
struct ns_sample_filters {
    uint64_t count;
    struct ns_sample_filter filter[NS_SAMPLE_FILTERS];
};

/* The key of a count: the packet's words, with zero in the bits that the filter does not keep. */
struct ns_count4 {
    struct ns_key4 words;
    uint16_t container, fields;
};
struct ns_count6 {
    struct ns_key6 words;
    uint16_t container, fields;
};

#define NS_COUNT_SOURCE 1u
#define NS_COUNT_DESTINATION 2u
#define NS_COUNT_SOURCE_PORT 4u
#define NS_COUNT_DESTINATION_PORT 8u
#define NS_COUNT_PROTOCOL 16u
#define NS_COUNT_TTL 32u

#define NS_LEAVE_SLOT 0u     /* of packets that a container sends */
#define NS_LEFT_SLOT 1u      /* of such packets that come out */
#define NS_LEAVER_LISTENS 16 /* more elements take the long way */
#define NS_LEAVES_MAX 65536  /* flows that are known */

/* Ports of a container from which its packets leave as they are, with another address. */
struct ns_leaver_listen {
    uint32_t address[4]; /* IPv4: the first word */
    uint16_t first, last;
    uint8_t family, zero[3];
};

/* A container whose packets may leave past the stack, by the index of its interface. */
struct ns_leaver {
    uint64_t packets, bytes; /* that have left so; bytes with the link's header */
    uint32_t count, zero;
    struct ns_leaver_listen listen[NS_LEAVER_LISTENS];
};

/* The way out of a flow, by its words as it leaves. */
struct ns_leave {
    uint64_t expires; /* nanoseconds, CLOCK_MONOTONIC; 0 = it was asked for, and none has come out */
    uint64_t asked;
    uint32_t inside[4]; /* source in the container's network */
    uint32_t from, to;  /* indexes of interfaces */
    uint32_t longest;   /* packet that has come out */
    uint8_t link[12];   /* destination and source */
};

/* An interface with our entries. */
struct ns_interface {
    uint8_t address[6]; /* of the link */
    uint8_t native;     /* XDP runs in the driver, which accepts packets that another driver redirects */
    uint8_t pair;       /* one end of a veth pair: packets of native XDP are lost where the other end has none */
};

#endif
