/* SPDX-License-Identifier: Apache-2.0 */
#include "reach.h"

#include "filters.h"
#include <string.h>

bool ns_reach_add(void *context, const char *element) {
    struct ns_reach *reach = context;
    struct ns_endpoint endpoint;
    char text[128], *first, *last;

    if (strlen(element) >= sizeof text)
        return false;
    strcpy(text, element);
    first = strchr(text, '/');
    last = strrchr(text, '/');
    if (first == NULL || first == last)
        return false;
    *first = *last = '\0';
    if ((strcmp(text, "udp") != 0 && strcmp(text, "tcp") != 0) || !ns_value_net(first + 1, &endpoint.to) ||
        !ns_value_ports(last + 1, &endpoint.ports))
        return false;
    if (strcmp(text, "tcp") == 0)
        return true;
    if (reach->count == NS_REACH_MAX)
        return false;
    reach->endpoint[reach->count++] = endpoint;
    return true;
}

static bool contains(const struct ns_net *net, uint8_t family, const uint8_t *address) {
    return net->family == family && ns_net_contains(net, address);
}

bool ns_reach_has(const struct ns_reach *reach, uint8_t family, const uint8_t *address, uint16_t port) {
    for (unsigned i = 0; i < reach->count; i++) {
        const struct ns_endpoint *endpoint = &reach->endpoint[i];

        if (contains(&endpoint->to, family, address) && port >= endpoint->ports.first && port <= endpoint->ports.last)
            return true;
    }
    return false;
}

static bool add(struct ns_net *list, unsigned *count, const char *element) {
    struct ns_net net;

    if (!ns_value_net(element, &net))
        return false;
    if (*count < NS_NODE_MAX)
        list[(*count)++] = net;
    return true;
}

bool ns_node_add_own(void *context, const char *element) {
    struct ns_node *node = context;

    return add(node->own, &node->owns, element);
}

bool ns_node_add_other(void *context, const char *element) {
    struct ns_node *node = context;

    return add(node->other, &node->others, element);
}

bool ns_node_owns(const struct ns_node *node, uint8_t family, const uint8_t *address) {
    for (unsigned i = 0; i < node->owns; i++) {
        if (contains(&node->own[i], family, address))
            return true;
    }
    return false;
}

bool ns_node_has(const struct ns_node *node, uint8_t family, const uint8_t *address) {
    for (unsigned i = 0; i < node->others; i++) {
        if (contains(&node->other[i], family, address))
            return true;
    }
    return ns_node_owns(node, family, address);
}
