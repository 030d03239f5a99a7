/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership of UMEM frames, and ring cursors that wrap. */
#include "frames.h"
#include "ns_test.h"
#include "xring.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 32u

static uint64_t state = 88172645463325252ull;

static uint32_t any(uint32_t below) {
    return (uint32_t)(ns_test_random(&state) >> 33) % below;
}

static struct ns_frames opened(void) {
    struct ns_frames frames;

    NS_EQUAL(0, ns_frames_init(&frames, COUNT));
    return frames;
}

NS_TEST(a_frame_goes_round) {
    struct ns_frames frames = opened();
    uint32_t frame = ns_frames_fill(&frames, 1);
    uint64_t address = (uint64_t)frame * NS_FRAME_SIZE;

    NS_EQUAL(frame, ns_frames_received(&frames, 1, address + 256, 1514));
    NS_CHECK(ns_frames_transmit(&frames, frame, 2));
    NS_CHECK(ns_frames_completed(&frames, 2, address + 2));
    NS_EQUAL(COUNT, frames.in[NS_FRAME_FREE]);
    ns_frames_destroy(&frames);
}

/*
 * Repeats a fault seen in copy mode: one completion twice. The second one must not free the frame under its next
 * owner.
 */
NS_TEST(a_second_completion_is_refused) {
    struct ns_frames frames = opened();
    uint32_t frame = ns_frames_fill(&frames, 1);
    uint64_t address = (uint64_t)frame * NS_FRAME_SIZE;

    ns_frames_received(&frames, 1, address, 100);
    ns_frames_transmit(&frames, frame, 1);
    NS_CHECK(ns_frames_completed(&frames, 1, address));
    NS_CHECK(!ns_frames_completed(&frames, 1, address));
    NS_EQUAL(COUNT, frames.in[NS_FRAME_FREE]);
    NS_EQUAL(frame, ns_frames_fill(&frames, 1)); /* once on the stack, not twice */
    NS_CHECK(!ns_frames_completed(&frames, 1, address));
    NS_CHECK(frame != ns_frames_fill(&frames, 1));
    ns_frames_destroy(&frames);
}

NS_TEST(addresses_that_are_not_ours_are_refused) {
    struct ns_frames frames = opened();
    uint32_t frame = ns_frames_fill(&frames, 1);
    uint64_t address = (uint64_t)frame * NS_FRAME_SIZE, beyond = (uint64_t)COUNT * NS_FRAME_SIZE;
    const uint64_t foreign[] = {beyond, beyond + 5, UINT64_MAX, (uint64_t)NS_FRAME_SIZE << 32, address + (1ull << 48)};

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        NS_EQUAL(NS_FRAME_NONE, ns_frames_received(&frames, 1, foreign[i], 64));
        NS_CHECK(!ns_frames_completed(&frames, 1, foreign[i]));
    }
    NS_EQUAL(NS_FRAME_NONE, ns_frames_received(&frames, 2, address, 64));                        /* another port's */
    NS_EQUAL(NS_FRAME_NONE, ns_frames_received(&frames, 1, address + 256, NS_FRAME_SIZE - 255)); /* into the next */
    NS_CHECK(!ns_frames_completed(&frames, 1, address));                                         /* never sent */
    NS_EQUAL(frame, ns_frames_received(&frames, 1, address + 256, NS_FRAME_SIZE - 256));
    NS_EQUAL(NS_FRAME_NONE, ns_frames_received(&frames, 1, address + 256, 64)); /* twice */
    NS_CHECK(ns_frames_transmit(&frames, frame, 1));
    NS_CHECK(!ns_frames_transmit(&frames, frame, 1));
    NS_CHECK(!ns_frames_release(&frames, frame));
    NS_CHECK(!ns_frames_completed(&frames, 2, address));
    ns_frames_destroy(&frames);
}

/*
 * Tries any sequence of right and wrong calls. A model of the places gives the answer that each call must have, and
 * every frame must be in one place.
 */
