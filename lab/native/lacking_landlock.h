/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lacking_landlock.h - plays an older Landlock to the calling process and to all that it starts. Another process
 * answers their calls. It refuses everything that the older ABI does not know, with the older kernel's errors, and
 * lets the kernel do the rest.
 */
#ifndef NS_LACKING_LANDLOCK_H
#define NS_LACKING_LANDLOCK_H

#include <linux/filter.h>

/* System calls, the same on every architecture. */
#define NS_LACKING_CREATE_RULESET 444
#define NS_LACKING_ADD_RULE 445
#define NS_LACKING_RESTRICT_SELF 446

/*
 * Enters a filter that hands these calls to user space, and starts the process that answers them. Returns 0, or -1
 * with errno.
 */
int ns_lacking_landlock(int abi, const struct sock_fprog *filter);

#endif
