/* SPDX-License-Identifier: Apache-2.0 */
#include "containers.h"

#include "spawner.h"
#include <string.h>

bool ns_containers_add(struct ns_spawner *spawner, struct ns_container *container) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] == NULL) {
            spawner->containers[i] = container;
            return true;
        }
    }
    return false;
}

void ns_containers_remove(struct ns_spawner *spawner, const struct ns_container *container) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] == container)
            spawner->containers[i] = NULL;
    }
}

struct ns_container *ns_container_find(struct ns_spawner *spawner, const char *name) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL && strcmp(spawner->containers[i]->order.name, name) == 0)
            return spawner->containers[i];
    }
    return NULL;
}

struct ns_container *ns_container_of_serial(struct ns_spawner *spawner, uint64_t serial) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL && spawner->containers[i]->serial == serial)
            return spawner->containers[i];
    }
    return NULL;
}

bool ns_container_has_run(const struct ns_container *container) {
    return container->life >= NS_RUNNING && !container->failed;
}

bool ns_container_is_ruled(const struct ns_container *container) {
    return container->life != NS_CLEARING;
}
