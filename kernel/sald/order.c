/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "ns_value.h"

bool ns_order_refuse(struct ns_order *order, const char *why) {
    if (order->why == NULL)
        order->why = why;
    return false;
}

bool ns_order_number(struct ns_order *order, const char *key, uint64_t most, uint64_t preset, uint64_t *value) {
    const char *text = ns_line_get(order->line, key);

    *value = preset;
    return text == NULL || ns_value_number(text, 0, most, value) || ns_order_refuse(order, key);
}

bool ns_order_id(struct ns_order *order, uint8_t value[NS_SAL_ID], unsigned *bits) {
    const char *text = ns_line_get(order->line, "id");
    struct ns_service_prefix prefix;

    if (text == NULL)
        return ns_order_refuse(order, "id");
    if (ns_sal_id_read(text, value, bits))
        return true;
    if (!ns_value_service(text, &prefix))
        return ns_order_refuse(order, "id");
    memcpy(value, prefix.id, NS_SAL_ID);
    *bits = prefix.bits;
    return true;
}

bool ns_order_whole_id(struct ns_order *order, uint8_t value[NS_SAL_ID]) {
    const char *text = ns_line_get(order->line, "id");
    unsigned bits;

    return (text != NULL && ns_sal_id_read(text, value, &bits)) || ns_order_refuse(order, "id");
}

bool ns_order_address(struct ns_order *order, const char *key, bool needed, uint16_t port,
                      struct ns_sal_address *value) {
    const char *text = ns_line_get(order->line, key);

    memset(value, 0, sizeof *value);
    value->port = port;
    if (text == NULL)
        return !needed || ns_order_refuse(order, key);
    return ns_sal_address_read(value, text, port) || ns_order_refuse(order, key);
}

bool ns_order_only(struct ns_order *order, const char *keys) {
    for (unsigned i = 0; i < order->line->count; i++) {
        const char *key = order->line->pairs[i].key, *at = strstr(keys, key);
        size_t length = strlen(key);

        if (at == NULL || (at != keys && at[-1] != ' ') || (at[length] != ' ' && at[length] != '\0'))
            return ns_order_refuse(order, key);
    }
    return true;
}

bool ns_order_other_end(struct ns_order *order, const char *key, struct ns_sal_address *value) {
    const char *form = ns_line_get(order->line, "form");

    if (!ns_order_address(order, key, true, NS_SAL_PORT, value))
        return false;
    if (form == NULL)
        return true;
    if (strcmp(form, "raw") != 0 || !ns_sal_is_ipv4(value) || order->sald->net.raw < 0)
        return ns_order_refuse(order, "form");
    value->port = 0;
    return true;
}
