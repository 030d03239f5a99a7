/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the command line of pktio. Every option is checked here. */
#ifndef NS_OPTIONS_H
#define NS_OPTIONS_H

#include "pktio.h"
#include "xdp.h"

struct ns_options {
    const char *name;                                     /* of the container, for the log */
    uint32_t queue;                                       /* even; queue + 1 is the queue of copies */
    uint32_t queue_length;                                /* packets, 1..65535 */
    uint32_t slots;                                       /* a power of two, 64..16384 */
    int desc_fd, slots_fd, receive_fd, send_fd, stats_fd; /* send: container to pktio */
    int packets_fd, copies_fd;   /* netlink sockets that the starter keeps open, too; -1 = pktio makes its own */
    int fastpath_fd, records_fd; /* socket to bpfd, and bpfd's records; -1 = there is no fast path */
    int samples_fd;              /* the ring buffer of samples, -1 = there is none */
    struct ns_xdp_sources xdp;   /* sockets to bind; their packets come by AF_XDP */
    bool seccomp;                /* pktio filters its own system calls, policies/seccomp/packet.allow */
    struct ns_pktio_limits limits;
    struct ns_rewrite rewrite;
};

/* Returns false, with a line in the log, if an option is unknown, missing, given twice, wrong or out of range. */
bool ns_options_parse(struct ns_options *options, int argc, char **argv);

#endif
