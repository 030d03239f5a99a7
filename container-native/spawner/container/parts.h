/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - what a container is made of besides its processes: directory, ring, eventfds, counters, cgroups, rules. */
#ifndef NS_PARTS_H
#define NS_PARTS_H

#include "container.h"

/* With nothing of it made yet. NULL without memory. */
struct ns_container *ns_parts_new(const struct ns_request *order);

/* Makes what is in memory, and names its cgroups. 0, or -1 with the reason; ns_parts_free takes away what there is. */
int ns_parts_open(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/* In a task: makes the directory, its file system and cgroups. 0, or -1 with the reason; ns_parts_clear takes away what there is. */
int ns_parts_make(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/*
 * In a task: a spare's cgroup, limits and data directory become those of its order. 0, or -1 with the reason; ns_parts_clear takes
 * away what there is.
 */
int ns_parts_adopt(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/* Must the firewall change when it comes or goes? A limit of packets has a rule only with a filter that leads to its queue. */
bool ns_parts_has_rules(const struct ns_spawner *spawner, const struct ns_request *order);

/* What the firewall has to know of it. */
struct ns_rules_container ns_parts_rules(const struct ns_container *container);

/* In a task: takes away its network, its cgroups and its mounts, from any step of the start. Its processes must be gone. */
void ns_parts_clear(struct ns_spawner *spawner, struct ns_container *container);

/* Gives back what is in memory, and frees it. */
void ns_parts_free(struct ns_container *container);

#endif
