/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xdp.h - receives packets from AF_XDP sockets in place of a queue, and sends them; docs/protocols/afxdp.md.
 *
 *     rx ring of a port -> frame (held, private) -> copy in a slot -> verdict.
 *                            | passed: unchanged.       changed: overwritten with the checked packet.
 *                            v
 *     transmit ring of the port that the metadata names, or else the kernel's own routing by a raw socket.
 *
 * The received frame is kept until the verdict. The original therefore goes on from memory that the container never
 * saw, and a passed packet is not copied a second time. Routes come with each packet from the steering program.
 */
#ifndef NS_XDP_H
#define NS_XDP_H

#include "ns_steer.h"
#include "pktio.h"
#include "port.h"

#define NS_XDP_LINK 14u /* bytes of the link header */

/* A socket as pktio gets it: unbound. */
struct ns_xdp_source {
    uint32_t ifindex, queue;
    int fd;
};

struct ns_xdp_sources {
    unsigned count;
    struct ns_xdp_source source[NS_PORT_MOST];
    int raw4, raw6; /* raw sockets of IPPROTO_RAW, -1 = none */
};

/* The known facts about the packet in a frame. */
struct ns_xdp_packet {
    uint64_t at;     /* of the IP header in the UMEM */
    uint32_t length; /* of the IP packet */
    bool routed;     /* `meta` is valid */
    struct ns_steer_meta meta;
};

struct ns_xdp {
    struct ns_pktio *pktio;
    struct ns_umem umem;
    unsigned ports; /* number of opened ports; a port closed since has fd -1 */
    struct ns_port port[NS_PORT_MOST];
    uint8_t address[NS_PORT_MOST][6]; /* of their interfaces' links */
    struct ns_xdp_packet *packet;     /* by frame */
    int raw4, raw6, bpfd;
    bool backlog; /* the kernel could not take everything: flush again soon */
    uint64_t next_look;
};

/*
 * Binds all sockets that can be bound and has bpfd steer packets to them. A socket that cannot be bound is named in
 * the log. Without any port `ports` is 0, nothing is held, and packets come by the queue. With `bpfd` -1 nothing is
 * tried.
 */
void ns_xdp_open(struct ns_xdp *xdp, struct ns_pktio *pktio, const struct ns_xdp_sources *sources, int bpfd);
void ns_xdp_close(struct ns_xdp *xdp);

/* Takes a batch from each port. Returns the number of packets. Never waits. */
unsigned ns_xdp_receive(struct ns_xdp *xdp, uint64_t now);

void ns_xdp_answer(struct ns_xdp *xdp, const struct ns_answer *answer);
void ns_xdp_flush(struct ns_xdp *xdp);

/* Counts the packets that the kernel has lost, once a second. */
void ns_xdp_look(struct ns_xdp *xdp, uint64_t now);

/* Handles a message of bpfd, which may ask for our sockets again after a restart. Returns false if bpfd has gone. */
bool ns_xdp_heed(struct ns_xdp *xdp);

/*
 * Has bpfd stop steering packets to us, and waits a little for its answer. Packets that have come by then can still
 * be received.
 */
void ns_xdp_refuse_new(struct ns_xdp *xdp);

#endif
