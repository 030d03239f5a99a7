/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - decides whether the kernel may decide about a flow, and how. pktio has checked already, but is not
 * trusted. Pure.
 *
 *   addresses            ports                 kind          TTL
 *   as they came         as they came          same          at most the TTL asked for, never more than it was.
 *   exactly swapped      swapped too           turned        64
 *   by a rewrite rule    free                  rewritten     as for "same".
 *   anything else        -                     refused
 */
#ifndef NS_BPFD_CHECK_H
#define NS_BPFD_CHECK_H

#include "filters.h"
#include "rewrite.h"

/* The refusals, each with a counter in `stats`; docs/protocols/bpfd.md explains them. */
#define NS_REFUSALS(X)                                                                                                 \
    X(malformed, "wrong length, or a field outside its range")                                                         \
    X(filter, "the filter that decides about the flow is not the container's, or there is none")                       \
    X(sampled, "another container samples the flow")                                                                   \
    X(martian, "an address that no router forwards")                                                                   \
    X(address, "the new pair is neither the old one, nor swapped, nor by a rewrite rule")                              \
    X(port, "ports that do not follow the addresses")                                                                  \
    X(protocol, "ICMP, an extension header of IPv6, or a rewrite of a protocol other than TCP and UDP")                \
    X(quota, "the container has as many flows as it may")                                                              \
    X(taken, "the flow is another container's")                                                                        \
    X(failed, "the kernel did not take it")

enum ns_refused {
    NS_REFUSED_NOT,
#define NS_X(name, text) NS_REFUSED_##name,
    NS_REFUSALS(NS_X)
#undef NS_X
        NS_REFUSED_KINDS
};

struct ns_asker {
    const char *container;
    const struct ns_rewrite *rewrite;
    const struct ns_way_filters *filters;
    uint32_t offload_mark, turned_mark;
};

/* A request as received, and the flow's words, with IPv4 in the first of four. */
struct ns_accepted {
    struct ns_offload request;
    struct ns_flow flow; /* without expires, container and record */
};

/* Tells whether no router forwards packets from or to an address: docs/protocols/afxdp.md, condition 4. */
bool ns_check_martian(uint8_t family, const uint8_t *address);

enum ns_refused ns_check(struct ns_accepted *accepted, const struct ns_asker *asker, const void *bytes, size_t length);

/*
 * Checks a flow alone: its packets are the container's to decide about, nobody else samples them, and routers forward
 * them. Returns filter, sampled, martian, or NS_REFUSED_NOT.
 */
enum ns_refused ns_check_flow(const struct ns_asker *asker, const struct ns_way_flow *flow);

/*
 * Tells whether the flow may go on: the filter that decides about it is still the container's, and leads to the same
 * modules as in `before`.
 */
bool ns_check_again(const struct ns_offload *request, const struct ns_asker *asker,
                    const struct ns_way_filters *before);

#endif
