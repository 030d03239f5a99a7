/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.h - the sending half of a flow's control channel: vernos, the message that waits, its timer. Times are
 * milliseconds of any clock that does not go back. Plain data, so that it outlives sald in a map.
 */
#ifndef NS_SALD_CHANNEL_H
#define NS_SALD_CHANNEL_H

#include "tables.h"

#define NS_SAL_TRIES 15u
#define NS_SAL_NEVER UINT64_MAX
/* The first time of a RSYN and of its answer. All data wait for them, and one too many of them does no harm. */
#define NS_SAL_MOVE_MS 200u
#define NS_SAL_SET_UP_MS 150000u /* after which a SYN without an answer is given up: beyond TCP's own last try */

/* The time for an acknowledgement (RFC 6298), milliseconds. */
struct ns_sal_round_trip {
    int64_t smoothed;  /* eight times the round trip; -1 = no sample */
    int64_t variation; /* four times */
    uint64_t estimate, timeout;
};

struct ns_sal_channel {
    uint8_t state; /* enum ns_channel_state */
    uint8_t flags; /* of the message that waits */
    uint32_t next; /* verno of the next message */
    uint32_t fin;  /* verno of the first message with the FIN that waits */
    uint32_t tries;
    uint64_t sent_at, due_at;
    struct ns_sal_round_trip round_trip;
    uint32_t unexpected;
};

/* The two calls back to the flow. `flow` is theirs alone. */
struct ns_sal_channel_port {
    void (*transmit)(void *flow, unsigned flags); /* its verno is ns_sal_channel_last */
    void (*give_up)(void *flow);
    void *flow;
};

void ns_sal_channel_begin(struct ns_sal_channel *channel, uint32_t verno);

/* Sends a message, with the flags of the one that waits. */
void ns_sal_channel_post(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port, unsigned flags,
                         uint64_t now);

/* Sends the message that waits once more. Its timer runs on. */
void ns_sal_channel_again(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port);

/* Takes an acknowledgement. Returns the flags that are acknowledged by it, 0 if none are. */
unsigned ns_sal_channel_acked(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port, uint32_t ackno,
                              uint64_t now);

/* Tells whether an ackno is of a message that was sent. */
bool ns_sal_channel_covers(const struct ns_sal_channel *channel, uint32_t ackno);

void ns_sal_channel_due(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port, uint64_t now);
void ns_sal_channel_stop(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port);

/* Returns the flags of the message that waits, 0 if none does. */
unsigned ns_sal_channel_waiting(const struct ns_sal_channel *channel);

static inline uint32_t ns_sal_channel_last(const struct ns_sal_channel *channel) {
    return channel->next - 1;
}

#endif
