/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"
#include "sald.h"

#include "ns_line.h"
#include "ns_log.h"
#include "ns_time.h"
#include "ns_value.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_SECONDS 31536000u

/* An order under way. `why` is set when it is refused. */
struct order {
    struct ns_sald *sald;
    const struct ns_line *line;
    const char *why;
    FILE *out;
};

static bool refuse(struct order *order, const char *why) {
    if (order->why == NULL)
        order->why = why;
    return false;
}

/* --- values --- */

static bool number(struct order *order, const char *key, uint64_t most, uint64_t preset, uint64_t *value) {
    const char *text = ns_line_get(order->line, key);

    *value = preset;
    return text == NULL || ns_value_number(text, 0, most, value) || refuse(order, key);
}

/* Reads a prefix: DIGITS of which all count, DIGITS/BITS, or default. */
static bool id(struct order *order, uint8_t value[NS_SAL_ID], unsigned *bits) {
    const char *text = ns_line_get(order->line, "id");
    struct ns_service_prefix prefix;

    if (text == NULL)
        return refuse(order, "id");
    if (ns_sal_id_read(text, value, bits))
        return true;
    if (!ns_value_service(text, &prefix))
        return refuse(order, "id");
    memcpy(value, prefix.id, NS_SAL_ID);
    *bits = prefix.bits;
    return true;
}

/* Reads a whole serviceID, whose missing digits are zeros. */
static bool whole_id(struct order *order, uint8_t value[NS_SAL_ID]) {
    const char *text = ns_line_get(order->line, "id");
    unsigned bits;

    return (text != NULL && ns_sal_id_read(text, value, &bits)) || refuse(order, "id");
}

static bool address(struct order *order, const char *key, bool needed, uint16_t port, struct ns_sal_address *value) {
    const char *text = ns_line_get(order->line, key);

    memset(value, 0, sizeof *value);
    value->port = port;
    if (text == NULL)
        return !needed || refuse(order, key);
    return ns_sal_address_read(value, text, port) || refuse(order, key);
}

/* Refuses keys that the verb does not have. `keys` is "a b c". */
static bool only(struct order *order, const char *keys) {
    for (unsigned i = 0; i < order->line->count; i++) {
        const char *key = order->line->pairs[i].key, *at = strstr(keys, key);
        size_t length = strlen(key);

        if (at == NULL || (at != keys && at[-1] != ' ') || (at[length] != ' ' && at[length] != '\0'))
            return refuse(order, key);
    }
    return true;
}

/* --- processes that register --- */

static struct ns_sal_owner *find_owner(struct ns_sald *sald, uint32_t pid) {
    for (unsigned i = 0; i < NS_SAL_OWNERS; i++) {
        if (sald->owners[i].pid == pid)
            return &sald->owners[i];
    }
    return NULL;
}

static bool own(struct order *order, uint32_t pid) {
    struct ns_sal_owner *owner = find_owner(order->sald, pid);
    int fd;

    if (pid == NS_SAL_ORIGIN_OPERATOR || owner != NULL)
        return true;
    owner = find_owner(order->sald, 0);
    fd = owner == NULL ? -1 : (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0)
        return refuse(order, owner == NULL ? "too many processes" : "pid");
    *owner = (struct ns_sal_owner){.pid = pid, .fd = fd};
    return true;
}

void ns_sald_owner_gone(struct ns_sald *sald, struct ns_sal_owner *owner) {
    unsigned rules = ns_sal_services_withdraw(&sald->services, owner->pid);

    ns_info("process %u has ended, %u registrations withdrawn", owner->pid, rules);
    close(owner->fd);
    *owner = (struct ns_sal_owner){0};
}

/* --- rules --- */

/* Reads whether the order is about datagrams. */
static bool datagrams(struct order *order, bool *wanted) {
    const char *protocol = ns_line_get(order->line, "protocol");

    *wanted = protocol != NULL && strcmp(protocol, "udp") == 0;
    return *wanted || protocol == NULL || strcmp(protocol, "tcp") == 0 || refuse(order, "protocol");
}

/* Reads a rule with the keys that all rules have. */
static bool read_rule(struct order *order, enum ns_sal_rule_action action, const struct ns_sal_address *target,
                      uint32_t origin, struct ns_sal_rule *read) {
    struct ns_sal_rule rule = {.action = (uint8_t)action, .target = *target, .origin = origin};
    bool udp;
    uint64_t rank, weight, seconds;
    unsigned bits;

    if (!id(order, rule.id, &bits) || !number(order, "rank", 65535, 0, &rank) ||
        !number(order, "weight", 65535, 0, &weight) || !number(order, "seconds", MOST_SECONDS, 0, &seconds) ||
        !datagrams(order, &udp))
        return false;
    rule.bits = (uint16_t)bits;
    rule.datagrams = udp;
    rule.rank = (uint16_t)rank;
    rule.weight = (uint16_t)weight;
    rule.until = seconds == 0 ? UINT64_MAX : ns_now() + seconds * 1000;
    *read = rule;
    return true;
}

