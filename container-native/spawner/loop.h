/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - the turns of the spawner: each serves the input that there is, then does the work that is due. */
#ifndef NS_LOOP_H
#define NS_LOOP_H

#include "spawner.h"

/* Tells the owner of a child that the child has ended. */
void ns_loop_child(struct ns_spawner *spawner, pid_t pid, int status);

/*
 * Runs until SIGTERM or SIGINT, and then until everything has stopped. Ends early, with a line in the log, if poll
 * fails. 0, or -1 with errno if it cannot begin.
 */
int ns_loop(struct ns_spawner *spawner);

#endif
