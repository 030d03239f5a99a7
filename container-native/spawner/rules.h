/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the complete text of our chains for one family, as iptables-restore --noflush reads it. Pure; the picture is in
 * docs/protocols/spawner.md, "Rules it writes".
 */
#ifndef NS_RULES_H
#define NS_RULES_H

#include "value.h"
#include <stdio.h>

#define NS_CONNECTS_MAX 64
#define NS_NETWORKS_MAX 4096 /* indices */

/* Where a packet must come from and go to, to be queued. */
struct ns_filter {
    uint8_t family;   /* 4 or 6 */
    uint8_t protocol; /* 0 = any */
    bool has_source, has_destination, has_source_ports, has_destination_ports;
    struct ns_net source, destination;
    struct ns_ports source_ports, destination_ports;
    uint16_t queue;  /* even */
    uint32_t sample; /* every Nth packet is copied to queue + 1; 0 = all go to queue */
};

/* What a container may connect to. */
struct ns_connect {
    uint8_t protocol; /* 6 or 17 */
    struct ns_net to;
    struct ns_ports ports;
};

/* A container's own network. */
struct ns_rules_network {
    unsigned index; /* 0..4095 */
    unsigned count;
    const struct ns_connect *connect;
};

struct ns_rules {
    uint32_t turned_mark, copy_mark;
    bool gist; /* UDP/270 and errors about it go to sigio */
    unsigned filters;
    const struct ns_filter *filter;
    unsigned networks;
    const struct ns_rules_network *network;
};

/* Which jumps from the built-in chains stand, so that a script makes or removes each exactly once. */
struct ns_rules_jumps {
    bool base; /* raw PREROUTING, filter FORWARD and INPUT */
    bool nat;  /* nat POSTROUTING */
};

/* Writes the script that leads from `jumps` to `rules`, and what stands after it into *after. */
void ns_rules_print(FILE *out, const struct ns_rules *rules, int family, struct ns_rules_jumps jumps,
                    struct ns_rules_jumps *after);

/* Has iptables a port match for this protocol? */
bool ns_rules_has_ports(uint8_t protocol);

#endif
