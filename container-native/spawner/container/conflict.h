/* SPDX-License-Identifier: Apache-2.0 */
/* conflict.h - two containers must not share a name, a queue, a uid, a network, an address and port to listen on, or a
 * prefix whose connections they take. */
#ifndef NS_CONFLICT_H
#define NS_CONFLICT_H

#include "request.h"
#include <stdbool.h>

struct ns_spawner;

/* Looks for a container that shares with the order what only one may have. True with the reason. */
bool ns_conflict(const struct ns_spawner *spawner, const struct ns_request *order, char why[160]);

#endif