static bool add_rule(struct order *order, enum ns_sal_rule_action action, const struct ns_sal_address *target,
                     uint32_t origin) {
    enum ns_sal_rule_refusal refusal;
    struct ns_sal_rule rule;

    if (!read_rule(order, action, target, origin, &rule))
        return false;
    refusal = ns_sal_services_add(&order->sald->services, &rule, ns_now());
    return refusal == NS_SAL_RULE_OK || refuse(order, ns_sal_rule_texts[refusal]);
}

/* Tells whether the order is about a service that is there while a program listens. */
static bool while_listening(struct order *order, bool *wanted) {
    const char *when = ns_line_get(order->line, "when");

    *wanted = when != NULL;
    return when == NULL || strcmp(when, "listening") == 0 || refuse(order, "when");
}

static bool on_register(struct order *order) {
    struct ns_sal_address target;
    struct ns_sal_rule rule;
    uint64_t port, pid;
    bool watched;

    if (!only(order, "id port address protocol rank weight seconds pid when") ||
        !number(order, "port", 65535, 0, &port) || !number(order, "pid", INT32_MAX, 0, &pid) ||
        !address(order, "address", false, 0, &target) || !while_listening(order, &watched))
        return false;
    target.port = (uint16_t)port;
    if (watched)
        return read_rule(order, NS_SAL_DEMUX, &target, 0, &rule) && (port != 0 || refuse(order, "port")) &&
               (pid == 0 || refuse(order, "pid")) &&
               (ns_sal_listening_add(&order->sald->listening, &rule) || refuse(order, "too many services"));
    return own(order, (uint32_t)pid) && add_rule(order, NS_SAL_DEMUX, &target, (uint32_t)pid);
}

/* Reads the address of another end, which has no port if SAL is to lie in IP without UDP. */
static bool other_end(struct order *order, const char *key, struct ns_sal_address *value) {
    const char *form = ns_line_get(order->line, "form");

    if (!address(order, key, true, NS_SAL_PORT, value))
        return false;
    if (form == NULL)
        return true;
    if (strcmp(form, "raw") != 0 || !ns_sal_is_ipv4(value) || order->sald->net.raw < 0)
        return refuse(order, "form");
    value->port = 0;
    return true;
}

static bool on_forward(struct order *order) {
    struct ns_sal_address target;

    return only(order, "id to form rank weight seconds") && other_end(order, "to", &target) &&
           add_rule(order, NS_SAL_FORWARD, &target, NS_SAL_ORIGIN_OPERATOR);
}

static bool on_drop(struct order *order) {
    const struct ns_sal_address none = {0};

    return only(order, "id rank seconds") && add_rule(order, NS_SAL_DROP, &none, NS_SAL_ORIGIN_OPERATOR);
}

static bool remove_rules(struct order *order, enum ns_sal_rule_action action, uint32_t origin) {
    uint8_t value[NS_SAL_ID];
    unsigned bits;

    if (!id(order, value, &bits))
        return false;
    return ns_sal_services_remove(&order->sald->services, value, bits, action, origin) > 0 ||
           refuse(order, "no such rule");
}

static bool on_unregister(struct order *order) {
    uint8_t value[NS_SAL_ID];
    bool watched;
    unsigned bits;
    uint64_t pid;

    if (!only(order, "id pid when") || !number(order, "pid", INT32_MAX, 0, &pid) || !while_listening(order, &watched) ||
        !id(order, value, &bits))
        return false;
    if (!watched)
        return remove_rules(order, NS_SAL_DEMUX, (uint32_t)pid);
    return ns_sal_listening_remove(&order->sald->listening, &order->sald->services, value, bits) ||
           refuse(order, "no such service");
}

/* Has routers send no more connections to a service, or again. Those that come get in either way. */
static bool set_drained(struct order *order, bool drained) {
    uint8_t value[NS_SAL_ID];
    bool watched;
    unsigned bits;

    if (!only(order, "id") || !id(order, value, &bits))
        return false;
    watched = ns_sal_listening_drain(&order->sald->listening, value, bits, drained);
    return ns_sal_services_drain(&order->sald->services, value, bits, drained) > 0 || watched ||
           refuse(order, "no such service");
}

static bool on_drain(struct order *order) {
    return set_drained(order, true);
}

static bool on_resume(struct order *order) {
    return set_drained(order, false);
}

static bool on_unforward(struct order *order) {
    return only(order, "id") && remove_rules(order, NS_SAL_FORWARD, NS_SAL_ORIGIN_OPERATOR);
}

