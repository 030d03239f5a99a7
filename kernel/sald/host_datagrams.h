/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_datagrams.h - datagrams of the programs of a host, unconnected ones and those of flows that peers have opened.
 * Files of the host alone call it.
 *
 *     client's program        sald                     sald      server's program
 *       5000 -- surrogate:69 --> of A, to the service S --> stand-in:1024 -- 69
 *       5000 <- surrogate:1024 <-- of B, to A           <-- stand-in:1024 -- 40000, a new socket
 *       5000 -- surrogate:1024 --> of A, to B           --> stand-in:1024 -- 40000
 *
 * A and B are serviceIDs that sald makes for sockets without one. Nobody else knows them, so a datagram to A belongs to
 * the association of A. If it is not from S, a new port of the surrogate stands for its sender.
 */
#ifndef NS_SALD_HOST_DATAGRAMS_H
#define NS_SALD_HOST_DATAGRAMS_H

#include "datagram.h"
#include "host.h"

/* Takes a datagram that the local stack sent into sal0. Returns its fate. */
enum ns_sal_verdict ns_sal_host_send_datagram(struct ns_sal_host *host, const struct ns_sal_datagram *datagram);

/* Takes a datagram of a flow of UDP that is open. Returns its fate. */
enum ns_sal_verdict ns_sal_host_take_data(struct ns_sal_host *host, struct ns_sal_held *held,
                                          const struct ns_sal_packet *packet);

/*
 * Gives a flow of UDP the names under which the program of this rule knows its client. Returns false if none are free.
 */
bool ns_sal_host_name_flow(struct ns_sal_host *host, struct ns_sal_kept *kept, const struct ns_sal_rule *rule);

/* Takes an unconnected datagram. `from` is the client, behind the routers that this host knows. Returns its fate. */
enum ns_sal_verdict ns_sal_host_take_datagram(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                              const struct ns_sal_address *from, const struct ns_sal_address *local);

#endif
