/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of sald's parsers, table and names. Each input has memory of its own, so that ASan sees its end. */
#include "dns.h"
#include "listening.h"
#include "ns_bytes.h"
#include "ns_checksum.h"
#include "ns_test.h"
#include "packet.h"
#include "segment.h"
#include "services.h"
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 200000u

static uint64_t seed = 0x53414c;
static uint8_t bytes[NS_SAL_HEADER_MAX + 64];

static void finish(uint8_t *header) {
    size_t length = header[8] * 4u;

    ns_put16(header + 10, 0);
    ns_put16(header + 10, ns_checksum_finish(ns_checksum_add(0, header, length)));
}

/* Reads a copy that ends where the bytes end. */
static enum ns_sal_error read_copy(const uint8_t *from, size_t length, struct ns_sal_packet *packet) {
    uint8_t *copy = malloc(length == 0 ? 1 : length);
    enum ns_sal_error error;

    memcpy(copy, from, length);
    error = ns_sal_read(packet, copy, length);
    if (error == NS_SAL_ERROR_OK && packet->way != NULL) {
        struct ns_sal_address own = ns_sal_address_of(4, "\xc0\0\2\1", 7);
        uint8_t longer[NS_SAL_WAY_MAX];

        for (unsigned i = 0; i < ns_sal_way_count(packet->way); i++)
            ns_sal_way_hop(packet->way, i, 1);
        ns_sal_way_append(longer, packet->way, &own);
    }
    free(copy);
    return error;
}

static struct ns_sal_header full(const uint8_t *way) {
    static const uint8_t id[NS_SAL_ID] = {0x40, 1};

    return (struct ns_sal_header){
        .message = {.source = 7, .destination = 9, .flags = NS_SAL_SYN, .verno = 3, .ackno = 4, .nonce = 5},
        .protocol = 6,
        .service = id,
        .second = id,
        .way = way,
        .capability = 5};
}

static const uint8_t source[] = {0x40, 12, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2};
static const uint8_t hops[24] = {0x60, 24, 0, 0, 0, 0, 0xd4, 0x35, 0x20, 1, 0xd, 0xb8};

NS_TEST(what_is_written_is_read) {
    for (unsigned i = 0; i < 3; i++) {
        const uint8_t *way = i == 0 ? NULL : i == 1 ? source : hops;
        struct ns_sal_header header = full(way);
        struct ns_sal_packet packet;
        size_t length = ns_sal_write(bytes, &header);

        NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(&packet, bytes, length));
        NS_EQUAL(7, packet.message.source);
        NS_EQUAL(9, packet.message.destination);
        NS_EQUAL(NS_SAL_SYN, packet.message.flags);
        NS_EQUAL(3, packet.message.verno);
        NS_EQUAL(4, packet.message.ackno);
        NS_EQUAL(5, packet.message.nonce);
        NS_EQUAL(5, packet.capability);
        NS_CHECK(memcmp(packet.service, header.service, NS_SAL_ID) == 0 && packet.second != NULL);
        NS_CHECK(way == NULL ? packet.way == NULL : memcmp(packet.way, way, way[1]) == 0);
        NS_EQUAL(0, packet.transport_length);
    }
}

NS_TEST(a_capability_may_show_addresses) {
    struct ns_sal_header header = full(hops);
    struct ns_sal_packet packet;
    struct ns_sal_seen seen;

    ns_sal_address_read(&seen.client, "192.0.2.1:7", 1);
    ns_sal_address_read(&seen.server, "[2001:db8::2]:8", 1);
    header.seen = &seen;
    NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(&packet, bytes, ns_sal_write(bytes, &header)));
    NS_EQUAL(5, packet.capability);
    NS_CHECK(packet.has_seen && ns_sal_same(&seen.client, &packet.seen.client) &&
             ns_sal_same(&seen.server, &packet.seen.server));
    header.seen = NULL;
    NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(&packet, bytes, ns_sal_write(bytes, &header)));
    NS_CHECK(!packet.has_seen);
}

