/* SPDX-License-Identifier: Apache-2.0 */
/* Holds ns_ring.h to tests/vectors/ring.txt, line by line, and ns_memfd.h to its promises. */
#include "ns_memfd.h"
#include "ns_test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define OFFSET(name, type, field)                                                                                      \
    { name, offsetof(struct type, field) }

static const struct entry {
    const char *name;
    uint64_t value;
} entries[] = {
    {"d.magic", NS_RING_D_MAGIC},
    {"s.magic", NS_RING_S_MAGIC},
    {"major", NS_RING_MAJOR},
    {"minor", NS_RING_MINOR},
    {"slots.default", NS_RING_SLOTS_DEFAULT},
    {"slot.size", NS_RING_SLOT_SIZE},
    {"headroom", NS_RING_HEADROOM},
    {"tailroom", NS_RING_TAILROOM},
    {"packet.max", NS_RING_PACKET_MAX},
    {"batch", NS_RING_BATCH},
    {"d.header.size", sizeof(struct ns_ring_d)},
    OFFSET("d.magic.offset", ns_ring_d, magic),
    OFFSET("d.major.offset", ns_ring_d, major),
    OFFSET("d.minor.offset", ns_ring_d, minor),
    OFFSET("d.slots.offset", ns_ring_d, slots),
    OFFSET("d.slot.size.offset", ns_ring_d, slot_size),
    OFFSET("d.records.offset", ns_ring_d, records),
    OFFSET("d.record.flows.offset", ns_ring_d, record_flows),
    OFFSET("d.record.counts.offset", ns_ring_d, record_counts),
    OFFSET("d.record.relays.offset", ns_ring_d, record_relays),
    OFFSET("d.produced.offset", ns_ring_d, produced),
    OFFSET("d.pktio.sleeps.offset", ns_ring_d, pktio_sleeps),
    OFFSET("d.taken.offset", ns_ring_d, taken),
    OFFSET("d.forwarded.offset", ns_ring_d, forwarded),
    {"d.desc.offset", NS_RING_D_DESC},
    {"desc.size", sizeof(struct ns_ring_desc)},
    OFFSET("desc.seq.offset", ns_ring_desc, seq),
    OFFSET("desc.slot.offset", ns_ring_desc, slot),
    OFFSET("desc.offset.offset", ns_ring_desc, offset),
    OFFSET("desc.length.offset", ns_ring_desc, length),
    OFFSET("desc.mark.offset", ns_ring_desc, mark),
    OFFSET("desc.ifindex.offset", ns_ring_desc, ifindex),
    OFFSET("desc.mtu.offset", ns_ring_desc, mtu),
    OFFSET("desc.family.offset", ns_ring_desc, family),
    OFFSET("desc.flags.offset", ns_ring_desc, flags),
    OFFSET("desc.usec.offset", ns_ring_desc, usec),
    {"flag.copy", NS_RING_F_COPY},
    {"record.flows", NS_RING_RECORD_FLOWS},
    {"record.counts", NS_RING_RECORD_COUNTS},
    {"record.size", sizeof(struct ns_ring_record)},
    OFFSET("record.version.offset", ns_ring_record, version),
    OFFSET("record.state.offset", ns_ring_record, state),
    OFFSET("record.seq.offset", ns_ring_record, seq),
    OFFSET("record.family.offset", ns_ring_record, family),
    OFFSET("record.protocol.offset", ns_ring_record, protocol),
    OFFSET("record.ttl.offset", ns_ring_record, ttl),
    OFFSET("record.source.offset", ns_ring_record, source),
    OFFSET("record.destination.offset", ns_ring_record, destination),
    OFFSET("record.source.port.offset", ns_ring_record, source_port),
    OFFSET("record.destination.port.offset", ns_ring_record, destination_port),
    OFFSET("record.packets.offset", ns_ring_record, packets),
    OFFSET("record.bytes.offset", ns_ring_record, bytes),
    OFFSET("record.last.usec.offset", ns_ring_record, last_usec),
    {"record.free", NS_RECORD_FREE},
    {"record.offloaded", NS_RECORD_OFFLOADED},
    {"record.ended.idle", NS_RECORD_ENDED_IDLE},
    {"record.ended.time", NS_RECORD_ENDED_TIME},
    {"record.ended.revoked", NS_RECORD_ENDED_REVOKED},
    {"record.counted", NS_RECORD_COUNTED},
    {"relays", NS_RING_RELAYS},
    {"relay.size", sizeof(struct ns_ring_relay)},
    OFFSET("relay.answer.offset", ns_ring_relay, answer),
    OFFSET("relay.to.peer.offset", ns_ring_relay, to_peer),
    OFFSET("relay.to.client.offset", ns_ring_relay, to_client),
    OFFSET("way.packets.offset", ns_ring_way, packets),
    OFFSET("way.bytes.offset", ns_ring_way, bytes),
    OFFSET("way.last.usec.offset", ns_ring_way, last_usec),
    {"relay.free", NS_RELAY_FREE},
    {"relay.active", NS_RELAY_ACTIVE},
    {"relay.refused", NS_RELAY_REFUSED},
    {"relay.ended", NS_RELAY_ENDED},
#define NS_X(name, text) {"relay.refused." #name, NS_RELAY_REFUSED_##name},
    NS_RELAY_REFUSALS(NS_X)
#undef NS_X
        {"asks", NS_RING_ASKS},
    {"ask.size", sizeof(struct ns_ring_ask)},
    {"ask.magic", NS_RELAY_MAGIC},
    OFFSET("ask.magic.offset", ns_ring_ask, magic),
    OFFSET("ask.number.offset", ns_ring_ask, number),
    OFFSET("ask.place.offset", ns_ring_ask, place),
    OFFSET("ask.seconds.offset", ns_ring_ask, seconds),
    OFFSET("ask.what.offset", ns_ring_ask, what),
    OFFSET("ask.client.offset", ns_ring_ask, client),
    OFFSET("ask.peer.offset", ns_ring_ask, peer),
    OFFSET("ask.client.address.offset", ns_ring_ask, client_address),
    OFFSET("ask.server.address.offset", ns_ring_ask, server_address),
    OFFSET("ask.relayed.address.offset", ns_ring_ask, relayed_address),
    OFFSET("ask.peer.address.offset", ns_ring_ask, peer_address),
    OFFSET("ask.client.port.offset", ns_ring_ask, client_port),
    OFFSET("ask.server.port.offset", ns_ring_ask, server_port),
    OFFSET("ask.relayed.port.offset", ns_ring_ask, relayed_port),
    OFFSET("ask.peer.port.offset", ns_ring_ask, peer_port),
    OFFSET("ask.channel.offset", ns_ring_ask, channel),
    {"ask.bind", NS_RELAY_BIND},
    {"ask.refresh", NS_RELAY_REFRESH},
    {"ask.unbind", NS_RELAY_UNBIND},
#define NS_X(name, text) {"serval.refused." #name, NS_SERVAL_REFUSED_##name},
    NS_SERVAL_REFUSALS(NS_X)
#undef NS_X
        {"serval.size", sizeof(struct ns_serval_ask)},
    {"serval.magic", NS_SERVAL_MAGIC},
    OFFSET("serval.number.offset", ns_serval_ask, number),
    OFFSET("serval.place.offset", ns_serval_ask, place),
    OFFSET("serval.seconds.offset", ns_serval_ask, seconds),
    OFFSET("serval.what.offset", ns_serval_ask, what),
    OFFSET("serval.family.offset", ns_serval_ask, family),
    OFFSET("serval.bits.offset", ns_serval_ask, bits),
    OFFSET("serval.router.offset", ns_serval_ask, router),
    OFFSET("serval.target.offset", ns_serval_ask, target),
    OFFSET("serval.id.offset", ns_serval_ask, id),
    OFFSET("serval.router.port.offset", ns_serval_ask, router_port),
    OFFSET("serval.target.port.offset", ns_serval_ask, target_port),
    OFFSET("serval.weight.offset", ns_serval_ask, weight),
    OFFSET("serval.rule.offset", ns_serval_ask, rule),
    {"serval.place.rules", NS_SERVAL_PLACE},
    OFFSET("rules.active.offset", ns_ring_rules, active),
    OFFSET("rules.refused.offset", ns_ring_rules, refused),
    {"serval.target", NS_SERVAL_ASK_TARGET},
    {"serval.module", NS_SERVAL_ASK_MODULE},
    {"serval.peer", NS_SERVAL_ASK_PEER},
    {"serval.remove", NS_SERVAL_ASK_REMOVE},
#define NS_X(name, text) {"template.refused." #name, NS_ANSWER_REFUSED_##name},
    NS_ANSWER_REFUSALS(NS_X)
#undef NS_X
        {"template.size", sizeof(struct ns_answer_ask)},
    {"template.magic", NS_ANSWER_MAGIC},
    OFFSET("template.number.offset", ns_answer_ask, number),
    OFFSET("template.place.offset", ns_answer_ask, place),
    OFFSET("template.what.offset", ns_answer_ask, what),
    OFFSET("template.at.offset", ns_answer_ask, at),
    OFFSET("template.length.offset", ns_answer_ask, length),
    OFFSET("template.bytes.offset", ns_answer_ask, bytes),
    {"template.piece", sizeof((struct ns_answer_ask *)0)->bytes},
    {"template.put", NS_ANSWER_PUT},
    {"template.arm", NS_ANSWER_ARM},
    {"template.withdraw", NS_ANSWER_WITHDRAW},
    OFFSET("entry.family.offset", ns_answer_entry, family),
    OFFSET("entry.fields.offset", ns_answer_entry, fields),
    OFFSET("entry.seconds.offset", ns_answer_entry, seconds),
    OFFSET("entry.budget.offset", ns_answer_entry, budget),
    OFFSET("entry.source.offset", ns_answer_entry, source),
    OFFSET("entry.destination.offset", ns_answer_entry, destination),
    OFFSET("entry.source.port.offset", ns_answer_entry, source_port),
    OFFSET("entry.destination.port.offset", ns_answer_entry, destination_port),
    OFFSET("entry.message.offset", ns_answer_entry, message),
    OFFSET("entry.reply.offset", ns_answer_entry, reply),
    OFFSET("entry.tag.offset", ns_answer_entry, tag),
    OFFSET("entry.field.offset", ns_answer_entry, field),
    {"entry.size", sizeof(struct ns_answer_entry)},
    OFFSET("field.from.offset", ns_answer_field, from),
    OFFSET("field.to.offset", ns_answer_field, to),
    OFFSET("field.length.offset", ns_answer_field, length),
    OFFSET("field.kind.offset", ns_answer_field, kind),
    {"field.size", sizeof(struct ns_answer_field)},
    {"field.same", NS_ANSWER_SAME},
    {"field.text", NS_ANSWER_TEXT},
    {"field.digits", NS_ANSWER_DIGITS},
    {"field.hashed", NS_ANSWER_HASHED},
    {"template.message.most", NS_ANSWER_MESSAGE},
    {"template.growth", NS_ANSWER_GROWTH},
    {"template.fields", NS_ANSWER_FIELDS},
    {"template.field.most", NS_ANSWER_FIELD},
    {"template.tag", NS_ANSWER_TAG},
    {"template.no.tag", NS_ANSWER_NO_TAG},
    {"s.header.size", sizeof(struct ns_ring_s)},
    OFFSET("s.magic.offset", ns_ring_s, magic),
    OFFSET("s.major.offset", ns_ring_s, major),
    OFFSET("s.minor.offset", ns_ring_s, minor),
    OFFSET("s.consumed.offset", ns_ring_s, consumed),
    OFFSET("s.answered.offset", ns_ring_s, answered),
    OFFSET("s.container.sleeps.offset", ns_ring_s, container_sleeps),
    OFFSET("s.asked.offset", ns_ring_s, asked),
    {"s.verdict.offset", NS_RING_S_VERDICT},
    {"verdict.size", sizeof(struct ns_ring_verdict)},
    OFFSET("verdict.seq.offset", ns_ring_verdict, seq),
    OFFSET("verdict.code.offset", ns_ring_verdict, code),
    OFFSET("verdict.offset.offset", ns_ring_verdict, offset),
    OFFSET("verdict.length.offset", ns_ring_verdict, length),
    {"verdict.pass", NS_VERDICT_PASS},
    {"verdict.drop", NS_VERDICT_DROP},
    {"verdict.changed", NS_VERDICT_CHANGED},
    {"verdict.stolen", NS_VERDICT_STOLEN},
    {"verdict.mask", NS_VERDICT_MASK},
    {"verdict.offload", NS_VERDICT_OFFLOAD},
    {"verdict.seconds.shift", NS_VERDICT_SECONDS},
};

