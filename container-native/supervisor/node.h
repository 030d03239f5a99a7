/* SPDX-License-Identifier: Apache-2.0 */
/* node.h - the supervisor's settings for its node, and the daemons of a node. */
#ifndef NS_NODE_H
#define NS_NODE_H

#include "daemon.h"
#include <limits.h>

#define NS_JVM_OPTIONS 16

struct ns_node {
    char root[PATH_MAX], dist[PATH_MAX], java[PATH_MAX]; /* without symbolic links */
    uint32_t mark, ids;
    uint32_t log_bytes, log_files; /* of each daemon's log */
    bool rehearsal;                /* each JVM writes its class data when it stops */
    unsigned jvm_option_count;
    const char *jvm_options[NS_JVM_OPTIONS];
};

extern const struct ns_daemon_kind ns_daemon_kinds[];
extern const unsigned ns_daemon_kind_count;

#endif
