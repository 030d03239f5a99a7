/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.h - the packet that has the local TCP send at once: an ICMP destination unreachable that quotes the oldest
 * segment without an acknowledgement. TCP takes it as a sign that the path was broken, and undoes one step of its
 * backoff for each (RFC 6069). It is made here alone, and never one from outside is handed on.
 */
#ifndef NS_SALD_WAKE_H
#define NS_SALD_WAKE_H

#include "ns_sal.h"
#include <stdbool.h>
#include <stddef.h>

#define NS_SAL_WAKE_MAX 96u /* bytes */
#define NS_SAL_WAKE_TIMES 8u

/* Writes the packet. `acked` is the peer's last acknowledgement number. Returns its length. */
size_t ns_sal_wake_make(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t acked);

#endif
