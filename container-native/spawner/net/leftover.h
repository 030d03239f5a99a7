/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftover.h - removes our chains, jumps and table from the node's namespace: a predecessor's at the start, our own
 * at the end. Goes by exact names, because the name of an operator's chain may begin like ours. Runs the tools and
 * waits for them, so it is called outside the loop only.
 */
#ifndef NS_LEFTOVER_H
#define NS_LEFTOVER_H

#include <stdbool.h>

void ns_leftover_clear(bool ipv6);

#endif
