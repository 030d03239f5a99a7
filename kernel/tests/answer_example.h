/* SPDX-License-Identifier: Apache-2.0 */
/* answer_example.h - an entry as a module makes it of a keep-alive and its answer, and the pieces that it comes in. */
#ifndef NS_TEST_ANSWER_EXAMPLE_H
#define NS_TEST_ANSWER_EXAMPLE_H

#include "answer_check.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define EXAMPLE_TAG "0123456789abcdef"

struct example {
    const char *branch, *tag, *id, *number;
};

static const struct example first = {"z9hG4bK-17", "a7", "Call-17@10.0.0.7", "17"};

static inline size_t example_message(char *to, size_t size, const struct example *e) {
    return (size_t)snprintf(to, size,
                            "NOTIFY sip:pbx.example SIP/2.0\r\n"
                            "Via: SIP/2.0/UDP 10.0.0.7:5062;branch=%s;rport\r\n"
                            "Max-Forwards: 70\r\n"
                            "From: <sip:7@pbx.example>;tag=%s\r\n"
                            "To: <sip:pbx.example>\r\n"
                            "Call-ID: %s\r\n"
                            "CSeq: %s NOTIFY\r\n"
                            "Event: keep-alive\r\n"
                            "Content-Length: 0\r\n\r\n",
                            e->branch, e->tag, e->id, e->number);
}

static inline size_t example_reply(char *to, size_t size, const struct example *e, const char *tag) {
    return (size_t)snprintf(to, size,
                            "SIP/2.0 200 OK\r\n"
                            "Via: SIP/2.0/UDP 10.0.0.7:5062;branch=%s;rport=4000;received=192.0.2.10\r\n"
                            "From: <sip:7@pbx.example>;tag=%s\r\n"
                            "To: <sip:pbx.example>;tag=%s\r\n"
                            "Call-ID: %s\r\n"
                            "CSeq: %s NOTIFY\r\n"
                            "Content-Length: 0\r\n\r\n",
                            e->branch, e->tag, tag, e->id, e->number);
}

/* Hashes as ns_ring.h says, byte by byte. */
static inline uint64_t example_hash(uint64_t hash, const char *text) {
    size_t length = strlen(text);

    hash += length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;

        for (size_t j = 0; j < 8; j++)
            word = word << 8 | (i + j < length ? (uint8_t)text[i + j] : 0);
        hash = (hash ^ word) * NS_ANSWER_HASH_FACTOR;
        hash ^= hash >> 32;
    }
    return hash;
}

static inline void example_tag(char to[17], const struct example *e) {
    snprintf(to, 17, "%016llx", (unsigned long long)example_hash(example_hash(NS_ANSWER_HASH, e->id), e->tag));
}

static inline void example_field(struct ns_answer_text *text, const char *message, const char *reply, const char *value,
                                 int kind) {
    struct ns_answer_field *field = &text->entry.field[text->entry.fields++];

    field->from = (uint16_t)(strstr(message, value) - message);
    field->to = (uint16_t)(strstr(reply, value) - reply);
    field->length = (uint8_t)strlen(value);
    field->kind = (uint8_t)kind;
}

static inline size_t example_bytes(const struct ns_answer_text *text) {
    return sizeof text->entry + text->entry.message + text->entry.reply;
}

/* Sets message and reply to bytes without fields. */
static inline void example_plain(struct ns_answer_text *text, const void *message, size_t length, const void *reply,
                                 size_t reply_length) {
    memset(text->bytes, 0, sizeof text->bytes);
    memset(text->entry.field, 0, sizeof text->entry.field);
    text->entry.fields = 0;
    text->entry.tag = NS_ANSWER_NO_TAG;
    text->entry.message = (uint16_t)length;
    text->entry.reply = (uint16_t)reply_length;
    memcpy(text->bytes, message, length);
    memcpy(text->bytes + length, reply, reply_length);
}

/* Fills in the entry of the agent 192.0.2.10 port 4000, which sends to 203.0.113.5 port 5060, or the same in IPv6. */
static inline void example_entry(struct ns_answer_text *text, uint8_t family) {
    char message[NS_ANSWER_MESSAGE + 1], reply[NS_ANSWER_REPLY + 1];
    size_t length = example_message(message, sizeof message, &first);
    size_t reply_length = example_reply(reply, sizeof reply, &first, EXAMPLE_TAG);
    int af = family == 4 ? AF_INET : AF_INET6;

    memset(text, 0, sizeof *text);
    text->entry =
        (struct ns_answer_entry){.family = family, .seconds = 60, .source_port = 4000, .destination_port = 5060};
    inet_pton(af, family == 4 ? "192.0.2.10" : "2001:db8:1::a", text->entry.source);
    inet_pton(af, family == 4 ? "203.0.113.5" : "2001:db8:5::5", text->entry.destination);
    example_plain(text, message, length, reply, reply_length);
    example_field(text, message, reply, first.id, NS_ANSWER_TEXT | NS_ANSWER_HASHED);
    example_field(text, message, reply, "a7", NS_ANSWER_TEXT | NS_ANSWER_HASHED);
    example_field(text, message, reply, first.branch, NS_ANSWER_TEXT);
    example_field(text, message, reply, "17 NOTIFY", NS_ANSWER_DIGITS);
    text->entry.field[3].length = 2;
    text->entry.tag = (uint16_t)(strstr(reply, EXAMPLE_TAG) - reply);
}

/* Fills in the piece that begins at an offset. */
static inline struct ns_answer_ask example_piece(const struct ns_answer_text *text, uint16_t place, uint32_t number,
                                                 size_t at) {
    size_t length = example_bytes(text);
    struct ns_answer_ask ask = {.magic = NS_ANSWER_MAGIC,
                                .number = number,
                                .place = place,
                                .what = NS_ANSWER_PUT,
                                .at = (uint16_t)at,
                                .length = (uint16_t)length};

    memcpy(ask.bytes, (const uint8_t *)text + at, length - at < sizeof ask.bytes ? length - at : sizeof ask.bytes);
    return ask;
}

#endif
