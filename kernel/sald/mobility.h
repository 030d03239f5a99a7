/* SPDX-License-Identifier: Apache-2.0 */
/* mobility.h - the moves of a flow: its third table. flow.c alone calls it. */
#ifndef NS_SALD_MOBILITY_H
#define NS_SALD_MOBILITY_H

#include "flow.h"

/* A flow at work: with the port and the time of the call that is under way. */
struct ns_sal_work {
    struct ns_sal_flow *flow;
    const struct ns_sal_port *port;
    struct ns_sal_channel_port channel;
    uint64_t now;
};

void ns_sal_mobility_begin(struct ns_sal_mobility *mobility, const struct ns_sal_address *own);

/* Returns the address from which a RSYN leaves, and all that is as new. */
const struct ns_sal_address *ns_sal_mobility_newest(const struct ns_sal_mobility *mobility);

/* Returns the address to which control messages go. */
const struct ns_sal_address *ns_sal_mobility_control(const struct ns_sal_mobility *mobility);

/* Starts from another address. A peer that has heard of the old one may use it. */
void ns_sal_mobility_leave(struct ns_sal_mobility *mobility, const struct ns_sal_address *own);

void ns_sal_mobility_move(struct ns_sal_work *work, const struct ns_sal_address *own);

/* Takes a RSYN that is newer than all before. */
void ns_sal_mobility_moved(struct ns_sal_work *work, const struct ns_sal_address *from);

/* Takes a copy of the last RSYN. Returns false if it is none of the move that is under way. */
bool ns_sal_mobility_moved_again(struct ns_sal_work *work, const struct ns_sal_address *from);

/* Takes the acknowledgement of the last RSYN, or with `again` one when none waits. */
void ns_sal_mobility_acked(struct ns_sal_work *work, bool again);

/* Takes an acknowledgement by a peer that has got all messages of this end. */
void ns_sal_mobility_confirm(struct ns_sal_work *work, const struct ns_sal_address *from);

void ns_sal_mobility_due(struct ns_sal_work *work);

/* Sends a message without a verno from `from` to `to`. flow.c has it. */
void ns_sal_flow_plain(struct ns_sal_work *work, unsigned flags, const struct ns_sal_address *from,
                       const struct ns_sal_address *to);

#endif
