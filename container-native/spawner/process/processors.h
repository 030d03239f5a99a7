/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processors.h - processors that are set apart for packets. pktios and the packets threads of hosts run on them. All
 * other threads of containers (compiler, collector, modules) run elsewhere.
 */
#ifndef NS_SPAWNER_PROCESSORS_H
#define NS_SPAWNER_PROCESSORS_H

#include "ns_processors.h"

struct ns_processors {
    char text[NS_PROCESSORS_TEXT]; /* "" = none are set apart */
    cpu_set_t packets, others;
};

/* Sets the processors of `text` apart, "" = none. Returns NULL, or why they cannot be set apart; then none are. */
const char *ns_processors_apart(struct ns_processors *processors, const char *text);

/* Return the processors to run on. NULL = any processor that the process is started with. */
const cpu_set_t *ns_processors_packets(const struct ns_processors *processors);
const cpu_set_t *ns_processors_others(const struct ns_processors *processors);

#endif
