/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_fd.h"

#include "ns_syscalls.h"
#include <limits.h>

/* The least kept descriptor from `from` on; INT_MAX = none. */
static int next_kept(const int *keep, size_t count, int from) {
    int next = INT_MAX;

    for (size_t i = 0; i < count; i++) {
        if (keep[i] >= from && keep[i] < next)
            next = keep[i];
    }
    return next;
}

int ns_fd_keep_only(const int *keep, size_t count) {
    int from = 3, kept;

    while ((kept = next_kept(keep, count, from)) != INT_MAX) {
        if (kept > from && close_range((unsigned)from, (unsigned)kept - 1, 0) != 0)
            return -1;
        from = kept + 1;
    }
    return close_range((unsigned)from, ~0u, 0);
}
