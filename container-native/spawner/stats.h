/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h - what a container has used, and how often it met each of its limits. */
#ifndef NS_STATS_H
#define NS_STATS_H

#include "container.h"

/* " key=value" of every counter, of what it uses, and of every limit: docs/protocols/spawner.md, verb stats. */
void ns_stats_print(struct ns_spawner *spawner, const struct ns_container *container, FILE *out);

#endif
