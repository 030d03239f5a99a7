/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_ring.h - the packet ring between pktio and one container.
 *
 * Two shared-memory regions, both sealed memfds (F_SEAL_SHRINK|GROW|SEAL), all fields little-endian host order.
 *
 *   region D "descriptors": written by pktio, mapped read-only by the container (its descriptor is O_RDONLY)
 *   region S "slots":       written by both; nothing in it is believed by pktio without a check
 *
 *   D: | header | descriptors | to the page | records of flows | records of counts | records of relays |
 *   S: | header | verdicts    | to the page | slots                                | questions         |
 *
 *        pktio                        D: produced                          container
 *   recv -> slot -> descriptor[seq] ---------------------> upcall(first, count) -> modules
 *        verdict <- checks <- copy <---------------------- verdict[answered]
 *                                     S: answered
 *
 * A packet is known by its sequence number: descriptor number `seq` is at index seq & (slots - 1). The verdict names
 * the low 32 bits of seq. pktio keeps, in private memory, which seq is outstanding in which slot, the kernel's packet
 * id, the true headers and the true length; a verdict that names anything else is refused and counted.
 *
 * A slot belongs to the container from the moment its descriptor is published until its final verdict is taken. pktio
 * answers a packet itself when its deadline passes, but reuses the slot only after the late verdict has arrived. So a
 * container that never answers runs out of slots. Once the first packets without a slot have waited for as long as the
 * deadline, every further packet bypasses it (`ring_full`) until slots come back.
 *
 * With NS_VERDICT_OFFLOAD a verdict holds for the rest of the packet's flow, too, which then never
 * comes here: the kernel decides it for so many seconds (bpfd, docs/protocols/bpfd.md). What
 * became of it is in the records, which pktio copies from bpfd's own ten times a second. A minor
 * version of 0 has neither; each side takes the other's older one as it is.
 *
 * A question (struct ns_ring_ask) is about a relay, a channel of a TURN server that the kernel may relay without the
 * module. The container writes it behind the slots and grows `asked`. pktio copies it once, sends it to bpfd unread,
 * and grows `forwarded`. bpfd's answer is the record of the relay. A minor version of 1 has no relays.
 *
 * A question about a rule of a service router of Serval (struct ns_serval_ask) has the size of the other, and goes the
 * same way. Its answer is a record of the same table. So do the pieces of an answer by template (struct ns_answer_ask).
 * pktio knows none of them.
 *
 * The Java twin is org.netserv.host.Ring; container-native/tests/vectors/ring.txt holds both sides to the same numbers.
 */
#ifndef NS_RING_H
#define NS_RING_H

#include <stdint.h>

#define NS_RING_D_MAGIC 0x4452534eu /* "NSRD" */
#define NS_RING_S_MAGIC 0x5352534eu /* "NSRS" */
#define NS_RING_MAJOR 1
#define NS_RING_MINOR 2 /* 1: NS_VERDICT_OFFLOAD and the table of records. 2: relays */

#define NS_RING_SLOTS_DEFAULT 1024u /* a power of two, 64..16384 */
#define NS_RING_SLOT_SIZE 2048u     /* bytes */
#define NS_RING_HEADROOM 128u       /* bytes free before a received packet, at least */
#define NS_RING_TAILROOM 128u       /* bytes free behind it, at least */
#define NS_RING_PACKET_MAX (NS_RING_SLOT_SIZE - NS_RING_HEADROOM - NS_RING_TAILROOM) /* longer ones bypass the ring */
#define NS_RING_BATCH 64u /* descriptors per upcall at most */

#define NS_RING_RECORD_FLOWS 1024u  /* records of offloaded flows, then */
#define NS_RING_RECORD_COUNTS 4096u /* records of packets only counted; the last takes keys without a place */
#define NS_RING_RELAYS 4096u        /* records of relays */
#define NS_RING_ASKS 256u           /* questions that may wait: a power of two */

/*
 * Region D: header, descriptors, then (page aligned) the records. Cursors have 64 bits and only grow. Those for packets
 * are on cache lines of their own. A cursor for questions shares the line of the number before it.
 */
