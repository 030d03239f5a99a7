/* SPDX-License-Identifier: Apache-2.0 */
#include "wanted.h"

#include "containers.h"
#include "parts.h"
#include "spawner.h"

static void now(struct ns_spawner *spawner, struct ns_rules *rules) {
    static struct ns_rules_container containers[NS_CONTAINERS_MAX];

    *rules = (struct ns_rules){.turned_mark = spawner->turned_mark,
                               .copy_mark = spawner->copy_mark,
                               .offload_mark = ns_bpfd_mark(spawner),
                               .gist = spawner->sigio.wanted,
                               .match = spawner->firewall.match,
                               .filters = spawner->filters,
                               .filter = spawner->filter,
                               .link = spawner->links.now.name,
                               .container = containers};
    if (spawner->links.fd < 0)
        ns_links_read(&spawner->links.now);
    rules->links = spawner->links.now.count;
    ns_bpfd_rules(spawner, rules);
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        const struct ns_container *container = spawner->containers[i];

        if (container != NULL && ns_container_is_ruled(container))
            containers[rules->containers++] = ns_parts_rules(container);
    }
}

const struct ns_firewall_source ns_wanted_rules = {.settle = ns_bpfd_samples_choose, .rules = now};