NS_TEST(any_sequence_leaves_every_frame_in_one_place) {
    struct ns_frames frames = opened();
    struct ns_frame model[COUNT] = {{NS_FRAME_FREE, 0}};

    for (unsigned i = 0; i < 200000; i++) {
        uint32_t frame = any(COUNT + 4), length = any(2200);
        uint8_t port = (uint8_t)(1 + any(3));
        uint64_t address = (uint64_t)frame * NS_FRAME_SIZE + any(NS_FRAME_SIZE);
        struct ns_frame is = frame < COUNT ? model[frame] : (struct ns_frame){0xff, 0xff};
        struct ns_frame becomes = is;
        bool right = false, done = false;

        switch (any(5)) {
        case 0:
            right = frames.in[NS_FRAME_FREE] != 0;
            frame = ns_frames_fill(&frames, port);
            done = frame != NS_FRAME_NONE;
            NS_CHECK(!done || model[frame].place == NS_FRAME_FREE);
            becomes = (struct ns_frame){NS_FRAME_FILL, port};
            break;
        case 1:
            right = is.place == NS_FRAME_FILL && is.port == port && address % NS_FRAME_SIZE + length <= NS_FRAME_SIZE;
            done = ns_frames_received(&frames, port, address, length) != NS_FRAME_NONE;
            becomes = (struct ns_frame){NS_FRAME_HELD, 0};
            break;
        case 2:
            right = is.place == NS_FRAME_HELD;
            done = ns_frames_transmit(&frames, frame, port);
            becomes = (struct ns_frame){NS_FRAME_TX, port};
            break;
        case 3:
            right = is.place == NS_FRAME_TX && is.port == port;
            done = ns_frames_completed(&frames, port, address);
            becomes = (struct ns_frame){NS_FRAME_FREE, 0};
            break;
        case 4:
            right = is.place == NS_FRAME_HELD;
            done = ns_frames_release(&frames, frame);
            becomes = (struct ns_frame){NS_FRAME_FREE, 0};
            break;
        }
        NS_EQUAL(right, done);
        if (done)
            model[frame] = becomes;
        NS_EQUAL(COUNT, frames.in[0] + frames.in[1] + frames.in[2] + frames.in[3]);
    }
    NS_EQUAL(0, memcmp(model, frames.frame, sizeof model));
    ns_frames_destroy(&frames);
}

NS_TEST(a_closed_port_gives_its_frames_back) {
    struct ns_frames frames = opened();
    uint32_t held = ns_frames_fill(&frames, 1), sent = ns_frames_fill(&frames, 1);

    ns_frames_fill(&frames, 1);
    ns_frames_fill(&frames, 2);
    ns_frames_received(&frames, 1, (uint64_t)held * NS_FRAME_SIZE, 64);
    ns_frames_received(&frames, 1, (uint64_t)sent * NS_FRAME_SIZE, 64);
    ns_frames_transmit(&frames, sent, 1);
    NS_EQUAL(1, ns_frames_reclaim(&frames, 1));
    NS_EQUAL(COUNT - 2, frames.in[NS_FRAME_FREE]);
    NS_EQUAL(1, frames.in[NS_FRAME_HELD]);
    NS_EQUAL(1, frames.in[NS_FRAME_FILL]);
    ns_frames_destroy(&frames);
}

/* Tests both sides of a ring with cursors that pass 2^32, in steps of any length. */
NS_TEST(cursors_wrap) {
    uint64_t entries[8];
    uint32_t producer = UINT32_MAX - 20, consumer = producer;
    struct ns_xring in = {.producer = &producer, .consumer = &consumer, .entries = entries, .size = 8, .own = producer};
    struct ns_xring out = in;
    uint64_t written = 0, read = 0;

    for (unsigned i = 0; i < 1000; i++) {
        uint32_t room = ns_xring_room(&in), put = any(room + 1), take;

        NS_EQUAL(8 - (written - read), room);
        for (uint32_t k = 0; k < put; k++)
            entries[ns_xring_next(&in)] = written++;
        NS_EQUAL(written - put - read, ns_xring_ready(&out));
        ns_xring_publish(&in);
        NS_EQUAL(written - read, ns_xring_ready(&out));
        NS_EQUAL(written - read, ns_xring_pending(&in));
        take = any(ns_xring_ready(&out) + 1);
        for (uint32_t k = 0; k < take; k++)
            NS_EQUAL(read++, entries[ns_xring_next(&out)]);
        ns_xring_give_back(&out);
    }
    NS_CHECK(producer < 100000);
}

NS_TEST(a_cursor_out_of_range_is_nothing) {
    uint32_t producer = 9, consumer = 0;
    struct ns_xring ring = {.producer = &producer, .consumer = &consumer, .size = 8};

    NS_EQUAL(0, ns_xring_ready(&ring));
    ring.own = 9;
    NS_EQUAL(0, ns_xring_room(&ring));
    NS_EQUAL(0, ns_xring_pending(&ring));
}

int main(void) {
    NS_RUN(a_frame_goes_round);
    NS_RUN(a_second_completion_is_refused);
    NS_RUN(addresses_that_are_not_ours_are_refused);
    NS_RUN(any_sequence_leaves_every_frame_in_one_place);
    NS_RUN(a_closed_port_gives_its_frames_back);
    NS_RUN(cursors_wrap);
    NS_RUN(a_cursor_out_of_range_is_nothing);
    return ns_test_end();
}
