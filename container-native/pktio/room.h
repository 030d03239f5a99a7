/* SPDX-License-Identifier: Apache-2.0 */
/*
 * room.h - whether packets for which there is no slot wait in the queue, or go on unseen.
 *
 *              no slot left                    slots are free again
 *     reading --------------> closed ---------------------------------> reading
 *                                |   since + patience
 *                                `----------------------> reading, and what has no slot goes on
 *
 * A container that does not run for a moment loses nothing that way: the queue has room for more than the ring. One that is
 * outrun, or hangs, makes nobody wait for longer than `patience` at a stretch: a stretch is over when the queue has
 * been read empty and slots were left. Times in nanoseconds of one clock, never 0.
 */
#ifndef NS_ROOM_H
#define NS_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct ns_room {
    uint64_t since; /* slots first ran out in this stretch; 0 = there is none */
    bool closed;    /* the queue is not read until ns_room_opens */
};

/* True if a packet without a slot is to stay in the queue. */
bool ns_room_waits(const struct ns_room *room, uint64_t now, uint64_t patience);

/* There was no slot to read into. */
void ns_room_close(struct ns_room *room, uint64_t now);

/* The queue was read empty, and slots are left. */
void ns_room_emptied(struct ns_room *room);

/* True, once, if a closed queue is to be read again: `free` slots are `enough`, or the patience is over. */
bool ns_room_opens(struct ns_room *room, uint32_t free, uint32_t enough, uint64_t now, uint64_t patience);

/* When the patience of a closed queue is over; UINT64_MAX if it is not closed. */
uint64_t ns_room_until(const struct ns_room *room, uint64_t patience);

#endif
