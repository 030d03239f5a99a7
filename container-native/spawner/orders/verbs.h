/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h - one function per verb; see docs/protocols/spawner.md. */
#ifndef NS_VERBS_H
#define NS_VERBS_H

#include "spawner.h"

/* Does what a line of the client says. An ns_client_line. */
bool ns_verbs_line(void *spawner, char *text, size_t length);

/* Answers a `prepare` that waited for the features of the fast path. Returns when it wants to be called again. */
uint64_t ns_verbs_tick(struct ns_spawner *spawner, uint64_t now);

#endif
