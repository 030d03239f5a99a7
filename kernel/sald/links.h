/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.h - the links on which the local stack takes packets of open flows where they came in, without the way by sal0.
 * Such a packet has the names of the program's connection, which are those of sal0. A strict filter of reverse paths
 * drops it, and so does a link without the packet's family.
 */
#ifndef NS_SALD_LINKS_H
#define NS_SALD_LINKS_H

#include "net.h"
#include "ns_sal.h"

struct ns_sal_links {
    int fd;  /* rtnetlink */
    int map; /* of the programs */
    bool on;
};

/* `map` is the descriptor of ns_set_links. Returns 0, or -1 with errno. */
int ns_sal_links_open(struct ns_sal_links *links, int map, bool on);

/* Looks anew at the settings of the links, and tells the programs. The indexes may be 0. */
void ns_sal_links_look(struct ns_sal_links *links, const struct ns_sal_net *net, const unsigned *interfaces,
                       unsigned count);

/* Judges a link. `filter` is the greater of its rp_filter and that of `all`. */
struct ns_sal_link ns_sal_link_judge(unsigned interface, bool has_master, unsigned filter, bool has4, bool has6);

#endif
