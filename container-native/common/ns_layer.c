/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_layer.h"

#include <stdio.h>
#include <string.h>

static const char *const names[NS_LAYER_COUNT] = {
#define NS_X(constant, name) name,
    NS_LAYERS(NS_X)
#undef NS_X
};

bool ns_layer_add(ns_layer_set *set, const char *name) {
    if (strcmp(name, "all") == 0) {
        *set = NS_LAYER_ALL;
        return true;
    }
    for (int i = 0; i < NS_LAYER_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *set |= NS_LAYER_BIT(i);
            return true;
        }
    }
    return false;
}

bool ns_layer_read(ns_layer_set *set, const char *text) {
    char name[32];

    *set = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ",");

        if (length >= sizeof name)
            return false;
        memcpy(name, text, length);
        name[length] = '\0';
        if (!ns_layer_add(set, name))
            return false;
        text += length;
        if (*text == ',' && *++text == '\0')
            return false;
    }
    return true;
}

/* In the node's network a container has no interface that the node's rules could be about. */
ns_layer_set ns_layer_missing(ns_layer_set without) {
    return ns_layer_has(without, NS_LAYER_NET) ? without | NS_LAYER_BIT(NS_LAYER_RULES) : without;
}

const char *ns_layer_name(enum ns_layer layer) {
    return names[layer];
}

void ns_layer_print(ns_layer_set set, char text[NS_LAYER_TEXT]) {
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < NS_LAYER_COUNT; i++) {
        if ((set & NS_LAYER_BIT(i)) != 0)
            used += (size_t)snprintf(text + used, NS_LAYER_TEXT - used, "%s%s", used == 0 ? "" : ",", names[i]);
    }
}
