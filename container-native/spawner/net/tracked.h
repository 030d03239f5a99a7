/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracked.h - flows of UDP that connection tracking knew before a port of the node led to its container. Such a flow
 * is never translated anew, and lives as long as its client sends. So it would not reach the container:
 *
 *     client :4000 --> node :80, nobody there        noted: no translation
 *     the container starts, and has node :80
 *     client :4000 --> node :80, nobody there        noted before, still no translation
 */
#ifndef NS_TRACKED_H
#define NS_TRACKED_H

#include "cell.h"

/*
 * Has the kernel forget the flows of UDP to the containers' ports that lead to the node itself, or to another
 * container. Flows that somebody else translates stay. `node` has the node's addresses. Returns how many flows there
 * were, or -1 with errno.
 */
int ns_tracked_forget(const struct ns_rules *rules, const struct ns_cell_node *node);

#endif
