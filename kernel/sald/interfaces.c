/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_log.h"
#include "sald.h"

#include <net/if.h>

void ns_sald_attach(struct ns_sald *sald) {
    for (unsigned i = 0; i < sald->interface_count; i++) {
        unsigned index = if_nametoindex(sald->interfaces[i]);

        if (index == sald->attached[i])
            continue;
        if (index != 0 && ns_sal_programs_attach(&sald->programs, index) != 0)
            ns_sald_fail(sald->interfaces[i]);
        sald->attached[i] = index;
        ns_info("%s: %s", sald->interfaces[i], index == 0 ? "gone" : "attached");
    }
}

void ns_sald_look_at_links(struct ns_sald *sald) {
    ns_sal_links_look(&sald->links, &sald->net, sald->attached, sald->interface_count);
}

void ns_sald_find_inside(struct ns_sald *sald) {
    for (unsigned i = 0; i < sald->net.own_count; i++) {
        const struct ns_sal_address *own = &sald->net.own[i].address;

        if (sald->net.own[i].interface != sald->net.inside)
            continue;
        if (ns_sal_is_ipv4(own))
            memcpy(&sald->host.inside4, own->ip + 12, 4);
        else
            memcpy(sald->host.inside6, own->ip, 16);
    }
}
