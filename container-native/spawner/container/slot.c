/* SPDX-License-Identifier: Apache-2.0 */
#include "slot.h"

#include "container.h"
#include "disk.h"
#include "ns_identity.h"
#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

uint32_t ns_slot_id(uint32_t first_id, unsigned slot) {
    return NS_ID_SPARES(first_id) + slot;
}

uint32_t ns_container_uid(const struct ns_spawner *spawner, const struct ns_container *container) {
    return container->slot < 0 ? (uint32_t)container->order.uid : ns_slot_id(spawner->ids, (unsigned)container->slot);
}

void ns_slot_name(unsigned slot, char name[16]) {
    snprintf(name, 16, "@spare%u", slot);
}

void ns_slot_home(const struct ns_paths *paths, unsigned slot, char path[NS_SLOT_PATH]) {
    snprintf(path, NS_SLOT_PATH, "%s/@spare%u/home", paths->containers, slot);
}

void ns_slot_clear(const struct ns_paths *paths, unsigned slot) {
    char name[16];

    ns_slot_name(slot, name);
    if (ns_disk_remove(paths, name) != 0)
        ns_warn("%s: not all of it could be removed: %s", name, strerror(errno));
}
