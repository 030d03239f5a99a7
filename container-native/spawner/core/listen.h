/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - UNIX stream sockets in a directory that is somebody else's. */
#ifndef NS_LISTEN_H
#define NS_LISTEN_H

#include <sys/types.h>

/*
 * A socket that listens at `path`, with this owner, group and mode
 * from its first moment. Replaces a file that is there. -1 with errno.
 */
int ns_listen(const char *path, uid_t uid, gid_t gid, mode_t mode);

#endif
