/* SPDX-License-Identifier: Apache-2.0 */
#include "set_up.h"

#include "ns_bytes.h"
#include "ns_libbpf.h"
#include "ns_log.h"
#include <arpa/inet.h>
#include <errno.h>
#include <sys/mman.h>

#define BUSY_TRIES 1000000u /* a program is BUSY for less than a microsecond */

static bool is_out(unsigned index) {
    return index < NS_SAL_OUT_SLOTS;
}

static uint32_t stage_of(const struct ns_sal_slot *slot) {
    return __atomic_load_n(&slot->stage, __ATOMIC_ACQUIRE);
}

/* --- filling --- */

static void fill(struct ns_sal_pool *pool, unsigned index) {
    struct ns_sal_host *host = pool->host;
    struct ns_sal_identity numbers = ns_sal_host_identity(host);
    struct ns_sal_slot *slot = &pool->slots[index];
    const struct ns_sal_address any = {.port = 1};
    struct ns_sal_tuple names;
    uint32_t number = host->clients++;

    slot->own = htonl(numbers.id);
    slot->verno = numbers.verno;
    slot->nonce = numbers.nonce; /* random bytes in any order */
    ns_sal_client_tuple(&names, &any, host->inside4, number);
    slot->client4 = names.destination[0];
    slot->client_port = htons((uint16_t)(ntohl(names.ports) & 0xffff));
    ns_sal_client_address6(number, slot->client6);
    slot->peer_flow = 0;
    __atomic_store_n(&slot->stage, NS_SAL_STAGE_FREE, __ATOMIC_RELEASE);
}

/* SYNs that the programs take are half-open flows, so they take none when sald has nearly as many as it may have. */
static void set_serve(struct ns_sal_pool *pool) {
    __atomic_store_n(&pool->state->serve, pool->host->requests <= pool->host->request_room, __ATOMIC_SEQ_CST);
}

static void free_slot(struct ns_sal_pool *pool, unsigned index) {
    uint32_t value = index;

    fill(pool, index);
    set_serve(pool);
    if (pool->on && bpf_map_update_elem(pool->free[is_out(index)], NULL, &value, BPF_ANY) != 0)
        ns_warn("slot %u: %s", index, strerror(errno));
}

/* --- taking over --- */

/* Takes a flow out of the maps of the programs. An open one is entered there again. */
static void drop_way(struct ns_sal_pool *pool, const struct ns_sal_slot *slot) {
    bpf_map_delete_elem(pool->programs->flows, &slot->own);
}

/* Returns the abilities of flows that the programs set up. They know nothing of the native form. */
static uint8_t abilities(const struct ns_sal_pool *pool) {
    return pool->host->abilities & (uint8_t)~NS_SAL_ABILITY_NATIVE;
}