#define ENTRIES (sizeof entries / sizeof entries[0])

/* Computes a value from its name, if the name ends in a number of slots. */
static uint64_t sized(const char *name, int *known) {
    unsigned slots;

    *known = 1;
    if (sscanf(name, "d.records.%u", &slots) == 1)
        return ns_ring_d_records(slots);
    if (sscanf(name, "d.bytes.%u", &slots) == 1)
        return ns_ring_d_bytes(slots);
    if (sscanf(name, "s.slots.offset.%u", &slots) == 1)
        return ns_ring_s_slots(slots);
    if (sscanf(name, "s.asks.offset.%u", &slots) == 1)
        return ns_ring_s_asks(slots);
    if (sscanf(name, "s.bytes.%u", &slots) == 1)
        return ns_ring_s_bytes(slots);
    *known = 0;
    return 0;
}

NS_TEST(ring_is_as_in_the_vectors) {
    FILE *file = fopen("tests/vectors/ring.txt", "r");
    char line[256], name[128];
    unsigned long long value;
    size_t found = 0;

    NS_CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        int known = 0;
        uint64_t ours = 0;

        if (line[0] == '#')
            continue;
        NS_EQUAL(2, sscanf(line, "%127[^=]=%llu", name, &value));
        for (size_t i = 0; i < ENTRIES && !known; i++) {
            if (strcmp(entries[i].name, name) == 0) {
                ours = entries[i].value;
                known = 1;
                found++;
            }
        }
        if (!known)
            ours = sized(name, &known);
        NS_CHECK(known);
        NS_EQUAL(value, ours);
    }
    fclose(file);
    NS_EQUAL(ENTRIES, found);
}

