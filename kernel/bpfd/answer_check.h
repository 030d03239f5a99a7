/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer_check.h - decides whether the kernel may answer a flow by a template. Neither pktio nor the container is
 * trusted. Pure.
 *
 *     the flow       is UDP, and its packets are the container's to decide about, as for an offload (check.h)
 *     the answer     goes from the address and port that the packet was sent to, to those that it came from
 *     its length     at most twice the message's, and 192 bytes more
 *
 * So a forged source gets no more of an answer than it pays for, and no packet goes where the module could not have
 * sent it. The 192 bytes are the room before a packet in XDP.
 */
#ifndef NS_BPFD_ANSWER_CHECK_H
#define NS_BPFD_ANSWER_CHECK_H

#include "check.h"

#define NS_ANSWER_BYTES (sizeof(struct ns_answer_entry) + NS_ANSWER_MESSAGE + NS_ANSWER_REPLY)

/* A whole entry, as its pieces have brought it. */
struct ns_answer_text {
    struct ns_answer_entry entry;
    uint8_t bytes[NS_ANSWER_MESSAGE + NS_ANSWER_REPLY]; /* the message, then the reply */
};
_Static_assert(sizeof(struct ns_answer_text) == NS_ANSWER_BYTES, "an entry is a head and bytes");

/* An entry for the programs: its key, and its decision without expires, container and record. */
struct ns_answer_accepted {
    union {
        struct ns_key4 v4;
        struct ns_key6 v6;
    } key;
    struct ns_answer answer;
};

/*
 * Tells whether a question is well formed. Only then its place and number are valid, and the record can be answered.
 */
bool ns_answer_well_formed(const struct ns_answer_ask *ask);

/* Checks an entry of `length` bytes. Fills in `accepted` if it returns NS_ANSWER_REFUSED_NOT. */
enum ns_answer_refused ns_answer_check(struct ns_answer_accepted *accepted, const struct ns_asker *asker,
                                       const struct ns_answer_text *text, size_t length);

/* Tells whether an entry that was taken may go on: ns_check_again(). */
bool ns_answer_check_again(const struct ns_answer_entry *entry, const struct ns_asker *asker,
                           const struct ns_way_filters *before);

#endif
