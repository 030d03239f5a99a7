/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_pace.h - how fast packets come: a moving average, for whoever may wait for more of them.
 *
 * Packets that come fast are gathered, as a network card moderates its interrupts. Slow ones never wait.
 */
#ifndef NS_PACE_H
#define NS_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct ns_pace {
    uint64_t last;    /* when the last batch was taken, nanoseconds */
    uint64_t spacing; /* nanoseconds from one packet to the next */
};

static inline void ns_pace_note(struct ns_pace *pace, uint32_t count, uint64_t now) {
    if (count == 0)
        return;
    pace->spacing = (7 * pace->spacing + (now - pace->last) / count) / 8;
    pace->last = now;
}

/* Are at least `packets` to be expected within `span` nanoseconds? */
static inline bool ns_pace_expects(const struct ns_pace *pace, uint32_t packets, uint64_t span) {
    return pace->spacing * packets <= span;
}

#endif