NS_TEST(regions_are_sealed_and_stay_read_only) {
    struct ns_ring_fds fds;
    struct ns_ring_map map;
    struct stat info;

    NS_EQUAL(0, ns_ring_create(128, &fds));
    NS_CHECK(ftruncate(fds.desc_rw, 0) != 0 && errno == EPERM);
    NS_CHECK(ftruncate(fds.slots, 1 << 30) != 0 && errno == EPERM);
    NS_EQUAL(0, fstat(fds.desc_ro, &info));
    NS_EQUAL(0600, info.st_mode & 07777);
    NS_CHECK(fcntl(fds.desc_ro, F_GETFD) == FD_CLOEXEC && (fcntl(fds.desc_ro, F_GETFL) & O_ACCMODE) == O_RDONLY);
    NS_CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds.desc_ro, 0) == MAP_FAILED);
    NS_EQUAL(0, ns_ring_map(&map, fds.desc_ro, fds.slots, 128, 0));
    NS_CHECK(mprotect(map.d, 4096, PROT_READ | PROT_WRITE) != 0 && errno == EACCES);
    ns_ring_unmap(&map);
    ns_ring_close(&fds);
}

NS_TEST(only_a_ring_is_mapped) {
    struct ns_ring_fds fds;
    struct ns_ring_map map;
    int pipes[2];
    uint32_t wrong = 7;

    NS_CHECK(ns_ring_create(63, &fds) != 0 && errno == EINVAL);
    NS_CHECK(ns_ring_create(96, &fds) != 0 && ns_ring_create(32768, &fds) != 0);
    NS_EQUAL(0, ns_ring_create(64, &fds));
    NS_CHECK(ns_ring_map(&map, fds.desc_rw, fds.slots, 128, 1) != 0 && errno == EBADMSG);
    NS_EQUAL(0, pipe(pipes));
    NS_CHECK(ns_ring_map(&map, pipes[0], fds.slots, 64, 1) != 0);
    NS_EQUAL(4, pwrite(fds.slots, &wrong, 4, 0)); /* the container's header is not read */
    NS_EQUAL(0, ns_ring_map(&map, fds.desc_rw, fds.slots, 64, 1));
    ns_ring_unmap(&map);
    NS_EQUAL(4, pwrite(fds.desc_rw, &wrong, 4, 0));
    NS_CHECK(ns_ring_map(&map, fds.desc_rw, fds.slots, 64, 1) != 0 && errno == EBADMSG);
    close(pipes[0]);
    close(pipes[1]);
    ns_ring_close(&fds);
}

