/* SPDX-License-Identifier: Apache-2.0 */
#include "serval_table.h"
#include "ns_libbpf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NONE NS_SERVAL_ROUTERS

static int map(const struct ns_bpfd *bpfd, const char *name) {
    return ns_programs_map(&bpfd->programs, name);
}

static struct ns_serval_address address_of(uint8_t family, const uint8_t *address, uint16_t port) {
    struct ns_serval_address at = {.port = htons(port)};

    if (family == 6) {
        memcpy(at.address, address, sizeof at.address);
        return at;
    }
    at.address[2] = htonl(0xffff);
    memcpy(&at.address[3], address, sizeof at.address[3]);
    return at;
}

static struct ns_serval_address router_of(const struct ns_serval_ask *ask) {
    return address_of(ask->family, ask->router, ask->router_port);
}

static struct ns_serval_address target_of(const struct ns_serval_ask *ask) {
    return address_of(ask->family, ask->target, ask->target_port);
}

static struct ns_serval_key key_of(const struct ns_serval_ask *ask, unsigned router) {
    struct ns_serval_key key = {.bits = ask->bits, .router = (uint16_t)router};

    memcpy(key.id, ask->id, sizeof key.id);
    return key;
}

/* --- routers --- */

static unsigned find_router(const struct ns_bpfd *bpfd, const struct ns_serval_ask *ask) {
    struct ns_serval_address at = router_of(ask);

    for (unsigned i = 0; i < bpfd->serval.numbers; i++) {
        if (bpfd->serval.router[i].rules != 0 && memcmp(&bpfd->serval.router[i].at, &at, sizeof at) == 0)
            return i;
    }
    return NONE;
}

unsigned ns_serval_table_router(const struct ns_bpfd *bpfd, const struct ns_serval_ask *ask) {
    return find_router(bpfd, ask);
}

void ns_serval_table_address(const struct ns_bpfd *bpfd, unsigned number, struct ns_serval_ask *ask) {
    const struct ns_serval_address *at = &bpfd->serval.router[number].at;

    ask->router_port = ntohs(at->port);
    memset(ask->router, 0, sizeof ask->router);
    if (ask->family == 6)
        memcpy(ask->router, at->address, sizeof at->address);
    else
        memcpy(ask->router, &at->address[3], sizeof at->address[3]);
}

/* Begins a router of a container, which gets the lowest free number. Returns NONE if the container has all it may. */
static unsigned begin_router(struct ns_bpfd *bpfd, unsigned container, const struct ns_serval_ask *ask) {
    struct ns_serval_entries *serval = &bpfd->serval;
    unsigned number = NONE, own = 0;

    for (unsigned i = serval->numbers; i-- > 0;) {
        if (serval->router[i].rules == 0)
            number = i;
        else
            own += serval->router[i].container == container;
    }
    if (own >= NS_SERVAL_ROUTERS_EACH)
        return NONE;
    if (number == NONE && serval->numbers < NS_SERVAL_ROUTERS)
        number = serval->numbers++;
    if (number != NONE)
        serval->router[number] = (struct ns_serval_entry){.at = router_of(ask), .container = container};
    return number;
}

static unsigned lengths_of(const struct ns_serval_entry *router) {
    unsigned lengths = 0;

    for (unsigned bits = 0; bits <= NS_SERVICE_BITS; bits++)
        lengths += router->sets[bits] != 0;
    return lengths;
}

/* Tells the programs the lengths of a router, and that its rules are others. */
static int write_router(struct ns_bpfd *bpfd, unsigned number) {
    const struct ns_serval_entry *entry = &bpfd->serval.router[number];
    struct ns_serval_router router = {
        .generation = ++bpfd->serval.generation, .number = (uint16_t)number, .container = (uint16_t)entry->container};

    for (int bits = NS_SERVICE_BITS; bits >= 0; bits--) {
        if (entry->sets[bits] != 0)
            router.length[router.lengths++] = (uint16_t)bits;
    }
    if (entry->rules == 0)
        return bpf_map_delete_elem(map(bpfd, "ns_serval_routers"), &entry->at);
    return bpf_map_update_elem(map(bpfd, "ns_serval_routers"), &entry->at, &router, BPF_ANY);
}