struct ns_ring_d {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t slots;
    uint32_t slot_size;
    uint32_t records; /* offset 16: of the first record; 0 = there are none */
    uint32_t record_flows, record_counts;
    uint32_t record_relays; /* offset 28 */
    uint8_t pad0[32];
    uint64_t produced; /* offset 64: descriptors published */
    uint8_t pad1[56];
    uint32_t pktio_sleeps; /* offset 128: 1 = write to the tx eventfd after publishing verdicts */
    uint8_t pad2[60];
    uint64_t taken;     /* offset 192: verdicts that pktio has taken; the container never runs ahead by > 2*slots */
    uint64_t forwarded; /* questions that pktio has taken; the container never runs ahead by > NS_RING_ASKS */
    uint8_t pad3[48];
};                          /* 256 bytes */
#define NS_RING_D_DESC 256u /* offset of descriptor 0 */

struct ns_ring_desc {
    uint32_t seq;     /* low 32 bits of the sequence number */
    uint32_t slot;    /* index of the slot */
    uint32_t offset;  /* of the IP header, from the start of the slot */
    uint32_t length;  /* of the packet, bytes */
    uint32_t mark;    /* the packet's firewall mark */
    uint32_t ifindex; /* of the interface it came in on; 0 = unknown */
    uint16_t mtu;     /* of that interface, bytes: a turned packet must not be longer */
    uint8_t family;   /* 4 or 6 */
    uint8_t flags;    /* NS_RING_F_* */
    uint32_t usec;    /* receive time, low 32 bits of CLOCK_MONOTONIC in microseconds */
};                    /* 32 bytes */

#define NS_RING_F_COPY 0x01u /* a sample: the packet has already gone on, the verdict is ignored */

/*
 * The kernel's record of a flow, or of the packets of one key. Written by one, read by many: `version` is odd while
 * the rest changes, and a reader begins again if it was odd or is another one afterwards. Addresses in network order,
 * IPv4 in the first 4 bytes; ports in host order. In a record of a count, fields outside the filter's key are 0.
 */
struct ns_ring_record {
    uint32_t version;
    uint32_t state; /* NS_RECORD_* */
    uint32_t seq;   /* low 32 bits of the number of the packet whose verdict asked for it */
    uint8_t family, protocol;
    uint8_t ttl; /* of counts by `ttl` */
    uint8_t pad0;
    uint8_t source[16], destination[16]; /* offset 16: as the flow arrives */
    uint16_t source_port, destination_port;
    uint32_t pad1;
    uint64_t packets, bytes; /* offset 56: decided in the kernel; bytes of IP */
    uint64_t last_usec;      /* of the last of them, CLOCK_MONOTONIC, microseconds */
    uint64_t reserved[2];
}; /* 96 bytes */

enum ns_record_state {
    NS_RECORD_FREE = 0,
    NS_RECORD_OFFLOADED = 1,
    NS_RECORD_ENDED_IDLE = 2,    /* no packet for 30 s */
    NS_RECORD_ENDED_TIME = 3,    /* its seconds are over */
    NS_RECORD_ENDED_REVOKED = 4, /* its filter or its container has gone */
    NS_RECORD_COUNTED = 5,       /* a count */
};

/*
 * The record of a relay, of the size of the others. In the record of an answer by template, `to_peer` has the packets
 * that the kernel has answered, and `to_client` those of the flow that went the long way; bytes are IP's. `answer` is
 * written whole: ns_ring_relay_answer(). Each number is
 * written whole, and not together with another.
 */
struct ns_ring_relay {
    uint64_t answer;
    struct ns_ring_way {
        uint64_t packets, bytes; /* of data, without headers of IP, UDP and ChannelData */
        uint64_t last_usec;      /* of the last packet, CLOCK_MONOTONIC, microseconds */
    } to_peer, to_client;
    uint64_t reserved[5];
}; /* 96 bytes */

enum ns_relay_state {
    NS_RELAY_FREE = 0,
    NS_RELAY_ACTIVE = 1,
    NS_RELAY_REFUSED = 2,
    NS_RELAY_ENDED = 3, /* by its seconds, by the container, or by a change of filters, addresses or interfaces */
};

