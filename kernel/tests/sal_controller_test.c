/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the messages that sald carries for its host's controller, their refusals, and the controller's events. */
#include "controller.h"
#include "datagram.h"
#include "ns_bytes.h"
#include "ns_test.h"
#include "registrar.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND 1000u
#define ASK_BYTES 100u
#define REGISTER_BYTES 260u
#define ANSWER_BYTES 56u
#define CHALLENGE_BYTES 88u

static struct ns_sal_services services;
static struct ns_sal_names names;
static struct ns_sal_host host;
static struct ns_sal_wire wire;
static struct ns_sal_controller controller;
static struct ns_sal_address own, router, published, target;
static bool routeless, full;
static uint8_t sent[NS_SAL_HEADER_MAX];
static size_t sent_length;
static unsigned messages;
static int ends[2]; /* of the control socket: sald's, the controller's */

static bool on_route(void *context, const struct ns_sal_address *to, struct ns_sal_address *from, uint32_t *interface) {
    (void)context;
    (void)to;
    *from = own;
    *interface = 2;
    return !routeless;
}

static bool on_datagram(void *context, const struct ns_sal_address *from, const struct ns_sal_address *to,
                        const uint8_t *bytes, size_t length) {
    (void)context;
    (void)from;
    target = *to;
    memcpy(sent, bytes, length);
    sent_length = length;
    messages += !full;
    return !full;
}

static void on_random(void *context, void *bytes, size_t length) {
    (void)context;
    memset(bytes, 7, length);
}

static bool on_heard(void *context, const struct ns_sal_address *from, const struct ns_sal_packet *packet,
                     const uint8_t *bytes, size_t length) {
    (void)context;
    if (!ns_sal_controller_is_answer(&host, from, packet->second, bytes, length))
        return false;
    ns_sal_controller_heard(&controller, from, packet->service, bytes, length, host.now);
    return true;
}

static void fresh(void) {
    struct ns_sal_rule rule = {.id = {0, 0, 0x40, 1}, .bits = 32, .action = NS_SAL_DEMUX, .until = UINT64_MAX};

    ns_sal_host_close(&host);
    memset(&services, 0, sizeof services);
    memset(&controller, 0, sizeof controller);
    wire = (struct ns_sal_wire){
        .route = on_route, .datagram = on_datagram, .random = on_random, .heard = on_heard, .context = NULL};
    NS_CHECK(ns_sal_host_open(&host, &wire, &services, &names, 16));
    ns_sal_address_read(&own, "192.0.2.10", NS_SAL_PORT);
    ns_sal_address_read(&router, "192.0.2.1", NS_SAL_PORT);
    ns_sal_address_read(&published, "192.0.2.2", NS_SAL_PORT);
    host.port = NS_SAL_PORT;
    host.routers[0] = published;
    host.routers[1] = router;
    host.router_signed[1] = true;
    host.router_count = 2;
    rule.target.port = 80;
    rule.weight = 5;
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&services, &rule, 0));
    routeless = full = false;
    messages = 0;
    if (ends[0] != 0) {
        close(ends[0]);
        close(ends[1]);
    }
    NS_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends));
}

static struct ns_sal_tell message(uint8_t type, size_t length) {
    struct ns_sal_tell tell = {.router = router, .id = {0, 0, 0x40, 1}, .bits = 32, .length = length};

    tell.bytes[0] = type;
    ns_put16(tell.bytes + 2, (uint32_t)length);
    if (type == 4) {
        ns_put16(tell.bytes + 94, 32);
        memcpy(tell.bytes + 96, tell.id, NS_SAL_ID);
    }
    return tell;
}

static enum ns_sal_tell_refusal told(const struct ns_sal_tell *tell) {
    return ns_sal_controller_tell(&controller, &host, tell, SECOND);
}

/* Returns the next event, "" if there is none. */
static const char *event(void) {
    static char line[2048];
    ssize_t n = recv(ends[1], line, sizeof line - 1, 0);

    line[n < 0 ? 0 : n] = '\0';
    return line;
}

static void hear(void) {
    controller.asker = ends[0];
    NS_CHECK(ns_sal_controller_hear(&controller));
}

