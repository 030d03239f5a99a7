/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - how the host and the pktio of a container are started: arguments, descriptors, limits. */
#ifndef NS_HOST_H
#define NS_HOST_H

#include "container.h"
#include "spawner.h"

/* Starts the host in namespaces of its own and makes its network. container->host; 0, or -1 with the reason. */
int ns_host_start(struct ns_spawner *spawner, struct ns_container *container, int report_fd, char why[160]);

/* Starts pktio in our network namespace, on the queues that are open. Its pid, or -1 with the reason. */
pid_t ns_packets_start(struct ns_spawner *spawner, struct ns_container *container, char why[160]);

#endif
