/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - drives the packet path: sockets, eventfds, signals, the clock. */
#ifndef NS_LOOP_H
#define NS_LOOP_H

#include "nfq.h"
#include "options.h"
#include "pktio.h"
#include "room.h"
#include "samples.h"
#include "xdp.h"

struct ns_loop {
    const char *name; /* of the container, for the log */
    struct ns_pktio *pktio;
    struct ns_nfq packets, copies;
    struct ns_xdp xdp;
    struct ns_samples samples;
    int receive_fd; /* eventfd: wakes the container */
    int send_fd;    /* eventfd: the container wakes us; never read, see loop.c */
    int signal_fd, poll_fd;
    struct ns_room room;
    bool packets_ready, copies_ready, samples_ready; /* there may be something to receive */
    bool stop, failed;
};

/* Binds both queues and prepares signals. Returns 0, or -1 with errno and nothing left open. */
int ns_loop_open(struct ns_loop *loop, struct ns_pktio *pktio, const struct ns_options *options);

/*
 * Runs until SIGTERM or SIGINT, then accepts everything held. Returns 0, or -1 if the kernel no longer takes our
 * verdicts.
 */
int ns_loop_run(struct ns_loop *loop);

void ns_loop_close(struct ns_loop *loop);

#endif
