/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - the parts of a container besides its processes: directory, ring, eventfds, counters, cgroups, rules. */
#ifndef NS_PARTS_H
#define NS_PARTS_H

#include "container.h"

/* Allocates a container that has none of its parts yet. NULL = out of memory. */
struct ns_container *ns_parts_new(const struct ns_request *order);

/*
 * Makes the ring, the counters and the eventfds, and names the cgroups. 0, or -1 with the reason. In both cases
 * ns_parts_free() takes away the parts that exist.
 */
int ns_parts_open(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/*
 * In a task: makes the directory, its file system and the cgroups. 0, or -1 with the reason. In both cases
 * ns_parts_clear() takes away the parts that exist.
 */
int ns_parts_make(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/*
 * In a task: gives a spare the cgroup limits, process limits and data directory of its order. 0, or -1 with the
 * reason. In both cases ns_parts_clear() takes away the parts that exist.
 */
int ns_parts_adopt(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/*
 * Tells whether the firewall may have to change when this container comes or goes. True with a network, with a limit
 * of packets or bytes, and with a filter that leads to the container's queue. A limit of packets has a rule only with
 * such a filter.
 */
bool ns_parts_has_rules(const struct ns_spawner *spawner, const struct ns_request *order);

/* Returns the container as the firewall needs it. The lists and the name point into the container. */
struct ns_rules_container ns_parts_rules(const struct ns_container *container);

/*
 * In a task: takes away the network, the cgroups and the mounts, whichever step the start had reached. The processes
 * must be gone.
 */
void ns_parts_clear(struct ns_spawner *spawner, struct ns_container *container);

/* Closes the descriptors, unmaps the counters, and frees the container. */
void ns_parts_free(struct ns_container *container);

#endif
