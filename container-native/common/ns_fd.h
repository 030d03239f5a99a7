/* SPDX-License-Identifier: Apache-2.0 */
/* ns_fd.h - descriptors that are -1 when there is none. */
#ifndef NS_FD_H
#define NS_FD_H

#include <stddef.h>
#include <unistd.h>

static inline void ns_fd_drop(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/*
 * Closes every descriptor above 2 that is not in `keep`, whose
 * order is free and in which -1 counts for nothing. 0, or -1.
 */
int ns_fd_keep_only(const int *keep, size_t count);

#endif