/* Makes region D of minor version 0: it is shorter, and the fields of later versions are 0. */
static void older_region(uint32_t slots, int *fd) {
    struct ns_ring_d d = {NS_RING_D_MAGIC, NS_RING_MAJOR, 0, slots, NS_RING_SLOT_SIZE, .records = 0};

    NS_EQUAL(0, ns_memfd_create("older", ns_ring_d_records(slots), fd, NULL));
    NS_EQUAL((ssize_t)sizeof d, pwrite(*fd, &d, sizeof d, 0));
}

NS_TEST(a_ring_without_records_is_taken_as_it_is) {
    struct ns_ring_fds fds;
    struct ns_ring_map map;
    uint16_t minor = 0;
    int older;

    NS_EQUAL(0, ns_ring_create(64, &fds));
    NS_EQUAL(0, ns_ring_map(&map, fds.desc_rw, fds.slots, 64, 1));
    NS_EQUAL(ns_ring_d_bytes(64), map.d_bytes);
    NS_CHECK((uint8_t *)map.records == (uint8_t *)map.d + ns_ring_d_records(64));
    NS_CHECK((uint8_t *)map.relays == (uint8_t *)&map.records[NS_RING_RECORD_FLOWS + NS_RING_RECORD_COUNTS]);
    map.relays[NS_RING_RELAYS - 1].reserved[4] = 1; /* the last record is mapped, and the last question */
    map.ask[NS_RING_ASKS - 1].zero2[2] = 1;
    ns_ring_unmap(&map);

    older_region(64, &older);
    NS_EQUAL(0, ns_ring_map(&map, older, fds.slots, 64, 1));
    NS_CHECK(map.records == NULL && map.d_bytes == ns_ring_d_records(64));
    ns_ring_unmap(&map);

    NS_EQUAL(2, pwrite(fds.desc_rw, &minor, 2, offsetof(struct ns_ring_d, minor)));
    NS_EQUAL(0, ns_ring_map(&map, fds.desc_rw, fds.slots, 64, 1));
    NS_CHECK(map.records == NULL);
    ns_ring_unmap(&map);
    close(older);
    ns_ring_close(&fds);
}

