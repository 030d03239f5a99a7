/* SPDX-License-Identifier: Apache-2.0 */
/* program_start.h - starts a container's program in its layers. */
#ifndef NS_PROGRAM_START_H
#define NS_PROGRAM_START_H

#include <sys/types.h>

struct ns_spawner;
struct ns_container;

#define NS_PROGRAM_ABSENT "no program: " /* the beginning of a reason: it is not on this node, or is not root's alone */

typedef void (*ns_program_done)(struct ns_spawner *spawner, void *container, pid_t pid, const char *why);

/*
 * Starts the program of container->program.order in a task, with the ends `its` of the pipes. 0, or -1 with the reason;
 * then `done` is not called.
 */
int ns_program_start(struct ns_spawner *spawner, struct ns_container *container, ns_program_done done, char why[160]);

#endif
