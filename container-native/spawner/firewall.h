/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firewall.h - puts our chains into the kernel, by iptables-nft-restore and ip6tables-nft-restore; see rules.h for what is in
 * them. One transaction per family and table: packets meet the old list or the new one.
 */
#ifndef NS_FIREWALL_H
#define NS_FIREWALL_H

#include "rules.h"

struct ns_firewall {
    struct ns_rules_standing standing[2]; /* IPv4, IPv6 */
    bool ipv6;                            /* does this kernel have it? */
    bool match;                           /* takes programs (xt_bpf), for each family that there is */
    char *counts;                         /* what iptables-save -c said at counted_at, NULL = nothing yet */
    uint64_t counted_at;
};

/* Removes what a predecessor left. */
void ns_firewall_open(struct ns_firewall *firewall);

/* The kernel's rules become these. 0, or -1 with a line in the log; IPv4 may then be new and IPv6 old. */
int ns_firewall_apply(struct ns_firewall *firewall, const struct ns_rules *rules);

/* Does the kernel have chains of this container's? They outlive its last filter, and so need a removal of their own. */
bool ns_firewall_has(const struct ns_firewall *firewall, uint64_t serial);

/* What ns_rules_counted reads, not older than a second; "" if it cannot be had. */
const char *ns_firewall_counts(struct ns_firewall *firewall, uint64_t now);

/* Removes everything of ours. */
void ns_firewall_close(struct ns_firewall *firewall);

#endif
