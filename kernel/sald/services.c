/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

#define NS_X(name, text) text,
const char *const ns_sal_rule_texts[] = {NS_SAL_RULE_REFUSALS(NS_X)};
#undef NS_X

/* Sets the bits behind the prefix to 0. */
static void cut(uint8_t *id, unsigned bits) {
    for (unsigned i = 0; i < NS_SAL_ID; i++) {
        unsigned kept = bits > i * 8 ? bits - i * 8 : 0;

        if (kept < 8)
            id[i] &= (uint8_t)(0xff00u >> kept);
    }
}

static bool matches(const struct ns_sal_rule *rule, const uint8_t *id) {
    unsigned whole = rule->bits / 8, rest = rule->bits % 8;

    if (memcmp(rule->id, id, whole) != 0)
        return false;
    return rest == 0 || ((rule->id[whole] ^ id[whole]) & (0xff00u >> rest) & 0xff) == 0;
}

static enum ns_sal_rule_refusal check(const struct ns_sal_rule *rule, uint64_t now) {
    bool has_target = rule->action == NS_SAL_DEMUX ? rule->target.port != 0 : !ns_sal_is_none(&rule->target);

    if (rule->bits > NS_SAL_ID * 8 || (rule->action == NS_SAL_DROP) == has_target)
        return NS_SAL_RULE_TARGET;
    if (rule->until <= now)
        return NS_SAL_RULE_ENDED;
    if (has_target && !ns_sal_is_none(&rule->target) && ns_sal_is_for_many(&rule->target))
        return NS_SAL_RULE_FOR_MANY;
    return NS_SAL_RULE_OK;
}

static bool same_prefix(const struct ns_sal_rule *a, const struct ns_sal_rule *b) {
    return a->bits == b->bits && a->action == b->action && a->origin == b->origin &&
           memcmp(a->id, b->id, NS_SAL_ID) == 0;
}

static bool same_target(const struct ns_sal_rule *a, const struct ns_sal_rule *b) {
    return a->datagrams == b->datagrams && ns_sal_same(&a->target, &b->target);
}

static unsigned of_origin(const struct ns_sal_services *services, uint32_t origin) {
    unsigned count = 0;

    for (unsigned i = 0; i < services->count; i++)
        count += services->rules[i].origin == origin;
    return count;
}

enum ns_sal_rule_refusal ns_sal_services_add(struct ns_sal_services *services, const struct ns_sal_rule *rule,
                                             uint64_t now) {
    enum ns_sal_rule_refusal refusal = check(rule, now);
    struct ns_sal_rule added = *rule;

    if (refusal != NS_SAL_RULE_OK)
        return refusal;
    cut(added.id, added.bits);
    for (unsigned i = 0; i < services->count; i++) {
        if (same_prefix(&services->rules[i], &added) && same_target(&services->rules[i], &added)) {
            added.hits = services->rules[i].hits;
            added.drained = services->rules[i].drained;
            services->rules[i] = added;
            services->replaced++;
            return NS_SAL_RULE_OK;
        }
    }
    ns_sal_services_expire(services, now);
    if (services->count == NS_SAL_RULES)
        return NS_SAL_RULE_TABLE_FULL;
    if (of_origin(services, added.origin) >= NS_SAL_RULES_OF_ORIGIN)
        return NS_SAL_RULE_ORIGIN_FULL;
    services->rules[services->count++] = added;
    services->changes++;
    return NS_SAL_RULE_OK;
}

static void take_away(struct ns_sal_services *services, unsigned i) {
    services->rules[i] = services->rules[--services->count];
    services->changes++;
}

unsigned ns_sal_services_remove(struct ns_sal_services *services, const uint8_t *id, unsigned bits, unsigned action,
                                uint32_t origin) {
    struct ns_sal_rule wanted = {.bits = (uint16_t)bits, .action = (uint8_t)action, .origin = origin};
    unsigned before = services->count;

    memcpy(wanted.id, id, NS_SAL_ID);
    cut(wanted.id, bits);
    for (unsigned i = services->count; i-- > 0;) {
        if (same_prefix(&services->rules[i], &wanted))
            take_away(services, i);
    }
    return before - services->count;
}

bool ns_sal_services_end(struct ns_sal_services *services, const struct ns_sal_rule *rule) {
    struct ns_sal_rule wanted = *rule;

    cut(wanted.id, wanted.bits);
    for (unsigned i = 0; i < services->count; i++) {
        if (same_prefix(&services->rules[i], &wanted) && same_target(&services->rules[i], &wanted)) {
            take_away(services, i);
            return true;
        }
    }
    return false;
}

