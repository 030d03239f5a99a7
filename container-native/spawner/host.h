/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - how the host and the pktio of a container are started: arguments, descriptors, limits. */
#ifndef NS_HOST_H
#define NS_HOST_H

#include "container.h"
#include "spawner.h"

/* Starts the host in namespaces of its own and makes its network. container->host and ->report_fd; 0, or -1 with the reason. */
int ns_host_start(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/* Gives a spare's host the limits that its order would have started one with. 0, or -1 with errno. */
int ns_host_limit(const struct ns_container *container);

/* Tells a spare's host that its publisher's data are there, and waits until it works with them. 0, or -1 with the reason. */
int ns_host_adopt(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

/* Starts pktio in our network namespace, on the queues that are open. Its pid, or -1 with the reason. */
pid_t ns_packets_start(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

#endif
