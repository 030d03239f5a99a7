/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.h - the names, ids and directories of spares (spare.h). A slot stays taken until the container that its spare has become ends.
 *
 *     var/lib/netserv/containers/@spare<slot>            a file system of its own, whatever becomes of it, made anew each time
 *     var/lib/netserv/containers/@spare<slot>/framework  storage of the framework
 *     var/lib/netserv/containers/@spare<slot>/home       its data directory, and where its publisher's is mounted then
 */
#ifndef NS_SLOT_H
#define NS_SLOT_H

#include "paths.h"
#include <limits.h>
#include <stdint.h>

#define NS_SPARE_SLOTS 256
#define NS_SLOT_PATH (PATH_MAX + 32)

/* The uid and gid of a slot. */
uint32_t ns_slot_id(uint32_t first_id, unsigned slot);

void ns_slot_name(unsigned slot, char name[16]);

/* Its data directory. */
void ns_slot_home(const struct ns_paths *paths, unsigned slot, char path[NS_SLOT_PATH]);

/* Takes its directory and its file system away. No process of it is left. */
void ns_slot_clear(const struct ns_paths *paths, unsigned slot);

#endif
