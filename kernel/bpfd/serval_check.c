/* SPDX-License-Identifier: Apache-2.0 */
#include "serval_check.h"
#include "form.h"

#include <stddef.h>
#include <string.h>

enum { UDP = 17, GIST_PORT = 270 };

bool ns_service_grants_add(void *context, const char *element) {
    struct ns_service_grants *grants = context;

    return grants->count < NS_SERVAL_GRANTS && ns_value_service(element, &grants->prefix[grants->count++]);
}

/* --- form --- */

static struct ns_service_prefix prefix_of(const struct ns_serval_ask *ask) {
    struct ns_service_prefix prefix = {.bits = ask->bits};

    memcpy(prefix.id, ask->id, sizeof prefix.id);
    return prefix;
}

static bool prefix_fits(const struct ns_serval_ask *ask) {
    struct ns_service_prefix prefix = prefix_of(ask);

    return ns_service_is_prefix(&prefix);
}

static bool target_fits(const struct ns_serval_ask *ask) {
    bool none = ns_form_zero(ask->target, sizeof ask->target) && ask->target_port == 0;

    switch (ask->what) {
    case NS_SERVAL_ASK_TARGET:
        return ask->target_port != 0 && ask->weight != 0;
    case NS_SERVAL_ASK_MODULE:
        return none && ask->weight == 0;
    default:
        return ask->target_port != 0 && ask->weight == 0 && ask->bits == 0;
    }
}

bool ns_serval_well_formed(const struct ns_serval_ask *ask) {
    if (ask->magic != NS_SERVAL_MAGIC || ask->place >= NS_RING_RELAYS || ask->rule >= NS_SERVAL_PLACE ||
        !ns_form_zero(ask->zero, sizeof ask->zero))
        return false;
    if (ask->what == NS_SERVAL_ASK_REMOVE)
        return ask->seconds == 0 && ns_form_zero(&ask->family, offsetof(struct ns_serval_ask, rule) -
                                                                   offsetof(struct ns_serval_ask, family));
    if (ask->what < NS_SERVAL_ASK_TARGET || ask->what > NS_SERVAL_ASK_PEER || ask->seconds == 0)
        return false;
    return ask->router_port != 0 && ns_form_address(ask->family, ask->router) &&
           ns_form_address(ask->family, ask->target) && prefix_fits(ask) && target_fits(ask);
}

/* --- rights --- */

static bool covered(const struct ns_service_grants *grants, const struct ns_serval_ask *ask) {
    struct ns_service_prefix prefix = prefix_of(ask);

    for (unsigned i = 0; i < grants->count; i++) {
        if (ns_service_covers(&grants->prefix[i], &prefix))
            return true;
    }
    return false;
}

/* Tells whether a module may get packets to the router, whichever source they have, or signaling gets them. */
static bool taken_by_filter(const struct ns_way_filters *filters, const struct ns_serval_ask *ask) {
    for (unsigned i = 0; i < filters->count; i++) {
        const struct ns_way_filter *filter = &filters->filter[i];
        const struct ns_ports *ports = &filter->destination_ports;

        if (filter->way != NS_WAY_COUNT && filter->family == ask->family &&
            (filter->protocol == 0 || filter->protocol == UDP) && ns_net_contains(&filter->destination, ask->router) &&
            ask->router_port >= ports->first && ask->router_port <= ports->last)
            return true;
    }
    return ask->router_port == GIST_PORT;
}

/* Tells whether an address of IPv6 is one of IPv4 (RFC 4291, section 2.5.5.2), by which the programs know those. */
static bool is_mapped(const uint8_t *address) {
    return ns_form_zero(address, 10) && address[10] == 0xff && address[11] == 0xff;
}

enum ns_serval_refused ns_serval_check(const struct ns_serval_asker *asker, const struct ns_serval_ask *ask) {
    if (ask->family == 6 && (is_mapped(ask->router) || is_mapped(ask->target)))
        return NS_SERVAL_REFUSED_family;
    if (!ns_reach_has(asker->listen, ask->family, ask->router, ask->router_port) ||
        !ns_node_owns(asker->node, ask->family, ask->router))
        return NS_SERVAL_REFUSED_router;
    if (ask->what != NS_SERVAL_ASK_PEER && !covered(asker->grants, ask))
        return NS_SERVAL_REFUSED_prefix;
    if (ask->what == NS_SERVAL_ASK_TARGET) {
        if (ns_check_martian(ask->family, ask->target))
            return NS_SERVAL_REFUSED_martian;
        if (ns_node_has(asker->node, ask->family, ask->target))
            return NS_SERVAL_REFUSED_node;
        if (!ns_reach_has(asker->connect, ask->family, ask->target, ask->target_port))
            return NS_SERVAL_REFUSED_target;
    }
    return taken_by_filter(asker->filters, ask) ? NS_SERVAL_REFUSED_filter : NS_SERVAL_REFUSED_NOT;
}
