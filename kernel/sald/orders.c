/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"
#include "order_services.h"

#include "ns_log.h"
#include "ns_time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

/* --- names --- */

static bool on_name(struct ns_order *order) {
    const char *name = ns_line_get(order->line, "name");
    uint8_t value[NS_SAL_ID];

    return ns_order_only(order, "name id") && ns_order_whole_id(order, value) &&
           ((name != NULL && ns_sal_names_add(&order->sald->names, name, value)) || ns_order_refuse(order, "name"));
}

static bool on_unname(struct ns_order *order) {
    const char *name = ns_line_get(order->line, "name");

    return ns_order_only(order, "name") &&
           ((name != NULL && ns_sal_names_remove(&order->sald->names, name)) || ns_order_refuse(order, "name"));
}

static void put_surrogate(struct ns_order *order, unsigned place, unsigned family) {
    char text[INET6_ADDRSTRLEN];

    ns_sal_surrogate_print(place, family, text);
    ns_line_put(order->out, family == 4 ? "address4" : "address6", text);
}

static bool on_resolve(struct ns_order *order) {
    const char *name = ns_line_get(order->line, "name");
    uint8_t value[NS_SAL_ID];
    const uint8_t *found = value;
    char text[NS_SAL_ID_TEXT];
    int place;

    if (!ns_order_only(order, "name id"))
        return false;
    if (name != NULL)
        found = ns_sal_names_find(&order->sald->names, name);
    else if (!ns_order_whole_id(order, value))
        return false;
    if (found == NULL)
        return ns_order_refuse(order, "name");
    place = ns_sal_surrogate_of(&order->sald->names, found, ns_now());
    if (place < 0)
        return ns_order_refuse(order, "no surrogate is free");
    ns_sald_note_place(order->sald);
    ns_sal_id_print(found, text);
    ns_line_put(order->out, "id", text);
    put_surrogate(order, (unsigned)place, 4);
    put_surrogate(order, (unsigned)place, 6);
    return true;
}

/* --- routers, moves --- */

static bool on_router(struct ns_order *order) {
    const char *by = ns_line_get(order->line, "registration");
    struct ns_sal_host *host = &order->sald->host;
    struct ns_sal_address router;
    unsigned place = 0;

    if (!ns_order_only(order, "address form registration") || !ns_order_other_end(order, "address", &router))
        return false;
    if (by != NULL && strcmp(by, "signed") != 0 && strcmp(by, "published") != 0)
        return ns_order_refuse(order, "registration");
    if (by != NULL && strcmp(by, "signed") == 0 && ns_sal_is_raw(&router))
        return ns_order_refuse(order, "registration"); /* a controller signs over UDP */
    while (place < host->router_count && !ns_sal_same(&host->routers[place], &router))
        place++;
    if (place == NS_SAL_ROUTERS)
        return ns_order_refuse(order, "too many routers");
    host->router_count += place == host->router_count;
    host->routers[place] = router;
    host->router_signed[place] = by != NULL && strcmp(by, "signed") == 0;
    order->sald->services.changes++; /* the services that there are go to it, too */
    ns_sal_controller_moved(&order->sald->controller);
    return true;
}

/* --- the controller of this host --- */

static bool on_hear(struct ns_order *order) {
    return ns_order_only(order, "") &&
           (ns_sal_controller_hear(&order->sald->controller) ||
            ns_order_refuse(order, "another controller is there, or this is no connection"));
}

static bool on_tell(struct ns_order *order) {
    const char *bytes = ns_line_get(order->line, "bytes");
    enum ns_sal_tell_refusal refusal;
    struct ns_sal_tell tell;

    if (!ns_order_only(order, "to id bytes") || !ns_order_address(order, "to", true, NS_SAL_PORT, &tell.router) ||
        !ns_order_id(order, tell.id, &tell.bits))
        return false;
    if (bytes == NULL || !ns_sal_tell_read(&tell, bytes))
        return ns_order_refuse(order, "bytes");
    refusal = ns_sal_controller_tell(&order->sald->controller, &order->sald->host, &tell, ns_now());
    return refusal == NS_SAL_TELL_OK || ns_order_refuse(order, ns_sal_tell_texts[refusal]);
}

