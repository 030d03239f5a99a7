/* SPDX-License-Identifier: Apache-2.0 */
#include "answer_check.h"
#include "form.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

enum { UDP = 17, UDP_HEADER = 8, KINDS = NS_ANSWER_TEXT | NS_ANSWER_DIGITS };

/* --- form --- */

static bool arm_fits(const struct ns_answer_ask *ask) {
    struct ns_answer_arm arm;

    memcpy(&arm, ask->bytes, sizeof arm);
    return ask->at == 0 && ask->length == 0 && arm.seconds != 0 && arm.zero == 0 &&
           ns_form_zero(ask->bytes + sizeof arm, sizeof ask->bytes - sizeof arm);
}

static bool piece_fits(const struct ns_answer_ask *ask) {
    size_t rest;

    if (ask->length < sizeof(struct ns_answer_entry) || ask->length > NS_ANSWER_BYTES || ask->at >= ask->length)
        return false;
    rest = (size_t)(ask->length - ask->at);
    return ask->at % sizeof ask->bytes == 0 &&
           (rest >= sizeof ask->bytes || ns_form_zero(ask->bytes + rest, sizeof ask->bytes - rest));
}

bool ns_answer_well_formed(const struct ns_answer_ask *ask) {
    if (ask->magic != NS_ANSWER_MAGIC || ask->place >= NS_RING_RELAYS || ask->zero != 0)
        return false;
    switch (ask->what) {
    case NS_ANSWER_PUT:
        return piece_fits(ask);
    case NS_ANSWER_ARM:
        return arm_fits(ask);
    case NS_ANSWER_WITHDRAW:
        return ask->at == 0 && ask->length == 0 && ns_form_zero(ask->bytes, sizeof ask->bytes);
    default:
        return false;
    }
}

static bool entry_fits(const struct ns_answer_entry *entry, size_t length) {
    if (entry->seconds == 0 || entry->zero != 0 || entry->source_port == 0 || entry->destination_port == 0)
        return false;
    if (entry->message == 0 || entry->message > NS_ANSWER_MESSAGE || entry->fields > NS_ANSWER_FIELDS)
        return false;
    if (length != sizeof *entry + entry->message + entry->reply) /* a reply that is too long has its own refusal */
        return false;
    if (!ns_form_zero(&entry->field[entry->fields], (NS_ANSWER_FIELDS - entry->fields) * sizeof *entry->field))
        return false;
    return ns_form_address(entry->family, entry->source) && ns_form_address(entry->family, entry->destination);
}

/* --- fields --- */

/* Marks so many bytes from `from` on. Returns false if they are not all within `size`, or marked already. */
static bool mark(uint8_t *marks, size_t size, size_t from, size_t count) {
    if (from > size || count > size - from)
        return false;
    for (size_t i = from; i < from + count; i++) {
        if (marks[i] != 0)
            return false;
        marks[i] = 1;
    }
    return true;
}

static bool field_fits(const struct ns_answer_field *field) {
    return field->length != 0 && field->length <= NS_ANSWER_FIELD && (field->kind & ~(KINDS | NS_ANSWER_HASHED)) == 0 &&
           (field->kind & KINDS) != KINDS;
}

/* Tells whether all fields and the tag are within message and reply, and none of them overlap. */
static bool fields_fit(const struct ns_answer_entry *entry) {
    uint8_t in[NS_ANSWER_MESSAGE] = {0}, out[NS_ANSWER_REPLY] = {0};
    bool hashed = false;

    for (unsigned i = 0; i < entry->fields; i++) {
        const struct ns_answer_field *field = &entry->field[i];

        if (!field_fits(field) || !mark(in, entry->message, field->from, field->length) ||
            !mark(out, entry->reply, field->to, field->length))
            return false;
        hashed |= (field->kind & NS_ANSWER_HASHED) != 0;
    }
    if (entry->tag == NS_ANSWER_NO_TAG)
        return !hashed;
    return mark(out, entry->reply, entry->tag, NS_ANSWER_TAG);
}

/* --- rights --- */

static struct ns_way_flow flow_of(const struct ns_answer_entry *entry) {
    return (struct ns_way_flow){.family = entry->family,
                                .protocol = UDP,
                                .source = entry->source,
                                .destination = entry->destination,
                                .source_port = entry->source_port,
                                .destination_port = entry->destination_port};
}

static enum ns_answer_refused check(const struct ns_asker *asker, const struct ns_answer_entry *entry) {
    struct ns_way_flow flow = flow_of(entry);

    if (entry->reply > entry->message + NS_ANSWER_GROWTH || entry->reply > 2 * entry->message)
        return NS_ANSWER_REFUSED_length;
    if (!fields_fit(entry))
        return NS_ANSWER_REFUSED_field;
    switch (ns_check_flow(asker, &flow)) {
    case NS_REFUSED_NOT:
        return NS_ANSWER_REFUSED_NOT;
    case NS_REFUSED_sampled:
        return NS_ANSWER_REFUSED_sampled;
    case NS_REFUSED_martian:
        return NS_ANSWER_REFUSED_martian;
    default:
        return NS_ANSWER_REFUSED_filter;
    }
}

