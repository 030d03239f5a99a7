/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysctl.h - rp_filter (0 or 2) and accept_local (1) of the interfaces with filters: checked, or set and put back at the end.
 *
 * A turned packet leaves with the source address of a machine that is elsewhere: rp_filter=1 drops it, and so does
 * accept_local=0 if the packet was for the router itself. Old values are kept in a file, so that a successor can put them back.
 */
#ifndef NS_SYSCTL_H
#define NS_SYSCTL_H

#include "request.h"

#define NS_SYSCTL_WARNINGS 65536 /* bytes of them */

struct ns_spawner;

/* `warnings`: "<interface>:<key>=<value>" of each setting that is not as it should be, separated by commas. */
typedef void (*ns_sysctl_done)(struct ns_spawner *spawner, const char *warnings);

/*
 * Looks at the settings of the request's interfaces (none = all) in a task, and then calls `done`. With `sysctl=set` it first
 * appends the old value to the spawner's file, which is on disk before the change is made. A round that another one has overtaken
 * calls nobody.
 */
void ns_sysctl_prepare(struct ns_spawner *spawner, const struct ns_request *request, ns_sysctl_done done);

/* Puts back what the file holds, the oldest value of each setting, and removes it. */
void ns_sysctl_restore(const char *saved);

#endif
