/* SPDX-License-Identifier: Apache-2.0 */
#include "connect.h"

#include <stdio.h>
#include <string.h>

static bool nets_overlap(const struct ns_net *a, const struct ns_net *b) {
    unsigned bits = a->bits < b->bits ? a->bits : b->bits;

    if (a->family != b->family || memcmp(a->address, b->address, bits / 8) != 0)
        return false;
    return bits % 8 == 0 || ((a->address[bits / 8] ^ b->address[bits / 8]) >> (8 - bits % 8)) == 0;
}

bool ns_connect_overlap(const struct ns_connect *a, const struct ns_connect *b) {
    return a->protocol == b->protocol && a->ports.first <= b->ports.last && b->ports.first <= a->ports.last &&
           nets_overlap(&a->to, &b->to);
}

struct ns_ports ns_connect_inside(const struct ns_connect *connect) {
    return connect->inside == 0 ? connect->ports : (struct ns_ports){connect->inside, connect->inside};
}

void ns_connect_print(const struct ns_connect *connect, char text[NS_CONNECT_TEXT]) {
    char net[NS_PREFIX_TEXT];
    int length;

    ns_value_print_net(&connect->to, net);
    length = snprintf(text, NS_CONNECT_TEXT, "%s/%s/%u-%u", connect->protocol == 6 ? "tcp" : "udp", net,
                      connect->ports.first, connect->ports.last);
    if (connect->inside != 0)
        snprintf(text + length, NS_CONNECT_TEXT - (size_t)length, ":%u", connect->inside);
}
