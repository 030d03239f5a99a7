/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.h - the sockets of sald: UDP toward the network, packets toward the local stack, and news of addresses and
 * routes. All need their capability only when they are opened.
 */
#ifndef NS_SALD_NET_H
#define NS_SALD_NET_H

#include "address.h"
#include "route.h"
#include <stddef.h>

#define NS_SAL_OWN_ADDRESSES 128u

struct ns_sal_net {
    int udp;                 /* both families, with the address of arrival */
    int raw;                 /* SAL in IPv4 without UDP, -1 = none */
    int tap[2];              /* packets of IPv4 and IPv6 that come to sal1 and that no program took */
    bool answered[2];        /* the local stack may have answered a packet on this tap */
    int news;                /* rtnetlink: links, addresses, routes */
    unsigned inside, beside; /* indexes of sal0 and sal1 */
    uint8_t link[6];         /* address of sal0 */
    uint32_t mtu;            /* of sal0 */
    struct ns_routes routes;
    unsigned own_count;
    struct {
        struct ns_sal_address address;
        unsigned interface;
    } own[NS_SAL_OWN_ADDRESSES]; /* addresses of this host */
};

/* A datagram as it came. */
struct ns_sal_arrival {
    struct ns_sal_address from, local, to; /* `to`: the destination in the packet, of raw IP alone */
    uint32_t interface;
    size_t start, length;
};

/* `raw` is the protocol number of raw IP, 0 = none. Returns 0, or -1; the log has the reason. */
int ns_sal_net_open(struct ns_sal_net *net, const char *inside, const char *beside, uint16_t port, uint8_t raw);

/* Reads a datagram. Returns false if there is none, or its address is not known. */
bool ns_sal_net_receive(struct ns_sal_net *net, struct ns_sal_arrival *arrival, uint8_t *bytes, size_t size);

/*
 * Reads a packet of raw IP, whose addresses have no port. The bytes of SAL begin at arrival->start. Returns false if
 * there is none.
 */
bool ns_sal_net_receive_raw(struct ns_sal_net *net, struct ns_sal_arrival *arrival, uint8_t *bytes, size_t size);

/*
 * Sends a datagram from an address of this host, by its interface if that leads to the target, or else by the kernel's
 * route. Without a port of the target it is raw IP.
 */
bool ns_sal_net_send(struct ns_sal_net *net, const struct ns_sal_address *from, const struct ns_sal_address *to,
                     const uint8_t *bytes, size_t length);

/* Reads a packet of the local stack from one of the two taps. Returns its length, 0 if there is none. */
size_t ns_sal_net_read(int tap, uint8_t *packet, size_t size);

/* Hands an IP packet to the local stack, or with `out` has it leave by sal0 once more. */
void ns_sal_net_inject(struct ns_sal_net *net, const uint8_t *packet, size_t length, bool out);

/* Finds the interface toward an address, and the own address. One that is given has to lead there by its interface. */
bool ns_sal_net_route(struct ns_sal_net *net, const struct ns_sal_address *to, struct ns_sal_address *own,
                      uint32_t *interface, uint64_t now_ns);

/*
 * Drops the packets that wait for the link address of the next hop toward a peer, while the kernel asks for that
 * address. It asks again when the next packet goes there. A next hop whose address is known stays as it is.
 */
void ns_sal_net_unblock(struct ns_sal_net *net, const struct ns_sal_address *peer, uint32_t interface, uint64_t now_ns);

/* Reads all news. Returns true if there were any; then addresses are read anew and no route is kept. */
bool ns_sal_net_news(struct ns_sal_net *net);

#endif