NS_TEST(each_message_of_a_signed_registration_leaves_with_a_header_of_salds) {
    static const struct {
        uint8_t type;
        size_t length;
    } all[] = {{2, ASK_BYTES}, {4, REGISTER_BYTES}, {4, REGISTER_BYTES + 172}, {6, ANSWER_BYTES}};

    fresh();
    for (unsigned i = 0; i < 4; i++) {
        struct ns_sal_tell tell = message(all[i].type, all[i].length);
        struct ns_sal_packet packet;

        NS_EQUAL(NS_SAL_TELL_OK, told(&tell));
        NS_EQUAL(i + 1, messages);
        NS_CHECK(ns_sal_same(&router, &target));
        NS_EQUAL(NS_SAL_ERROR_OK, ns_sal_read(&packet, sent, sent_length));
        NS_EQUAL(17, packet.protocol);
        NS_EQUAL(0, packet.message.destination);
        NS_CHECK(packet.message.source != 0 && !packet.has_message && packet.way == NULL);
        NS_CHECK(memcmp(packet.service, ns_sal_router_id, NS_SAL_ID) == 0);
        NS_CHECK(memcmp(packet.second, tell.id, NS_SAL_ID) == 0);
        NS_EQUAL(8 + all[i].length, packet.transport_length);
        NS_CHECK(ns_sal_datagram_is_right(packet.transport, packet.transport_length, packet.pseudo));
        NS_CHECK(memcmp(packet.transport + 8, tell.bytes, tell.length) == 0);
    }
    NS_EQUAL(4, controller.counts[NS_SAL_CONTROLLER_TOLD]);
}

static void refused(struct ns_sal_tell tell, enum ns_sal_tell_refusal why) {
    uint64_t before = controller.counts[NS_SAL_CONTROLLER_REFUSED];

    messages = 0;
    NS_EQUAL(why, told(&tell));
    NS_EQUAL(0, messages);
    NS_EQUAL(before + 1, controller.counts[NS_SAL_CONTROLLER_REFUSED]);
}

NS_TEST(nothing_goes_to_another_than_a_router_of_signed_registrations) {
    struct ns_sal_tell tell = message(2, ASK_BYTES);

    fresh();
    tell.router = published; /* the order `router` has not said registration=signed */
    refused(tell, NS_SAL_TELL_ROUTER);
    tell.router = router;
    tell.router.port = 53;
    refused(tell, NS_SAL_TELL_ROUTER);
    ns_sal_address_read(&tell.router, "255.255.255.255", NS_SAL_PORT);
    refused(tell, NS_SAL_TELL_ROUTER);
    host.router_count = 1;
    refused(message(2, ASK_BYTES), NS_SAL_TELL_ROUTER);
}

NS_TEST(nothing_but_messages_of_a_host_leaves) {
    struct ns_sal_tell tell;

    fresh();
    for (unsigned type = 0; type < 256; type++) {
        for (size_t length = 0; length <= NS_SAL_TELL_MAX; length++) {
            bool right = (type == 2 && length == 100) || (type == 6 && length == 56) ||
                         (type == 4 && (length == 260 || length == 432));

            controller.second = 0; /* a new second */
            tell = message((uint8_t)type, length);
            NS_EQUAL(right ? NS_SAL_TELL_OK : NS_SAL_TELL_MESSAGE, told(&tell));
        }
    }
    tell = message(2, ASK_BYTES);
    tell.bytes[3]++; /* another length than it has */
    refused(tell, NS_SAL_TELL_MESSAGE);
    tell = message(6, ANSWER_BYTES);
    tell.bytes[1] = 1; /* the outcome of an answer */
    refused(tell, NS_SAL_TELL_MESSAGE);
}

NS_TEST(a_host_registers_only_what_its_programs_offer) {
    struct ns_sal_tell tell = message(4, REGISTER_BYTES);

    fresh();
    tell.bytes[96 + 3] = 2; /* the REGISTER of another service than the order */
    refused(tell, NS_SAL_TELL_OTHER);
    tell = message(4, REGISTER_BYTES);
    ns_put16(tell.bytes + 94, 20);
    refused(tell, NS_SAL_TELL_OTHER);
    tell = message(2, ASK_BYTES);
    tell.id[3] = 2;
    refused(tell, NS_SAL_TELL_SERVICE);
    tell = message(2, ASK_BYTES);
    tell.bits = 31;
    refused(tell, NS_SAL_TELL_SERVICE);
    services.rules[0].drained = true;
    refused(message(4, REGISTER_BYTES), NS_SAL_TELL_SERVICE);
    services.count = 0;
    refused(message(2, ASK_BYTES), NS_SAL_TELL_SERVICE);
    tell = message(6, ANSWER_BYTES);
    NS_EQUAL(NS_SAL_TELL_OK, told(&tell)); /* a withdrawal */
}

NS_TEST(messages_have_a_rate) {
    struct ns_sal_tell tell = message(2, ASK_BYTES);

    fresh();
    for (unsigned i = 0; i < NS_SAL_TELLS; i++)
        NS_EQUAL(NS_SAL_TELL_OK, told(&tell));
    refused(tell, NS_SAL_TELL_RATE);
    NS_EQUAL(NS_SAL_TELL_OK, ns_sal_controller_tell(&controller, &host, &tell, 2 * SECOND));
}