bool ns_answer_check_again(const struct ns_answer_entry *entry, const struct ns_asker *asker,
                           const struct ns_way_filters *before) {
    struct ns_way_flow flow = flow_of(entry);

    return ns_check_flow(asker, &flow) == NS_REFUSED_NOT &&
           ns_way_same(before, asker->filters, &flow, asker->container);
}

/* --- the programs' form --- */

static uint32_t ports_of(uint16_t source, uint16_t destination) {
    uint16_t ports[2] = {htons(source), htons(destination)};
    uint32_t both;

    memcpy(&both, ports, sizeof both);
    return both;
}

static void make_key(struct ns_answer_accepted *accepted, const struct ns_answer_entry *entry) {
    uint32_t ports = ports_of(entry->source_port, entry->destination_port);

    memset(&accepted->key, 0, sizeof accepted->key);
    if (entry->family == 4) {
        memcpy(&accepted->key.v4.source, entry->source, 4);
        memcpy(&accepted->key.v4.destination, entry->destination, 4);
        accepted->key.v4.ports = ports;
        accepted->key.v4.meta = ns_meta(4, UDP, 0);
    } else {
        memcpy(accepted->key.v6.source, entry->source, 16);
        memcpy(accepted->key.v6.destination, entry->destination, 16);
        accepted->key.v6.ports = ports;
        accepted->key.v6.meta = ns_meta(6, UDP, 0);
    }
}

static uint64_t sum_of(const void *bytes, size_t length) {
    const uint8_t *at = bytes;
    uint64_t sum = 0;
    uint16_t word;

    for (size_t i = 0; i < length; i += 2) {
        uint8_t pair[2] = {at[i], i + 1 < length ? at[i + 1] : 0};

        memcpy(&word, pair, sizeof word);
        sum += word;
    }
    return sum;
}

static uint16_t fold(uint64_t sum) {
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

/* Returns the sum of the pseudo header of a datagram with so many bytes of data. It is the same in both directions. */
static uint64_t pseudo_sum(const struct ns_answer_entry *entry, uint16_t data) {
    return sum_of(entry->source, 16) + sum_of(entry->destination, 16) + htons(UDP) +
           htons((uint16_t)(data + UDP_HEADER));
}

/* Returns the sum over pseudo header, ports, length and data. */
static uint16_t datagram_sum(const struct ns_answer_entry *entry, const uint8_t *data, uint16_t length) {
    uint64_t sum = pseudo_sum(entry, length) + htons(entry->source_port) + htons(entry->destination_port) +
                   htons((uint16_t)(length + UDP_HEADER));

    return fold(sum + sum_of(data, length));
}

static bool is_text(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '-' ||
           byte == '.' || byte == '_';
}

/* Notes which bytes of the message may be others. */
static void allow(struct ns_answer *answer, const struct ns_answer_field *field, const uint8_t *message) {
    for (unsigned at = field->from; at < (unsigned)field->from + field->length; at++) {
        uint8_t bit = (uint8_t)(1u << (at & 7));

        if ((field->kind & NS_ANSWER_TEXT) != 0 && is_text(message[at]))
            answer->text[at / 8] |= bit;
        if ((field->kind & NS_ANSWER_DIGITS) != 0 && message[at] >= '0' && message[at] <= '9')
            answer->digits[at / 8] |= bit;
    }
}

static void compile(struct ns_answer_accepted *accepted, const struct ns_asker *asker,
                    const struct ns_answer_text *text) {
    const struct ns_answer_entry *entry = &text->entry;
    const uint8_t *message = text->bytes, *reply = text->bytes + entry->message;
    uint8_t in[NS_ANSWER_MESSAGE], out[NS_ANSWER_REPLY];
    struct ns_answer *answer = &accepted->answer;

    memset(answer, 0, sizeof *answer);
    answer->budget = entry->budget;
    answer->mark = asker->turned_mark;
    answer->message = entry->message;
    answer->reply = entry->reply;
    answer->tag = entry->tag;
    answer->fields = entry->fields;
    memcpy(answer->field, entry->field, sizeof answer->field);
    memcpy(answer->words, message, entry->message);
    memcpy(answer->answer, reply, entry->reply);
    memcpy(in, message, entry->message);
    memcpy(out, reply, entry->reply);
    for (unsigned i = 0; i < entry->fields; i++) {
        const struct ns_answer_field *field = &entry->field[i];

        allow(answer, field, message);
        memset(in + field->from, 0, field->length);
        memset(out + field->to, 0, field->length);
    }
    if (entry->tag != NS_ANSWER_NO_TAG)
        memset(out + entry->tag, 0, NS_ANSWER_TAG);
    answer->message_sum = datagram_sum(entry, in, entry->message);
    answer->reply_sum = datagram_sum(entry, out, entry->reply);
    answer->message_open = fold(pseudo_sum(entry, entry->message));
    answer->reply_open = fold(pseudo_sum(entry, entry->reply));
    make_key(accepted, entry);
}

enum ns_answer_refused ns_answer_check(struct ns_answer_accepted *accepted, const struct ns_asker *asker,
                                       const struct ns_answer_text *text, size_t length) {
    enum ns_answer_refused refused;

    if (!entry_fits(&text->entry, length))
        return NS_ANSWER_REFUSED_malformed;
    refused = check(asker, &text->entry);
    if (refused == NS_ANSWER_REFUSED_NOT)
        compile(accepted, asker, text);
    return refused;
}
