/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the kernel's messages: never reads beyond the received bytes, never invents an id. */
#include "message.h"
#include "rig.h"

/* Parses from an exact heap copy, so that ASan sees a read too far. */
static enum ns_message_kind parse(struct ns_message *message, const uint8_t *bytes, size_t received) {
    size_t kept = received < NS_MESSAGE_HEAD ? received : NS_MESSAGE_HEAD;
    uint8_t *copy = malloc(kept + 1);
    enum ns_message_kind kind;

    memcpy(copy + 1, bytes, kept); /* unaligned on purpose */
    kind = ns_message_parse(message, copy + 1, received);
    free(copy);
    return kind;
}

NS_TEST(packet_message) {
    uint8_t packet[600], datagram[1024];
    size_t n = udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, 500);
    size_t length = rig_datagram(datagram, 77, 0x1234, packet, n);
    struct ns_message m;

    NS_EQUAL(NS_MESSAGE_PACKET, parse(&m, datagram, length));
    NS_CHECK(m.id == 77 && m.mark == 0x1234 && m.ifindex == 3 && m.family == 4);
    NS_CHECK(m.length == n && m.true_length == n && m.payload_offset == length - n);
}

NS_TEST(every_truncation) {
    uint8_t packet[600], datagram[1024];
    size_t length = rig_datagram(datagram, 77, 0x1234, packet, udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, 400));
    struct ns_message m;

    for (size_t cut = 0; cut < length; cut++) { /* cut by a receive buffer that was too small */
        enum ns_message_kind kind = parse(&m, datagram, cut);

        NS_CHECK(kind == NS_MESSAGE_OTHER || (kind == NS_MESSAGE_BAD_BUT && m.id == 77));
    }
    NS_EQUAL(NS_MESSAGE_BAD_BUT, parse(&m, datagram, length - 1)); /* passed by its id, not held for ever */
    for (uint32_t cut = 0; cut < length; cut++) {                  /* the length field is cut, too */
        enum ns_message_kind kind;

        memcpy(datagram, &cut, 4);
        kind = parse(&m, datagram, cut);
        NS_CHECK(kind == NS_MESSAGE_OTHER || (kind == NS_MESSAGE_BAD_BUT && m.id == 77));
    }
}

NS_TEST(refused_request) {
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
    } message = {{.nlmsg_len = sizeof message, .nlmsg_type = NLMSG_ERROR},
                 {.error = -1, .msg = {.nlmsg_type = 0x0302, .nlmsg_seq = 4}}};
    struct ns_message m;

    NS_EQUAL(NS_MESSAGE_ERROR, parse(&m, (uint8_t *)&message, sizeof message));
    NS_CHECK(m.error == 1 && m.request == 0x0302 && m.sequence == 4);
    message.header.nlmsg_len = 20;
    NS_EQUAL(NS_MESSAGE_OTHER, parse(&m, (uint8_t *)&message, sizeof message));
}

NS_TEST(fuzz_300000) {
    uint64_t seed = 31337;
    uint8_t packet[600], datagram[1024];
    size_t n = udp4(packet, "192.0.2.1", 1, "192.0.2.2", 2, 300);
    unsigned packets = 0;

    for (int round = 0; round < 300000; round++) {
        size_t length = rig_datagram(datagram, 77, 0, packet, n);
        struct ns_message m;

        for (unsigned i = (unsigned)(ns_test_random(&seed) % 4); i-- > 0;)
            datagram[ns_test_random(&seed) % 64] = (uint8_t)ns_test_random(&seed);
        if (parse(&m, datagram, length) != NS_MESSAGE_PACKET)
            continue;
        packets++;
        NS_CHECK(m.payload_offset <= NS_MESSAGE_HEAD && m.payload_offset + m.length <= length);
        NS_CHECK(m.true_length >= m.length);
    }
    NS_CHECK(packets > 50000 && packets < 290000);
}

int main(void) {
    NS_RUN(packet_message);
    NS_RUN(every_truncation);
    NS_RUN(refused_request);
    NS_RUN(fuzz_300000);
    return ns_test_end();
}
