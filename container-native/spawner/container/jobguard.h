/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobguard.h - the fetcher's guard as a rule of the kernel: addresses that the processes of a job's cgroup may send to. A BPF
 * program at the cgroup's egress looks each packet up, so neither the job's own checks nor the node's firewall are relied on,
 * and no flush of a ruleset takes it away. It goes with the cgroup.
 *
 * TCP: of `allow` and `deny` the longest prefix that holds the destination decides, deny at equal length. Without one, special
 * addresses (loopback, link-local, private, shared, multicast, ...) and the node's own are refused, alone or inside an IPv6 address.
 * UDP: to the resolvers of /etc/resolv.conf, port 53. Everything else is dropped.
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

/* Attaches a guard to a group that goes again: why the kernel does not take it, "" = it does. */
void ns_job_guard_try(const struct ns_cgroups *groups, char why[160]);

/* 0, or -1 with errno: ENOTSUP where the cgroup is not of version 2. The cgroup is there, and empty. */
int ns_job_guard(const struct ns_cgroup *cgroup, const struct ns_guard_prefixes *prefixes);

#endif