NS_TEST(a_packet_cut_at_any_length_is_refused) {
    struct ns_sal_header header = full(hops);
    struct ns_sal_packet packet;
    size_t length = ns_sal_write(bytes, &header);

    for (size_t i = 0; i < length; i++) {
        NS_CHECK(read_copy(bytes, i, &packet) != NS_SAL_ERROR_OK);
        /* the header says that it ends there: the last extension is cut, or its checksum is wrong */
        if (i >= NS_SAL_HEADER && i % 4 == 0) {
            uint8_t words = bytes[8];

            bytes[8] = (uint8_t)(i / 4);
            read_copy(bytes, i, &packet);
            bytes[8] = words;
        }
    }
}

/* Every extension with every length, as the header's only one and as the one that the header ends in. */
NS_TEST(an_extension_of_any_length_is_read_or_refused_by_name) {
    static const uint8_t least[16] = {0, 20, 36, 16, 12, 8, 24, 4, 2, 2, 2, 2, 2, 2, 2, 2};
    struct ns_sal_packet packet;

    for (unsigned kind = 1; kind < 16; kind++) {
        for (unsigned length = 0; length < 256; length++) {
            unsigned words = 3 + (length + 3) / 4;
            enum ns_sal_error error;

            memset(bytes, 0, sizeof bytes); /* PADs behind the extension */
            bytes[8] = (uint8_t)words;
            bytes[12] = (uint8_t)(kind << 4);
            bytes[13] = (uint8_t)length;
            if (words == 3)
                bytes[8] = 4;
            finish(bytes);
            error = read_copy(bytes, bytes[8] * 4u, &packet);
            NS_CHECK(error == NS_SAL_ERROR_OK || error == NS_SAL_ERROR_EXTENSION_LENGTH);
            NS_CHECK((length >= least[kind]) || error == NS_SAL_ERROR_EXTENSION_LENGTH);
            if (length < 5)
                continue;
            bytes[8] = (uint8_t)(3 + length / 4 - (length % 4 == 0)); /* one word less than the extension has */
            finish(bytes);
            error = read_copy(bytes, bytes[8] * 4u, &packet);
            NS_CHECK(error == NS_SAL_ERROR_EXTENSION_CUT);
        }
    }
}

/* Reads a header of these extensions, a type each. */
static enum ns_sal_error read_kinds(const char *kinds) {
    static const uint8_t lengths[] = {0, 20, 36, 16, 12, 8, 24, 4, 4};
    struct ns_sal_packet packet;
    uint8_t *at = bytes + NS_SAL_HEADER;

    memset(bytes, 0, sizeof bytes);
    for (; *kinds != '\0'; kinds++) {
        at[0] = (uint8_t)((*kinds - '0') << 4);
        at[1] = lengths[*kinds - '0'];
        at += at[1];
    }
    bytes[8] = (uint8_t)((at - bytes) / 4);
    finish(bytes);
    return read_copy(bytes, bytes[8] * 4u, &packet);
}

NS_TEST(repeated_misplaced_and_unknown_extensions) {
    NS_EQUAL(NS_SAL_ERROR_OK, read_kinds("12234567"));
    NS_EQUAL(NS_SAL_ERROR_OK, read_kinds("1888888888"));
    NS_EQUAL(NS_SAL_ERROR_EXTENSION_COUNT, read_kinds("18888888888"));
    NS_EQUAL(NS_SAL_ERROR_CONTROL_PLACE, read_kinds("21"));
    NS_EQUAL(NS_SAL_ERROR_CONTROL_REPEATED, read_kinds("11"));
    NS_EQUAL(NS_SAL_ERROR_SERVICE_REPEATED, read_kinds("222"));
    NS_EQUAL(NS_SAL_ERROR_ADDRESS_REPEATED, read_kinds("33"));
    NS_EQUAL(NS_SAL_ERROR_SOURCE_REPEATED, read_kinds("44"));
    NS_EQUAL(NS_SAL_ERROR_CAPABILITY_REPEATED, read_kinds("55"));
    NS_EQUAL(NS_SAL_ERROR_HOPS_REPEATED, read_kinds("66"));
    NS_EQUAL(NS_SAL_ERROR_TICKETS_REPEATED, read_kinds("77"));
}

