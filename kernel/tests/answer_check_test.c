/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the answers by template that bpfd accepts (docs/protocols/bpfd.md, "Answers"). */
#include "answer_example.h"

#include <stddef.h>
#include <stdlib.h>

static struct ns_way_filters filters, before;
static struct ns_rewrite rewrite;
static const struct ns_asker asker = {"c", &rewrite, &filters, NS_OFFLOAD_MARK, 0x400000};
static struct ns_answer_accepted accepted;
static struct ns_answer_text text;

static void filter(struct ns_way_filters *list, const char *text_of) {
    struct ns_line line;
    char copy[256];
    const char *why;

    strcpy(copy, text_of);
    NS_CHECK(ns_line_parse(&line, copy, strlen(copy), false));
    NS_CHECK(ns_way_parse(&list->filter[list->count], &line, &why));
    list->count++;
}

#define OURS "container=c family=4 proto=17 dport=5060 claim=1 do=queue"
#define OURS6 "container=c family=6 proto=17 dport=5060 claim=1 do=queue"

static void allow(uint8_t family) {
    memset(&filters, 0, sizeof filters);
    filter(&filters, OURS);
    filter(&filters, OURS6);
    example_entry(&text, family);
}

static enum ns_answer_refused check(void) {
    return ns_answer_check(&accepted, &asker, &text, example_bytes(&text));
}

static void each_family(void (*test)(uint8_t family)) {
    test(4);
    test(6);
}

static void accepted_entry(uint8_t family) {
    const struct ns_answer *answer = &accepted.answer;
    unsigned text_bits = 0, digit_bits = 0;

    allow(family);
    NS_EQUAL(NS_ANSWER_REFUSED_NOT, check());
    NS_EQUAL(0x400000, answer->mark);
    NS_CHECK(memcmp(answer->words, text.bytes, text.entry.message) == 0);
    NS_CHECK(memcmp(answer->answer, text.bytes + text.entry.message, text.entry.reply) == 0);
    for (unsigned i = 0; i < NS_ANSWER_WORDS; i++) {
        text_bits += (unsigned)__builtin_popcount(answer->text[i]);
        digit_bits += (unsigned)__builtin_popcount(answer->digits[i]);
    }
    NS_EQUAL(10 + 2 + 15, text_bits); /* branch, tag, and Call-ID but for its @ */
    NS_EQUAL(2, digit_bits);
    if (family == 4)
        NS_EQUAL(ns_meta(4, 17, 0), accepted.key.v4.meta);
    else
        NS_EQUAL(ns_meta(6, 17, 0), accepted.key.v6.meta);
}

NS_TEST(an_entry_for_an_own_flow_is_accepted) {
    each_family(accepted_entry);
}

NS_TEST(each_bad_byte_of_the_head_is_refused_by_name) {
    allow(4);
    text.entry.family = 5;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    text.entry.seconds = 0;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    text.entry.zero = 1;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    text.entry.source[4] = 1;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    text.entry.source_port = 0;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    text.entry.destination_port = 0;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    text.entry.fields = NS_ANSWER_FIELDS + 1;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    text.entry.field[5].kind = 1;
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
    allow(4);
    example_plain(&text, "", 0, "", 0);
    NS_EQUAL(NS_ANSWER_REFUSED_malformed, check());
}

NS_TEST(only_the_right_length_is_taken) {
    allow(4);
    for (size_t length = 0; length <= NS_ANSWER_BYTES; length++) {
        enum ns_answer_refused refused = ns_answer_check(&accepted, &asker, &text, length);

        NS_EQUAL(length == example_bytes(&text) ? NS_ANSWER_REFUSED_NOT : NS_ANSWER_REFUSED_malformed, refused);
    }
}

/* The bound of amplification: at most twice as long, and at most 192 bytes longer. */
NS_TEST(no_answer_is_much_longer_than_its_message) {
    static uint8_t bytes[NS_ANSWER_REPLY + 1];

    for (unsigned message = 1; message <= NS_ANSWER_MESSAGE; message++) {
        unsigned most = message < NS_ANSWER_GROWTH ? 2 * message : message + NS_ANSWER_GROWTH;

        allow(4);
        example_plain(&text, bytes, message, bytes, most);
        NS_EQUAL(NS_ANSWER_REFUSED_NOT, check());
        if (message + most + 1 > sizeof text.bytes)
            continue;
        example_plain(&text, bytes, message, bytes, most + 1);
        NS_EQUAL(NS_ANSWER_REFUSED_length, check());
    }
}