static void take_over(struct ns_sal_pool *pool, unsigned index, enum ns_sal_stage stage, uint64_t now) {
    struct ns_sal_slot *slot = &pool->slots[index];
    uint32_t expected = stage;
    struct ns_sal_kept kept;

    if (!__atomic_compare_exchange_n(&slot->stage, &expected, NS_SAL_STAGE_TAKEN, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        return;
    ns_sal_made(&kept, slot, stage, is_out(index), abilities(pool));
    if (!ns_sal_flow_is_open(&kept.flow) || kept.has_message)
        drop_way(pool, slot);
    if (ns_sal_flows_by_id(&pool->host->flows, kept.flow.id) == NULL &&
        !ns_sal_host_take_made(pool->host, &kept, now)) {
        pool->host->wire->forget(pool->host->wire->context, &kept);
    } else if (kept.flow.client) {
        ns_sal_surrogate_find(pool->host->names, kept.inner.destination, kept.inner.family, now);
    }
    free_slot(pool, index);
}

static bool has_flow(uint32_t stage) {
    return stage == NS_SAL_STAGE_SYN || stage == NS_SAL_STAGE_ANSWERED || stage == NS_SAL_STAGE_OPEN;
}

/*
 * Leaves the SYNs to a surrogate to sald for a while: nobody has answered that of a program. It differs from sald's own
 * in its checksum, which is whole, so a router on the way may have sent it where it is lost.
 */
static void distrust(struct ns_sal_pool *pool, const struct ns_sal_slot *slot, uint64_t now) {
    int place = ns_sal_surrogate_peek(pool->host->names, slot->service);
    uint32_t number = (uint32_t)place;

    if (place < 0)
        return;
    pool->distrusted[place] = now + NS_SAL_DISTRUST_MS;
    bpf_map_delete_elem(pool->targets, &number);
}

static bool is_late(const struct ns_sal_slot *slot, uint64_t now) {
    return slot->began_ns / 1000000 + NS_SAL_LATE_MS <= now;
}

/* Looks at one slot. Returns whether it is in use after that. */
static bool look_at(struct ns_sal_pool *pool, unsigned index, uint64_t now) {
    const struct ns_sal_slot *slot = &pool->slots[index];
    uint32_t stage = stage_of(slot);

    if (stage == NS_SAL_STAGE_FREE)
        return false;
    if (stage == NS_SAL_STAGE_FAILED)
        free_slot(pool, index);
    if (stage == NS_SAL_STAGE_SYN && is_out(index) && is_late(slot, now))
        distrust(pool, slot, now);
    if (stage == NS_SAL_STAGE_OPEN || (has_flow(stage) && is_late(slot, now)))
        take_over(pool, index, stage, now);
    return stage_of(slot) != NS_SAL_STAGE_FREE;
}

static void follow(struct ns_sal_pool *pool) {
    if (pool->changes != ns_sal_services_news(pool->host->services))
        ns_sal_pool_renew(pool);
}

static unsigned look(struct ns_sal_pool *pool, uint64_t now) {
    unsigned used = 0;

    for (unsigned i = 0; i < NS_SAL_SLOTS; i++)
        used += look_at(pool, i, now);
    return used;
}

static unsigned take_all(struct ns_sal_pool *pool, uint64_t now) {
    unsigned taken = 0;

    for (unsigned i = 0; i < NS_SAL_SLOTS; i++) {
        uint32_t stage = stage_of(&pool->slots[i]);

        if (!has_flow(stage))
            continue;
        take_over(pool, i, stage, now);
        taken++;
    }
    return taken;
}

void ns_sal_pool_take_all(struct ns_sal_pool *pool, uint64_t now) {
    if (pool->on)
        take_all(pool, now);
}

uint64_t ns_sal_pool_look(struct ns_sal_pool *pool, uint64_t now) {
    unsigned used;

    if (!pool->on)
        return NS_SAL_NEVER;
    follow(pool);
    set_serve(pool);
    used = look(pool, now);
    if (used == 0 && __atomic_load_n(&pool->state->armed, __ATOMIC_SEQ_CST) == 0) {
        __atomic_store_n(&pool->state->armed, 1, __ATOMIC_SEQ_CST);
        used = look(pool, now); /* one that was taken before */
    }
    return used == 0 ? NS_SAL_NEVER : now + NS_SAL_SLOTS_MS;
}

bool ns_sal_pool_seek(struct ns_sal_pool *pool, const struct ns_sal_sought *sought) {
    if (!pool->on)
        return false;
    for (unsigned i = 0; i < NS_SAL_SLOTS; i++) {
        const struct ns_sal_slot *slot = &pool->slots[i];
        uint32_t stage = stage_of(slot);

        if (stage == NS_SAL_STAGE_FREE || !ns_sal_is_sought(slot, is_out(i), sought))
            continue;
        for (unsigned tries = 0; stage == NS_SAL_STAGE_BUSY && tries < BUSY_TRIES; tries++)
            stage = stage_of(slot);
        if (!has_flow(stage) || !ns_sal_is_sought(slot, is_out(i), sought))
            continue;
        take_over(pool, i, stage, pool->host->now);
        return true;
    }
    return false;
}

/* --- preparing --- */

/* Tells the programs the routers that have come. No order takes one away. */
static void enter_routers(struct ns_sal_pool *pool) {
    while (pool->router_count < pool->host->router_count) {
        const struct ns_sal_address *router = &pool->host->routers[pool->router_count++];
        struct ns_sal_router_key key = {.port = htons(router->port)};
        uint8_t known = 1;

        ns_sal_address_words(router, key.address);
        if (!ns_sal_is_raw(router))
            bpf_map_update_elem(pool->routers, &key, &known, BPF_ANY);
    }
}

void ns_sal_pool_renew(struct ns_sal_pool *pool) {
    pool->changes = ns_sal_services_news(pool->host->services);
    if (!pool->on)
        return;
    enter_routers(pool);
    __atomic_add_fetch(&pool->state->generation, 1, __ATOMIC_SEQ_CST);
}

static struct ns_sal_client_key key_of(const struct ns_sal_kept *kept) {
    struct ns_sal_client_key key = {.flow = htonl(kept->client.flow), .port = htons(kept->client.address.port)};

    ns_sal_address_words(&kept->client.address, key.address);
    ns_put64((uint8_t *)&key.nonce, kept->client.nonce);
    return key;
}

void ns_sal_pool_enter(struct ns_sal_pool *pool, const struct ns_sal_kept *kept) {
    uint32_t own = htonl(kept->flow.id);
    struct ns_sal_client_key key;

    if (!pool->on || kept->datagrams)
        return;
    if (kept->flow.client) {
        bpf_map_update_elem(pool->programs->tuples, &kept->inner, &own, BPF_ANY);
        return;
    }
    key = key_of(kept);
    bpf_map_update_elem(pool->clients, &key, &own, BPF_ANY);
}

void ns_sal_pool_forget(struct ns_sal_pool *pool, const struct ns_sal_kept *kept) {
    struct ns_sal_client_key key;

    if (!pool->on || kept->datagrams || kept->flow.client)
        return;
    key = key_of(kept);
    bpf_map_delete_elem(pool->clients, &key);
}

static uint64_t until(const struct ns_sal_pool *pool, const struct ns_sal_rule *rule) {
    uint64_t end = pool->host->now + NS_SAL_PREPARED_MS;

    return (rule->until < end ? rule->until : end) * 1000000;
}

static void prepare_target(struct ns_sal_pool *pool, const struct ns_sal_kept *kept, const struct ns_sal_rule *rule) {
    const struct ns_sal_mobility *mobility = &kept->flow.mobility;
    int place = ns_sal_surrogate_peek(pool->host->names, kept->flow.service);
    uint32_t number = (uint32_t)place;
    struct ns_sal_target target = {.until_ns = until(pool, rule),
                                   .generation = pool->state->generation,
                                   .interface = kept->interface,
                                   .own_port = htons(mobility->own.port),
                                   .peer_port = htons(mobility->peer.port),
                                   .family = ns_sal_is_ipv4(&mobility->peer) ? 4 : 6};

    if (place < 0 || pool->distrusted[place] > pool->host->now || ns_sal_is_raw(&mobility->peer))
        return;
    ns_sal_address_words(&mobility->own, target.own_address);
    ns_sal_address_words(&mobility->peer, target.peer_address);
    memcpy(target.service, kept->flow.service, sizeof target.service);
    bpf_map_update_elem(pool->targets, &number, &target, BPF_ANY);
}

static void prepare_listener(struct ns_sal_pool *pool, const struct ns_sal_kept *kept, const struct ns_sal_rule *rule) {
    struct ns_sal_listener_key key = {0};
    struct ns_sal_listener listener = {.until_ns = until(pool, rule), .generation = pool->state->generation};
    struct ns_sal_tuple names;

    if (ns_sal_is_raw(&kept->client.address))
        return;
    ns_sal_client_tuple(&names, &rule->target, pool->host->inside4, 0);
    memcpy(listener.address, names.source, sizeof listener.address);
    listener.family = names.family;
    listener.port = htons(rule->target.port);
    memcpy(key.service, kept->flow.service, sizeof key.service);
    ns_sal_address_words(&kept->flow.mobility.own, key.address);
    bpf_map_update_elem(pool->listeners, &key, &listener, BPF_ANY);
}

void ns_sal_pool_prepare(struct ns_sal_pool *pool, const struct ns_sal_kept *kept, const struct ns_sal_rule *rule) {
    if (!pool->on || pool->paused || (pool->host->abilities & NS_SAL_ABILITY_NATIVE) != 0)
        return;
    follow(pool);
    if (kept->flow.client)
        prepare_target(pool, kept, rule);
    else
        prepare_listener(pool, kept, rule);
}

/* --- opening --- */

static void *share(const struct ns_sal_programs *programs, const char *name, size_t size) {
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ns_sal_programs_map(programs, name), 0);

    return at == MAP_FAILED ? NULL : at;
}

static void start(struct ns_sal_pool *pool) {
    pool->on = true;
    pool->host->request_room = NS_SAL_REQUESTS - NS_SAL_IN_SLOTS;
    pool->state->abilities = abilities(pool);
    ns_sal_pool_renew(pool);
    for (struct ns_sal_held *held = ns_sal_flows_after(&pool->host->flows, NULL); held != NULL; held = held->after)
        ns_sal_pool_enter(pool, &held->kept);
    for (unsigned i = 0; i < NS_SAL_SLOTS; i++)
        free_slot(pool, i);
}

int ns_sal_pool_open(struct ns_sal_pool *pool, struct ns_sal_host *host, struct ns_sal_programs *programs) {
    memset(pool, 0, sizeof *pool);
    pool->host = host;
    pool->programs = programs;
    pool->slots = share(programs, "ns_sal_slots", NS_SAL_SLOTS * sizeof *pool->slots);
    pool->state = share(programs, "ns_set_state", sizeof *pool->state);
    if (pool->slots == NULL || pool->state == NULL)
        return -1;
    pool->free[true] = ns_sal_programs_map(programs, "ns_set_free_out");
    pool->free[false] = ns_sal_programs_map(programs, "ns_set_free_in");
    pool->targets = ns_sal_programs_map(programs, "ns_set_targets");
    pool->listeners = ns_sal_programs_map(programs, "ns_set_listeners");
    pool->clients = ns_sal_programs_map(programs, "ns_set_clients");
    pool->routers = ns_sal_programs_map(programs, "ns_set_routers");
    pool->restored = take_all(pool, host->now);
    if (programs->set_up)
        start(pool);
    return programs->set_up ? ns_sal_programs_call(programs) : 0;
}
