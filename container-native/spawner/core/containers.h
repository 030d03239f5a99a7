/* SPDX-License-Identifier: Apache-2.0 */
/* containers.h - the containers that there are. Spares are not among them (spare.h). */
#ifndef NS_CONTAINERS_H
#define NS_CONTAINERS_H

#include "container.h"

/* False: there is no place. */
bool ns_containers_add(struct ns_spawner *spawner, struct ns_container *container);
void ns_containers_remove(struct ns_spawner *spawner, const struct ns_container *container);

/* NULL: there is none. */
struct ns_container *ns_container_find(struct ns_spawner *spawner, const char *name);
struct ns_container *ns_container_of_serial(struct ns_spawner *spawner, uint64_t serial);

/* It runs, or has run and is about to end. */
bool ns_container_has_run(const struct ns_container *container);

/* Its rules are wanted in the firewall. */
bool ns_container_is_ruled(const struct ns_container *container);

#endif
