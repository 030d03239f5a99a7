/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h - the native form: data as plain TCP between the addresses of both ends, whose ports are the low halves of
 * the flowIDs. Its packets have no wrapping, so that trains stay whole. It needs a way without a NAT, so the server
 * compares the addresses that both ends see, and begins:
 *
 *     client                                                            server
 *       SYN                                             ------------->
 *                                       <-------------  SYN-ACK, abilities with NATIVE
 *       ACK, CAPABILITY: abilities with NATIVE, both addresses ------>
 *                                                                         they are as I see them?
 *                                       <-------------  data in the native form
 *       data in the native form                         ------------->
 *
 * A flow that moves goes on in UDP, since no firewall on its new way has seen a SYN. So does one whose data in this
 * form are not answered.
 */
#ifndef NS_SALD_NATIVE_H
#define NS_SALD_NATIVE_H

#include "held.h"

/* Returns a flowID whose low half is a port of the native form, from a random one. */
uint32_t ns_sal_native_id(uint32_t random);

/* Tells whether both ends of a flow have the native form. */
bool ns_sal_native_is_shared(const struct ns_sal_flow *flow);

/* Returns the client's abilities that a message shows, without the native form if a NAT is on its way. */
uint32_t ns_sal_native_settle(const struct ns_sal_flow *flow, const struct ns_sal_packet *packet,
                              const struct ns_sal_address *from);

/* Returns the names of a peer's segments in the native form, its own first. */
struct ns_sal_tuple ns_sal_native_names(const struct ns_sal_way *way);

/* Decides whether data of an open flow may leave in the native form, and names the segments of its peer. */
void ns_sal_native_publish(struct ns_sal_kept *kept, struct ns_sal_way *way);

#endif
