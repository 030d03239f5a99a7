/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_answer.h - SYNs that a host with too many requests answers without state. Files of the host alone call it.
 *
 *     client                                sald                             local stack
 *       SYN            ------------->   names by hash   --------------------->  SYN
 *                                       keeps them for its answer
 *       SYN-ACK        <-------------   numbers by hash, forgets  <-----------  SYN-ACK
 *       handshake ACK  ------------->   same hash: a flow  ------------------>  ACK
 *
 * Only the local stack can choose the sequence number and the options of its SYN-ACK. So it gets TCP's SYN at once, and
 * defends its own queue by its own cookies. The names are made again from the handshake ACK.
 */
#ifndef NS_SALD_HOST_ANSWER_H
#define NS_SALD_HOST_ANSWER_H

#include "host.h"

/*
 * Gives a SYN to the local stack, and keeps nothing but the answer to come. `way` has this host's address as its last
 * hop, or way[1] is 0. The answer goes to `to`: the client, or the router that has sent the SYN.
 */
enum ns_sal_verdict ns_sal_host_answer(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                       const struct ns_sal_address *client, const struct ns_sal_address *local,
                                       const struct ns_sal_address *to, const uint8_t way[NS_SAL_WAY_MAX]);

/* Takes a segment of the local stack without a flow. Returns false if it belongs to no answer. */
bool ns_sal_host_answered(struct ns_sal_host *host, const struct ns_sal_segment *segment);

/*
 * Makes the flow that a handshake ACK proves, and enters it. Returns NULL with the reason in `why`: NO_FLOW if the
 * message proves nothing.
 */
struct ns_sal_held *ns_sal_host_prove(struct ns_sal_host *host, const struct ns_sal_packet *packet,
                                      const struct ns_sal_address *from, const struct ns_sal_address *local,
                                      uint32_t interface, enum ns_sal_verdict *why);

#endif