/*
 *     63       48 47      40 39      32 31             0
 *     | 0         | refused  | state   | number         |
 *
 * The number is that of the question answered. `refused` is enum ns_relay_refused.
 */
static inline uint64_t ns_ring_relay_answer(uint32_t number, uint8_t state, uint8_t refused) {
    return number | (uint64_t)state << 32 | (uint64_t)refused << 40;
}

/* The refusals, each with a counter in bpfd's `stats`; the names come back to the module. docs/protocols/bpfd.md. */
#define NS_RELAY_REFUSALS(X)                                                                                           \
    X(malformed, "wrong length, or a field outside its range")                                                         \
    X(quota, "the container has as many relays as it may")                                                             \
    X(server, "the server's address and port are not in the container's listen grants, or not the node's")             \
    X(relayed, "the relayed address and port are not in the container's listen grants, or not the node's")             \
    X(peer, "the peer is not in the container's connect grants for UDP")                                               \
    X(martian, "an address of client or peer that no router forwards")                                                 \
    X(node, "client or peer is an address of the node or of a container")                                              \
    X(filter, "a module's filter takes packets of the client or of the peer")                                          \
    X(sampled, "a module samples packets of the client or of the peer")                                                \
    X(taken, "another relay has the client's channel, or the pair of peer and relayed address")                        \
    X(failed, "the kernel did not take it")

enum ns_relay_refused {
    NS_RELAY_REFUSED_NOT,
#define NS_X(name, text) NS_RELAY_REFUSED_##name,
    NS_RELAY_REFUSALS(NS_X)
#undef NS_X
        NS_RELAY_REFUSED_KINDS
};

/*
 * A question about a relay: 96 bytes, and so the datagram from pktio to bpfd. Addresses in network order, IPv4 in the
 * first 4 bytes and 12 zeros behind; ports and channel in host order.
 */
struct ns_ring_ask {
    uint32_t magic;       /* NS_RELAY_MAGIC */
    uint32_t number;      /* comes back in the record */
    uint16_t place;       /* of the record, from 0 */
    uint16_t seconds;     /* 1 to 65535; of UNBIND 0 */
    uint8_t what;         /* enum ns_relay_what */
    uint8_t client, peer; /* family of client and server, of relayed address and peer: 4 or 6 */
    uint8_t zero;
    uint8_t client_address[16], server_address[16]; /* offset 16 */
    uint8_t relayed_address[16], peer_address[16];
    uint16_t client_port, server_port, relayed_port, peer_port; /* offset 80 */
    uint16_t channel;                                           /* 0x4000 to 0x7fff */
    uint16_t zero2[3];
}; /* 96 bytes */

#define NS_RELAY_MAGIC 0x4c52534eu /* "NSRL" */

enum ns_relay_what {
    NS_RELAY_BIND = 1,    /* the numbers of the record begin with 0; what had the place is unbound */
    NS_RELAY_REFRESH = 2, /* the same, but the numbers go on */
    NS_RELAY_UNBIND = 3,  /* only place and number matter; all else is 0 */
};

/*
 * A question about a rule of a service router of Serval: 96 bytes. Addresses in network order, IPv4 in the first 4
 * bytes and 12 zeros behind; ports, bits and weight in host order. A rule is known by its place, and by its number
 * among the rules of the place. The answer is struct ns_ring_rules.
 */
struct ns_serval_ask {
    uint32_t magic;                    /* NS_SERVAL_MAGIC */
    uint32_t number;                   /* comes back in the record */
    uint16_t place;                    /* of the record, from 0; no relay has it */
    uint16_t seconds;                  /* 1 to 65535; of REMOVE 0 */
    uint8_t what;                      /* enum ns_serval_what */
    uint8_t family;                    /* of router and target, 4 or 6 */
    uint16_t bits;                     /* of the prefix, 0 to 256 */
    uint8_t router[16], target[16];    /* offset 16 */
    uint8_t id[32];                    /* offset 48: zero behind the bits */
    uint16_t router_port, target_port; /* offset 80 */
    uint16_t weight;                   /* of TARGET: 1 to 65535 */
    uint16_t rule;                     /* of the place: 0 to 63 */
    uint16_t zero[4];
}; /* 96 bytes */

