/* SPDX-License-Identifier: Apache-2.0 */
#include "registrar.h"

#include "datagram.h"
#include "ns_bytes.h"

#define PERIOD_MS 20000u
#define WITHDRAWALS 3u
#define UNREGISTER 1u
#define AGAIN 1u

static const uint64_t pauses[] = {500, 1000, 2000, 4000};
const uint8_t ns_sal_router_id[NS_SAL_ID] = {0x00, 0x01, 0x5b, 0x38};

static struct ns_sal_registration *find(struct ns_sal_registrar *registrar, const struct ns_sal_rule *rule,
                                        const struct ns_sal_address *router) {
    for (unsigned i = 0; i < NS_SAL_REGISTRATIONS; i++) {
        struct ns_sal_registration *entry = &registrar->entries[i];

        if (entry->used && entry->bits == rule->bits && memcmp(entry->id, rule->id, NS_SAL_ID) == 0 &&
            ns_sal_same(&entry->router, router))
            return entry;
    }
    return NULL;
}

static void begin(struct ns_sal_registration *entry, bool withdraws, uint64_t now) {
    entry->withdraws = withdraws;
    entry->sent = 0;
    entry->due_at = now;
}

static void want(struct ns_sal_registrar *registrar, const struct ns_sal_rule *rule,
                 const struct ns_sal_address *router, uint64_t now) {
    struct ns_sal_registration *entry = find(registrar, rule, router);

    for (unsigned i = 0; entry == NULL && i < NS_SAL_REGISTRATIONS; i++) {
        if (registrar->entries[i].used)
            continue;
        entry = &registrar->entries[i];
        *entry = (struct ns_sal_registration){.used = true, .bits = rule->bits, .router = *router};
        memcpy(entry->id, rule->id, NS_SAL_ID);
        begin(entry, false, now);
    }
    if (entry != NULL && entry->withdraws)
        begin(entry, false, now);
}

bool ns_sal_is_offered(const struct ns_sal_rule *rule) {
    return rule->action == NS_SAL_DEMUX && !rule->drained;
}

/* Tells whether a router gets signed registrations, by the controller. */
static bool is_signed(const struct ns_sal_registration *entry, const struct ns_sal_host *host) {
    for (unsigned i = 0; i < host->router_count; i++) {
        if (ns_sal_same(&host->routers[i], &entry->router))
            return host->router_signed[i];
    }
    return false;
}

static bool is_wanted(const struct ns_sal_registration *entry, const struct ns_sal_host *host) {
    const struct ns_sal_services *services = host->services;

    if (is_signed(entry, host))
        return false;

    for (unsigned i = 0; i < services->count; i++) {
        const struct ns_sal_rule *rule = &services->rules[i];

        if (ns_sal_is_offered(rule) && rule->bits == entry->bits && memcmp(rule->id, entry->id, NS_SAL_ID) == 0)
            return true;
    }
    return false;
}

void ns_sal_registrar_follow(struct ns_sal_registrar *registrar, const struct ns_sal_host *host, uint64_t now) {
    for (unsigned i = 0; i < host->services->count; i++) {
        for (unsigned router = 0; router < host->router_count; router++) {
            if (!host->router_signed[router] && ns_sal_is_offered(&host->services->rules[i]))
                want(registrar, &host->services->rules[i], &host->routers[router], now);
        }
    }
    for (unsigned i = 0; i < NS_SAL_REGISTRATIONS; i++) {
        struct ns_sal_registration *entry = &registrar->entries[i];

        if (entry->used && !entry->withdraws && !is_wanted(entry, host))
            begin(entry, true, now);
    }
}

/* Finds the address from which messages to a router leave. */
static bool find_own(const struct ns_sal_registration *entry, const struct ns_sal_host *host,
                     struct ns_sal_address *own) {
    uint32_t interface;

    memset(own, 0, sizeof *own);
    if (!host->wire->route(host->wire->context, &entry->router, own, &interface))
        return false;
    own->port = ns_sal_is_raw(&entry->router) ? 0 : host->port;
    return true;
}

