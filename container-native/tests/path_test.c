/* SPDX-License-Identifier: Apache-2.0 */
/* The packet path: verdicts, deadlines, folding, a hostile container, a restart. */
#include "ns_log.h"
#include "rig.h"

static void answer_turned(struct rig *rig, uint32_t seq) {
    uint32_t at = rig_desc(rig, seq)->offset;
    size_t n = udp4(rig_slot(rig, seq) + at, "198.51.100.2", 2000, "192.0.2.1", 1000, 40);

    rig_say(rig, seq, NS_VERDICT_CHANGED, at, (uint32_t)n);
}

NS_TEST(each_verdict_reaches_the_kernel) {
    struct rig *rig = rig_open();
    uint8_t *slot;

    for (uint32_t id = 1; id <= 4; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    NS_EQUAL(4, rig->counters.held);
    slot = rig_slot(rig, 2);
    slot[rig_desc(rig, 2)->offset + 40] = '!';
    rig_say(rig, 0, NS_VERDICT_PASS, 0, 0);
    rig_say(rig, 1, NS_VERDICT_DROP, 0, 0);
    rig_say(rig, 2, NS_VERDICT_CHANGED, rig_desc(rig, 2)->offset, 128);
    answer_turned(rig, 3);
    rig_turn(rig, 2);
    NS_CHECK(rig_passed(rig, 1));
    NS_EQUAL(NF_DROP, rig->fates[2].verdict);
    NS_CHECK(rig->fates[3].verdict == NF_ACCEPT && rig->fates[3].payload[40] == '!' && !rig->fates[3].has_mark);
    NS_CHECK(rig->fates[4].verdict == NF_REPEAT && rig->fates[4].mark == 0x00400011 && rig->fates[4].length == 68);
    NS_EQUAL(64, rig->fates[4].payload[8]);
    NS_CHECK(rig->counters.passed == 1 && rig->counters.dropped == 1 && rig->counters.changed == 1);
    NS_CHECK(rig->counters.turned == 1 && rig->counters.held == 0 && rig->counters.delivered == 4);
    NS_EQUAL(4, rig->p.ring.d->taken);
    rig_close(rig);
}

NS_TEST(descriptors_tell_the_packet) {
    static uint8_t packet[NS_RING_PACKET_MAX + 1];
    struct rig *rig = rig_open();

    for (uint32_t data = 0, id = 1; data + 28 <= NS_RING_PACKET_MAX; data++, id++) {
        size_t n = udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, data);
        uint32_t seq = (uint32_t)rig->p.produced;
        const struct ns_ring_desc *desc;

        NS_CHECK(rig_packet(rig, id, false, packet, n, 5000));
        rig_turn(rig, 5001);
        rig_consume(rig);
        desc = rig_desc(rig, seq);
        NS_CHECK(desc->seq == seq && desc->length == n && desc->mark == 0x11 && desc->ifindex == 3);
        NS_CHECK(desc->mtu == 1500 && desc->family == 4 && desc->flags == 0 && desc->usec == 5);
        NS_CHECK(desc->offset >= NS_RING_HEADROOM && desc->offset + n <= NS_RING_SLOT_SIZE - NS_RING_TAILROOM);
        NS_EQUAL(0, memcmp(rig_slot(rig, seq) + desc->offset, packet, n));
        rig_say(rig, seq, NS_VERDICT_PASS, 0, 0);
        rig_turn(rig, 5002);
        NS_CHECK(rig_passed(rig, id));
    }
    rig_close(rig);
}

NS_TEST(what_cannot_be_delivered_passes) {
    static uint8_t packet[4096];
    struct rig *rig = rig_open();
    size_t n = udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, NS_RING_PACKET_MAX - 28 + 1);

    NS_CHECK(!rig_packet(rig, 1, false, packet, n, 0));
    n = udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, 50);
    for (size_t cut = 1; cut < n; cut++)
        NS_CHECK(!rig_packet(rig, 1 + (uint32_t)cut, false, packet, cut, 0));
    rig_turn(rig, 1);
    for (uint32_t id = 1; id <= n; id++)
        NS_CHECK(rig_passed(rig, id));
    NS_CHECK(rig->counters.too_long == 1 && rig->counters.malformed_in == n - 1 && rig->counters.delivered == 0);
    rig_close(rig);
}

