/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftover.h - removes our chains, jumps and table from the node's namespace: what a predecessor left, and what we leave. By
 * exact names, because an operator's chain may begin like ours. It runs the tools and waits for them: outside the loop only.
 */
#ifndef NS_LEFTOVER_H
#define NS_LEFTOVER_H

#include <stdbool.h>

void ns_leftover_clear(bool ipv6);

#endif
