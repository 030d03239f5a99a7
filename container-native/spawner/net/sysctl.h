/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysctl.h - checks rp_filter (0 or 2) and accept_local (1) of the interfaces with filters, or sets them and puts
 * them back at the end.
 *
 * A turned packet leaves with the source address of a machine elsewhere. rp_filter=1 drops the packet. accept_local=0
 * drops it too if it was for the router itself. A file keeps the old values, so that a successor can put them back.
 */
#ifndef NS_SYSCTL_H
#define NS_SYSCTL_H

#include "request.h"

#define NS_SYSCTL_WARNINGS 65536 /* bytes of the warnings */

struct ns_spawner;

/* Takes the result. `warnings`: "<interface>:<key>=<value>" of each wrong setting, separated by commas. */
typedef void (*ns_sysctl_done)(struct ns_spawner *spawner, const char *warnings);

/*
 * Checks the settings of the request's interfaces (none = all) in a task, and then calls `done`. With `sysctl=set` it
 * changes them. Before each change, the old value is on disk in the spawner's file. A round that a later round has
 * overtaken calls nobody.
 */
void ns_sysctl_prepare(struct ns_spawner *spawner, const struct ns_request *request, ns_sysctl_done done);

/*
 * Tells whether the stack takes IPv4 packets with an address of the node as their source on an interface: accept_local
 * is 1, and rp_filter is not 1.
 */
bool ns_sysctl_takes_own(const char *interface);

/* Puts back the oldest value of each setting in the file, and removes the file. */
void ns_sysctl_restore(const char *saved);

#endif