/* Makes the map of recent look-ups before the first rule. Without it the programs look up each serviceID anew. */
static void make_recent(const struct ns_bpfd *bpfd) {
    const uint32_t only = 0;
    int fd = bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "ns_serval_last", sizeof(struct ns_serval_key),
                            sizeof(struct ns_serval_recent), NS_SERVAL_RECENT, NULL);

    if (fd < 0)
        return;
    bpf_map_update_elem(map(bpfd, "ns_serval_recent"), &only, &fd, BPF_ANY);
    close(fd);
}

/* Fills the slot with the first rule of the node, and empties it after the last one. */
static void need(struct ns_bpfd *bpfd, bool rules) {
    const uint32_t only = 0;

    if (bpfd->programs.serval == rules)
        return;
    if (rules)
        make_recent(bpfd);
    ns_programs_serval(&bpfd->programs, rules);
    if (!rules)
        bpf_map_delete_elem(map(bpfd, "ns_serval_recent"), &only);
}

static void count_rule(struct ns_bpfd *bpfd, unsigned number, int change) {
    bpfd->serval.router[number].rules += (unsigned)change;
    bpfd->serval.rules += (unsigned)change;
}

/* --- the rules of a prefix --- */

/* Reads the rules of a prefix. Returns false if there are none. */
static bool read_set(const struct ns_bpfd *bpfd, const struct ns_serval_key *key, struct ns_serval_set *set) {
    struct ns_serval_rule rule;

    memset(set, 0, sizeof *set);
    if (bpf_map_lookup_elem(map(bpfd, "ns_serval_rules"), key, &rule) != 0)
        return false;
    if (rule.kind == NS_SERVAL_KIND_SEVERAL)
        return bpf_map_lookup_elem(map(bpfd, "ns_serval_sets"), key, set) == 0;
    if (rule.kind == NS_SERVAL_KIND_MODULE) {
        set->module = rule.expires;
        return true;
    }
    set->count = 1;
    set->target[0] = (struct ns_serval_target){rule.expires, rule.to, rule.weight, 0};
    return true;
}

static bool is_several(const struct ns_serval_set *set) {
    return set->count + (set->module != 0) > 1;
}

/*
 * Writes the rules of a prefix that has several. The programs find them by the other map, which is written last. `was`
 * tells whether there were several before.
 */
static int write_several(const struct ns_bpfd *bpfd, const struct ns_serval_key *key, const struct ns_serval_set *set,
                         bool was) {
    const struct ns_serval_rule rule = {.kind = NS_SERVAL_KIND_SEVERAL};
    int sets = map(bpfd, "ns_serval_sets"), failed = bpf_map_update_elem(sets, key, set, BPF_ANY);

    if (failed != 0 || was)
        return failed;
    failed = bpf_map_update_elem(map(bpfd, "ns_serval_rules"), key, &rule, BPF_ANY);
    if (failed != 0)
        bpf_map_delete_elem(sets, key);
    return failed;
}

/* Writes the rules of a prefix, of which there are some. Returns 0, or the negative reason. */
static int write_set(const struct ns_bpfd *bpfd, const struct ns_serval_key *key, const struct ns_serval_set *set,
                     bool was_several) {
    const struct ns_serval_target *only = &set->target[0];
    struct ns_serval_rule rule;
    int failed;

    if (is_several(set))
        return write_several(bpfd, key, set, was_several);
    if (set->count == 1)
        rule = (struct ns_serval_rule){only->expires, only->to, NS_SERVAL_KIND_TARGET, (uint16_t)only->weight};
    else
        rule = (struct ns_serval_rule){.expires = set->module, .kind = NS_SERVAL_KIND_MODULE};
    failed = bpf_map_update_elem(map(bpfd, "ns_serval_rules"), key, &rule, BPF_ANY);
    if (failed == 0 && was_several)
        bpf_map_delete_elem(map(bpfd, "ns_serval_sets"), key);
    return failed;
}