NS_TEST(a_message_without_a_way_is_refused_by_name) {
    fresh();
    routeless = true;
    refused(message(2, ASK_BYTES), NS_SAL_TELL_ROUTE);
    routeless = false;
    full = true;
    refused(message(2, ASK_BYTES), NS_SAL_TELL_SOCKET);
}

NS_TEST(bytes_are_hexadecimal_digits) {
    char digits[2 * NS_SAL_TELL_MAX + 3] = "";
    struct ns_sal_tell tell;

    NS_CHECK(ns_sal_tell_read(&tell, "02ff"));
    NS_EQUAL(2, tell.length);
    NS_EQUAL(0xff, tell.bytes[1]);
    NS_CHECK(!ns_sal_tell_read(&tell, ""));
    NS_CHECK(!ns_sal_tell_read(&tell, "02f"));
    NS_CHECK(!ns_sal_tell_read(&tell, "02FF"));
    NS_CHECK(!ns_sal_tell_read(&tell, "0x02"));
    memset(digits, '0', 2 * NS_SAL_TELL_MAX);
    NS_CHECK(ns_sal_tell_read(&tell, digits));
    memset(digits, '0', 2 * NS_SAL_TELL_MAX + 2);
    NS_CHECK(!ns_sal_tell_read(&tell, digits));
}

/* --- events --- */

NS_TEST(one_controller_hears_until_its_connection_ends) {
    fresh();
    NS_CHECK(!ns_sal_controller_hear(&controller)); /* an order of the file */
    hear();
    hear();
    controller.asker = ends[1];
    NS_CHECK(!ns_sal_controller_hear(&controller));
    ns_sal_controller_gone(&controller, ends[1]);
    NS_CHECK(!ns_sal_controller_hear(&controller));
    ns_sal_controller_gone(&controller, ends[0]);
    NS_CHECK(ns_sal_controller_hear(&controller));
}

NS_TEST(a_controller_is_told_routes_and_changes_of_services) {
    struct ns_sal_rule rule;

    fresh();
    ns_sal_controller_look(&controller, &host);
    hear();
    ns_sal_controller_look(&controller, &host);
    NS_CHECK(strcmp("route router=192.0.2.1:54325 own=192.0.2.10:54325", event()) == 0);
    NS_CHECK(strcmp("services", event()) == 0);
    ns_sal_controller_look(&controller, &host);
    NS_CHECK(strcmp("", event()) == 0);
    rule = services.rules[0];
    rule.weight = 9;
    NS_EQUAL(NS_SAL_RULE_OK, ns_sal_services_add(&services, &rule, 0));
    ns_sal_controller_look(&controller, &host);
    NS_CHECK(strcmp("services", event()) == 0);
    ns_sal_address_read(&own, "192.0.2.77", NS_SAL_PORT);
    routeless = true;
    ns_sal_controller_moved(&controller);
    ns_sal_controller_look(&controller, &host);
    NS_CHECK(strcmp("", event()) == 0);
    routeless = false;
    ns_sal_controller_moved(&controller);
    ns_sal_controller_look(&controller, &host);
    NS_CHECK(strcmp("route router=192.0.2.1:54325 own=192.0.2.77:54325", event()) == 0);
    ns_sal_controller_moved(&controller);
    ns_sal_controller_look(&controller, &host);
    NS_CHECK(strcmp("", event()) == 0);
}

/* Fills the queue of a controller that does not read. */
static void stop_reading(void) {
    char line[1000] = "";

    while (send(ends[0], line, sizeof line, MSG_DONTWAIT) > 0)
        ;
}

NS_TEST(a_controller_that_does_not_read_is_told_later) {
    fresh();
    hear();
    stop_reading();
    ns_sal_controller_look(&controller, &host);
    while (recv(ends[1], &(char[1024]){0}, 1024, 0) > 0)
        ;
    ns_sal_controller_look(&controller, &host);
    NS_CHECK(strncmp("route ", event(), 6) == 0);
    NS_CHECK(strcmp("services", event()) == 0);
}

/* Has the host take an unconnected datagram with an answer. */
static void answer(const struct ns_sal_address *from, uint8_t type, uint8_t length, bool from_router) {
    struct ns_sal_header header = {
        .message = {.source = 9}, .protocol = 17, .service = (uint8_t[NS_SAL_ID]){0, 0, 0x40, 1}};
    uint8_t bytes[NS_SAL_HEADER_MAX], payload[256] = {type, 0, 0, length};
    size_t start;

    header.second = from_router ? ns_sal_router_id : header.service;
    start = ns_sal_write(bytes, &header);
    start += ns_sal_datagram_to_wire(bytes + start, payload, length, (uint32_t[2]){9, 0});
    ns_sal_host_datagram(&host, from, &own, 2, bytes, start, SECOND);
}