#define NS_SERVAL_MAGIC 0x5652534eu /* "NSRV" */
#define NS_SERVAL_PLACE 64u         /* rules of a place */

/*
 * The record of a place with rules, in place of that of a relay. `answer` is that of the last question about the place,
 * or tells that a rule has ended. It is written last. Once it has a question's number, the rule of that question is in
 * the kernel if its bit is set, refused if its reason is not 0, and else it has ended or is removed.
 */
struct ns_ring_rules {
    uint64_t answer;
    uint64_t active;     /* bit 0 = rule 0 */
    uint64_t refused[4]; /* enum ns_serval_refused in 4 bits, rule 0 in the lowest ones of the first word */
    uint64_t mark;       /* NS_RULES_MARK; in the record of a relay it is a time, and never this one */
    uint64_t reserved[5];
}; /* 96 bytes */

#define NS_RULES_MARK UINT64_MAX

enum ns_serval_what {
    NS_SERVAL_ASK_TARGET = 1, /* packets of the prefix go to the target, or to others of the same prefix by weight */
    NS_SERVAL_ASK_MODULE = 2, /* packets of the prefix go to the module; target and weight are 0 */
    NS_SERVAL_ASK_PEER = 3,   /* lists of hops from the target are believed; prefix and weight are 0 */
    NS_SERVAL_ASK_REMOVE = 4, /* only place and number matter; all else is 0 */
};

/* The refusals, each with a counter in bpfd's `stats`; the names come back to the module. docs/protocols/bpfd.md. */
#define NS_SERVAL_REFUSALS(X)                                                                                          \
    X(malformed, "a field outside its range")                                                                          \
    X(family, "an address of IPv4 that is written as one of IPv6")                                                     \
    X(direct, "the fast path is not forward=direct")                                                                   \
    X(quota, "the container, or the node, has as many rules as it may")                                                \
    X(prefix, "no prefix of the container's serval grant covers the rule's")                                           \
    X(router, "the router's address and port are not in the container's listen grants, or not the node's")             \
    X(martian, "a target that no router forwards to")                                                                  \
    X(node, "the target is an address of the node or of a container")                                                  \
    X(target, "the target is not in the container's connect grants for UDP")                                           \
    X(filter, "a module's filter takes or samples packets to the router")                                              \
    X(taken, "another place has the same rule, or another container the router's address")                             \
    X(targets, "the prefix has as many targets as the kernel draws from")                                              \
    X(lengths, "the router has prefixes of as many lengths as the kernel tries")                                       \
    X(failed, "the kernel did not take it")                                                                            \
    X(routers, "the container has rules for as many router addresses as it may")

enum ns_serval_refused {
    NS_SERVAL_REFUSED_NOT,
#define NS_X(name, text) NS_SERVAL_REFUSED_##name,
    NS_SERVAL_REFUSALS(NS_X)
#undef NS_X
        NS_SERVAL_REFUSED_KINDS
};

/*
 * An answer that the kernel gives to packets of one flow of UDP in the module's place, while they are like a template:
 *
 *     message  | bytes of the template | field | bytes | field | ...     of one length
 *     reply    | bytes of its own | field | ... | tag | ...              the fields as they came
 *
 * A field is a range of both. In the message its bytes may differ from the template's. The tag is 16 hexadecimal digits
 * of a hash of fields, described below. The entry has this head, then the message, then the reply. Addresses in network
 * order, IPv4 in the first 4 bytes and 12 zeros behind; all numbers in host order.
 */
#define NS_ANSWER_MESSAGE 512u /* bytes of UDP's data */
#define NS_ANSWER_GROWTH 192u  /* a reply may be longer than its message by so many bytes */
#define NS_ANSWER_REPLY (NS_ANSWER_MESSAGE + NS_ANSWER_GROWTH)
#define NS_ANSWER_FIELDS 6u
#define NS_ANSWER_FIELD 64u /* bytes of a field */
#define NS_ANSWER_TAG 16u   /* bytes of the tag */
#define NS_ANSWER_NO_TAG 0xffffu