static void bad_field(unsigned which, struct ns_answer_field field) {
    allow(4);
    text.entry.field[which] = field;
    NS_EQUAL(NS_ANSWER_REFUSED_field, check());
}

NS_TEST(fields_stay_within_and_apart) {
    uint16_t message, reply;

    allow(4);
    message = text.entry.message;
    reply = text.entry.reply;
    bad_field(3, (struct ns_answer_field){0, 0, 0, 0});
    bad_field(3, (struct ns_answer_field){0, 0, NS_ANSWER_FIELD + 1, 0});
    bad_field(3, (struct ns_answer_field){0, 0, 1, NS_ANSWER_TEXT | NS_ANSWER_DIGITS});
    bad_field(3, (struct ns_answer_field){0, 0, 1, 8});
    bad_field(3, (struct ns_answer_field){message, 0, 1, 0});
    bad_field(3, (struct ns_answer_field){0xffff, 0, 1, 0});
    bad_field(3, (struct ns_answer_field){0, reply, 1, 0});
    bad_field(3, (struct ns_answer_field){0, 0xffff, 1, 0});
    bad_field(3, (struct ns_answer_field){(uint16_t)(message - 1), 0, 2, 0});
    bad_field(3, (struct ns_answer_field){0, (uint16_t)(reply - 1), 2, 0});
    bad_field(3, (struct ns_answer_field){text.entry.field[0].from, 0, 1, 0});
    bad_field(3, (struct ns_answer_field){0, text.entry.field[0].to, 1, 0});
    bad_field(3, (struct ns_answer_field){0, (uint16_t)(text.entry.tag + 15), 1, 0});
    allow(4);
    text.entry.tag = (uint16_t)(reply - NS_ANSWER_TAG + 1);
    NS_EQUAL(NS_ANSWER_REFUSED_field, check());
    text.entry.tag = NS_ANSWER_NO_TAG;
    NS_EQUAL(NS_ANSWER_REFUSED_field, check()); /* a field that is hashed for no tag */
}

static void rights(uint8_t family) {
    allow(family);
    text.entry.destination_port = 5061;
    NS_EQUAL(NS_ANSWER_REFUSED_filter, check());
    allow(family);
    filters.count = 0;
    NS_EQUAL(NS_ANSWER_REFUSED_filter, check());
    filter(&filters, family == 4 ? "container=d family=4 proto=17 dport=5060 claim=1 do=queue"
                                 : "container=d family=6 proto=17 dport=5060 claim=1 do=queue");
    filter(&filters, family == 4 ? OURS : OURS6);
    NS_EQUAL(NS_ANSWER_REFUSED_filter, check());
    allow(family);
    filter(&filters, family == 4 ? "container=d family=4 proto=17 every=10 claim=1 do=sample"
                                 : "container=d family=6 proto=17 every=10 claim=1 do=sample");
    NS_EQUAL(NS_ANSWER_REFUSED_sampled, check());
    allow(family);
    memset(text.entry.source, 0, 16);
    inet_pton(family == 4 ? AF_INET : AF_INET6, family == 4 ? "127.0.0.1" : "::1", text.entry.source);
    NS_EQUAL(NS_ANSWER_REFUSED_martian, check());
    allow(family);
    memset(text.entry.destination, 0, 16);
    inet_pton(family == 4 ? AF_INET : AF_INET6, family == 4 ? "224.0.0.1" : "ff02::1", text.entry.destination);
    NS_EQUAL(NS_ANSWER_REFUSED_martian, check());
}

NS_TEST(a_flow_that_is_not_the_containers_is_refused) {
    each_family(rights);
    allow(4);
    filter(&filters, "container=c family=4 proto=17 dport=270 claim=1 do=queue");
    text.entry.destination_port = 270; /* GIST's */
    NS_EQUAL(NS_ANSWER_REFUSED_filter, check());
}

