/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include "ns_time.h"
#include <arpa/inet.h>
#include <inttypes.h>

#define NS_X(name, key, text) key,
static const char *const counts[] = {NS_SAL_COUNTS(NS_X)};
#undef NS_X

static void put_counts(FILE *out, const char *key, const char *const *names, const uint64_t *values, unsigned kinds) {
    const char *comma = "";

    fprintf(out, ",\"%s\":{", key);
    for (unsigned i = 0; i < kinds; i++) {
        if (values[i] == 0)
            continue;
        fprintf(out, "%s\"%s\":%" PRIu64, comma, names[i], values[i]);
        comma = ",";
    }
    fputc('}', out);
}

static void put_listening(FILE *out, const struct ns_sald *sald) {
    const struct ns_sal_listening *listening = &sald->listening;
    uint64_t events[NS_SAL_LISTEN_COUNT_KINDS];

    ns_sal_hooks_count(&sald->hooks, events);
    fprintf(out, ",\"listening\":{\"by\":\"%s\",\"watched\":%u,\"looks\":%" PRIu64 ",\"polls\":%" PRIu64,
            listening->hook_port == NULL ? "polls" : "hooks", listening->count, listening->looks, listening->polls);
    fprintf(out, ",\"late\":%" PRIu64 ",\"events\":%" PRIu64 ",\"events-lost\":%" PRIu64 "}", listening->late,
            events[NS_SAL_LISTEN_EVENTS], events[NS_SAL_LISTEN_LOST]);
}

void ns_sald_json_status(FILE *out, struct ns_sald *sald) {
    const struct ns_sal_host *host = &sald->host;
    uint64_t kernel[NS_SAL_COUNT_KINDS];

    ns_sal_programs_count(&sald->programs, kernel);
    fprintf(out,
            "{\"flows\":%zu,\"requests\":%u,\"rules\":%u,\"names\":%u,\"associations\":%u,\"restored\":%" PRIu64
            ",\"wakes\":%" PRIu64,
            host->flows.count, host->requests, sald->services.count, sald->names.count, host->associations.count,
            sald->restored, sald->moves);
    put_listening(out, sald);
    put_counts(out, "kernel", counts, kernel, NS_SAL_COUNT_KINDS);
    put_counts(out, "verdicts", ns_sal_verdicts, host->verdicts, NS_SAL_VERDICT_KINDS);
    put_counts(out, "refusals", ns_sal_refusals, host->refusals, NS_SAL_REFUSAL_KINDS);
    put_counts(out, "packets", ns_sal_errors, host->errors, NS_SAL_ERROR_KINDS);
    put_counts(out, "controller", ns_sal_controller_counts, sald->controller.counts, NS_SAL_CONTROLLER_COUNT_KINDS);
    fputc('}', out);
}

static void put_inner(FILE *out, const char *key, const uint32_t *words, uint32_t family, const uint8_t *port) {
    char text[INET6_ADDRSTRLEN];

    inet_ntop(family == 4 ? AF_INET : AF_INET6, words, text, sizeof text);
    fprintf(out, ",\"%s\":\"%s\",\"%s-port\":%u", key, text, key, (unsigned)(port[0] << 8 | port[1]));
}

/* Returns the form in which data leave. `may`: the programs may use the native one. */
static const char *form_of(const struct ns_sal_kept *kept, const struct ns_sal_use *use, bool may) {
    if (ns_sal_is_raw(&kept->flow.mobility.peer))
        return "raw";
    return may && !kept->moved && !use->native_off && (!kept->flow.client || use->native_in) ? "native" : "udp";
}

static void put_flow(FILE *out, struct ns_sald *sald, const struct ns_sal_kept *kept) {
    const struct ns_sal_mobility *mobility = &kept->flow.mobility;
    char own[NS_SAL_ADDRESS_TEXT], peer[NS_SAL_ADDRESS_TEXT], id[NS_SAL_ID_TEXT];
    const uint8_t *ports = (const uint8_t *)&kept->inner.ports;
    struct ns_sal_use use = {0};

    ns_sal_address_print(&mobility->own, own);
    ns_sal_address_print(&mobility->peer, peer);
    ns_sal_id_print(kept->flow.service, id);
    ns_sal_programs_use(&sald->programs, kept->flow.id, &use);
    fprintf(out,
            "{\"flow\":\"%08x\",\"peer-flow\":\"%08x\",\"service\":\"%s\",\"protocol\":\"%s\",\"side\":\"%s\","
            "\"state\":\"%s\"",
            kept->flow.id, kept->flow.remote.flow, id, kept->datagrams ? "udp" : "tcp",
            kept->flow.client ? "client" : "server", ns_flow_states[kept->flow.state]);
    fprintf(out, ",\"move\":\"%s\",\"own\":\"%s\",\"peer\":\"%s\"", ns_move_states[mobility->state], own, peer);
    fprintf(out, ",\"form\":\"%s\"", form_of(kept, &use, ns_sal_programs_is_native(&sald->programs, kept->flow.id)));
    put_inner(out, "local", kept->inner.source, kept->inner.family, ports);
    put_inner(out, "surrogate", kept->inner.destination, kept->inner.family, ports + 2);
    fprintf(out,
            ",\"packets-out\":%" PRIu64 ",\"bytes-out\":%" PRIu64 ",\"packets-in\":%" PRIu64 ",\"bytes-in\":%" PRIu64
            "}",
            use.packets_out, use.bytes_out, use.packets_in, use.bytes_in);
}

