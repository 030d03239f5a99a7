/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h - who owns which frame of a UMEM. Every frame is in exactly one place:
 *
 *               fill                    received
 *       FREE ---------> FILL of a port ----------> HELD
 *        ^                                        |    |
 *        |                 release                |    | transmit
 *        +----------------------------------------+    v
 *        +<---------------------------------------- TX of a port
 *                         completed
 *
 *     FREE   ours, empty
 *     FILL   the kernel's, to receive into: in a port's fill ring or in the hands of its driver
 *     HELD   ours, with a packet in it
 *     TX     the kernel's, to send from: in a port's transmit ring, on its way, or in the completion ring
 *
 * An address that the kernel hands back is taken only if its frame is where that ring's frames are. All others (a second
 * completion of one frame, an address outside the UMEM, that of another port) are refused and counted by the caller: a frame
 * in two places at once would be sent or overwritten while a module decides about it.
 */
#ifndef NS_FRAMES_H
#define NS_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#define NS_FRAME_SIZE 2048u /* bytes; frames begin at multiples of it */
#define NS_FRAME_NONE UINT32_MAX

enum ns_frame_place { NS_FRAME_FREE, NS_FRAME_FILL, NS_FRAME_HELD, NS_FRAME_TX };

struct ns_frame {
    uint8_t place; /* enum ns_frame_place */
    uint8_t port;  /* of FILL and TX */
};

struct ns_frames {
    uint32_t count;
    uint32_t in[4]; /* how many are in each place; their sum is `count` */
    struct ns_frame *frame;
    uint32_t *free; /* a stack of in[NS_FRAME_FREE] frames */
};

/* 0, or -1 with ENOMEM. All are free. */
int ns_frames_init(struct ns_frames *frames, uint32_t count);
void ns_frames_destroy(struct ns_frames *frames);

/* FREE -> FILL; NS_FRAME_NONE if none is free. */
uint32_t ns_frames_fill(struct ns_frames *frames, uint8_t port);

/* FILL of this port -> HELD: the frame, NS_FRAME_NONE if `length` bytes at `address` are not in such a frame. */
uint32_t ns_frames_received(struct ns_frames *frames, uint8_t port, uint64_t address, uint32_t length);

/* HELD -> TX; false if it is not HELD. */
bool ns_frames_transmit(struct ns_frames *frames, uint32_t frame, uint8_t port);

/* TX of this port -> FREE; false if `address` is not in such a frame. */
bool ns_frames_completed(struct ns_frames *frames, uint8_t port, uint64_t address);

/* HELD -> FREE; false if it is not HELD. */
bool ns_frames_release(struct ns_frames *frames, uint32_t frame);

/* FILL and TX of this port -> FREE: its socket is closed, the kernel has let go. Returns how many were to be sent. */
uint32_t ns_frames_reclaim(struct ns_frames *frames, uint8_t port);

#endif
