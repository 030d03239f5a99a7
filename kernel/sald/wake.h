/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.h - the packets that have the local TCP send at once all that was lost before a move. sald makes them itself,
 * and never hands on one from outside. Two kinds are ICMP errors that quote the oldest segment without an
 * acknowledgement.
 *
 *     old byte, once         TCP answers with its last acknowledgement and its window of now, which the peer may have
 *                            missed (RFC 9293, section 3.8.4). Else a peer with a window of 0 waits for its own timer
 *     too big, at most once  TCP counts all segments longer than the new MTU as lost, and sends them again at once with
 *                            its window as it was (RFC 1191, section 6.5)
 *     no host, eight times   TCP takes back a step of its backoff for each (RFC 6069). It sends at once if its last try
 *                            is longer ago than a timeout without backoff, and else when that is over
 *
 * Too big is for an old way that was dead, because it repeats all that is under way. It works at any time, but not for
 * segments that are shorter than a full one. The kernel keeps the smaller MTU of a surrogate for ten minutes, and
 * only a smaller one has an effect. So the MTU falls by 4 bytes when a flow knows the last one, at most to 256 less.
 */
#ifndef NS_SALD_WAKE_H
#define NS_SALD_WAKE_H

#include "ns_sal.h"
#include <stdbool.h>
#include <stddef.h>

#define NS_SAL_WAKE_MAX 96u /* bytes */
#define NS_SAL_WAKE_TIMES 8u
#define NS_SAL_MTU_STEPS 64u
#define NS_SAL_MTU_MS 600000u /* for which the kernel keeps an MTU: net.ipv4.route.mtu_expires */

/* Tells whether the peer has not acknowledged all that this end has sent. */
static inline bool ns_sal_wake_has_lost(const struct ns_sal_use *use) {
    return (use->acks_seen & 5) == 5 && use->sent != use->acked;
}

/* Writes the old byte. `taken` is the last acknowledgement number of this end. Returns the length of the packet. */
size_t ns_sal_wake_ask(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t taken);

/* Writes that there is no host. `acked` is the peer's last acknowledgement number. Returns the length. */
size_t ns_sal_wake_make(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t acked);

/* Writes that it was too big. `mtu` is that of sal0, `step` at most NS_SAL_MTU_STEPS. Returns the length. */
size_t ns_sal_wake_lost(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t acked, uint32_t mtu,
                        unsigned step);

#endif