static unsigned find_target(const struct ns_serval_set *set, const struct ns_serval_address *to) {
    unsigned i = 0;

    while (i < set->count && memcmp(&set->target[i].to, to, sizeof *to) != 0)
        i++;
    return i;
}

static enum ns_serval_refused change_set(struct ns_serval_set *set, const struct ns_serval_ask *ask, uint64_t expires,
                                         bool again) {
    struct ns_serval_address to = target_of(ask);
    unsigned at = find_target(set, &to);

    if (ask->what == NS_SERVAL_ASK_MODULE) {
        if (!again && set->module != 0)
            return NS_SERVAL_REFUSED_taken;
        set->module = expires;
        return NS_SERVAL_REFUSED_NOT;
    }
    if (!again && at < set->count)
        return NS_SERVAL_REFUSED_taken;
    if (at == NS_SERVAL_TARGETS)
        return NS_SERVAL_REFUSED_targets;
    set->target[at] = (struct ns_serval_target){expires, to, ask->weight, 0};
    set->count += at == set->count;
    return NS_SERVAL_REFUSED_NOT;
}

/* Puts a rule into the set of its prefix. A new prefix of a new length needs room among the lengths. */
static enum ns_serval_refused put_rule(struct ns_bpfd *bpfd, unsigned number, const struct ns_serval_ask *ask,
                                       uint64_t expires, bool again) {
    struct ns_serval_entry *router = &bpfd->serval.router[number];
    struct ns_serval_key key = key_of(ask, number);
    struct ns_serval_set set;
    bool old = read_set(bpfd, &key, &set), was_several = is_several(&set);
    int failed;
    enum ns_serval_refused refused = change_set(&set, ask, expires, again);

    if (refused != NS_SERVAL_REFUSED_NOT)
        return refused;
    if (!old && router->sets[ask->bits] == 0 && lengths_of(router) == NS_SERVAL_LENGTHS)
        return NS_SERVAL_REFUSED_lengths;
    failed = write_set(bpfd, &key, &set, was_several);
    if (failed != 0)
        return failed == -E2BIG ? NS_SERVAL_REFUSED_quota : NS_SERVAL_REFUSED_failed;
    router->sets[ask->bits] += !old;
    return NS_SERVAL_REFUSED_NOT;
}

static void remove_rule(struct ns_bpfd *bpfd, unsigned number, const struct ns_serval_ask *ask) {
    struct ns_serval_address to = target_of(ask);
    struct ns_serval_key key = key_of(ask, number);
    struct ns_serval_set set;
    bool was_several;
    unsigned at;

    if (!read_set(bpfd, &key, &set))
        return;
    was_several = is_several(&set);
    at = find_target(&set, &to);
    if (ask->what == NS_SERVAL_ASK_MODULE)
        set.module = 0;
    else if (at < set.count)
        set.target[at] = set.target[--set.count];
    if (set.count != 0 || set.module != 0) {
        write_set(bpfd, &key, &set, was_several);
        return;
    }
    bpf_map_delete_elem(map(bpfd, "ns_serval_rules"), &key);
    bpfd->serval.router[number].sets[ask->bits]--;
}

/* --- routers whose lists are believed --- */

static struct ns_serval_peer peer_of(const struct ns_serval_ask *ask, unsigned number) {
    return (struct ns_serval_peer){target_of(ask), number};
}

static enum ns_serval_refused put_peer(struct ns_bpfd *bpfd, unsigned number, const struct ns_serval_ask *ask,
                                       uint64_t expires, bool again) {
    struct ns_serval_peer peer = peer_of(ask, number);
    int peers = map(bpfd, "ns_serval_peers");
    uint64_t old;

    if (!again && bpf_map_lookup_elem(peers, &peer, &old) == 0)
        return NS_SERVAL_REFUSED_taken;
    return bpf_map_update_elem(peers, &peer, &expires, BPF_ANY) == 0 ? NS_SERVAL_REFUSED_NOT : NS_SERVAL_REFUSED_failed;
}

/* --- a rule of either kind --- */

