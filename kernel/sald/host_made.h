/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_made.h - makes flows of the host of those that the programs have set up (ns_sal_set_up.h). The messages of the
 * handshake pass through the tables once more, so such a flow is like one of sald's own. Does no I/O.
 */
#ifndef NS_SALD_HOST_MADE_H
#define NS_SALD_HOST_MADE_H

#include "host.h"
#include "ns_sal_set_up.h"

/*
 * Makes the state of a flow from a slot in the stage SYN, ANSWERED or OPEN, which may be out of the slot already.
 * `client`: a program of this host has opened it.
 */
void ns_sal_made(struct ns_sal_kept *kept, const struct ns_sal_slot *slot, enum ns_sal_stage stage, bool client,
                 uint8_t abilities);

/*
 * Enters the flow. It is saved, and published if it is open. Returns false without room, or if a flow of the host has
 * its number or its names.
 */
bool ns_sal_host_take_made(struct ns_sal_host *host, const struct ns_sal_kept *kept, uint64_t now);

/* Tells whether the flow of a slot is the one that is looked for. */
bool ns_sal_is_sought(const struct ns_sal_slot *slot, bool client, const struct ns_sal_sought *sought);

#endif