/* Makes both regions of minor version 1: they end before the relays and the questions. */
NS_TEST(a_ring_without_relays_is_taken_as_it_is) {
    struct ns_ring_d d = {NS_RING_D_MAGIC,
                          NS_RING_MAJOR,
                          1,
                          64,
                          NS_RING_SLOT_SIZE,
                          .records = (uint32_t)ns_ring_d_records(64),
                          .record_flows = NS_RING_RECORD_FLOWS,
                          .record_counts = NS_RING_RECORD_COUNTS};
    struct ns_ring_fds fds;
    struct ns_ring_map map;
    int first, second;

    NS_EQUAL(0, ns_ring_create(64, &fds));
    NS_EQUAL(0, ns_memfd_create("older", ns_ring_d_bytes_1(64), &first, NULL));
    NS_EQUAL(0, ns_memfd_create("older", ns_ring_s_asks(64), &second, NULL));
    NS_EQUAL((ssize_t)sizeof d, pwrite(first, &d, sizeof d, 0));
    NS_EQUAL(0, ns_ring_map(&map, first, second, 64, 1));
    NS_CHECK(map.records != NULL && map.relays == NULL && map.ask == NULL);
    ns_ring_unmap(&map);
    NS_EQUAL(0, ns_ring_map(&map, fds.desc_rw, second, 64, 1)); /* one region alone is not enough */
    NS_CHECK(map.records != NULL && map.relays == NULL && map.ask == NULL);
    ns_ring_unmap(&map);
    close(first);
    close(second);
    ns_ring_close(&fds);
}

int main(void) {
    NS_RUN(ring_is_as_in_the_vectors);
    NS_RUN(regions_are_sealed_and_stay_read_only);
    NS_RUN(only_a_ring_is_mapped);
    NS_RUN(a_ring_without_records_is_taken_as_it_is);
    NS_RUN(a_ring_without_relays_is_taken_as_it_is);
    return ns_test_end();
}