enum ns_answer_kind {
    NS_ANSWER_SAME = 0,   /* its bytes are the template's */
    NS_ANSWER_TEXT = 1,   /* another letter, digit or "-._" may stand in place of one of these */
    NS_ANSWER_DIGITS = 2, /* any digits may stand */
    NS_ANSWER_HASHED = 4, /* with one of these: the tag's hash has this field, in the order of `field` */
};

struct ns_answer_field {
    uint16_t from, to; /* offset in the message, in the reply */
    uint8_t length;    /* 1 to NS_ANSWER_FIELD */
    uint8_t kind;      /* enum ns_answer_kind */
};

struct ns_answer_entry {
    uint8_t family; /* 4 or 6 */
    uint8_t fields;
    uint16_t seconds;                       /* 1 to 65535 */
    uint32_t budget;                        /* so many packets are answered, then all go the long way; 0 = any number */
    uint8_t source[16], destination[16];    /* offset 8: of the flow as it arrives */
    uint16_t source_port, destination_port; /* offset 40: not 0 */
    uint16_t message, reply;                /* bytes of each; a reply of 0 bytes: the packet is swallowed */
    uint16_t tag;                           /* offset in the reply, or NS_ANSWER_NO_TAG */
    uint16_t zero;
    struct ns_answer_field field[NS_ANSWER_FIELDS]; /* the used ones first, no two overlap; else 0 */
};                                                  /* 88 bytes */

/*
 * A question about an answer: 96 bytes. An entry comes in pieces, in order, and nothing comes between them. All pieces
 * have the number of their question, and the last one is answered.
 */
struct ns_answer_ask {
    uint32_t magic;  /* NS_ANSWER_MAGIC */
    uint32_t number; /* comes back in the record */
    uint16_t place;  /* of the record, from 0; no relay and no rule has it */
    uint8_t what;    /* enum ns_answer_what */
    uint8_t zero;
    uint16_t at;       /* of PUT: offset of the piece in the entry; else 0 */
    uint16_t length;   /* of PUT: of the whole entry; else 0 */
    uint8_t bytes[80]; /* of PUT: the piece, zeros behind the end; of ARM: struct ns_answer_arm; else 0 */
};                     /* 96 bytes */

struct ns_answer_arm {
    uint32_t budget;
    uint16_t seconds, zero;
};

#define NS_ANSWER_MAGIC 0x4e41534eu /* "NSAN" */

enum ns_answer_what {
    NS_ANSWER_PUT = 1,      /* a piece of an entry; what had the place ends */
    NS_ANSWER_ARM = 2,      /* the entry of this place begins anew with other seconds and another budget */
    NS_ANSWER_WITHDRAW = 3, /* ends the entry of this place */
};

/*
 * The tag's hash. It begins with NS_ANSWER_HASH. For each field its length is added. Then for each eight bytes of it,
 * big-endian, zeros behind the end: hash = (hash ^ word) * factor, hash ^= hash >> 32.
 */
#define NS_ANSWER_HASH 0xcbf29ce484222325ull
#define NS_ANSWER_HASH_FACTOR 0x9e3779b97f4a7c15ull

/* The refusals, each with a counter in bpfd's `stats`; the names come back to the module. docs/protocols/bpfd.md. */
#define NS_ANSWER_REFUSALS(X)                                                                                          \
    X(malformed, "a field outside its range, or a piece that does not follow the one before")                          \
    X(length, "the reply is longer than the message by more than 192 bytes, or more than twice as long")               \
    X(field, "a field or the tag outside message or reply, or two that overlap")                                       \
    X(filter, "the filter that decides about the flow is not the container's, or there is none")                       \
    X(sampled, "another container samples the flow")                                                                   \
    X(martian, "an address that no router forwards")                                                                   \
    X(quota, "the container, or the node, has as many answers as it may")                                              \
    X(taken, "another place has the flow, or another container")                                                       \
    X(gone, "there is no entry that could begin anew")                                                                 \
    X(failed, "the kernel did not take it")