unsigned ns_sal_services_drain(struct ns_sal_services *services, const uint8_t *id, unsigned bits, bool drained) {
    struct ns_sal_rule wanted = {.bits = (uint16_t)bits, .action = NS_SAL_DEMUX};
    unsigned found = 0;

    memcpy(wanted.id, id, NS_SAL_ID);
    cut(wanted.id, bits);
    for (unsigned i = 0; i < services->count; i++) {
        wanted.origin = services->rules[i].origin;
        if (!same_prefix(&services->rules[i], &wanted))
            continue;
        services->rules[i].drained = drained;
        found++;
    }
    services->changes += found != 0;
    return found;
}

unsigned ns_sal_services_withdraw(struct ns_sal_services *services, uint32_t origin) {
    unsigned before = services->count;

    for (unsigned i = services->count; i-- > 0;) {
        if (services->rules[i].origin == origin)
            take_away(services, i);
    }
    return before - services->count;
}

uint64_t ns_sal_services_expire(struct ns_sal_services *services, uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (unsigned i = services->count; i-- > 0;) {
        if (services->rules[i].until <= now)
            take_away(services, i);
        else if (services->rules[i].until < next)
            next = services->rules[i].until;
    }
    return next;
}

static enum ns_sal_receiver receiver_of(const struct ns_sal_rule *rule) {
    if (rule->action != NS_SAL_DEMUX)
        return NS_SAL_ELSEWHERE;
    return rule->datagrams ? NS_SAL_SOCKET : NS_SAL_LISTENER;
}

static bool counts(const struct ns_sal_rule *rule, const uint8_t *id, enum ns_sal_receiver receiver, uint64_t now) {
    return rule->until > now && receiver_of(rule) == receiver && matches(rule, id);
}

/* Tells whether a rule stands before another one: by its prefix, then by its rank. */
static int compare(const struct ns_sal_rule *a, const struct ns_sal_rule *b) {
    return a->bits != b->bits ? (int)a->bits - (int)b->bits : (int)a->rank - (int)b->rank;
}

static unsigned weight_of(const struct ns_sal_rule *rule) {
    return rule->weight == 0 ? 1 : rule->weight;
}

struct ns_sal_rule *ns_sal_services_draw(struct ns_sal_services *services, const uint8_t *id,
                                         enum ns_sal_receiver receiver, uint64_t now, uint32_t random) {
    const struct ns_sal_rule *best = NULL;
    uint64_t sum = 0, drawn;
    bool drops = false;

    for (unsigned i = 0; i < services->count; i++) {
        const struct ns_sal_rule *rule = &services->rules[i];
        int order = best == NULL ? 1 : compare(rule, best);

        if (!counts(rule, id, receiver, now) || order < 0)
            continue;
        sum = (order > 0 ? 0 : sum) + weight_of(rule);
        drops = (order > 0 ? false : drops) || rule->action == NS_SAL_DROP;
        best = rule;
    }
    if (best == NULL || drops)
        return NULL;
    drawn = random % sum;
    for (unsigned i = 0; i < services->count; i++) {
        struct ns_sal_rule *rule = &services->rules[i];

        if (!counts(rule, id, receiver, now) || compare(rule, best) != 0)
            continue;
        if (drawn < weight_of(rule)) {
            rule->hits++;
            return rule;
        }
        drawn -= weight_of(rule);
    }
    return NULL;
}

const struct ns_sal_rule *ns_sal_services_sole(const struct ns_sal_services *services, const uint8_t *id,
                                               enum ns_sal_receiver receiver, uint64_t now) {
    const struct ns_sal_rule *best = NULL;
    unsigned equal = 0;

    for (unsigned i = 0; i < services->count; i++) {
        const struct ns_sal_rule *rule = &services->rules[i];
        int order = best == NULL ? 1 : compare(rule, best);

        if (!counts(rule, id, receiver, now) || order < 0)
            continue;
        equal = order > 0 ? 1 : equal + 1;
        best = rule;
    }
    return equal == 1 && best->action != NS_SAL_DROP ? best : NULL;
}

/* --- text --- */

int ns_sal_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ns_sal_id_read(const char *text, uint8_t id[NS_SAL_ID], unsigned *bits) {
    size_t length = strlen(text);

    if (length == 0 || length > NS_SAL_ID * 2)
        return false;
    memset(id, 0, NS_SAL_ID);
    for (size_t i = 0; i < length; i++) {
        int value = ns_sal_digit(text[i]);

        if (value < 0)
            return false;
        id[i / 2] |= (uint8_t)(value << (i % 2 == 0 ? 4 : 0));
    }
    *bits = (unsigned)length * 4;
    return true;
}

void ns_sal_id_print(const uint8_t *id, char text[NS_SAL_ID_TEXT]) {
    for (unsigned i = 0; i < NS_SAL_ID; i++) {
        *text++ = "0123456789abcdef"[id[i] >> 4];
        *text++ = "0123456789abcdef"[id[i] & 15];
    }
    *text = '\0';
}