static bool on_undrop(struct order *order) {
    return only(order, "id") && remove_rules(order, NS_SAL_DROP, NS_SAL_ORIGIN_OPERATOR);
}

/* --- names --- */

static bool on_name(struct order *order) {
    const char *name = ns_line_get(order->line, "name");
    uint8_t value[NS_SAL_ID];

    return only(order, "name id") && whole_id(order, value) &&
           ((name != NULL && ns_sal_names_add(&order->sald->names, name, value)) || refuse(order, "name"));
}

static bool on_unname(struct order *order) {
    const char *name = ns_line_get(order->line, "name");

    return only(order, "name") &&
           ((name != NULL && ns_sal_names_remove(&order->sald->names, name)) || refuse(order, "name"));
}

static void put_surrogate(struct order *order, unsigned place, unsigned family) {
    char text[INET6_ADDRSTRLEN];

    ns_sal_surrogate_print(place, family, text);
    ns_line_put(order->out, family == 4 ? "address4" : "address6", text);
}

static bool on_resolve(struct order *order) {
    const char *name = ns_line_get(order->line, "name");
    uint8_t value[NS_SAL_ID];
    const uint8_t *found = value;
    char text[NS_SAL_ID_TEXT];
    int place;

    if (!only(order, "name id"))
        return false;
    if (name != NULL)
        found = ns_sal_names_find(&order->sald->names, name);
    else if (!whole_id(order, value))
        return false;
    if (found == NULL)
        return refuse(order, "name");
    place = ns_sal_surrogate_of(&order->sald->names, found, ns_now());
    if (place < 0)
        return refuse(order, "no surrogate is free");
    ns_sald_note_place(order->sald);
    ns_sal_id_print(found, text);
    ns_line_put(order->out, "id", text);
    put_surrogate(order, (unsigned)place, 4);
    put_surrogate(order, (unsigned)place, 6);
    return true;
}

/* --- routers, moves --- */

static bool on_router(struct order *order) {
    const char *by = ns_line_get(order->line, "registration");
    struct ns_sal_host *host = &order->sald->host;
    struct ns_sal_address router;
    unsigned place = 0;

    if (!only(order, "address form registration") || !other_end(order, "address", &router))
        return false;
    if (by != NULL && strcmp(by, "signed") != 0 && strcmp(by, "published") != 0)
        return refuse(order, "registration");
    if (by != NULL && strcmp(by, "signed") == 0 && ns_sal_is_raw(&router))
        return refuse(order, "registration"); /* a controller signs over UDP */
    while (place < host->router_count && !ns_sal_same(&host->routers[place], &router))
        place++;
    if (place == NS_SAL_ROUTERS)
        return refuse(order, "too many routers");
    host->router_count += place == host->router_count;
    host->routers[place] = router;
    host->router_signed[place] = by != NULL && strcmp(by, "signed") == 0;
    order->sald->services.changes++; /* the services that there are go to it, too */
    ns_sal_controller_moved(&order->sald->controller);
    return true;
}

/* --- the controller of this host --- */

static bool on_hear(struct order *order) {
    return only(order, "") && (ns_sal_controller_hear(&order->sald->controller) ||
                               refuse(order, "another controller is there, or this is no connection"));
}

static bool on_tell(struct order *order) {
    const char *bytes = ns_line_get(order->line, "bytes");
    enum ns_sal_tell_refusal refusal;
    struct ns_sal_tell tell;

    if (!only(order, "to id bytes") || !address(order, "to", true, NS_SAL_PORT, &tell.router) ||
        !id(order, tell.id, &tell.bits))
        return false;
    if (bytes == NULL || !ns_sal_tell_read(&tell, bytes))
        return refuse(order, "bytes");
    refusal = ns_sal_controller_tell(&order->sald->controller, &order->sald->host, &tell, ns_now());
    return refusal == NS_SAL_TELL_OK || refuse(order, ns_sal_tell_texts[refusal]);
}

static bool on_migrate(struct order *order) {
    const char *text = ns_line_get(order->line, "flow");
    struct ns_sal_address to;
    char *end;
    unsigned long flow = text == NULL ? 0 : strtoul(text, &end, 16);

    if (!only(order, "flow address") || !address(order, "address", true, 0, &to))
        return false;
    if (flow == 0 || *end != '\0' || flow > UINT32_MAX)
        return refuse(order, "flow");
    return ns_sal_host_move(&order->sald->host, (uint32_t)flow, &to, ns_now()) ||
           refuse(order, "no such flow, or no way from that address");
}