NS_TEST(any_bytes_are_read_to_their_end_at_most) {
    uint8_t input[300];

    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t length = ns_test_random(&seed) % sizeof input;
        struct ns_sal_packet packet;

        for (size_t at = 0; at < length; at++)
            input[at] = (uint8_t)ns_test_random(&seed);
        if (length >= NS_SAL_HEADER && i % 4 != 0) { /* most have a right checksum, and types that there are */
            input[8] = (uint8_t)(3 + ns_test_random(&seed) % (length / 4 - 2));
            for (size_t at = NS_SAL_HEADER; at < input[8] * 4u; at += 4)
                input[at] = (uint8_t)((ns_test_random(&seed) % 8) << 4);
            finish(input);
        }
        read_copy(input, length, &packet);
    }
}

NS_TEST(any_segment_is_read_to_its_end_at_most) {
    uint8_t input[120];

    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t length = ns_test_random(&seed) % sizeof input;
        struct ns_sal_segment segment;
        uint8_t *copy;

        for (size_t at = 0; at < length; at++)
            input[at] = (uint8_t)ns_test_random(&seed);
        if (length > 20 && i % 2 == 0) {
            input[0] = 0x45;
            ns_put16(input + 2, (uint32_t)length);
            ns_put16(input + 6, 0);
            input[9] = 6;
        }
        copy = malloc(length + 1);
        memcpy(copy, input, length);
        copy = realloc(copy, length == 0 ? 1 : length);
        if (ns_sal_segment_local(&segment, copy, length)) {
            NS_CHECK(segment.header <= segment.length && segment.tcp + segment.length == copy + length);
            ns_sal_segment_finish(copy, length);
        }
        free(copy);
    }
}

/* A segment that goes over the wire and back is the same, and both its checksums are right. */
NS_TEST(a_segment_keeps_its_content) {
    static uint8_t packet[NS_SAL_PACKET_MAX], tcp[NS_SAL_PACKET_MAX];

    for (unsigned family = 4; family <= 6; family += 2) {
        struct ns_sal_tuple tuple = {.source = {0x010012c6}, .destination = {0x000113c6}, .family = family};
        struct ns_sal_segment segment;
        uint8_t data[37] = {0};
        size_t length;

        memcpy(&tuple.ports, "\x12\x34\0\x50", 4);
        ns_sal_segment_rst(data, 1, 2, true);
        data[36] = 9;
        length = ns_sal_segment_to_local(packet, &tuple, data, sizeof data);
        NS_CHECK(ns_sal_segment_local(&segment, packet, length));
        NS_CHECK(memcmp(segment.tuple.source, tuple.destination, 16) == 0);
        NS_CHECK(memcmp(&segment.tuple.ports, "\0\x50\x12\x34", 4) == 0);
        NS_EQUAL(sizeof data, segment.length);
        ns_sal_segment_to_wire(tcp, &segment, 5, 6);
        NS_CHECK(ns_sal_segment_is_right(tcp, segment.length, 5, 6));
        NS_CHECK(!ns_sal_segment_is_right(tcp, segment.length, 5, 7));
        NS_CHECK(memcmp(tcp + 20, data + 20, sizeof data - 20) == 0 && ns_get32(tcp) == 0);
    }
}

/* --- DNS --- */

static struct ns_sal_names names;

static size_t ask(const char *name, unsigned type, uint8_t *question) {
    size_t at = 12;

    memset(question, 0, NS_SAL_DNS_MAX);
    ns_put16(question, 0x1234);
    ns_put16(question + 2, 0x0100);
    ns_put16(question + 4, 1);
    for (const char *label = name; *label != '\0';) {
        size_t length = strcspn(label, ".");

        question[at++] = (uint8_t)length;
        memcpy(question + at, label, length);
        at += length;
        label += length + (label[length] == '.');
    }
    at++;
    ns_put16(question + at, type);
    ns_put16(question + at + 2, 1);
    return at + 4;
}

