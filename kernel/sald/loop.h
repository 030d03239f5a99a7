/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - sald at work: reads its descriptors, and keeps its times. */
#ifndef NS_SALD_LOOP_H
#define NS_SALD_LOOP_H

#include "options.h"

struct ns_sald_loop {
    struct ns_sald *sald;
    int poll, signals, control, dns;
    int askers[NS_SAL_ASKERS]; /* 0 = the place is free */
    bool stop;
};

/* Opens the sockets of orders and of DNS, and watches all descriptors. Returns 0, or -1; the log has the reason. */
int ns_sald_loop_open(struct ns_sald_loop *loop, struct ns_sald *sald, const struct ns_sald_options *options);

/* Works until SIGTERM or SIGINT. Returns 0, or -1; the log has the reason. */
int ns_sald_loop_run(struct ns_sald_loop *loop);

#endif