NS_TEST(an_entry_goes_on_while_the_same_modules_see_its_flow) {
    allow(4);
    before = filters;
    NS_CHECK(ns_answer_check_again(&text.entry, &asker, &before));
    filters.filter[0].claim = 2;
    NS_CHECK(!ns_answer_check_again(&text.entry, &asker, &before));
    filters.count = 0;
    NS_CHECK(!ns_answer_check_again(&text.entry, &asker, &before));
}

/* The module's tag of the same fields: KernelAnswersTest of the KeepAlive Responder. */
NS_TEST(the_tag_is_the_modules) {
    char tag[17];

    example_tag(tag, &first);
    NS_CHECK(strcmp("10e21ef92c634b90", tag) == 0);
}

/* --- questions --- */

NS_TEST(pieces_are_well_formed) {
    struct ns_answer_ask ask;

    allow(4);
    for (size_t at = 0; at < example_bytes(&text); at += sizeof ask.bytes) {
        ask = example_piece(&text, 7, 1, at);
        NS_CHECK(ns_answer_well_formed(&ask));
    }
    ask.bytes[sizeof ask.bytes - 1] = 1; /* behind the end */
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask = example_piece(&text, NS_RING_RELAYS, 1, 0);
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask = example_piece(&text, 7, 1, 0);
    ask.magic++;
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask = example_piece(&text, 7, 1, 0);
    ask.zero = 1;
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask = example_piece(&text, 7, 1, 0);
    ask.at = 1;
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask = example_piece(&text, 7, 1, 0);
    ask.at = ask.length;
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask.at = 0;
    ask.length = NS_ANSWER_BYTES + 1;
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask.length = sizeof text.entry - 1;
    NS_CHECK(!ns_answer_well_formed(&ask));
}

NS_TEST(arm_and_withdraw_have_nothing_else) {
    const struct ns_answer_arm arm = {.seconds = 1};
    struct ns_answer_ask ask = {.magic = NS_ANSWER_MAGIC, .what = NS_ANSWER_ARM};

    NS_CHECK(!ns_answer_well_formed(&ask));
    memcpy(ask.bytes, &arm, sizeof arm);
    NS_CHECK(ns_answer_well_formed(&ask));
    ask.bytes[sizeof arm] = 1;
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask = (struct ns_answer_ask){.magic = NS_ANSWER_MAGIC, .what = NS_ANSWER_WITHDRAW};
    NS_CHECK(ns_answer_well_formed(&ask));
    ask.bytes[79] = 1;
    NS_CHECK(!ns_answer_well_formed(&ask));
    ask.bytes[79] = 0;
    ask.what = 4;
    NS_CHECK(!ns_answer_well_formed(&ask));
}

/* Whatever comes, nothing is read or written outside: sanitizers watch. */
NS_TEST(random_entries_do_no_harm) {
    unsigned taken = 0;

    srand(15);
    for (unsigned i = 0; i < 200000; i++) {
        allow(i & 1 ? 4 : 6);
        for (int n = rand() % 4; n >= 0; n--)
            ((uint8_t *)&text.entry)[(unsigned)rand() % sizeof text.entry] = (uint8_t)rand();
        taken +=
            ns_answer_check(&accepted, &asker, &text, (size_t)rand() % (NS_ANSWER_BYTES + 1)) == NS_ANSWER_REFUSED_NOT;
        taken += check() == NS_ANSWER_REFUSED_NOT;
    }
    NS_CHECK(taken > 100);
}

int main(void) {
    NS_RUN(an_entry_for_an_own_flow_is_accepted);
    NS_RUN(each_bad_byte_of_the_head_is_refused_by_name);
    NS_RUN(only_the_right_length_is_taken);
    NS_RUN(no_answer_is_much_longer_than_its_message);
    NS_RUN(fields_stay_within_and_apart);
    NS_RUN(a_flow_that_is_not_the_containers_is_refused);
    NS_RUN(an_entry_goes_on_while_the_same_modules_see_its_flow);
    NS_RUN(the_tag_is_the_modules);
    NS_RUN(pieces_are_well_formed);
    NS_RUN(arm_and_withdraw_have_nothing_else);
    NS_RUN(random_entries_do_no_harm);
    return ns_test_end();
}
