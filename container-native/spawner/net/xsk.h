/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsk.h - the AF_XDP sockets of a pktio, made here since that needs CAP_NET_RAW; pktio binds them (docs/protocols/afxdp.md).
 *
 * Ours are closed as soon as pktio has them: the last descriptor that is closed takes the socket out of bpfd's map, and only then
 * packets go on to the stack.
 */
#ifndef NS_XSK_H
#define NS_XSK_H

#include "ns_value.h"

#define NS_XSK_MAX 15u  /* sockets of one pktio */
#define NS_XSK_TEXT 40u /* "<ifindex>:<queue>:<fd>" */

struct ns_xsk {
    unsigned count;
    int fd[NS_XSK_MAX];
    char text[NS_XSK_MAX][NS_XSK_TEXT]; /* what pktio's --xsk takes */
    int raw4, raw6;                     /* -1 = none */
};

/*
 * One socket for each receive queue of each interface; what cannot be made is left out with a line in the log: its packets come by
 * the netfilter queue. The caller closes.
 */
void ns_xsk_open(struct ns_xsk *xsk, const char *container, char (*interface)[NS_INTERFACE_MAX + 1],
                 unsigned interfaces);
void ns_xsk_close(struct ns_xsk *xsk);

#endif