void ns_sal_registrar_moved(struct ns_sal_registrar *registrar, const struct ns_sal_host *host, uint64_t now) {
    for (unsigned i = 0; i < NS_SAL_REGISTRATIONS; i++) {
        struct ns_sal_registration *entry = &registrar->entries[i];
        struct ns_sal_address own;

        if (entry->used && find_own(entry, host, &own) && !ns_sal_same(&own, &entry->own))
            entry->due_at = now;
    }
}

static void put_message(uint8_t *at, const struct ns_sal_registration *entry) {
    bool again = !entry->withdraws && entry->transaction > 1;

    memset(at, 0, NS_SAL_REGISTER_BYTES);
    at[0] = entry->withdraws ? UNREGISTER : 0;
    ns_put16(at + 2, NS_SAL_REGISTER_BYTES);
    memcpy(at + 4, &entry->transaction, 4); /* in the byte order of the host */
    at[8] = again ? AGAIN : 0;
    at[10] = (uint8_t)entry->bits; /* 256 is 0 */
    memcpy(at + 12, &entry->old, 4);
    memcpy(at + 16, entry->id, NS_SAL_ID);
}

bool ns_sal_registrar_send(struct ns_sal_host *host, const struct ns_sal_address *own,
                           const struct ns_sal_address *router, const uint8_t *id, const uint8_t *message,
                           size_t length) {
    uint8_t bytes[NS_SAL_HEADER_MAX];
    struct ns_sal_header header = {.protocol = NS_SAL_UDP, .service = ns_sal_router_id, .second = id};
    uint32_t words[2];
    size_t start;

    host->wire->random(host->wire->context, &header.message.source, sizeof header.message.source);
    header.message.source |= 1;
    ns_sal_pseudo(words, header.message.source, 0, own, router);
    start = ns_sal_write(bytes, &header);
    return host->wire->datagram(host->wire->context, own, router, bytes,
                                start + ns_sal_datagram_to_wire(bytes + start, message, length, words));
}

/* Notes a new address. The router ends the rule of the old one. */
static void note_own(struct ns_sal_registration *entry, const struct ns_sal_address *own) {
    if (ns_sal_same(&entry->own, own))
        return;
    if (!ns_sal_is_none(&entry->own)) {
        entry->sent = 0;
        entry->old = 0;
        if (ns_sal_is_ipv4(&entry->own))
            memcpy(&entry->old, entry->own.ip + 12, 4);
    }
    entry->own = *own;
}

static void transmit(struct ns_sal_registration *entry, struct ns_sal_host *host, uint64_t now) {
    uint8_t message[NS_SAL_REGISTER_BYTES];
    struct ns_sal_address own;

    if (find_own(entry, host, &own)) {
        note_own(entry, &own);
        if (entry->sent >= sizeof pauses / sizeof pauses[0])
            entry->old = 0; /* another host may have it by now */
        entry->transaction++;
        put_message(message, entry);
        if (!ns_sal_registrar_send(host, &own, &entry->router, entry->id, message, sizeof message))
            host->verdicts[NS_SAL_VERDICT_NOT_SENT]++;
    }
    entry->due_at = now + (entry->sent < sizeof pauses / sizeof pauses[0] ? pauses[entry->sent] : PERIOD_MS);
    entry->sent++;
    entry->used = !entry->withdraws || entry->sent < WITHDRAWALS;
}

uint64_t ns_sal_registrar_due(struct ns_sal_registrar *registrar, struct ns_sal_host *host, uint64_t now) {
    uint64_t next = NS_SAL_NEVER;

    for (unsigned i = 0; i < NS_SAL_REGISTRATIONS; i++) {
        struct ns_sal_registration *entry = &registrar->entries[i];

        if (entry->used && entry->due_at <= now)
            transmit(entry, host, now);
        if (entry->used && entry->due_at < next)
            next = entry->due_at;
    }
    return next;
}
