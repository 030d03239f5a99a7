/* SPDX-License-Identifier: Apache-2.0 */
#include "prefixes.h"

#include "container.h"
#include "network.h"
#include "overlap.h"
#include "spawner.h"
#include "subnet.h"

#include <stdio.h>
#include <string.h>

#define CHECK_MS 10000

bool ns_prefixes_fit(const struct ns_net *net) {
    static const struct ns_net never[] = {{4, 8, {0}},  {4, 8, {127}},       {4, 16, {169, 254}}, {4, 3, {224}},
                                          {6, 16, {0}}, {6, 9, {0xfe, 128}}, {6, 8, {0xff}}};

    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        if (ns_overlap_nets(net, &never[i]))
            return false;
    }
    return net->bits == NS_SUBNET_BITS(net->family);
}

static bool in_use(const struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL && spawner->containers[i]->order.network >= 0)
            return true;
    }
    return false;
}

const char *ns_prefixes_take(struct ns_spawner *spawner, const struct ns_request *request) {
    const struct ns_net now[2] = {ns_subnet_all(4), ns_subnet_all(6)};

    if (memcmp(now, request->prefix, sizeof now) == 0)
        return NULL;
    if (in_use(spawner))
        return "prefix4 and prefix6: the former ones stay until the node starts again: containers have networks of "
               "them";
    ns_subnet_set_all(&request->prefix[0]);
    ns_subnet_set_all(&request->prefix[1]);
    snprintf(spawner->prefixes.taken, sizeof spawner->prefixes.taken, "not checked against addresses and routes yet");
    return NULL;
}

/* --- the check: only the last one begun counts --- */

static struct {
    uint64_t turn;
    void (*done)(struct ns_spawner *spawner, const char *warning);
} checking;

static int check(void *context, char why[NS_TASK_WHY]) {
    char what[NS_OVERLAP_TEXT], prefix[NS_PREFIX_TEXT];

    (void)context;
    for (int family = 4; family <= 6; family += 2) {
        const struct ns_net net = ns_subnet_all(family);
        int found = ns_overlap_find(&net, what);

        if (found == 0)
            continue;
        ns_value_print_net(&net, prefix);
        snprintf(why, NS_TASK_WHY, "%.40s %s %s", prefix, found > 0 ? "overlaps" : "not checked:", what);
        return found;
    }
    return 0;
}

static void checked(struct ns_spawner *spawner, void *context, int result, const char *why) {
    char warning[NS_TASK_WHY + 80];

    if ((uintptr_t)context != checking.turn)
        return;
    snprintf(spawner->prefixes.taken, sizeof spawner->prefixes.taken, "%s", result > 0 ? why : "");
    snprintf(warning, sizeof warning, "%s%s%s", result == 0 ? "" : "containers: ", result == 0 ? "" : why,
             result > 0 ? ": none gets a network" : "");
    checking.done(spawner, warning);
}

void ns_prefixes_check(struct ns_spawner *spawner, void (*done)(struct ns_spawner *spawner, const char *warning)) {
    void *turn = (void *)(uintptr_t)++checking.turn;

    checking.done = done;
    if (ns_task_begin(spawner, "prefixes", check, turn, CHECK_MS, checked) != 0)
        checked(spawner, turn, -1, "prefixes: not checked: no task can be begun");
}

const char *ns_prefixes_refuse(const struct ns_spawner *spawner, const struct ns_request *order) {
    bool wants = order->network >= 0 && !ns_layer_has(spawner->lacking | order->without, NS_LAYER_NET);

    return wants && spawner->prefixes.taken[0] != '\0' ? spawner->prefixes.taken : NULL;
}
