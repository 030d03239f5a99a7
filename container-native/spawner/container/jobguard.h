/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobguard.h - the guard of jobs in the kernel: it limits the addresses that the processes of a job's cgroup may
 * send to. A BPF program at the cgroup's egress looks up the destination of each packet. So the guard relies
 * neither on the job's own checks nor on the node's firewall, and no flush of a ruleset removes it. It goes with
 * the cgroup.
 *
 * TCP: the longest prefix of `allow` and `deny` that contains the destination decides; at equal length `deny` wins.
 * Without such a prefix, special addresses (loopback, link-local, private, shared, multicast, ...) and the node's own
 * addresses are refused, alone or inside an IPv6 address.
 * UDP: only port 53 of the resolvers in /etc/resolv.conf is allowed.
 * All other packets are dropped.
 */
#ifndef NS_JOBGUARD_H
#define NS_JOBGUARD_H

#include "cgroup.h"
#include "ns_value.h"

#define NS_GUARD_PREFIXES_MAX 512

struct ns_guard_prefix {
    struct ns_net net;
    bool allow;
};

struct ns_guard_prefixes {
    unsigned count;
    struct ns_guard_prefix at[NS_GUARD_PREFIXES_MAX];
};

/*
 * Tests whether the kernel accepts a guard: attaches one to a temporary cgroup. `why` is the reason against, "" = the
 * kernel accepts it.
 */
void ns_job_guard_try(const struct ns_cgroups *groups, char why[160]);

/*
 * Attaches a guard to a cgroup, which must exist and be empty. 0, or -1 with errno: ENOTSUP if the cgroup is not of
 * version 2.
 */
int ns_job_guard(const struct ns_cgroup *cgroup, const struct ns_guard_prefixes *prefixes);

#endif