NS_TEST(deadline_passes_and_keeps_the_slot) {
    struct rig *rig = rig_open();

    for (uint32_t id = 1; id <= RIG_SLOTS; id++)
        NS_CHECK(rig_udp(rig, id, id * MS));
    rig_turn(rig, 201 * MS - 1);
    NS_EQUAL(0, rig->counters.deadline);
    rig_turn(rig, 201 * MS);
    NS_CHECK(rig->counters.deadline == 1 && rig_passed(rig, 1) && !rig->fates[2].answered);
    NS_EQUAL(202 * MS, ns_table_deadline(&rig->p.table));
    rig_turn(rig, 1000 * MS);
    NS_CHECK(rig->counters.deadline == RIG_SLOTS && rig->counters.held == 0);
    NS_CHECK(!rig_udp(rig, 500, 1001 * MS)); /* all slots are still lent to the container */
    rig_consume(rig);
    rig_turn(rig, 1002 * MS);
    NS_CHECK(!rig_udp(rig, 501, 1002 * MS));
    NS_EQUAL(2, rig->counters.ring_full);
    rig_say(rig, 9, NS_VERDICT_DROP, 0, 0); /* a late verdict only frees the slot */
    rig_turn(rig, 1003 * MS);
    NS_CHECK(rig->counters.stale_verdict == 1 && rig->counters.dropped == 0 && rig_passed(rig, 10));
    NS_CHECK(rig_udp(rig, 502, 1004 * MS));
    rig_close(rig);
}

NS_TEST(stolen_is_bounded_in_number_and_time) {
    struct rig *rig = rig_open();

    for (uint32_t id = 1; id <= 6; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    for (uint32_t seq = 0; seq < 6; seq++)
        rig_say(rig, seq, NS_VERDICT_STOLEN, 0, 0);
    rig_say(rig, 0, NS_VERDICT_STOLEN, 0, 0); /* no second time */
    rig_turn(rig, 10 * MS);
    NS_CHECK(rig->counters.stolen == 4 && rig->counters.steal_full == 2 && rig->counters.stale_verdict == 1);
    NS_CHECK(rig_passed(rig, 5) && rig_passed(rig, 6) && rig->counters.held == 4);
    rig_turn(rig, 300 * MS); /* past the ordinary deadline */
    NS_EQUAL(4, rig->counters.held);
    answer_turned(rig, 2);
    rig_say(rig, 4, NS_VERDICT_PASS, 0, 0); /* one too many were stolen, so this one has passed already */
    rig_turn(rig, 301 * MS);
    NS_CHECK(rig->counters.turned == 1 && rig->fates[3].verdict == NF_REPEAT && rig->counters.stale_verdict == 2);
    rig_turn(rig, 5010 * MS);
    NS_CHECK(rig->counters.steal_deadline == 3 && rig->counters.deadline == 0 && rig->counters.held == 0);
    NS_CHECK(rig_passed(rig, 1) && rig_passed(rig, 2) && rig_passed(rig, 4));
    rig_close(rig);
}

NS_TEST(one_out_for_one_in) {
    struct rig *rig = rig_open();

    NS_CHECK(rig_udp(rig, 1, 0));
    rig_turn(rig, 1);
    answer_turned(rig, 0);
    answer_turned(rig, 0);
    rig_say(rig, 0, NS_VERDICT_PASS, 0, 0);
    rig_turn(rig, 2);
    answer_turned(rig, 0);
    rig_turn(rig, 3);
    NS_CHECK(rig->counters.turned == 1 && rig->fates[1].answered == 1 && rig->counters.stale_verdict == 3);
    rig_close(rig);
}

NS_TEST(copies_go_on_at_once) {
    uint8_t packet[256];
    size_t n = udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, 50);
    struct rig *rig = rig_open();

    NS_CHECK(rig_packet(rig, 1, true, packet, n, 0));
    NS_CHECK(rig->fates[1].verdict == NF_REPEAT && rig->fates[1].mark == 0x00800011 && !rig->fates[1].has_payload);
    rig_turn(rig, 1);
    NS_CHECK(rig_desc(rig, 0)->flags == NS_RING_F_COPY && rig->counters.held == 0);
    rig_turn(rig, 10000 * MS);
    rig_say(rig, 0, NS_VERDICT_DROP, 0, 0);
    rig_turn(rig, 10001 * MS);
    NS_CHECK(rig->counters.copies == 1 && rig->counters.dropped == 0 && rig->counters.deadline == 0);
    NS_EQUAL(0, rig->counters.stale_verdict);
    NS_EQUAL(RIG_SLOTS, rig->p.table.free.count);
    rig_close(rig);
}