NS_TEST(names_are_answered_with_surrogates) {
    static const uint8_t id[NS_SAL_ID] = {0x40, 1};
    uint8_t question[NS_SAL_DNS_MAX], answer[NS_SAL_DNS_MAX];
    size_t length = ask("Web.serval", 1, question);
    uint32_t address[4];

    NS_CHECK(ns_sal_names_add(&names, "web.Serval.", id));
    NS_EQUAL(length + 16, ns_sal_dns_answer(&names, question, length, answer, 1));
    NS_EQUAL(0x8500, ns_get16(answer + 2));
    NS_EQUAL(0xc6120100, ns_get32(answer + length + 12));
    memcpy(address, answer + length + 12, 4);
    NS_EQUAL(0, ns_sal_surrogate_find(&names, address, 4, 2));
    length = ask("web.serval", 28, question);
    NS_EQUAL(length + 28, ns_sal_dns_answer(&names, question, length, answer, 1));
    memcpy(address, answer + length + 12, 16);
    NS_EQUAL(0, ns_sal_surrogate_find(&names, address, 6, 2));
    length = ask("web.serval", 15, question);
    NS_EQUAL(length, ns_sal_dns_answer(&names, question, length, answer, 1));
    length = ask("other.serval", 1, question);
    NS_EQUAL(length, ns_sal_dns_answer(&names, question, length, answer, 1));
    NS_EQUAL(3, ns_get16(answer + 2) & 15);
    length = ask("other.example", 1, question);
    NS_EQUAL(12, ns_sal_dns_answer(&names, question, length, answer, 1));
    NS_EQUAL(5, ns_get16(answer + 2) & 15); /* refused: a resolver asks its next server */
}

NS_TEST(any_question_is_read_to_its_end_at_most) {
    uint8_t question[NS_SAL_DNS_MAX], answer[NS_SAL_DNS_MAX];

    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t length = ask("web.serval.example", i % 3 == 0 ? 28 : 1, question);
        uint8_t *copy;

        for (unsigned change = 0; change < ns_test_random(&seed) % 4; change++)
            question[ns_test_random(&seed) % length] = (uint8_t)ns_test_random(&seed);
        length = ns_test_random(&seed) % 2 == 0 ? length : ns_test_random(&seed) % (length + 1);
        copy = malloc(length == 0 ? 1 : length);
        memcpy(copy, question, length);
        NS_CHECK(ns_sal_dns_answer(&names, copy, length, answer, 1) <= NS_SAL_DNS_MAX);
        free(copy);
    }
}

NS_TEST(a_surrogate_never_leads_to_another_service_within_an_hour) {
    uint8_t id[NS_SAL_ID] = {9};

    memset(&names, 0, sizeof names);
    for (unsigned i = 0; i < NS_SAL_SURROGATES; i++) {
        ns_put32(id + 4, i);
        NS_EQUAL((int)i, ns_sal_surrogate_of(&names, id, 1000 + i));
    }
    ns_put32(id + 4, NS_SAL_SURROGATES);
    NS_EQUAL(-1, ns_sal_surrogate_of(&names, id, 1000 + NS_SAL_SURROGATES));
    NS_EQUAL(0, ns_sal_surrogate_of(&names, id, 1000 + NS_SAL_REST_MS));
}

/* --- the service table --- */

static struct ns_sal_services services;

static enum ns_sal_rule_refusal forward(const char *prefix, const char *to, unsigned rank, unsigned weight,
                                        uint64_t until) {
    struct ns_sal_rule rule = {
        .action = NS_SAL_FORWARD, .rank = (uint16_t)rank, .weight = (uint16_t)weight, .until = until};
    unsigned bits = 0;

    if (*prefix != '\0')
        ns_sal_id_read(prefix, rule.id, &bits);
    rule.bits = (uint16_t)bits;
    ns_sal_address_read(&rule.target, to, 7);
    return ns_sal_services_add(&services, &rule, 0);
}

static int drawn(const char *text, uint64_t now, uint32_t random) {
    uint8_t id[NS_SAL_ID];
    struct ns_sal_rule *rule;
    unsigned bits;

    ns_sal_id_read(text, id, &bits);
    rule = ns_sal_services_draw(&services, id, false, now, random);
    return rule == NULL ? -1 : rule->target.ip[15];
}

