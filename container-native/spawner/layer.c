/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

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

void ns_layer_print(ns_layer_set set, char text[NS_LAYER_TEXT]) {
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < NS_LAYER_COUNT; i++) {
        if ((set & NS_LAYER_BIT(i)) != 0)
            used += (size_t)snprintf(text + used, NS_LAYER_TEXT - used, "%s%s", used == 0 ? "" : ",", names[i]);
    }
}
