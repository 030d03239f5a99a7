/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - reads one message of the kernel's packet queue from its private first bytes.
 *
 *   datagram | nlmsghdr 16 | nfgenmsg 4 | attributes | NFQA_PAYLOAD header 4 | packet                     |
 *            |<------------- NS_MESSAGE_HEAD bytes, private ------------------>|<- straight into a slot -->|
 *
 * The payload is the last attribute. The netlink headers, the packet id and the packet's own headers are therefore
 * never read from memory that a container can write.
 */
#ifndef NS_MESSAGE_H
#define NS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_MESSAGE_HEAD 256u

enum ns_message_kind {
    NS_MESSAGE_PACKET,  /* all fields of ns_message valid */
    NS_MESSAGE_BAD_BUT, /* not understood, but `id` is valid: the packet can be passed */
    NS_MESSAGE_ERROR,   /* `error`, `request` and `sequence` valid */
    NS_MESSAGE_OTHER,   /* nothing that pktio needs */
};

struct ns_message {
    uint32_t id;             /* the kernel's packet id */
    uint32_t mark;           /* 0 if there was none */
    uint32_t ifindex;        /* index of the interface that the packet came in on; 0 = none */
    uint32_t length;         /* of the packet as received, bytes */
    uint32_t true_length;    /* of the packet as it is in the kernel, bytes: >= length */
    uint32_t payload_offset; /* of the packet from the start of the datagram, <= NS_MESSAGE_HEAD */
    uint8_t family;          /* 4, 6 or 0 */
    int error;               /* errno, positive; 0 = acknowledgement */
    uint16_t request;        /* nlmsg_type of the refused request */
    uint32_t sequence;       /* nlmsg_seq of the refused request */
};

/*
 * Parses a message. `head` holds the first min(received, NS_MESSAGE_HEAD) bytes of a datagram of `received` bytes,
 * aligned to 4.
 */
enum ns_message_kind ns_message_parse(struct ns_message *message, const uint8_t *head, size_t received);

#endif
