/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h - one function per verb; see docs/protocols/spawner.md. */
#ifndef NS_VERBS_H
#define NS_VERBS_H

#include "spawner.h"

/* Carries out one line of the client. An ns_client_line. */
bool ns_verbs_line(void *spawner, char *text, size_t length);

/* Answers a `prepare` that waited for the features of the fast path. Returns the time of its next call. */
uint64_t ns_verbs_tick(struct ns_spawner *spawner, uint64_t now);

#endif