NS_TEST(answers_of_a_router_reach_the_controller_alone) {
    static const char id[] = "0000400100000000000000000000000000000000000000000000000000000000";
    char expected[512];

    fresh();
    answer(&router, 5, ANSWER_BYTES, true);
    NS_EQUAL(1, controller.counts[NS_SAL_CONTROLLER_NOBODY]);
    hear();
    answer(&router, 5, ANSWER_BYTES, true);
    snprintf(expected, sizeof expected, "heard from=192.0.2.1:54325 id=%s bytes=05000038%0104d", id, 0);
    NS_CHECK(strcmp(expected, event()) == 0);
    answer(&router, 3, CHALLENGE_BYTES, true);
    NS_CHECK(strstr(event(), "bytes=03000058") != NULL);
    NS_EQUAL(3, host.verdicts[NS_SAL_VERDICT_REGISTRATION]);
    answer(&router, 5, ANSWER_BYTES + 1, true);
    answer(&router, 4, ANSWER_BYTES, true);
    answer(&router, 5, ANSWER_BYTES, false);
    answer(&published, 5, ANSWER_BYTES, true);
    NS_CHECK(strcmp("", event()) == 0);
    NS_EQUAL(3, host.verdicts[NS_SAL_VERDICT_REGISTRATION]);
    NS_EQUAL(4, host.verdicts[NS_SAL_VERDICT_NO_SOCKET]);
}

NS_TEST(answers_beyond_the_queue_and_the_rate_are_dropped_and_counted) {
    fresh();
    hear();
    for (unsigned i = 0; i <= NS_SAL_HEARS; i++) {
        answer(&router, 5, ANSWER_BYTES, true);
        event();
    }
    NS_EQUAL(NS_SAL_HEARS, controller.counts[NS_SAL_CONTROLLER_HEARD]);
    NS_EQUAL(1, controller.counts[NS_SAL_CONTROLLER_DROPPED]);
    fresh();
    hear();
    stop_reading();
    answer(&router, 5, ANSWER_BYTES, true);
    NS_EQUAL(0, controller.counts[NS_SAL_CONTROLLER_HEARD]);
    NS_EQUAL(1, controller.counts[NS_SAL_CONTROLLER_DROPPED]);
}

NS_TEST(sald_itself_registers_at_the_other_routers_alone) {
    static struct ns_sal_registrar registrar;

    fresh();
    memset(&registrar, 0, sizeof registrar);
    ns_sal_registrar_follow(&registrar, &host, SECOND);
    ns_sal_registrar_due(&registrar, &host, SECOND);
    NS_EQUAL(1, messages);
    NS_CHECK(ns_sal_same(&published, &target));
    host.router_signed[0] = true; /* the controller takes over, and the old registration is withdrawn */
    ns_sal_registrar_follow(&registrar, &host, SECOND);
    for (uint64_t now = SECOND; now < 60 * SECOND; now += 100)
        ns_sal_registrar_due(&registrar, &host, now);
    NS_EQUAL(4, messages);
}

NS_TEST(offers_are_what_routers_are_to_know) {
    char text[1024] = "";
    FILE *out = fmemopen(text, sizeof text, "w");

    fresh();
    ns_sal_controller_print(out, &services);
    fclose(out);
    NS_CHECK(strstr(text, "\"bits\":32,\"weight\":5,\"protocol\":\"tcp\",\"target\":\"[::]:80\"}]}") != NULL);
    services.rules[0].drained = true;
    out = fmemopen(text, sizeof text, "w");
    ns_sal_controller_print(out, &services);
    fclose(out);
    NS_CHECK(strncmp(text, "{\"offers\":[]}", 13) == 0);
}

int main(void) {
    NS_RUN(each_message_of_a_signed_registration_leaves_with_a_header_of_salds);
    NS_RUN(nothing_goes_to_another_than_a_router_of_signed_registrations);
    NS_RUN(nothing_but_messages_of_a_host_leaves);
    NS_RUN(a_host_registers_only_what_its_programs_offer);
    NS_RUN(messages_have_a_rate);
    NS_RUN(a_message_without_a_way_is_refused_by_name);
    NS_RUN(bytes_are_hexadecimal_digits);
    NS_RUN(one_controller_hears_until_its_connection_ends);
    NS_RUN(a_controller_is_told_routes_and_changes_of_services);
    NS_RUN(a_controller_that_does_not_read_is_told_later);
    NS_RUN(answers_of_a_router_reach_the_controller_alone);
    NS_RUN(answers_beyond_the_queue_and_the_rate_are_dropped_and_counted);
    NS_RUN(sald_itself_registers_at_the_other_routers_alone);
    NS_RUN(offers_are_what_routers_are_to_know);
    ns_sal_host_close(&host);
    return ns_test_end();
}
