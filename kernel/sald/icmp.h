/* SPDX-License-Identifier: Apache-2.0 */
/* icmp.h - an ICMP error for the local stack. It quotes a packet that this stack has sent. */
#ifndef NS_SALD_ICMP_H
#define NS_SALD_ICMP_H

#include "ns_sal.h"
#include <stddef.h>

#define NS_SAL_ICMP_MAX 96u   /* bytes */
#define NS_SAL_ICMP_QUOTED 8u /* bytes of the transport */

enum ns_sal_error_kind { NS_SAL_UNREACHABLE_HOST, NS_SAL_UNREACHABLE_PORT, NS_SAL_TOO_BIG };

/*
 * Writes the packet. `quoted` begins with the ports, and `inner` has the names of what was sent. `mtu` counts for
 * NS_SAL_TOO_BIG alone. Returns the length.
 */
size_t ns_sal_icmp_make(uint8_t packet[NS_SAL_ICMP_MAX], enum ns_sal_error_kind what, uint16_t mtu,
                        const struct ns_sal_tuple *inner, uint8_t protocol, const uint8_t quoted[NS_SAL_ICMP_QUOTED]);

#endif
