/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ns_frames_init(struct ns_frames *frames, uint32_t count) {
    memset(frames, 0, sizeof *frames);
    frames->frame = calloc(count, sizeof *frames->frame);
    frames->free = malloc(count * sizeof *frames->free);
    if (frames->frame == NULL || frames->free == NULL) {
        ns_frames_destroy(frames);
        errno = ENOMEM;
        return -1;
    }
    frames->count = frames->in[NS_FRAME_FREE] = count;
    for (uint32_t i = 0; i < count; i++)
        frames->free[i] = count - 1 - i;
    return 0;
}

void ns_frames_destroy(struct ns_frames *frames) {
    free(frames->frame);
    free(frames->free);
    memset(frames, 0, sizeof *frames);
}

static void move(struct ns_frames *frames, uint32_t frame, enum ns_frame_place to, uint8_t port) {
    frames->in[frames->frame[frame].place]--;
    if (to == NS_FRAME_FREE)
        frames->free[frames->in[NS_FRAME_FREE]] = frame;
    frames->frame[frame] = (struct ns_frame){.place = (uint8_t)to, .port = port};
    frames->in[to]++;
}

static bool is(const struct ns_frames *frames, uint32_t frame, enum ns_frame_place place, uint8_t port) {
    return frame < frames->count && frames->frame[frame].place == place && frames->frame[frame].port == port;
}

/*
 * Returns the number of the frame at `address`, or NS_FRAME_NONE. The address is a 64-bit number from the kernel, so
 * it is compared before it is cut to 32 bits.
 */
static uint32_t at(const struct ns_frames *frames, uint64_t address) {
    uint64_t frame = address / NS_FRAME_SIZE;

    return frame < frames->count ? (uint32_t)frame : NS_FRAME_NONE;
}

uint32_t ns_frames_fill(struct ns_frames *frames, uint8_t port) {
    uint32_t frame;

    if (frames->in[NS_FRAME_FREE] == 0)
        return NS_FRAME_NONE;
    frame = frames->free[frames->in[NS_FRAME_FREE] - 1];
    move(frames, frame, NS_FRAME_FILL, port);
    return frame;
}

uint32_t ns_frames_received(struct ns_frames *frames, uint8_t port, uint64_t address, uint32_t length) {
    uint32_t frame = at(frames, address);

    if (!is(frames, frame, NS_FRAME_FILL, port) || length > NS_FRAME_SIZE - address % NS_FRAME_SIZE)
        return NS_FRAME_NONE;
    move(frames, frame, NS_FRAME_HELD, 0);
    return frame;
}

bool ns_frames_transmit(struct ns_frames *frames, uint32_t frame, uint8_t port) {
    if (!is(frames, frame, NS_FRAME_HELD, 0))
        return false;
    move(frames, frame, NS_FRAME_TX, port);
    return true;
}

bool ns_frames_completed(struct ns_frames *frames, uint8_t port, uint64_t address) {
    uint32_t frame = at(frames, address);

    if (!is(frames, frame, NS_FRAME_TX, port))
        return false;
    move(frames, frame, NS_FRAME_FREE, 0);
    return true;
}

bool ns_frames_release(struct ns_frames *frames, uint32_t frame) {
    if (!is(frames, frame, NS_FRAME_HELD, 0))
        return false;
    move(frames, frame, NS_FRAME_FREE, 0);
    return true;
}

uint32_t ns_frames_reclaim(struct ns_frames *frames, uint8_t port) {
    uint32_t unsent = 0;

    for (uint32_t frame = 0; frame < frames->count; frame++) {
        bool sending = is(frames, frame, NS_FRAME_TX, port);

        if (sending || is(frames, frame, NS_FRAME_FILL, port))
            move(frames, frame, NS_FRAME_FREE, 0);
        unsent += sending;
    }
    return unsent;
}
