/* SPDX-License-Identifier: Apache-2.0 */
#include "wake.h"

#include "icmp.h"
#include "ns_bytes.h"
#include "segment.h"
#include <string.h>

#define TCP 6u
#define STEP 4u /* bytes of MTU */

static size_t make(uint8_t packet[NS_SAL_WAKE_MAX], enum ns_sal_error_kind what, uint16_t mtu,
                   const struct ns_sal_tuple *inner, uint32_t acked) {
    uint8_t quoted[NS_SAL_ICMP_QUOTED];

    memcpy(quoted, &inner->ports, 4);
    ns_put32(quoted + 4, acked);
    return ns_sal_icmp_make(packet, what, mtu, inner, TCP, quoted);
}

/*
 * The byte ends before the window, so TCP looks at nothing else of the segment. It is one byte, because TCP limits its
 * answers to segments without data.
 */
size_t ns_sal_wake_ask(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t taken) {
    static uint8_t whole[NS_SAL_PACKET_MAX];
    uint8_t tcp[NS_SAL_TCP_LEAST + 1] = {0};
    size_t length;

    ns_sal_segment_rst(tcp, taken - 2, 0, true);
    tcp[13] = NS_TCP_ACK;
    length = ns_sal_segment_to_local(whole, inner, tcp, sizeof tcp);
    memcpy(packet, whole, length);
    return length;
}

size_t ns_sal_wake_make(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t acked) {
    return make(packet, NS_SAL_UNREACHABLE_HOST, 0, inner, acked);
}

size_t ns_sal_wake_lost(uint8_t packet[NS_SAL_WAKE_MAX], const struct ns_sal_tuple *inner, uint32_t acked, uint32_t mtu,
                        unsigned step) {
    return make(packet, NS_SAL_TOO_BIG, (uint16_t)(mtu - STEP * step), inner, acked);
}