static bool on_migrate(struct ns_order *order) {
    const char *text = ns_line_get(order->line, "flow");
    struct ns_sal_address to;
    char *end;
    unsigned long flow = text == NULL ? 0 : strtoul(text, &end, 16);

    if (!ns_order_only(order, "flow address") || !ns_order_address(order, "address", true, 0, &to))
        return false;
    if (flow == 0 || *end != '\0' || flow > UINT32_MAX)
        return ns_order_refuse(order, "flow");
    return ns_sal_host_move(&order->sald->host, (uint32_t)flow, &to, ns_now()) ||
           ns_order_refuse(order, "no such flow, or no way from that address");
}

static bool on_native(struct ns_order *order) {
    struct ns_sald *sald = order->sald;
    const char *use = ns_line_get(order->line, "use");

    if (!ns_order_only(order, "use"))
        return false;
    if (use == NULL || (strcmp(use, "yes") != 0 && strcmp(use, "no") != 0))
        return ns_order_refuse(order, "use");
    if (!sald->native)
        return ns_order_refuse(order, "sald has no --native");
    sald->host.abilities &= (uint8_t)~NS_SAL_ABILITY_NATIVE;
    if (strcmp(use, "yes") == 0)
        sald->host.abilities |= NS_SAL_ABILITY_NATIVE;
    ns_sal_pool_renew(&sald->pool); /* the programs set no flow up that may have this form */
    return true;
}

/* Leaves the set-up of flows to sald, or to the programs again. */
static bool on_short(struct ns_order *order) {
    struct ns_sald *sald = order->sald;
    const char *use = ns_line_get(order->line, "use");

    if (!ns_order_only(order, "use"))
        return false;
    if (use == NULL || (strcmp(use, "yes") != 0 && strcmp(use, "no") != 0))
        return ns_order_refuse(order, "use");
    sald->links.on = strcmp(use, "yes") == 0;
    ns_sald_look_at_links(sald);
    return true;
}

static bool on_set_up(struct ns_order *order) {
    const char *by = ns_line_get(order->line, "by");
    struct ns_sal_pool *pool = &order->sald->pool;

    if (!ns_order_only(order, "by"))
        return false;
    if (by == NULL || (strcmp(by, "sald") != 0 && strcmp(by, "programs") != 0))
        return ns_order_refuse(order, "by");
    if (strcmp(by, "programs") == 0 && !pool->on)
        return ns_order_refuse(order, "the programs that set flows up are not loaded");
    pool->paused = strcmp(by, "sald") == 0;
    ns_sal_pool_renew(pool);
    return true;
}

/* --- verbs --- */

static const struct {
    const char *verb;
    bool (*act)(struct ns_order *order);
} verbs[] = {
    {"register", ns_order_register},
    {"unregister", ns_order_unregister},
    {"forward", ns_order_forward},
    {"unforward", ns_order_unforward},
    {"drop", ns_order_drop},
    {"undrop", ns_order_undrop},
    {"name", on_name},
    {"unname", on_unname},
    {"resolve", on_resolve},
    {"router", on_router},
    {"migrate", on_migrate},
    {"drain", ns_order_drain},
    {"resume", ns_order_resume},
    {"native", on_native},
    {"set-up", on_set_up},
    {"short", on_short},
    {"hear", on_hear},
    {"tell", on_tell},
};

static const struct {
    const char *verb;
    void (*print)(FILE *out, struct ns_sald *sald);
} views[] = {
    {"status", ns_sald_json_status}, {"flows", ns_sald_json_flows},   {"services", ns_sald_json_services},
    {"names", ns_sald_json_names},   {"offers", ns_sald_json_offers}, {"associations", ns_sald_json_associations},
};

static bool carry_out(struct ns_order *order) {
    for (unsigned i = 0; i < sizeof views / sizeof views[0]; i++) {
        if (strcmp(order->line->verb, views[i].verb) == 0) {
            views[i].print(order->out, order->sald);
            return ns_order_only(order, "");
        }
    }
    for (unsigned i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(order->line->verb, verbs[i].verb) == 0) {
            fputs("ok", order->out);
            return verbs[i].act(order);
        }
    }
    return ns_order_refuse(order, "unknown verb");
}

void ns_sald_order(struct ns_sald *sald, char *text, size_t length, char *reply, size_t size) {
    struct ns_line line;
    struct ns_order order = {.sald = sald, .line = &line};

    order.out = fmemopen(reply, size, "w");
    if (order.out == NULL) {
        snprintf(reply, size, "error reason=memory");
        return;
    }
    if (!ns_line_parse(&line, text, length, true))
        ns_order_refuse(&order, line.why);
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