NS_TEST(the_longest_prefix_and_the_highest_rank_count) {
    services.count = 0;
    NS_EQUAL(NS_SAL_RULE_OK, forward("", "192.0.2.1", 0, 0, UINT64_MAX));
    NS_EQUAL(NS_SAL_RULE_OK, forward("40", "192.0.2.2", 0, 0, 100));
    NS_EQUAL(NS_SAL_RULE_OK, forward("4001", "192.0.2.3", 1, 0, 50));
    NS_EQUAL(NS_SAL_RULE_OK, forward("4001", "192.0.2.4", 0, 0, 60));
    NS_EQUAL(1, drawn("50", 1, 0));
    NS_EQUAL(2, drawn("4002", 1, 0));
    NS_EQUAL(3, drawn("400177", 1, 0));
    NS_EQUAL(4, drawn("400177", 50, 0)); /* the higher rank has ended */
    NS_EQUAL(2, drawn("400177", 60, 0)); /* so has the prefix */
    NS_EQUAL(1, drawn("400177", 100, 0));
    NS_EQUAL(UINT64_MAX, ns_sal_services_expire(&services, 100));
    NS_EQUAL(1, services.count);
}

NS_TEST(weights_are_shares) {
    unsigned counts[3] = {0};

    services.count = 0;
    forward("40", "192.0.2.0", 0, 0, UINT64_MAX);
    forward("40", "192.0.2.1", 0, 1, UINT64_MAX);
    forward("40", "192.0.2.2", 0, 2, UINT64_MAX);
    for (unsigned i = 0; i < 4000; i++)
        counts[drawn("40", 1, i)]++;
    NS_EQUAL(1000, counts[0]);
    NS_EQUAL(1000, counts[1]);
    NS_EQUAL(2000, counts[2]);
}

NS_TEST(rules_are_bounded_and_refused_by_name) {
    char prefix[16];

    services.count = 0;
    NS_EQUAL(NS_SAL_RULE_FOR_MANY, forward("40", "224.0.0.1", 0, 0, UINT64_MAX));
    NS_EQUAL(NS_SAL_RULE_ENDED, forward("40", "192.0.2.1", 0, 0, 0));
    for (unsigned i = 0; i < NS_SAL_RULES_OF_ORIGIN; i++) {
        snprintf(prefix, sizeof prefix, "%08x", i);
        NS_EQUAL(NS_SAL_RULE_OK, forward(prefix, "192.0.2.1", 0, 0, UINT64_MAX));
    }
    NS_EQUAL(NS_SAL_RULE_ORIGIN_FULL, forward("ffff", "192.0.2.1", 0, 0, UINT64_MAX));
    NS_EQUAL(NS_SAL_RULE_OK, forward("00000001", "192.0.2.1", 5, 0, UINT64_MAX)); /* in place of the one before */
    NS_EQUAL(NS_SAL_RULES_OF_ORIGIN, services.count);
    NS_EQUAL(NS_SAL_RULES_OF_ORIGIN, ns_sal_services_withdraw(&services, NS_SAL_ORIGIN_OPERATOR));
}

NS_TEST(a_service_is_there_while_somebody_listens) {
    static struct ns_sal_listening listening;
    struct ns_sal_rule rule = {.action = NS_SAL_DEMUX, .bits = 256, .target = {.port = 8080}, .until = UINT64_MAX};
    uint8_t id[NS_SAL_ID] = {0};

    services.count = 0;
    NS_CHECK(ns_sal_listening_add(&listening, &rule));
    rule.target.port = 8081;
    NS_CHECK(ns_sal_listening_add(&listening, &rule));
    ns_sal_listening_apply(&listening, &services, 1);
    NS_EQUAL(0, services.count);
    listening.ports[0][8080 / 8] = 1;
    for (unsigned i = 0; i < 2; i++) {
        ns_sal_listening_apply(&listening, &services, 1);
        NS_EQUAL(1, services.count);
    }
    NS_EQUAL(8080, ns_sal_services_draw(&services, id, true, 1, 0)->target.port);
    listening.ports[0][8080 / 8] = 3;
    ns_sal_listening_apply(&listening, &services, 1);
    NS_EQUAL(2, services.count);
    listening.ports[0][8080 / 8] = 2;
    ns_sal_listening_apply(&listening, &services, 1);
    NS_EQUAL(8081, ns_sal_services_draw(&services, id, true, 1, 0)->target.port);
    NS_CHECK(ns_sal_listening_remove(&listening, &services, id, 256));
    NS_EQUAL(0, services.count);
    NS_CHECK(!ns_sal_listening_remove(&listening, &services, id, 256));
}

