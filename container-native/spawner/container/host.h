/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - starts the host and the pktio of a container: arguments, descriptors, limits. */
#ifndef NS_HOST_H
#define NS_HOST_H

#include "container.h"
#include "spawner.h"

/*
 * Begin to start a process. ns_host_start() starts the host, in namespaces of its own and with its own network.
 * ns_packets_start() starts pktio, in the spawner's network namespace and on the queues that are open. `done`
 * gets the pid, with the container as its context. 0, or -1 with the reason.
 */
typedef void (*ns_host_done)(struct ns_spawner *spawner, void *container, pid_t pid, const char *why);
int ns_host_start(struct ns_spawner *spawner, struct ns_container *container, uint64_t deadline_ms, ns_host_done done,
                  char why[160]);
int ns_packets_start(struct ns_spawner *spawner, struct ns_container *container, uint64_t deadline_ms,
                     ns_host_done done, char why[160]);

/*
 * Makes the network that the order of the container has, if it has one, for the host `pid`. In a task. 0, or -1 with a
 * line in the log.
 */
int ns_host_network(const struct ns_container *container, pid_t pid);

/* Tells a spare's host the TCP ports of its order, and that it is adopted. 0, or -1 with the reason. Once. */
int ns_host_adopt(struct ns_container *container, char why[160]);

#endif
