/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsk.h - makes the AF_XDP sockets of a pktio, because that needs CAP_NET_RAW. pktio binds them
 * (docs/protocols/afxdp.md).
 *
 * The spawner closes its own descriptors as soon as pktio has them. A socket leaves bpfd's map when its last
 * descriptor is closed, and only then packets go on to the stack.
 */
#ifndef NS_XSK_H
#define NS_XSK_H

#include "ns_value.h"

#define NS_XSK_MAX 15u  /* sockets of one pktio */
#define NS_XSK_TEXT 40u /* "<ifindex>:<queue>:<fd>" */

struct ns_xsk {
    unsigned count;
    int fd[NS_XSK_MAX];
    char text[NS_XSK_MAX][NS_XSK_TEXT]; /* an argument of pktio's --xsk */
    int raw4, raw6;                     /* raw sockets for IPv4 and IPv6, -1 = none */
};

/*
 * Opens one socket for each receive queue of each interface. A socket that cannot be opened is left out, with a line
 * in the log, and its packets come by the netfilter queue. The caller closes the sockets.
 */
void ns_xsk_open(struct ns_xsk *xsk, const char *container, char (*interface)[NS_INTERFACE_MAX + 1],
                 unsigned interfaces);
void ns_xsk_close(struct ns_xsk *xsk);

#endif
