/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h - the ownership of the frames of a UMEM. Every frame is in exactly one place.
 *
 *               fill                    received
 *       FREE ---------> FILL of a port ----------> HELD
 *        ^                                        |    |
 *        |                 release                |    | transmit
 *        +----------------------------------------+    v
 *        +<---------------------------------------- TX of a port
 *                         completed
 *
 *     FREE   ours, empty.
 *     FILL   the kernel's, to receive into: in a port's fill ring or in the hands of its driver.
 *     HELD   ours, with a packet in it.
 *     TX     the kernel's, to send from: in a port's transmit ring, on its way, or in the completion ring.
 *
 * An address from the kernel is accepted only if its frame is in the place that belongs to the ring. Every other
 * address is refused, and the caller counts it: a second completion of one frame, an address outside the UMEM, an
 * address of another port. A frame in two places at once would be sent or overwritten while a module decides about
 * it.
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
    uint32_t in[4]; /* number of frames in each place; their sum is `count` */
    struct ns_frame *frame;
    uint32_t *free; /* a stack of in[NS_FRAME_FREE] frames */
};

/* Makes all frames FREE. Returns 0, or -1 with ENOMEM. */
int ns_frames_init(struct ns_frames *frames, uint32_t count);
void ns_frames_destroy(struct ns_frames *frames);

/* Moves a frame from FREE to FILL of `port`. Returns NS_FRAME_NONE if no frame is free. */
uint32_t ns_frames_fill(struct ns_frames *frames, uint8_t port);

/*
 * Moves a frame from FILL of this port to HELD, and returns it. Returns NS_FRAME_NONE if the `length` bytes at
 * `address` are not in such a frame.
 */
uint32_t ns_frames_received(struct ns_frames *frames, uint8_t port, uint64_t address, uint32_t length);

/* Moves a frame from HELD to TX of `port`. Returns false if the frame is not HELD. */
bool ns_frames_transmit(struct ns_frames *frames, uint32_t frame, uint8_t port);

/* Moves a frame from TX of this port to FREE. Returns false if `address` is not in such a frame. */
bool ns_frames_completed(struct ns_frames *frames, uint8_t port, uint64_t address);

/* Moves a frame from HELD to FREE. Returns false if the frame is not HELD. */
bool ns_frames_release(struct ns_frames *frames, uint32_t frame);

/*
 * Moves all frames in FILL and TX of this port to FREE, after its socket is closed and the kernel has let go of them.
 * Returns the number of frames that were still to be sent.
 */
uint32_t ns_frames_reclaim(struct ns_frames *frames, uint8_t port);

#endif
