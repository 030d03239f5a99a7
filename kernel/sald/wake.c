/* SPDX-License-Identifier: Apache-2.0 */
#include "wake.h"

#include "icmp.h"
#include "ns_bytes.h"
#include <string.h>

#define TCP 6u

size_t ns_sal_wake_make(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t acked) {
    uint8_t quoted[NS_SAL_ICMP_QUOTED];

    memcpy(quoted, &inner->ports, 4);
    ns_put32(quoted + 4, acked);
    return ns_sal_icmp_make(packet, NS_SAL_UNREACHABLE_HOST, inner, TCP, quoted);
}
