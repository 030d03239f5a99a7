/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigio.h - stands between the packets of GIST and nsis-gist. One thread; `now` is CLOCK_MONOTONIC in nanoseconds.
 *
 *     main.c -> loop.c -> intake.c   packets of the queue, datagrams of the sockets, errors: up to gist.
 *                      -> orders.c   verdicts and datagrams of gist.
 *                         both -> packet.c fair.c held.c frame.c client.c permit.c send.c socket.c route.c
 *
 * A packet of the queue is answered in the call that took it, or held with a deadline. Any fault lets the packet go
 * on as it came.
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
    struct ns_fair packets;             /* limits of the data for gist: packets of the queue, */
    struct ns_bucket datagrams, errors; /* datagrams of the sockets, ICMP errors */
    struct ns_bucket sends;             /* limit of the datagrams that gist sends */
    uint64_t deadline;                  /* nanoseconds that a packet is held */
    uint8_t buffer[NS_SIGIO_BUFFER] __attribute__((aligned(8)));
};

/* Adds to a counter that only this thread writes. */
static inline void ns_sigio_count(uint64_t *counter) {
    __atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

/* Takes at most `most` messages of the queue. Returns their number, or -1 if the queue cannot be used any more. */
int ns_intake_queue(struct ns_sigio *sigio, unsigned most, uint64_t now);

/* Takes datagrams and errors from a socket, at most `most` of each. */
void ns_intake_socket(struct ns_sigio *sigio, unsigned which, unsigned most, uint64_t now);

/* Lets a held packet go on unchanged, and counts it in `reason` (may be NULL). */
void ns_intake_let_go(struct ns_sigio *sigio, struct ns_held_packet *packet, uint64_t *reason);

/* Lets all held packets with a deadline at or before `until` go. Returns their number. */
unsigned ns_intake_expire(struct ns_sigio *sigio, uint64_t until);

/* Reads the client and obeys its frames. A client that fails is dropped, and its held packets go on. */
void ns_orders_read(struct ns_sigio *sigio, uint64_t now);

/* Ends the connection. The held packets go on. */
void ns_orders_drop(struct ns_sigio *sigio, const char *why);

/* Queues the counters for the client. */
void ns_orders_report(struct ns_sigio *sigio);

#endif
