/* SPDX-License-Identifier: Apache-2.0 */
/* ns_fd.h - descriptors that are -1 when there is none. */
#ifndef NS_FD_H
#define NS_FD_H

#include <unistd.h>

static inline void ns_fd_drop(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

#endif
