/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.h - the names, ids and directories of spares (spare.h). When a spare becomes a container, its slot stays
 * taken until that container ends.
 *
 *     var/lib/netserv/containers/@spare<slot>            its own file system, also as a container; new for each spare
 *     var/lib/netserv/containers/@spare<slot>/framework  storage of the framework
 *     var/lib/netserv/containers/@spare<slot>/home       data directory; later the publisher's is mounted on it
 */
#ifndef NS_SLOT_H
#define NS_SLOT_H

#include "paths.h"
#include <limits.h>
#include <stdint.h>

struct ns_spawner;
struct ns_container;

#define NS_SPARE_SLOTS 256
#define NS_SLOT_PATH (PATH_MAX + 32)

/* Returns the number that is both the uid and the gid of a slot. */
uint32_t ns_slot_id(uint32_t first_id, unsigned slot);

/* Returns the uid by which the controller knows the container: of its slot if it has one, else of its order. */
uint32_t ns_container_uid(const struct ns_spawner *spawner, const struct ns_container *container);

void ns_slot_name(unsigned slot, char name[16]);

/* Writes the path of the slot's data directory. */
void ns_slot_home(const struct ns_paths *paths, unsigned slot, char path[NS_SLOT_PATH]);

/* Takes the slot's directory and file system away. No process of the slot may be left. */
void ns_slot_clear(const struct ns_paths *paths, unsigned slot);

#endif