NS_TEST(nonsense_verdicts_pass_the_original) {
    static const struct {
        uint32_t code, offset, length;
        size_t counter;
    } cases[] = {
        {4, 0, 0, offsetof(struct ns_counters, bad_code)},
        {UINT32_MAX, 0, 0, offsetof(struct ns_counters, bad_code)},
        {NS_VERDICT_CHANGED, 0, 0, offsetof(struct ns_counters, bad_bounds)},
        {NS_VERDICT_CHANGED, 0, NS_RING_SLOT_SIZE + 1, offsetof(struct ns_counters, bad_bounds)},
        {NS_VERDICT_CHANGED, NS_RING_SLOT_SIZE, 1, offsetof(struct ns_counters, bad_bounds)},
        {NS_VERDICT_CHANGED, NS_RING_SLOT_SIZE + 1, 0, offsetof(struct ns_counters, bad_bounds)},
        {NS_VERDICT_CHANGED, UINT32_MAX, 2, offsetof(struct ns_counters, bad_bounds)},
        {NS_VERDICT_CHANGED, 2, UINT32_MAX, offsetof(struct ns_counters, bad_bounds)},
        {NS_VERDICT_CHANGED, 0, NS_RING_SLOT_SIZE, offsetof(struct ns_counters, bad_packet)},
        {NS_VERDICT_CHANGED, NS_RING_HEADROOM, 127, offsetof(struct ns_counters, bad_packet)},
        {NS_VERDICT_CHANGED, NS_RING_HEADROOM, 129, offsetof(struct ns_counters, bad_packet)},
        {NS_VERDICT_CHANGED, NS_RING_SLOT_SIZE - 1, 1, offsetof(struct ns_counters, bad_packet)},
    };
    struct rig *rig = rig_open();

    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t *counter = (uint64_t *)((char *)&rig->counters + cases[i].counter), old = *counter;

        NS_CHECK(rig_udp(rig, i + 1, 0));
        rig_turn(rig, 1);
        rig_say(rig, i, cases[i].code, cases[i].offset, cases[i].length);
        rig_turn(rig, 2);
        NS_CHECK(rig_passed(rig, i + 1));
        NS_EQUAL(old + 1, *counter);
    }
    rig_say(rig, 12345, NS_VERDICT_PASS, 0, 0); /* never sent */
    rig_turn(rig, 3);
    NS_EQUAL(1, rig->counters.stale_verdict);
    rig_close(rig);
}

NS_TEST(foreign_addresses_pass_the_original) {
    struct rig *rig = rig_open();
    uint32_t at;

    NS_CHECK(rig_udp(rig, 1, 0) && rig_udp(rig, 2, 0));
    rig_turn(rig, 1);
    at = rig_desc(rig, 0)->offset;
    rig_say(rig, 0, NS_VERDICT_CHANGED, at,
            (uint32_t)udp4(rig_slot(rig, 0) + at, "198.51.100.2", 2000, "203.0.113.3", 1000, 40));
    rig_say(rig, 1, NS_VERDICT_CHANGED, at,
            (uint32_t)udp4(rig_slot(rig, 1) + at, "203.0.113.3", 2000, "192.0.2.1", 1000, 40));
    rig_turn(rig, 2);
    NS_CHECK(rig_passed(rig, 1) && rig_passed(rig, 2) && rig->counters.egress_denied == 2);
    rig_close(rig);
}

