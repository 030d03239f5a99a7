/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_caps.h - the capabilities of the calling thread, by raw system calls. Call while the process has one thread.
 *
 * A mask has bit CAP_X set for each capability. Functions return 0, or -1 with errno.
 *
 * A root parent hands a child one capability across exec and a change of uid so:
 *   prctl(PR_SET_KEEPCAPS, 1), setresgid, setgroups, setresuid, ns_caps_set(mask, mask), ns_caps_ambient(mask), execve
 */
#ifndef NS_CAPS_H
#define NS_CAPS_H

#include <linux/capability.h>
#include <stdint.h>

#define NS_CAP(name) (1ull << (name)) /* NS_CAP(CAP_NET_ADMIN) */

/* Permitted and effective become `permitted`, inheritable becomes `inheritable`. */
int ns_caps_set(uint64_t permitted, uint64_t inheritable);

/* Permitted capabilities of this thread. */
int ns_caps_permitted(uint64_t *permitted);

/* The ambient set becomes exactly `mask`: kept by execve. They must be permitted and inheritable. 0 clears. */
int ns_caps_ambient(uint64_t mask);

/* Takes all but `mask` out of the bounding set. Needs CAP_SETPCAP. */
int ns_caps_bound(uint64_t mask);

/* No capability by being root, by changing the uid or as ambient, and no way back. Needs CAP_SETPCAP. */
int ns_caps_lock(void);

/*
 * Drops everything but `mask` for good: no_new_privs, bounding set (where CAP_SETPCAP allows it), ambient, inheritable,
 * permitted. Fails with EPERM if a capability of the mask is not there. Keeps the uid.
 */
int ns_caps_keep_only(uint64_t mask);

#endif
