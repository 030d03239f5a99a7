/* SPDX-License-Identifier: Apache-2.0 */
#include "order_services.h"

#include "ns_log.h"
#include "ns_time.h"
#include "ns_value.h"

#include <sys/syscall.h>
#include <unistd.h>

#define MOST_SECONDS 31536000u

static struct ns_sal_owner *find_owner(struct ns_sald *sald, uint32_t pid) {
    for (unsigned i = 0; i < NS_SAL_OWNERS; i++) {
        if (sald->owners[i].pid == pid)
            return &sald->owners[i];
    }
    return NULL;
}

static bool own(struct ns_order *order, uint32_t pid) {
    struct ns_sal_owner *owner = find_owner(order->sald, pid);
    int fd;

    if (pid == NS_SAL_ORIGIN_OPERATOR || owner != NULL)
        return true;
    owner = find_owner(order->sald, 0);
    fd = owner == NULL ? -1 : (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0)
        return ns_order_refuse(order, owner == NULL ? "too many processes" : "pid");
    *owner = (struct ns_sal_owner){.pid = pid, .fd = fd};
    return true;
}

void ns_sald_owner_gone(struct ns_sald *sald, struct ns_sal_owner *owner) {
    unsigned rules = ns_sal_services_withdraw(&sald->services, owner->pid);

    ns_info("process %u has ended, %u registrations withdrawn", owner->pid, rules);
    close(owner->fd);
    *owner = (struct ns_sal_owner){0};
}

/* Reads whether the order is about datagrams. */
static bool datagrams(struct ns_order *order, bool *wanted) {
    const char *protocol = ns_line_get(order->line, "protocol");

    *wanted = protocol != NULL && strcmp(protocol, "udp") == 0;
    return *wanted || protocol == NULL || strcmp(protocol, "tcp") == 0 || ns_order_refuse(order, "protocol");
}

/* Reads a rule with the keys that all rules have. */
static bool read_rule(struct ns_order *order, enum ns_sal_rule_action action, const struct ns_sal_address *target,
                      uint32_t origin, struct ns_sal_rule *read) {
    struct ns_sal_rule rule = {.action = (uint8_t)action, .target = *target, .origin = origin};
    bool udp;
    uint64_t rank, weight, seconds;
    unsigned bits;

    if (!ns_order_id(order, rule.id, &bits) || !ns_order_number(order, "rank", 65535, 0, &rank) ||
        !ns_order_number(order, "weight", 65535, 0, &weight) ||
        !ns_order_number(order, "seconds", MOST_SECONDS, 0, &seconds) || !datagrams(order, &udp))
        return false;
    rule.bits = (uint16_t)bits;
    rule.datagrams = udp;
    rule.rank = (uint16_t)rank;
    rule.weight = (uint16_t)weight;
    rule.until = seconds == 0 ? UINT64_MAX : ns_now() + seconds * 1000;
    *read = rule;
    return true;
}

static bool add_rule(struct ns_order *order, enum ns_sal_rule_action action, const struct ns_sal_address *target,
                     uint32_t origin) {
    enum ns_sal_rule_refusal refusal;
    struct ns_sal_rule rule;

    if (!read_rule(order, action, target, origin, &rule))
        return false;
    refusal = ns_sal_services_add(&order->sald->services, &rule, ns_now());
    return refusal == NS_SAL_RULE_OK || ns_order_refuse(order, ns_sal_rule_texts[refusal]);
}

/* Tells whether the order is about a service that is there while a program listens. */
static bool while_listening(struct ns_order *order, bool *wanted) {
    const char *when = ns_line_get(order->line, "when");

    *wanted = when != NULL;
    return when == NULL || strcmp(when, "listening") == 0 || ns_order_refuse(order, "when");
}

bool ns_order_register(struct ns_order *order) {
    struct ns_sal_address target;
    struct ns_sal_rule rule;
    uint64_t port, pid;
    bool watched;

    if (!ns_order_only(order, "id port address protocol rank weight seconds pid when") ||
        !ns_order_number(order, "port", 65535, 0, &port) || !ns_order_number(order, "pid", INT32_MAX, 0, &pid) ||
        !ns_order_address(order, "address", false, 0, &target) || !while_listening(order, &watched))
        return false;
    target.port = (uint16_t)port;
    if (watched)
        return read_rule(order, NS_SAL_DEMUX, &target, 0, &rule) && (port != 0 || ns_order_refuse(order, "port")) &&
               (pid == 0 || ns_order_refuse(order, "pid")) &&
               (ns_sal_listening_add(&order->sald->listening, &rule) || ns_order_refuse(order, "too many services"));
    return own(order, (uint32_t)pid) && add_rule(order, NS_SAL_DEMUX, &target, (uint32_t)pid);
}

bool ns_order_forward(struct ns_order *order) {
    struct ns_sal_address target;

    return ns_order_only(order, "id to form rank weight seconds") && ns_order_other_end(order, "to", &target) &&
           add_rule(order, NS_SAL_FORWARD, &target, NS_SAL_ORIGIN_OPERATOR);
}

bool ns_order_drop(struct ns_order *order) {
    const struct ns_sal_address none = {0};

    return ns_order_only(order, "id rank seconds") && add_rule(order, NS_SAL_DROP, &none, NS_SAL_ORIGIN_OPERATOR);
}

static bool remove_rules(struct ns_order *order, enum ns_sal_rule_action action, uint32_t origin) {
    uint8_t value[NS_SAL_ID];
    unsigned bits;

    if (!ns_order_id(order, value, &bits))
        return false;
    return ns_sal_services_remove(&order->sald->services, value, bits, action, origin) > 0 ||
           ns_order_refuse(order, "no such rule");
}

bool ns_order_unregister(struct ns_order *order) {
    uint8_t value[NS_SAL_ID];
    bool watched;
    unsigned bits;
    uint64_t pid;

    if (!ns_order_only(order, "id pid when") || !ns_order_number(order, "pid", INT32_MAX, 0, &pid) ||
        !while_listening(order, &watched) || !ns_order_id(order, value, &bits))
        return false;
    if (!watched)
        return remove_rules(order, NS_SAL_DEMUX, (uint32_t)pid);
    return ns_sal_listening_remove(&order->sald->listening, &order->sald->services, value, bits) ||
           ns_order_refuse(order, "no such service");
}

/* Has routers send no more connections to a service, or again. Those that come get in either way. */
static bool set_drained(struct ns_order *order, bool drained) {
    uint8_t value[NS_SAL_ID];
    bool watched;
    unsigned bits;

    if (!ns_order_only(order, "id") || !ns_order_id(order, value, &bits))
        return false;
    watched = ns_sal_listening_drain(&order->sald->listening, value, bits, drained);
    return ns_sal_services_drain(&order->sald->services, value, bits, drained) > 0 || watched ||
           ns_order_refuse(order, "no such service");
}

bool ns_order_drain(struct ns_order *order) {
    return set_drained(order, true);
}

bool ns_order_resume(struct ns_order *order) {
    return set_drained(order, false);
}

bool ns_order_unforward(struct ns_order *order) {
    return ns_order_only(order, "id") && remove_rules(order, NS_SAL_FORWARD, NS_SAL_ORIGIN_OPERATOR);
}

bool ns_order_undrop(struct ns_order *order) {
    return ns_order_only(order, "id") && remove_rules(order, NS_SAL_DROP, NS_SAL_ORIGIN_OPERATOR);
}