static bool on_native(struct order *order) {
    struct ns_sald *sald = order->sald;
    const char *use = ns_line_get(order->line, "use");

    if (!only(order, "use"))
        return false;
    if (use == NULL || (strcmp(use, "yes") != 0 && strcmp(use, "no") != 0))
        return refuse(order, "use");
    if (!sald->native)
        return refuse(order, "sald has no --native");
    sald->host.abilities &= (uint8_t)~NS_SAL_ABILITY_NATIVE;
    if (strcmp(use, "yes") == 0)
        sald->host.abilities |= NS_SAL_ABILITY_NATIVE;
    ns_sal_pool_renew(&sald->pool); /* the programs set no flow up that may have this form */
    return true;
}

/* Leaves the set-up of flows to sald, or to the programs again. */
static bool on_short(struct order *order) {
    struct ns_sald *sald = order->sald;
    const char *use = ns_line_get(order->line, "use");

    if (!only(order, "use"))
        return false;
    if (use == NULL || (strcmp(use, "yes") != 0 && strcmp(use, "no") != 0))
        return refuse(order, "use");
    sald->links.on = strcmp(use, "yes") == 0;
    ns_sal_links_look(&sald->links, &sald->net, sald->attached, sald->interface_count);
    return true;
}

static bool on_set_up(struct order *order) {
    const char *by = ns_line_get(order->line, "by");
    struct ns_sal_pool *pool = &order->sald->pool;

    if (!only(order, "by"))
        return false;
    if (by == NULL || (strcmp(by, "sald") != 0 && strcmp(by, "programs") != 0))
        return refuse(order, "by");
    if (strcmp(by, "programs") == 0 && !pool->on)
        return refuse(order, "the programs that set flows up are not loaded");
    pool->paused = strcmp(by, "sald") == 0;
    ns_sal_pool_renew(pool);
    return true;
}

/* --- verbs --- */

static const struct {
    const char *verb;
    bool (*act)(struct order *order);
} verbs[] = {
    {"register", on_register}, {"unregister", on_unregister},
    {"forward", on_forward},   {"unforward", on_unforward},
    {"drop", on_drop},         {"undrop", on_undrop},
    {"name", on_name},         {"unname", on_unname},
    {"resolve", on_resolve},   {"router", on_router},
    {"migrate", on_migrate},   {"drain", on_drain},
    {"resume", on_resume},     {"native", on_native},
    {"set-up", on_set_up},     {"short", on_short},
    {"hear", on_hear},         {"tell", on_tell},
};

static const struct {
    const char *verb;
    void (*print)(FILE *out, struct ns_sald *sald);
} views[] = {
    {"status", ns_sald_json_status}, {"flows", ns_sald_json_flows},   {"services", ns_sald_json_services},
    {"names", ns_sald_json_names},   {"offers", ns_sald_json_offers}, {"associations", ns_sald_json_associations},
};

static bool carry_out(struct order *order) {
    for (unsigned i = 0; i < sizeof views / sizeof views[0]; i++) {
        if (strcmp(order->line->verb, views[i].verb) == 0) {
            views[i].print(order->out, order->sald);
            return only(order, "");
        }
    }
    for (unsigned i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(order->line->verb, verbs[i].verb) == 0) {
            fputs("ok", order->out);
            return verbs[i].act(order);
        }
    }
    return refuse(order, "unknown verb");
}

void ns_sald_order(struct ns_sald *sald, char *text, size_t length, char *reply, size_t size) {
    struct ns_line line;
    struct order order = {.sald = sald, .line = &line};

    order.out = fmemopen(reply, size, "w");
    if (order.out == NULL) {
        snprintf(reply, size, "error reason=memory");
        return;
    }
    if (!ns_line_parse(&line, text, length, true))
        refuse(&order, line.why);
    else
        carry_out(&order);
    if (order.why != NULL) {
        rewind(order.out);
        fputs("error", order.out);
        ns_line_put(order.out, "reason", order.why);
    }
    fputc('\0', order.out);
    fclose(order.out);
}

int ns_sald_orders_file(struct ns_sald *sald, const char *path) {
    FILE *file = fopen(path, "re");
    char line[NS_SAL_ORDER_MAX], reply[NS_SAL_ORDER_MAX];
    unsigned number = 0;
    int result = 0;

    if (file == NULL) {
        ns_error("%s: %s", path, strerror(errno));
        return -1;
    }
    while (fgets(line, sizeof line - 1, file) != NULL) {
        size_t length = strcspn(line, "#\n");

        number++;
        while (length > 0 && line[length - 1] == ' ')
            length--;
        if (length == 0)
            continue;
        ns_sald_order(sald, line, length, reply, sizeof reply);
        if (strncmp(reply, "error", 5) == 0) {
            ns_error("%s:%u: %s", path, number, reply);
            result = -1;
        }
    }
    fclose(file);
    return result;
}
