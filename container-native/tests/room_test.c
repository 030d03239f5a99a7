/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_test.h"
#include "room.h"

#define PATIENCE 100u
#define ENOUGH 64u

NS_TEST(opens_when_enough_is_free) {
    struct ns_room room = {0};

    NS_CHECK(ns_room_waits(&room, 1000, PATIENCE));
    ns_room_close(&room, 1000);
    NS_CHECK(!ns_room_opens(&room, 63, ENOUGH, 1050, PATIENCE));
    NS_CHECK(ns_room_opens(&room, 64, ENOUGH, 1050, PATIENCE));
    NS_CHECK(!ns_room_opens(&room, 64, ENOUGH, 1051, PATIENCE)); /* once */
    NS_CHECK(!room.closed);
}

NS_TEST(opens_when_patience_is_over_and_nobody_waits_any_more) {
    struct ns_room room = {0};

    ns_room_close(&room, 1000);
    NS_EQUAL(1100, ns_room_until(&room, PATIENCE));
    NS_CHECK(ns_room_waits(&room, 1099, PATIENCE));
    NS_CHECK(!ns_room_opens(&room, 0, ENOUGH, 1099, PATIENCE));
    NS_CHECK(ns_room_opens(&room, 0, ENOUGH, 1100, PATIENCE));
    NS_CHECK(!ns_room_waits(&room, 1100, PATIENCE));
    NS_EQUAL(UINT64_MAX, ns_room_until(&room, PATIENCE));
}

/*
 * A few free slots now and then do not begin the patience anew. Otherwise a slow container would make all packets
 * wait for ever.
 */
NS_TEST(a_stretch_ends_only_when_the_queue_was_empty) {
    struct ns_room room = {0};

    ns_room_close(&room, 1000);
    NS_CHECK(ns_room_opens(&room, 64, ENOUGH, 1060, PATIENCE));
    ns_room_close(&room, 1070);
    NS_EQUAL(1100, ns_room_until(&room, PATIENCE));
    NS_CHECK(ns_room_opens(&room, 0, ENOUGH, 1100, PATIENCE));
    ns_room_emptied(&room);
    NS_CHECK(ns_room_waits(&room, 1200, PATIENCE));
    ns_room_close(&room, 1200);
    NS_EQUAL(1300, ns_room_until(&room, PATIENCE));
}

int main(void) {
    NS_RUN(opens_when_enough_is_free);
    NS_RUN(opens_when_patience_is_over_and_nobody_waits_any_more);
    NS_RUN(a_stretch_ends_only_when_the_queue_was_empty);
    return ns_test_end();
}
