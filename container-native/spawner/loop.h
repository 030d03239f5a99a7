/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - each turn of the spawner: input is served, then work that is due is done. */
#ifndef NS_LOOP_H
#define NS_LOOP_H

#include "spawner.h"

/* A child has ended, and its owner hears of it. */
void ns_loop_child(struct ns_spawner *spawner, pid_t pid, int status);

/* Runs until SIGTERM, then until everything has stopped. 0, or -1 with errno. */
int ns_loop(struct ns_spawner *spawner);

#endif