/* --- the tables of the machines --- */

static void print_table(FILE *out, const struct ns_transition *table, unsigned states, unsigned events,
                        const char *const *state_names, const char *const *event_names,
                        const char *const *action_names) {
    for (unsigned state = 0; state < states; state++) {
        for (unsigned event = 0; event < events; event++) {
            const struct ns_transition *line = &table[state * events + event];
            const char *comma = "";

            if (!line->expected)
                continue;
            fprintf(out, "%s %s %s [", state_names[state], event_names[event], state_names[line->next]);
            for (unsigned i = 0; i < NS_SAL_ACTIONS && line->actions[i] != 0; i++, comma = ", ")
                fprintf(out, "%s%s", comma, action_names[line->actions[i]]);
            fputs("]\n", out);
        }
    }
}

static bool page_has(const char *name, const char *table) {
    char *page = NULL, fence[32];
    size_t size = 0;
    FILE *file = fopen("../docs/protocols/serval.md", "r");
    const char *at;
    bool has;

    NS_CHECK(file != NULL && getdelim(&page, &size, '\0', file) > 0);
    fclose(file);
    snprintf(fence, sizeof fence, "```%s\n", name);
    at = strstr(page, fence);
    has = at != NULL && strncmp(at + strlen(fence), table, strlen(table)) == 0 &&
          strncmp(at + strlen(fence) + strlen(table), "```", 3) == 0;
    free(page);
    return has;
}

NS_TEST(the_tables_are_those_of_the_page) {
    static const struct {
        const char *name;
        const struct ns_transition *table;
        unsigned states, events;
        const char *const *state_names, *const *event_names, *const *action_names;
    } machines[] = {
        {"channel", ns_channel_table[0], NS_CHANNEL_STATE_COUNT, NS_CHANNEL_EVENT_COUNT, ns_channel_states,
         ns_channel_events, ns_channel_actions},
        {"flow", ns_flow_table[0], NS_FLOW_STATE_COUNT, NS_FLOW_EVENT_COUNT, ns_flow_states, ns_flow_events,
         ns_flow_actions},
        {"move", ns_move_table[0], NS_MOVE_STATE_COUNT, NS_MOVE_EVENT_COUNT, ns_move_states, ns_move_events,
         ns_move_actions},
    };

    for (unsigned i = 0; i < 3; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        bool has;

        print_table(out, machines[i].table, machines[i].states, machines[i].events, machines[i].state_names,
                    machines[i].event_names, machines[i].action_names);
        fclose(out);
        has = page_has(machines[i].name, text);
        free(text);
        NS_CHECK(has);
    }
}

int main(void) {
    NS_RUN(what_is_written_is_read);
    NS_RUN(a_capability_may_show_addresses);
    NS_RUN(a_packet_cut_at_any_length_is_refused);
    NS_RUN(an_extension_of_any_length_is_read_or_refused_by_name);
    NS_RUN(repeated_misplaced_and_unknown_extensions);
    NS_RUN(any_bytes_are_read_to_their_end_at_most);
    NS_RUN(any_segment_is_read_to_its_end_at_most);
    NS_RUN(a_segment_keeps_its_content);
    NS_RUN(names_are_answered_with_surrogates);
    NS_RUN(any_question_is_read_to_its_end_at_most);
    NS_RUN(a_surrogate_never_leads_to_another_service_within_an_hour);
    NS_RUN(the_longest_prefix_and_the_highest_rank_count);
    NS_RUN(weights_are_shares);
    NS_RUN(rules_are_bounded_and_refused_by_name);
    NS_RUN(a_service_is_there_while_somebody_listens);
    NS_RUN(the_tables_are_those_of_the_page);
    return ns_test_end();
}
