/* SPDX-License-Identifier: Apache-2.0 */
#include "host_flows.h"

#include "host_send.h"
#include "native.h"

void ns_sal_host_done(struct ns_sal_host *host, struct ns_sal_held *held) {
    if (held->request && held->kept.flow.state != NS_FLOW_RESPOND) {
        held->request = false;
        host->requests--;
    }
    if (host->over == held) {
        host->over = NULL;
        ns_sal_flows_remove(&host->flows, held);
        return;
    }
    host->wire->save(host->wire->context, &held->kept);
    ns_sal_flows_schedule(&host->flows, held);
}

struct ns_sal_identity ns_sal_host_identity(struct ns_sal_host *host) {
    struct ns_sal_identity made = {.abilities = host->abilities};

    do {
        host->wire->random(host->wire->context, &made.id, sizeof made.id);
        if ((host->abilities & NS_SAL_ABILITY_NATIVE) != 0)
            made.id = ns_sal_native_id(made.id);
    } while (made.id == 0 || ns_sal_flows_by_id(&host->flows, made.id) != NULL);
    host->wire->random(host->wire->context, &made.verno, sizeof made.verno);
    host->wire->random(host->wire->context, &made.nonce, sizeof made.nonce);
    return made;
}

static bool seek(struct ns_sal_host *host, const struct ns_sal_sought *sought) {
    return host->wire->seek != NULL && host->wire->seek(host->wire->context, sought);
}

struct ns_sal_held *ns_sal_host_by_id(struct ns_sal_host *host, uint32_t id) {
    struct ns_sal_held *held = ns_sal_flows_by_id(&host->flows, id);

    if (held == NULL && id != 0 && seek(host, &(struct ns_sal_sought){.id = id}))
        held = ns_sal_flows_by_id(&host->flows, id);
    return held;
}

struct ns_sal_held *ns_sal_host_by_tuple(struct ns_sal_host *host, const struct ns_sal_tuple *tuple) {
    struct ns_sal_held *held = ns_sal_flows_by_tuple(&host->flows, tuple);

    if (held == NULL && seek(host, &(struct ns_sal_sought){.tuple = tuple}))
        held = ns_sal_flows_by_tuple(&host->flows, tuple);
    return held;
}

struct ns_sal_held *ns_sal_host_by_client(struct ns_sal_host *host, const struct ns_sal_client *client) {
    struct ns_sal_held *held = ns_sal_flows_by_client(&host->flows, client);

    if (held == NULL && seek(host, &(struct ns_sal_sought){.client = client}))
        held = ns_sal_flows_by_client(&host->flows, client);
    return held;
}

void ns_sal_host_enter_names(struct ns_sal_host *host, const struct ns_sal_held *held) {
    if (host->wire->enter != NULL)
        host->wire->enter(host->wire->context, &held->kept);
}

bool ns_sal_host_adopt(struct ns_sal_host *host, const struct ns_sal_kept *kept, uint64_t now) {
    struct ns_sal_held *held;

    if (kept->flow.id == 0 || kept->flow.state == NS_FLOW_OVER || kept->flow.state >= NS_FLOW_STATE_COUNT ||
        kept->flow.channel.state >= NS_CHANNEL_STATE_COUNT || kept->flow.mobility.state >= NS_MOVE_STATE_COUNT ||
        ns_sal_flows_by_id(&host->flows, kept->flow.id) != NULL)
        return false;
    held = ns_sal_flows_make(&host->flows);
    if (held == NULL)
        return false;
    host->now = now;
    held->kept = *kept;
    if (kept->mtu_step > host->flows.mtu_step) /* it was told by the sald before, some time ago */
        host->flows.mtu_step = kept->mtu_step;
    host->flows.mtu_at = now;
    held->request = kept->flow.state == NS_FLOW_RESPOND;
    host->requests += held->request;
    ns_sal_flows_enter(&host->flows, held);
    return true;
}

void ns_sal_host_abort(struct ns_sal_host *host, struct ns_sal_held *held) {
    struct ns_sal_port port = ns_sal_host_port(host, held);

    ns_sal_flow_abort(&held->kept.flow, &port, host->now);
    ns_sal_host_done(host, held);
}
