/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * ns_sal.h - the maps that sald shares with kernel/bpf/sal_flow.bpf.c; docs/protocols/sald.md explains them.
 *
 *     program -- TCP --> sal0 --> sal1 -- tc ingress: flow open? -- yes --> UDP, SAL, TCP --> interface
 *                                                    `------------- no ---> sald
 *     program <-- TCP --- sal0 <-- tc ingress of the interface: data of an open flow <-- UDP, SAL, TCP
 *                                                               all else: to the stack --> sald's UDP socket
 *
 * With a protocol number of its own, SAL also lies in IPv4 without UDP. In the native form data are plain TCP between
 * the addresses of the way, whose ports are the low halves of the flowIDs.
 *
 * Addresses, ports and flowIDs are in network order everywhere. An IPv4 address is in the first word of four, and the
 * others are zero.
 */
#ifndef NS_SAL_H
#define NS_SAL_H

#include <stdint.h>

#define NS_SAL_PORT 54325u
#define NS_SAL_PRIORITY 7          /* of sald's socket: TC_PRIO_CONTROL, for which a program needs CAP_NET_ADMIN */
#define NS_SAL_FLOWS 65536u        /* flows of a host */
#define NS_SAL_ROUTERS 8u          /* service routers whose lists of hops count */
#define NS_SAL_RST_WINDOW 65536u   /* beyond the last acknowledgement, in which a RST of the peer's TCP counts */
#define NS_SAL_EVENT_BYTES 65536u  /* of the ring buffer: a power of two, whole pages */
#define NS_SAL_BASE 12u            /* bytes of the SAL header without extensions */
#define NS_SAL_OVERHEAD 20u        /* bytes of UDP and SAL in front of a segment */
#define NS_SAL_NATIVE_FIRST 61000u /* to 65535: low halves of flowIDs, above the ports that Linux gives to programs */
#define NS_SAL_NATIVE_MS 600u      /* that data in the native form are without an answer, and come again: it ends */
#define NS_SAL_NATIVE_AGAIN 3u     /* segments in a row that were there already: the peer gets no acknowledgement */

/* The names of a connection as the local stack sends it, the source port first. Key of ns_sal_tuples. */
struct ns_sal_tuple {
    uint32_t source[4], destination[4];
    uint32_t ports;
    uint32_t family; /* 4 or 6 */
};

/* When data may leave in the native form: the server knows that no NAT is on the way, and the client sees it begin. */
enum ns_sal_native {
    NS_SAL_NATIVE_NEVER,
    NS_SAL_NATIVE_BEGINS,
    NS_SAL_NATIVE_ANSWERS,
};

/* The way of a flow's data. Key of ns_sal_flows is the flow's own flowID. sald alone writes the value of a flow without
 * a slot. */
struct ns_sal_way {
    struct ns_sal_tuple inner;
    uint32_t own, peer; /* flowIDs */
    uint32_t own_address[4], peer_address[4];
    uint16_t own_port, peer_port; /* 0: SAL lies in IP, without UDP */
    uint32_t interface;           /* by which data leave */
    uint8_t family;               /* of the addresses, 4 or 6 */
    uint8_t open;                 /* data may pass; else they go to sald */
    uint16_t slot;                /* 1 + number of the slot by which the programs set it up, 0 = sald has it */
    uint8_t native;               /* enum ns_sal_native */
    uint8_t zeros[3];
};

/* The numbers of a flow that the programs write. Key of ns_sal_uses is the flow's own flowID. */
struct ns_sal_use {
    uint64_t packets_out, bytes_out, packets_in, bytes_in; /* bytes of TCP and its data */
    uint64_t last_in;                                      /* ns of CLOCK_MONOTONIC of the last packet from the peer */
    uint32_t acked;                                        /* the peer's highest acknowledgement number, host order */
    uint32_t taken;                                        /* this end's last acknowledgement number, host order */
    uint32_t sent;                                         /* sequence number behind all of this end, host order */
    uint32_t fin;                                          /* sequence number behind this end's FIN, host order */
    uint8_t fin_sent, fin_acked;
    uint8_t acks_seen;  /* bit 0: `acked` is known, bit 1: `taken` is, bit 2: `sent` is */
    uint8_t native_off; /* data of the native form do not arrive: they leave in UDP from now on */
    uint8_t native_in;  /* the peer has sent in the native form */
    uint8_t known;      /* segments of the peer in a row that were there already */
    uint8_t zero[2];
    uint64_t waiting_since; /* ns of the first data in the native form that are not acknowledged, 0 = none are */
};

enum ns_sal_event_kind {
    NS_SAL_FIN_ACKED = 1, /* the peer's TCP has all data and the FIN of this end */
    NS_SAL_RST_SENT,
    NS_SAL_RST_TAKEN,
    NS_SAL_SET_UP, /* a slot is in use, and sald has slept without a look at them */
};

struct ns_sal_event {
    uint32_t own; /* flowID */
    uint32_t kind;
};

/* The one element of ns_sal_settings. */
struct ns_sal_settings {
    uint32_t inside; /* index of sal0 */
    uint8_t link[6]; /* link address of sal0 */
    uint16_t port;   /* of UDP, network order */
    uint32_t raw;    /* protocol number of SAL in IPv4, 0 = none */
    uint32_t native; /* not 0: flows may have the native form */
};

#define NS_SAL_LINKS 64u /* places of ns_set_links, by the last bits of the index of a link */

/* A link on which the local stack takes packets of open flows, of the families that are not 0. */
struct ns_sal_link {
    uint32_t interface;
    uint8_t stays4, stays6;
    uint8_t zeros[2];
};

#define NS_SAL_SURROGATES 4096u

#define NS_SAL_SURROGATES4 0xc6120100u /* 198.18.1.0, */
#define NS_SAL_PREFIX6 0xfd73616cu     /* and fd73:616c::1:0:0 with these as first and third word: the first ones */
#define NS_SAL_SURROGATES6 1u

/* A place of ns_sal_places: the serviceID that a surrogate address stands for. */
struct ns_sal_surrogate {
    uint8_t id[32];
    uint64_t used_ms; /* CLOCK_MONOTONIC, of the last use; 0 = the place is free */
};

/* Counters of the programs, by their name in `status`. */
#define NS_SAL_COUNTS(X)                                                                                               \
    X(OUT, "out", "packets of a program that left in their flow")                                                      \
    X(IN, "in", "packets of a peer that went to their program")                                                        \
    X(OUT_TO_SALD, "out-to-sald", "packets of a program without an open flow, SYNs among them")                        \
    X(IN_TO_SALD, "in-to-sald", "packets of a peer that are no data of an open flow")                                  \
    X(SHORT_IN, "short-in", "of the packets that came in, those that the local stack took on their link")              \
    X(NATIVE_OUT, "native-out", "of the packets that left, trains and packets in the native form")                     \
    X(NATIVE_IN, "native-in", "of the packets that came in, trains and packets in the native form")                    \
    X(NATIVE_OFF, "native-off", "flows whose native form was not answered: they go on in UDP")                         \
    X(TRAIN, "train", "dropped: a program's packets came merged to sal1, because sal0 has got tso on again")           \
    X(FAILED, "failed", "dropped: the kernel refused a step when the packet was changed already")                      \
    X(STRANGER, "stranger", "dropped: sald is away, and a socket of somebody else has its port")                       \
    X(SET_UP_OUT, "set-up-out", "connections of programs that the programs set up without a wake of sald")             \
    X(SET_UP_IN, "set-up-in", "SYNs of clients for which the programs made a flow without a wake of sald")             \
    X(SET_UP_FULL, "set-up-full", "SYNs that went to sald, because no slot was free")                                  \
    X(EVENT_LOST, "event-lost", "ends of connections for which the ring buffer had no room")

enum ns_sal_count {
#define NS_X(name, key, text) NS_SAL_COUNT_##name,
    NS_SAL_COUNTS(NS_X)
#undef NS_X
        NS_SAL_COUNT_KINDS
};

#endif