enum ns_serval_refused ns_serval_table_put(struct ns_bpfd *bpfd, unsigned container, const struct ns_serval_ask *ask,
                                           uint64_t expires, bool again) {
    unsigned number = find_router(bpfd, ask);
    enum ns_serval_refused refused;

    if (number != NONE && bpfd->serval.router[number].container != container)
        return NS_SERVAL_REFUSED_taken;
    if (!again && bpfd->serval.rules == NS_SERVAL_RULES)
        return NS_SERVAL_REFUSED_quota;
    if (number == NONE && (number = begin_router(bpfd, container, ask)) == NONE)
        return NS_SERVAL_REFUSED_routers;
    refused = ask->what == NS_SERVAL_ASK_PEER ? put_peer(bpfd, number, ask, expires, again)
                                              : put_rule(bpfd, number, ask, expires, again);
    if (refused != NS_SERVAL_REFUSED_NOT || again)
        return refused;
    count_rule(bpfd, number, 1);
    need(bpfd, true);
    if (write_router(bpfd, number) == 0)
        return NS_SERVAL_REFUSED_NOT;
    ns_serval_table_remove(bpfd, ask);
    return NS_SERVAL_REFUSED_failed;
}

void ns_serval_table_remove(struct ns_bpfd *bpfd, const struct ns_serval_ask *ask) {
    unsigned number = find_router(bpfd, ask);
    struct ns_serval_peer peer;

    if (number == NONE)
        return;
    peer = peer_of(ask, number);
    if (ask->what == NS_SERVAL_ASK_PEER)
        bpf_map_delete_elem(map(bpfd, "ns_serval_peers"), &peer);
    else
        remove_rule(bpfd, number, ask);
    count_rule(bpfd, number, -1);
    write_router(bpfd, number);
    need(bpfd, bpfd->serval.rules != 0);
}

/* --- all rules of a container --- */

void ns_serval_table_close(struct ns_bpfd *bpfd, unsigned container) {
    for (unsigned i = 0; i < bpfd->serval.numbers; i++) {
        struct ns_serval_entry *router = &bpfd->serval.router[i];

        if (router->rules == 0 || router->container != container)
            continue;
        bpf_map_delete_elem(map(bpfd, "ns_serval_routers"), &router->at);
        bpfd->serval.rules -= router->rules;
        router->rules = 0;
        memset(router->sets, 0, sizeof router->sets);
    }
    need(bpfd, bpfd->serval.rules != 0);
}

/* Deletes keys. One that is not there stops a batch, because several rules of a prefix have one key. */
static void delete_all(int fd, const struct ns_serval_key *keys, uint32_t count) {
    uint32_t done = 0;

    while (done < count) {
        uint32_t deleted = count - done;
        int failed = bpf_map_delete_batch(fd, keys + done, &deleted, NULL);

        done += failed == 0 ? count - done : failed == -ENOENT ? deleted + 1 : count - done;
    }
}

void ns_serval_table_forget(const struct ns_bpfd *bpfd, const struct ns_granted_place *place) {
    struct ns_serval_key keys[NS_SERVAL_PLACE], any;
    int sets = map(bpfd, "ns_serval_sets");
    uint32_t count = 0;

    for (unsigned i = 0; i < NS_SERVAL_PLACE; i++) {
        const struct ns_granted_rule *rule = &place->rule[i];
        struct ns_serval_peer peer = {address_of(rule->family, rule->target, rule->target_port), rule->router};

        if (rule->expires != 0 && rule->what == NS_SERVAL_ASK_PEER)
            bpf_map_delete_elem(map(bpfd, "ns_serval_peers"), &peer);
        if (rule->expires == 0 || rule->what == NS_SERVAL_ASK_PEER)
            continue;
        keys[count] = (struct ns_serval_key){.bits = rule->bits, .router = rule->router};
        memcpy(keys[count++].id, rule->id, sizeof keys->id);
    }
    delete_all(map(bpfd, "ns_serval_rules"), keys, count);
    if (bpf_map_get_next_key(sets, NULL, &any) == 0)
        delete_all(sets, keys, count);
}