void ns_sald_json_flows(FILE *out, struct ns_sald *sald) {
    const struct ns_sal_flows *flows = &sald->host.flows;

    fprintf(out, "{\"count\":%zu,\"flows\":[", flows->count);
    for (size_t i = 0; i < flows->count && i < NS_SAL_JSON_MOST; i++) {
        fputs(i == 0 ? "" : ",", out);
        put_flow(out, sald, &flows->heap[i]->kept);
    }
    fputs("]}", out);
}

static const char *action_name(unsigned action) {
    return action == NS_SAL_FORWARD ? "forward" : action == NS_SAL_DEMUX ? "register" : "drop";
}

void ns_sald_json_services(FILE *out, struct ns_sald *sald) {
    uint64_t now = ns_now();

    fprintf(out, "{\"count\":%u,\"rules\":[", sald->services.count);
    for (unsigned i = 0; i < sald->services.count && i < NS_SAL_JSON_MOST; i++) {
        const struct ns_sal_rule *rule = &sald->services.rules[i];
        char id[NS_SAL_ID_TEXT], target[NS_SAL_ADDRESS_TEXT];

        ns_sal_id_print(rule->id, id);
        ns_sal_address_print(&rule->target, target);
        fprintf(out, "%s{\"id\":\"%s\",\"bits\":%u,\"action\":\"%s\",\"target\":\"%s\"", i == 0 ? "" : ",", id,
                rule->bits, action_name(rule->action), rule->action == NS_SAL_DROP ? "" : target);
        fprintf(out, ",\"rank\":%u,\"weight\":%u,\"pid\":%u,\"hits\":%" PRIu64, rule->rank, rule->weight, rule->origin,
                rule->hits);
        if (rule->action == NS_SAL_DEMUX)
            fprintf(out, ",\"protocol\":\"%s\",\"drained\":%s", rule->datagrams ? "udp" : "tcp",
                    rule->drained ? "true" : "false");
        if (rule->until != UINT64_MAX)
            fprintf(out, ",\"seconds\":%" PRIu64, rule->until > now ? (rule->until - now) / 1000 : 0);
        fputc('}', out);
    }
    fputs("]}", out);
}

void ns_sald_json_offers(FILE *out, struct ns_sald *sald) {
    ns_sal_controller_print(out, &sald->services);
}

static void put_surrogate(FILE *out, unsigned place, unsigned family) {
    char text[INET6_ADDRSTRLEN];

    ns_sal_surrogate_print(place, family, text);
    fprintf(out, ",\"address%u\":\"%s\"", family, text);
}

void ns_sald_json_names(FILE *out, struct ns_sald *sald) {
    fprintf(out, "{\"count\":%u,\"names\":[", sald->names.count);
    for (unsigned i = 0; i < sald->names.count && i < NS_SAL_JSON_MOST; i++) {
        const struct ns_sal_name *name = &sald->names.names[i];
        int place = ns_sal_surrogate_peek(&sald->names, name->id);
        char id[NS_SAL_ID_TEXT];

        ns_sal_id_print(name->id, id);
        fprintf(out, "%s{\"name\":\"%s\",\"id\":\"%s\"", i == 0 ? "" : ",", name->name, id);
        if (place >= 0) {
            put_surrogate(out, (unsigned)place, 4);
            put_surrogate(out, (unsigned)place, 6);
        }
        fputc('}', out);
    }
    fputs("]}", out);
}

static void put_association(FILE *out, const struct ns_sal_association *association) {
    const uint8_t *ports = (const uint8_t *)&association->inner.ports;
    char own[NS_SAL_ID_TEXT], id[NS_SAL_ID_TEXT], peer[NS_SAL_ADDRESS_TEXT];

    ns_sal_id_print(association->own_id, own);
    ns_sal_id_print(association->peer_id, id);
    ns_sal_address_print(&association->peer, peer);
    fprintf(out, "{\"own\":\"%s\",\"service\":\"%s\",\"peer\":\"%s\",\"connected\":%s,\"answered\":%s", own, id,
            ns_sal_is_none(&association->peer) ? "" : peer, association->connected ? "true" : "false",
            association->both ? "true" : "false");
    put_inner(out, "local", association->inner.source, association->inner.family, ports);
    put_inner(out, "surrogate", association->inner.destination, association->inner.family, ports + 2);
    fputc('}', out);
}

void ns_sald_json_associations(FILE *out, struct ns_sald *sald) {
    const struct ns_sal_associations *associations = &sald->host.associations;
    const struct ns_sal_association *at;
    unsigned shown = 0;

    fprintf(out, "{\"count\":%u,\"associations\":[", associations->count);
    for (unsigned both = 0; both < 2; both++) {
        TAILQ_FOREACH(at, &associations->ages[both], age) {
            if (shown == NS_SAL_JSON_MOST)
                break;
            fputs(shown++ == 0 ? "" : ",", out);
            put_association(out, at);
        }
    }
    fputs("]}", out);
}
