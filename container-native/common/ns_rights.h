/* SPDX-License-Identifier: Apache-2.0 */
/* ns_rights.h - datagrams of UNIX sockets with descriptors in them (SCM_RIGHTS). */
#ifndef NS_RIGHTS_H
#define NS_RIGHTS_H

#include <sys/types.h>

#define NS_RIGHTS_MAX 4u

/* One datagram with `count` descriptors, which stay the caller's. -1 and errno if it did not leave. */
ssize_t ns_rights_send(int socket, const void *bytes, size_t length, const int *fds, unsigned count);

/*
 * As recv. `fds` has `most` places (1..NS_RIGHTS_MAX), -1 where none came; they are close-on-exec. The kernel closes
 * descriptors sent beyond them, so that no peer fills this process's table; descriptors that come without a byte are
 * closed here.
 */
ssize_t ns_rights_receive(int socket, void *bytes, size_t length, int flags, int *fds, unsigned most);

#endif
