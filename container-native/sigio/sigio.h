/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigio.h - between the packets of GIST and nsis-gist. One thread; `now` is CLOCK_MONOTONIC in nanoseconds.
 *
 *     main.c -> loop.c -> intake.c   packets of the queue, datagrams of the sockets, errors: up to gist
 *                      -> orders.c   verdicts and datagrams of gist
 *                         both -> packet.c fair.c held.c frame.c client.c permit.c send.c socket.c route.c
 *
 * A packet of the queue is answered in the call that took it, or held with a deadline: whatever is odd lets it go on as it came.
 */
#ifndef NS_SIGIO_H
#define NS_SIGIO_H

#include "bucket.h"
#include "client.h"
#include "fair.h"
#include "held.h"
#include "mtu.h"
#include "nfq.h"
#include "send.h"

#define NS_SIGIO_BUFFER (72u * 1024) /* a netlink message with the longest packet, or the longest datagram */

struct ns_sigio {
    struct ns_sigio_counters *counters;
    struct ns_nfq queue;
    struct ns_mtu_cache mtu;
    struct ns_sender sender;
    struct ns_routes routes;
    int sockets[2]; /* UDP, IPv4 and IPv6; -1 = this host has none */
    struct ns_sig_client client;
    struct ns_held held;
    struct ns_fair packets;             /* what gist is to see at most: of the queue, */
    struct ns_bucket datagrams, errors; /* of the sockets, of ICMP */
    struct ns_bucket sends;             /* what it may send */
    uint64_t deadline;                  /* nanoseconds that a packet is held */
    uint8_t buffer[NS_SIGIO_BUFFER] __attribute__((aligned(8)));
};

/* Adds to a counter that only this thread writes. */
static inline void ns_sigio_count(uint64_t *counter) {
    __atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

/* Takes at most `most` messages of the queue. Their number, or -1: the queue cannot be used any more. */
int ns_intake_queue(struct ns_sigio *sigio, unsigned most, uint64_t now);

/* Takes what a socket has, at most `most` datagrams and as many errors. */
void ns_intake_socket(struct ns_sigio *sigio, unsigned which, unsigned most, uint64_t now);

/* Lets a held packet go on unchanged, and counts it in `reason` (may be NULL). */
void ns_intake_let_go(struct ns_sigio *sigio, struct ns_held_packet *packet, uint64_t *reason);

/* Lets everything go whose deadline is not after `until`; returns how many. */
unsigned ns_intake_expire(struct ns_sigio *sigio, uint64_t until);

/* Reads the client and does what its frames say; a client that fails is dropped, and what it held goes on. */
void ns_orders_read(struct ns_sigio *sigio, uint64_t now);

/* Ends the connection; what is held goes on. */
void ns_orders_drop(struct ns_sigio *sigio, const char *why);

/* Puts the counters on their way to the client. */
void ns_orders_report(struct ns_sigio *sigio);

#endif
