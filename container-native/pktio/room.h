/* SPDX-License-Identifier: Apache-2.0 */
/*
 * room.h - decides whether packets without a slot wait in the queue, or go on unseen.
 *
 *              no slot left                    slots are free again
 *     reading --------------> closed ---------------------------------> reading
 *                                |   since + patience
 *                                `----------------------> reading, and packets without a slot go on.
 *
 * A container that does not run for a moment loses nothing, because the queue holds more packets than the ring. A
 * container that is outrun, or hangs, delays packets for at most `patience` at a stretch. A stretch is over when the
 * queue has been read empty and slots were left. Times are in nanoseconds of one clock, never 0.
 */
#ifndef NS_ROOM_H
#define NS_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct ns_room {
    uint64_t since; /* time when slots first ran out in this stretch; 0 = there is no stretch */
    bool closed;    /* the queue is not read until ns_room_opens */
};

/* Returns true if a packet without a slot must stay in the queue. */
bool ns_room_waits(const struct ns_room *room, uint64_t now, uint64_t patience);

/* Notes that there was no slot to read into. */
void ns_room_close(struct ns_room *room, uint64_t now);

/* Notes that the queue was read empty and slots are left. */
void ns_room_emptied(struct ns_room *room);

/* Returns true, once, if a closed queue must be read again: `free` slots are `enough`, or the patience is over. */
bool ns_room_opens(struct ns_room *room, uint32_t free, uint32_t enough, uint64_t now, uint64_t patience);

/* Returns the end of a closed queue's patience, or UINT64_MAX if the queue is not closed. */
uint64_t ns_room_until(const struct ns_room *room, uint64_t patience);

#endif