enum ns_answer_refused {
    NS_ANSWER_REFUSED_NOT,
#define NS_X(name, text) NS_ANSWER_REFUSED_##name,
    NS_ANSWER_REFUSALS(NS_X)
#undef NS_X
        NS_ANSWER_REFUSED_KINDS
};

/* Region S: header, then 2*slots verdicts, then (page aligned) the slots, then the questions. */
struct ns_ring_s {
    uint32_t magic;
    uint16_t major, minor;
    uint8_t pad0[56];
    uint64_t consumed; /* offset 64: descriptors taken by the container */
    uint8_t pad1[56];
    uint64_t answered; /* offset 128: verdicts published */
    uint8_t pad2[56];
    uint32_t container_sleeps; /* offset 192: 1 = write to the rx eventfd after publishing descriptors */
    uint32_t pad4;
    uint64_t asked; /* offset 200: questions written */
    uint8_t pad3[48];
};                             /* 256 bytes */
#define NS_RING_S_VERDICT 256u /* offset of verdict 0 */

struct ns_ring_verdict {
    uint32_t seq;    /* names the packet */
    uint32_t code;   /* enum ns_verdict, with NS_VERDICT_OFFLOAD or without */
    uint32_t offset; /* CHANGED only: where the packet begins in its slot */
    uint32_t length; /* CHANGED only: its new length, bytes */
};                   /* 16 bytes; verdict number n is at index n & (2*slots - 1) */

enum ns_verdict {
    NS_VERDICT_PASS = 0,    /* goes on unchanged */
    NS_VERDICT_DROP = 1,    /* is dropped */
    NS_VERDICT_CHANGED = 2, /* goes on as it now stands in its slot, if the egress check lets it */
    NS_VERDICT_STOLEN = 3,  /* is answered later, by one more verdict; extends the deadline to the steal time */
};

/*
 * The code of a verdict:
 *
 *     31            16 15       5  4  3     0
 *     | seconds       | 0 ... 0  | O | verdict |
 *
 * O asks that the verdict hold for the rest of the flow, in the kernel, for 1-65535 seconds; not with STOLEN, not for
 * a copy. With CHANGED it is the difference of the headers that holds: addresses, ports, DSCP and TTL may differ,
 * nothing else. The packet itself is answered in any case as it would be without O.
 */
#define NS_VERDICT_MASK 0x0000000fu
#define NS_VERDICT_OFFLOAD 0x00000010u
#define NS_VERDICT_SECONDS 16 /* shift */

static inline uint64_t ns_ring_d_records(uint32_t slots) { /* offset of record 0 */
    return (NS_RING_D_DESC + (uint64_t)slots * sizeof(struct ns_ring_desc) + 4095u) & ~4095ull;
}

static inline uint64_t ns_ring_d_bytes_1(uint32_t slots) { /* of minor version 1 */
    uint64_t records = NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS;

    return ns_ring_d_records(slots) + ((records * sizeof(struct ns_ring_record) + 4095u) & ~4095ull);
}

static inline uint64_t ns_ring_d_bytes(uint32_t slots) {
    uint64_t records = NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS + NS_RING_RELAYS;

    return ns_ring_d_records(slots) + ((records * sizeof(struct ns_ring_record) + 4095u) & ~4095ull);
}

static inline uint64_t ns_ring_s_slots(uint32_t slots) { /* offset of slot 0 */
    return (NS_RING_S_VERDICT + 2ull * slots * sizeof(struct ns_ring_verdict) + 4095u) & ~4095ull;
}

static inline uint64_t ns_ring_s_asks(uint32_t slots) { /* offset of question 0; number n is at n & (ASKS - 1) */
    return ns_ring_s_slots(slots) + (uint64_t)slots * NS_RING_SLOT_SIZE;
}

static inline uint64_t ns_ring_s_bytes(uint32_t slots) {
    return ns_ring_s_asks(slots) + NS_RING_ASKS * sizeof(struct ns_ring_ask);
}

#endif