static void corrupt(uint64_t consumed, uint64_t answered) {
    struct rig *rig = rig_open();

    for (uint32_t id = 1; id <= 10; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    rig->p.ring.s->consumed = consumed;
    rig->p.ring.s->answered = answered;
    rig_turn(rig, 2);
    NS_CHECK(rig->p.abandoned && rig->counters.ring_corrupt == 11);
    for (uint32_t id = 1; id <= 10; id++)
        NS_CHECK(rig_passed(rig, id));
    NS_CHECK(!rig_udp(rig, 11, 3));
    rig->p.ring.s->consumed = rig->p.ring.s->answered = 0; /* its cursors no longer matter */
    rig_turn(rig, 4);
    NS_CHECK(rig_passed(rig, 11) && rig->p.abandoned && rig->counters.ring_corrupt == 12);
    NS_EQUAL(0, ns_pktio_reopen(&rig->p));
    NS_CHECK(rig_udp(rig, 12, 5));
    rig_turn(rig, 6);
    rig_say(rig, 10, NS_VERDICT_PASS, 0, 0);
    rig_turn(rig, 7);
    NS_CHECK(rig_passed(rig, 12) && rig->counters.passed == 1);
    rig_close(rig);
}

NS_TEST(cursors_out_of_range_abandon_the_ring) {
    corrupt(11, 0);
    corrupt(UINT64_MAX, 0);
    corrupt(1ull << 63, 0);
    corrupt(0, 2 * RIG_SLOTS + 1);
    corrupt(0, UINT64_MAX);
    corrupt(0, 1ull << 32);
}

NS_TEST(batch_verdicts_never_hit_an_older_packet) {
    struct rig *rig = rig_open();

    for (uint32_t id = 1; id <= 40; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    for (uint32_t seq = 0; seq < 40; seq++) {
        if (seq != 20)
            rig_say(rig, seq, seq == 5 ? NS_VERDICT_DROP : NS_VERDICT_PASS, 0, 0);
    }
    rig_turn(rig, 2);
    NS_CHECK(!rig->fates[21].answered && rig->fates[6].verdict == NF_DROP);
    for (uint32_t id = 1; id <= 40; id++)
        NS_CHECK(id == 6 || id == 21 || rig_passed(rig, id));
    NS_EQUAL(1, rig->batches);
    NS_EQUAL(1 + 19, rig->singles);
    rig_say(rig, 20, NS_VERDICT_DROP, 0, 0);
    rig_turn(rig, 3);
    NS_EQUAL(NF_DROP, rig->fates[21].verdict);
    rig_close(rig);
}

/* Passes, changes and steals packets by turns. Packets that go on leave in the order of the answers. */
NS_TEST(packets_leave_in_order) {
    struct rig *rig = rig_open();
    unsigned last = 0;

    for (uint32_t id = 1; id <= 60; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    for (uint32_t seq = 0; seq < 60; seq++) {
        if (seq == 10 || seq == 40)
            rig_say(rig, seq, NS_VERDICT_STOLEN, 0, 0);
        else if (seq % 7 == 3)
            rig_say(rig, seq, NS_VERDICT_CHANGED, rig_desc(rig, seq)->offset, 128);
        else
            rig_say(rig, seq, NS_VERDICT_PASS, 0, 0);
    }
    rig_turn(rig, 2);
    NS_EQUAL(8, rig->counters.changed);
    for (uint32_t id = 1; id <= 60; id++) {
        if (id == 11 || id == 41)
            continue;
        NS_CHECK(rig->fates[id].answered == 1 && (id == 1 || rig->fates[id].turn > last));
        last = rig->fates[id].turn;
    }
    rig_close(rig);
}

NS_TEST(restart_on_the_same_ring) {
    struct rig *rig = rig_open();
    uint32_t in_use[3];

    for (uint32_t id = 1; id <= 50; id++) {
        NS_CHECK(rig_udp(rig, id, 0));
        rig_turn(rig, 1);
        rig_consume(rig);
        if (id <= 47)
            rig_say(rig, id - 1, NS_VERDICT_PASS, 0, 0);
        rig_turn(rig, 2);
    }
    for (uint32_t i = 0; i < 3; i++)
        in_use[i] = rig_desc(rig, 47 + i)->slot;
    rig_kill(rig);
    rig_start(rig);
    NS_CHECK(rig->p.produced == 50 && rig->p.taken == 47);
    NS_EQUAL(RIG_SLOTS - 3, rig->p.table.free.count);
    for (uint32_t id = 1; id <= RIG_SLOTS - 3; id++) { /* fills all but the three slots lent to the container */
        NS_CHECK(rig_udp(rig, id, 10));
        for (uint32_t i = 0; i < 3; i++)
            NS_CHECK(rig_desc(rig, 49 + id)->slot != in_use[i]);
        rig_turn(rig, 11);
        rig_consume(rig);
    }
    NS_CHECK(!rig_udp(rig, 1000, 12));
    rig_say(rig, 48, NS_VERDICT_DROP, 0, 0); /* verdict about a packet of the predecessor */
    rig_say(rig, 48, NS_VERDICT_DROP, 0, 0);
    rig_turn(rig, 13);
    NS_CHECK(rig->counters.stale_verdict == 2 && rig->counters.dropped == 0);
    NS_CHECK(rig_udp(rig, 1001, 14));
    NS_EQUAL(in_use[1], rig_desc(rig, 50 + RIG_SLOTS - 3)->slot);
    rig_say(rig, 50, NS_VERDICT_PASS, 0, 0);
    rig_turn(rig, 15);
    NS_CHECK(rig_passed(rig, 1));
    rig_close(rig);
}

/* Sends three packets at once, and answers them. `slots` gets their slots. */
static void answer_three(struct rig *rig, uint32_t slots[3]) {
    for (uint32_t id = 1; id <= 3; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    rig_consume(rig);
    for (uint32_t i = 0; i < 3; i++) {
        slots[i] = rig_desc(rig, i)->slot;
        rig_say(rig, i, NS_VERDICT_PASS, 0, 0);
    }
    rig_turn(rig, 2);
}

/* The other slots may hold a packet that was stolen so long ago that no descriptor names it. */
NS_TEST(after_a_restart_slots_that_were_given_back_come_first) {
    struct rig *rig = rig_open();
    uint32_t before[3];

    answer_three(rig, before);
    rig_kill(rig);
    rig_start(rig);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t slot;

        NS_CHECK(rig_udp(rig, 4 + i, 3));
        slot = rig_desc(rig, 3 + i)->slot;
        NS_CHECK(slot == before[0] || slot == before[1] || slot == before[2]);
    }
    rig_close(rig);
}

NS_TEST(stop_accepts_everything_held) {
    struct rig *rig = rig_open();

    for (uint32_t id = 1; id <= 7; id++)
        NS_CHECK(rig_udp(rig, id, 0));
    rig_turn(rig, 1);
    rig_say(rig, 3, NS_VERDICT_STOLEN, 0, 0);
    rig_turn(rig, 2);
    NS_EQUAL(7, ns_pktio_accept_all(&rig->p, NULL));
    ns_pktio_flush(&rig->p);
    for (uint32_t id = 1; id <= 7; id++)
        NS_CHECK(rig_passed(rig, id));
    rig_close(rig);
}

NS_TEST(sleep_flags) {
    struct rig *rig = rig_open();

    NS_CHECK(ns_ring_sleep(&rig->p) && rig->p.ring.d->pktio_sleeps == 1);
    ns_ring_wake(&rig->p);
    NS_EQUAL(0, rig->p.ring.d->pktio_sleeps);
    NS_CHECK(rig_udp(rig, 1, 0));
    NS_CHECK(!ns_ring_publish(&rig->p)); /* the container is awake */
    rig->p.ring.s->container_sleeps = 1;
    NS_CHECK(!ns_ring_publish(&rig->p)); /* nothing new */
    NS_CHECK(rig_udp(rig, 2, 0));
    NS_CHECK(ns_ring_publish(&rig->p));
    rig_say(rig, 0, NS_VERDICT_PASS, 0, 0);
    NS_CHECK(!ns_ring_sleep(&rig->p) && rig->p.ring.d->pktio_sleeps == 0);
    rig_turn(rig, 1);
    rig_close(rig);
}

/* With few packets under way few slots are in use. All slots together are more than a processor's caches hold. */
NS_TEST(slots_released_last_are_used_first) {
    struct rig *rig = rig_open();
    uint32_t slots[3];

    answer_three(rig, slots);
    for (uint32_t i = 0; i < 3; i++) {
        NS_CHECK(rig_udp(rig, 4 + i, 3));
        NS_EQUAL(slots[2 - i], rig_desc(rig, 3 + i)->slot);
    }
    rig_close(rig);
}

/*
 * A container writes at random. Each packet is answered exactly once in any case, and the number of slots stays
 * right.
 */
NS_TEST(fuzz_hostile_container) {
    struct rig *rig = rig_open();
    uint64_t seed = 99, now = 0;
    uint32_t id = 0;

    for (int round = 0; round < 30000; round++) {
        uint64_t dice = ns_test_random(&seed);
        uint32_t recent = (uint32_t)(rig->p.produced - dice % 80);

        now += dice % 7 * MS;
        if (dice % 3 == 0 && id + 1 < RIG_IDS)
            rig_udp(rig, ++id, now);
        if (dice % 2 == 0)
            rig_say(rig, recent, (uint32_t)(dice >> 20) % 6, (uint32_t)(dice >> 30) % 300,
                    (uint32_t)(dice >> 40) % 300);
        if (dice % 11 == 0)
            memset(rig_slot(rig, recent), (int)(dice >> 50), 400);
        if (dice % 1000 == 1)
            rig->p.ring.s->answered += dice >> 48;
        rig_consume(rig);
        rig_turn(rig, now);
        if (rig->p.abandoned) {
            NS_EQUAL(0, ns_table_outstanding(&rig->p.table));
            rig->p.ring.s->answered = rig->p.ring.d->taken;
            NS_EQUAL(0, ns_pktio_reopen(&rig->p));
        }
    }
    ns_pktio_accept_all(&rig->p, NULL);
    ns_pktio_flush(&rig->p);
    NS_CHECK(id > 9000);
    for (uint32_t i = 1; i <= id; i++)
        NS_EQUAL(1, rig->fates[i].answered);
    NS_CHECK(rig->counters.ring_corrupt > 0 && rig->counters.bad_code > 0 && rig->counters.stale_verdict > 0);
    NS_CHECK(rig->counters.stolen > 0 && rig->counters.deadline > 0 && rig->counters.passed > 0);
    rig_close(rig);
}

int main(void) {
    setenv("NETSERV_LOG", "none", 1);
    ns_log_open("path_test");
    NS_RUN(each_verdict_reaches_the_kernel);
    NS_RUN(descriptors_tell_the_packet);
    NS_RUN(what_cannot_be_delivered_passes);
    NS_RUN(deadline_passes_and_keeps_the_slot);
    NS_RUN(stolen_is_bounded_in_number_and_time);
    NS_RUN(one_out_for_one_in);
    NS_RUN(copies_go_on_at_once);
    NS_RUN(nonsense_verdicts_pass_the_original);
    NS_RUN(foreign_addresses_pass_the_original);
    NS_RUN(cursors_out_of_range_abandon_the_ring);
    NS_RUN(batch_verdicts_never_hit_an_older_packet);
    NS_RUN(packets_leave_in_order);
    NS_RUN(restart_on_the_same_ring);
    NS_RUN(after_a_restart_slots_that_were_given_back_come_first);
    NS_RUN(slots_released_last_are_used_first);
    NS_RUN(stop_accepts_everything_held);
    NS_RUN(sleep_flags);
    NS_RUN(fuzz_hostile_container);
    return ns_test_end();
}
