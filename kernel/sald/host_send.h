/* SPDX-License-Identifier: Apache-2.0 */
/* host_send.h - what a flow of a host sends and tells. Files of the host alone call it. */
#ifndef NS_SALD_HOST_SEND_H
#define NS_SALD_HOST_SEND_H

#include "host.h"

/* The port of a flow, for one call. */
struct ns_sal_port ns_sal_host_port(struct ns_sal_host *host, struct ns_sal_held *held);

/* Sends a control message, with the segment that is kept if the message carries one. */
void ns_sal_host_send(struct ns_sal_host *host, struct ns_sal_held *held, const struct ns_sal_outgoing *outgoing);

/* Notes that a router has brought a SYN-ACK, so that the next SYN asks it at once. */
void ns_sal_host_note_return(struct ns_sal_host *host, const struct ns_sal_address *router);

/* Tells whether a router has brought a SYN-ACK not long ago. */
bool ns_sal_host_returns(const struct ns_sal_host *host, const struct ns_sal_address *router);

/* Hands a segment of the peer to the local stack, under the names of this connection. */
void ns_sal_host_inject(struct ns_sal_host *host, const struct ns_sal_tuple *inner, const uint8_t *tcp, size_t length);

/* Keeps a segment of the set-up, for messages that carry it. A longer one than a header has data, which stay behind. */
void ns_sal_host_keep_segment(struct ns_sal_kept *kept, const struct ns_sal_segment *segment);

/* Tells whether this segment of the local stack belongs to the set-up of its flow. */
bool ns_sal_host_waits_for(const struct ns_sal_kept *kept, const struct ns_sal_segment *segment);

/* Tells whether the kernel has the way of the flow. */
bool ns_sal_host_is_published(const struct ns_sal_kept *kept);

void ns_sal_host_publish(struct ns_sal_host *host, struct ns_sal_held *held);

/* Sends a client's acknowledgement of the SYN-ACK again, if nothing has come from its server. At most five times. */
void ns_sal_host_acknowledge_again(struct ns_sal_host *host, struct ns_sal_held *held);

/* Wakes the local TCP once more if it has sent no segment since it was woken. */
void ns_sal_host_wake_again(struct ns_sal_host *host, struct ns_sal_held *held);

/* Notes at the beginning of a move whether the old way was dead. */
void ns_sal_host_note_silence(struct ns_sal_host *host, struct ns_sal_held *held);

void ns_sal_host_forget(struct ns_sal_host *host, struct ns_sal_held *held);

/* Has the programs set up the next connections to the service of a flow, if one rule alone decides about them. */
void ns_sal_host_prepare(struct ns_sal_host *host, const struct ns_sal_kept *kept);

#endif
