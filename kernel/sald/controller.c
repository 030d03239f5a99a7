/* SPDX-License-Identifier: Apache-2.0 */
#include "controller.h"

#include "ns_bytes.h"
#include "registrar.h"
#include <sys/socket.h>

/* The messages of docs/protocols/serval.md, "Signed registration". */
#define ASK 2u
#define CHALLENGE 3u
#define REGISTER 4u
#define ANSWER 5u
#define REFRESH 6u
#define ASK_BYTES 100u
#define CHALLENGE_BYTES 88u
#define REGISTER_BYTES 260u
#define DELEGATION_BYTES 172u
#define ANSWER_BYTES 56u
#define REGISTER_BITS 94u
#define REGISTER_ID 96u

#define LINE_BYTES 1024u /* an event with the longest answer */

#define NS_X(name, text) text,
const char *const ns_sal_tell_texts[] = {NS_SAL_TELL_REFUSALS(NS_X)};
const char *const ns_sal_controller_counts[] = {NS_SAL_CONTROLLER_COUNTS(NS_X)};
#undef NS_X

bool ns_sal_tell_read(struct ns_sal_tell *tell, const char *digits) {
    size_t length = strlen(digits);

    if (length == 0 || length % 2 != 0 || length / 2 > sizeof tell->bytes)
        return false;
    for (size_t i = 0; i < length; i += 2) {
        int high = ns_sal_digit(digits[i]), low = ns_sal_digit(digits[i + 1]);

        if (high < 0 || low < 0)
            return false;
        tell->bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    tell->length = length / 2;
    return true;
}

/* --- messages to routers --- */

/* Returns the place of a router that takes signed registrations, -1 if there is none. */
static int find_router(const struct ns_sal_host *host, const struct ns_sal_address *address) {
    for (unsigned i = 0; i < host->router_count; i++) {
        if (host->router_signed[i] && ns_sal_same(&host->routers[i], address))
            return (int)i;
    }
    return -1;
}

/* Tells whether the length is the one of the message, in its own field, too. */
static bool is_message(const uint8_t *bytes, size_t length) {
    if (length < ANSWER_BYTES || ns_get16(bytes + 2) != length || bytes[1] != 0)
        return false;
    return (bytes[0] == ASK && length == ASK_BYTES) || (bytes[0] == REFRESH && length == ANSWER_BYTES) ||
           (bytes[0] == REGISTER && (length == REGISTER_BYTES || length == REGISTER_BYTES + DELEGATION_BYTES));
}

/* A REGISTER says itself what it registers. */
static bool is_about(const struct ns_sal_tell *tell) {
    return tell->bytes[0] != REGISTER || (ns_get16(tell->bytes + REGISTER_BITS) == tell->bits &&
                                          memcmp(tell->bytes + REGISTER_ID, tell->id, NS_SAL_ID) == 0);
}

static bool is_offered(const struct ns_sal_services *services, const struct ns_sal_tell *tell) {
    for (unsigned i = 0; i < services->count; i++) {
        const struct ns_sal_rule *rule = &services->rules[i];

        if (ns_sal_is_offered(rule) && rule->bits == tell->bits && memcmp(rule->id, tell->id, NS_SAL_ID) == 0)
            return true;
    }
    return false;
}

/* Tells whether this is one message too many for this second. */
static bool is_beyond(struct ns_sal_controller *controller, unsigned *count, unsigned most, uint64_t now) {
    if (controller->second != now / 1000) {
        controller->second = now / 1000;
        controller->told = 0;
        controller->heard = 0;
    }
    return ++*count > most;
}

static enum ns_sal_tell_refusal send_message(struct ns_sal_host *host, const struct ns_sal_tell *tell) {
    struct ns_sal_address own = {0};
    uint32_t interface;

    if (!host->wire->route(host->wire->context, &tell->router, &own, &interface))
        return NS_SAL_TELL_ROUTE;
    own.port = host->port;
    return ns_sal_registrar_send(host, &own, &tell->router, tell->id, tell->bytes, tell->length) ? NS_SAL_TELL_OK
                                                                                                 : NS_SAL_TELL_SOCKET;
}

/* A withdrawal is a REFRESH, and comes when the service is gone already. */
static enum ns_sal_tell_refusal check(const struct ns_sal_host *host, const struct ns_sal_tell *tell) {
    if (find_router(host, &tell->router) < 0)
        return NS_SAL_TELL_ROUTER;
    if (!is_message(tell->bytes, tell->length))
        return NS_SAL_TELL_MESSAGE;
    if (!is_about(tell))
        return NS_SAL_TELL_OTHER;
    if (tell->bytes[0] != REFRESH && !is_offered(host->services, tell))
        return NS_SAL_TELL_SERVICE;
    return NS_SAL_TELL_OK;
}

enum ns_sal_tell_refusal ns_sal_controller_tell(struct ns_sal_controller *controller, struct ns_sal_host *host,
                                                const struct ns_sal_tell *tell, uint64_t now) {
    enum ns_sal_tell_refusal refusal = check(host, tell);

    if (refusal == NS_SAL_TELL_OK && is_beyond(controller, &controller->told, NS_SAL_TELLS, now))
        refusal = NS_SAL_TELL_RATE;
    if (refusal == NS_SAL_TELL_OK)
        refusal = send_message(host, tell);
    controller->counts[refusal == NS_SAL_TELL_OK ? NS_SAL_CONTROLLER_TOLD : NS_SAL_CONTROLLER_REFUSED]++;
    return refusal;
}

/* --- events for the controller --- */

bool ns_sal_controller_hear(struct ns_sal_controller *controller) {
    if (controller->asker == 0 || (controller->hearer != 0 && controller->hearer != controller->asker))
        return false;
    controller->hearer = controller->asker;
    controller->services_told = false;
    controller->routes_told = false;
    memset(controller->own, 0, sizeof controller->own);
    return true;
}

void ns_sal_controller_gone(struct ns_sal_controller *controller, int fd) {
    if (controller->hearer == fd)
        controller->hearer = 0;
}

/* The socket's buffer is the queue: an event without room there is dropped. */
static bool emit(const struct ns_sal_controller *controller, const char *line, size_t length) {
    return send(controller->hearer, line, length, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* Returns false if the hearer has to be told later. */
static bool look_at_route(struct ns_sal_controller *controller, const struct ns_sal_host *host, unsigned router) {
    char line[LINE_BYTES], to[NS_SAL_ADDRESS_TEXT], from[NS_SAL_ADDRESS_TEXT];
    struct ns_sal_address own = {0};
    uint32_t interface;
    int length;

    if (!host->router_signed[router] ||
        !host->wire->route(host->wire->context, &host->routers[router], &own, &interface))
        return true; /* without a route nothing can be registered anew */
    own.port = host->port;
    if (ns_sal_same(&own, &controller->own[router]))
        return true;
    ns_sal_address_print(&host->routers[router], to);
    ns_sal_address_print(&own, from);
    length = snprintf(line, sizeof line, "route router=%s own=%s", to, from);
    if (!emit(controller, line, (size_t)length))
        return false;
    controller->own[router] = own;
    return true;
}

static void look_at_routes(struct ns_sal_controller *controller, const struct ns_sal_host *host) {
    if (controller->routes_told)
        return;
    controller->routes_told = true;
    for (unsigned i = 0; i < host->router_count; i++)
        controller->routes_told &= look_at_route(controller, host, i);
}

void ns_sal_controller_moved(struct ns_sal_controller *controller) {
    controller->routes_told = false;
}

void ns_sal_controller_look(struct ns_sal_controller *controller, const struct ns_sal_host *host) {
    unsigned services = ns_sal_services_news(host->services);

    if (controller->hearer == 0)
        return;
    look_at_routes(controller, host);
    if (controller->services_told && controller->services == services)
        return;
    controller->services_told = emit(controller, "services", sizeof "services" - 1);
    controller->services = services;
}

bool ns_sal_controller_is_answer(const struct ns_sal_host *host, const struct ns_sal_address *from,
                                 const uint8_t *source, const uint8_t *bytes, size_t length) {
    if (length < ANSWER_BYTES || ns_get16(bytes + 2) != length)
        return false;
    return ((bytes[0] == CHALLENGE && length == CHALLENGE_BYTES) || (bytes[0] == ANSWER && length == ANSWER_BYTES)) &&
           memcmp(source, ns_sal_router_id, NS_SAL_ID) == 0 && find_router(host, from) >= 0;
}

void ns_sal_controller_heard(struct ns_sal_controller *controller, const struct ns_sal_address *from,
                             const uint8_t *service, const uint8_t *bytes, size_t length, uint64_t now) {
    char line[LINE_BYTES], address[NS_SAL_ADDRESS_TEXT], id[NS_SAL_ID_TEXT];
    int at;

    if (controller->hearer == 0) {
        controller->counts[NS_SAL_CONTROLLER_NOBODY]++;
        return;
    }
    ns_sal_address_print(from, address);
    ns_sal_id_print(service, id);
    at = snprintf(line, sizeof line, "heard from=%s id=%s bytes=", address, id);
    for (size_t i = 0; i < length && (size_t)at + 2 < sizeof line; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%02x", bytes[i]);
    if (is_beyond(controller, &controller->heard, NS_SAL_HEARS, now) || !emit(controller, line, (size_t)at))
        controller->counts[NS_SAL_CONTROLLER_DROPPED]++;
    else
        controller->counts[NS_SAL_CONTROLLER_HEARD]++;
}

void ns_sal_controller_print(FILE *out, const struct ns_sal_services *services) {
    unsigned shown = 0;

    fputs("{\"offers\":[", out);
    for (unsigned i = 0; i < services->count && shown < NS_SAL_OFFERS; i++) {
        const struct ns_sal_rule *rule = &services->rules[i];
        char id[NS_SAL_ID_TEXT], target[NS_SAL_ADDRESS_TEXT];

        if (!ns_sal_is_offered(rule))
            continue;
        ns_sal_id_print(rule->id, id);
        ns_sal_address_print(&rule->target, target);
        fprintf(out, "%s{\"id\":\"%s\",\"bits\":%u,\"weight\":%u,\"protocol\":\"%s\",\"target\":\"%s\"}",
                shown++ == 0 ? "" : ",", id, rule->bits, rule->weight == 0 ? 1 : rule->weight,
                rule->datagrams ? "udp" : "tcp", target);
    }
    fputs("]}", out);
}
