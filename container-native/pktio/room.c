/* SPDX-License-Identifier: Apache-2.0 */
#include "room.h"

bool ns_room_waits(const struct ns_room *room, uint64_t now, uint64_t patience) {
    return room->since == 0 || now - room->since < patience;
}

void ns_room_close(struct ns_room *room, uint64_t now) {
    if (room->since == 0)
        room->since = now;
    room->closed = true;
}

void ns_room_emptied(struct ns_room *room) {
    room->since = 0;
}

bool ns_room_opens(struct ns_room *room, uint32_t free, uint32_t enough, uint64_t now, uint64_t patience) {
    if (!room->closed || (free < enough && ns_room_waits(room, now, patience)))
        return false;
    room->closed = false;
    return true;
}

uint64_t ns_room_until(const struct ns_room *room, uint64_t patience) {
    return room->closed ? room->since + patience : UINT64_MAX;
}
