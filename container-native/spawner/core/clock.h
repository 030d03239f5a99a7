/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - measures each turn of the loop, from the moment at which poll() returns to the
 * next poll(): processor time and waiting. Time in which the thread could run and had no
 * processor is the machine's and does not count (run delay of schedstat).
 */
#ifndef NS_CLOCK_H
#define NS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NS_CLOCK_LIMIT_US 10000u /* no turn is to take longer */
#define NS_CLOCK_LATE_US 3000u   /* a turn that has taken so long begins nothing that the next one can do */

struct ns_clock {
    int delays; /* schedstat of our thread, -1 = the kernel has none: then all time counts */
    uint64_t began, delayed;
    const char *work, *longest; /* under way; the longest of this turn */
    uint64_t work_began, longest_us;
    uint64_t slowest_us, over; /* the slowest turn of all; how many took longer than the limit */
    const char *slowest;       /* its longest work, "" = none yet */
};

void ns_clock_open(struct ns_clock *clock);
void ns_clock_begin(struct ns_clock *clock);

/* From now on this turn is about `work`, a string constant. */
void ns_clock_work(struct ns_clock *clock, const char *work);

/* Returns true if work that can wait is left to the next turn. */
bool ns_clock_late(const struct ns_clock *clock);

/* Ends the turn. Returns its microseconds. */
uint64_t ns_clock_end(struct ns_clock *clock);

#endif
