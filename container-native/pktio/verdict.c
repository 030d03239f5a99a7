/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict.c - takes the container's verdicts about packets, and trusts none of them. A verdict is read once into a
 * local. The packet that it points to is copied out of its slot before any check, and the checked copy is the one
 * that is sent.
 *
 *     verdict     HELD                      STOLEN             LATE            COPY      not outstanding.
 *     PASS        accept, free              accept, free       stale, free     free      stale.
 *     DROP        drop, free                drop, free         stale, free     free      stale.
 *     CHANGED     check: send or accept     as HELD            stale, free     free      stale.
 *     STOLEN      STOLEN, or too many:      stale              stale           -         stale
 *                 accept, LATE.
 *     other       bad code: accept, free    as HELD            stale, free     free      stale.
 *     deadline    accept, LATE              accept, LATE       -               -         -
 *
 * PASS, DROP and CHANGED with offload do the same and ask bpfd for the rest of the flow. In a COPY, offload is a bad
 * code.
 */
#include "egress.h"
#include "offload.h"
#include "pktio.h"

#include <linux/netfilter.h>
#include <string.h>

static struct ns_ring_verdict read_once(const struct ns_ring_verdict *at) {
    return (struct ns_ring_verdict){
        .seq = __atomic_load_n(&at->seq, __ATOMIC_RELAXED),
        .code = __atomic_load_n(&at->code, __ATOMIC_RELAXED),
        .offset = __atomic_load_n(&at->offset, __ATOMIC_RELAXED),
        .length = __atomic_load_n(&at->length, __ATOMIC_RELAXED),
    };
}

/* Tells whether `code` names a verdict: see ns_ring.h. */
static bool code_valid(uint32_t code) {
    uint32_t seconds = code >> NS_VERDICT_SECONDS;

    if ((code & (0xffffu & ~(NS_VERDICT_MASK | NS_VERDICT_OFFLOAD))) != 0 ||
        (code & NS_VERDICT_MASK) > NS_VERDICT_STOLEN)
        return false;
    if ((code & NS_VERDICT_OFFLOAD) == 0)
        return seconds == 0;
    return seconds != 0 && (code & NS_VERDICT_MASK) != NS_VERDICT_STOLEN;
}

static bool wants_offload(const struct ns_ring_verdict *verdict) {
    return (verdict->code & NS_VERDICT_OFFLOAD) != 0;
}

static void count_offload(struct ns_counters *counters, enum ns_offload_end end) {
    uint64_t *const counter[] = {
        [NS_OFFLOAD_REQUESTED] = &counters->offload_requested,
        [NS_OFFLOAD_UNFIT] = &counters->offload_unfit,
        [NS_OFFLOAD_UNAVAILABLE] = &counters->offload_unavailable,
        [NS_OFFLOAD_OVERFLOW] = &counters->offload_overflow,
    };

    ns_count(counter[end]);
}

/*
 * Asks bpfd for the rest of the flow, if the verdict does. `changed` is the packet that replaces the original, NULL =
 * none.
 */
static void offload(struct ns_pktio *pktio, uint32_t slot, const struct ns_ring_verdict *verdict, uint8_t action,
                    const uint8_t *changed) {
    const struct ns_packet *packet = &pktio->table.packets[slot];
    struct ns_offload request;
    bool fit;

    if (!wants_offload(verdict))
        return;
    fit = ns_offload_flow(&request, packet, (uint16_t)(verdict->code >> NS_VERDICT_SECONDS));
    request.action = action;
    if (fit && changed != NULL)
        fit = ns_offload_rewrite(&request, packet, changed, verdict->length);
    count_offload(pktio->counters, fit ? ns_offload_send(pktio->fastpath_fd, &request) : NS_OFFLOAD_UNFIT);
}

/* Answers the kernel, so that the original goes on. */
static void pass(struct ns_pktio *pktio, uint32_t slot, uint64_t *reason) {
    const struct ns_packet *packet = &pktio->table.packets[slot];

    ns_count(reason);
    ns_table_release(&pktio->table, slot);
    ns_pktio_accept(pktio, packet->xdp, packet->id); /* the entry is free but not overwritten */
}

/* Passes the packet as pass() does, but the container still owes its verdict and keeps the slot. */
static void pass_late(struct ns_pktio *pktio, uint32_t slot, uint64_t *reason) {
    const struct ns_packet *packet = &pktio->table.packets[slot];

    ns_count(reason);
    ns_table_late(&pktio->table, slot);
    ns_pktio_accept(pktio, packet->xdp, packet->id);
}

static void drop(struct ns_pktio *pktio, uint32_t slot) {
    const struct ns_packet *packet = &pktio->table.packets[slot];
    struct ns_answer answer = {.xdp = packet->xdp, .id = packet->id, .verdict = NF_DROP};

    ns_count(&pktio->counters->dropped);
    ns_table_release(&pktio->table, slot);
    pktio->kernel.answer(pktio->kernel.context, &answer);
}

static void steal(struct ns_pktio *pktio, uint32_t slot, uint64_t now) {
    if (pktio->table.packets[slot].state == NS_PACKET_STOLEN) {
        ns_count(&pktio->counters->stale_verdict);
    } else if (pktio->table.stolen.count >= pktio->limits.steal_max) {
        pass_late(pktio, slot, &pktio->counters->steal_full);
    } else {
        ns_count(&pktio->counters->stolen);
        ns_table_steal(&pktio->table, slot, now + pktio->limits.steal);
    }
}

static uint64_t *egress_counter(struct ns_counters *counters, enum ns_egress result) {
    switch (result) {
    case NS_EGRESS_SAME:
        return &counters->changed;
    case NS_EGRESS_TURNED:
        return &counters->turned;
    case NS_EGRESS_REWRITTEN:
        return &counters->rewritten;
    case NS_EGRESS_DENIED:
        return &counters->egress_denied;
    case NS_EGRESS_PORT:
        return &counters->egress_port;
    case NS_EGRESS_PROTO:
        return &counters->egress_proto;
    case NS_EGRESS_OPTION:
        return &counters->egress_option;
    case NS_EGRESS_TOO_LONG:
        return &counters->egress_too_long;
    case NS_EGRESS_BAD_PACKET:
        break;
    }
    return &counters->bad_packet;
}

/*
 * Sends a changed packet. A turned packet runs through the raw table once more (NF_REPEAT), where its mark keeps it
 * away from conntrack and queues. A changed or rewritten packet simply goes on: conntrack comes later, and tracks the
 * packet in its new form.
 */
static void send_changed(struct ns_pktio *pktio, uint32_t slot, enum ns_egress kind, const uint8_t *payload,
                         uint32_t length) {
    const struct ns_packet *packet = &pktio->table.packets[slot];
    struct ns_answer answer = {
        .xdp = packet->xdp,
        .id = packet->id,
        .verdict = NF_ACCEPT,
        .payload = payload,
        .length = length,
    };

    if (kind == NS_EGRESS_TURNED) {
        answer.verdict = NF_REPEAT;
        answer.has_mark = true;
        answer.mark = packet->mark | pktio->limits.turned_mark;
    }
    ns_table_release(&pktio->table, slot);
    pktio->kernel.answer(pktio->kernel.context, &answer);
}

/* Refuses a change. If the change is refused for this packet, it is refused for the rest of its flow, too. */
static void refuse_change(struct ns_pktio *pktio, uint32_t slot, const struct ns_ring_verdict *verdict,
                          uint64_t *reason) {
    if (wants_offload(verdict))
        count_offload(pktio->counters, NS_OFFLOAD_UNFIT);
    pass(pktio, slot, reason);
}

static void changed(struct ns_pktio *pktio, uint32_t slot, const struct ns_ring_verdict *verdict) {
    const struct ns_packet *packet = &pktio->table.packets[slot];
    struct ns_egress_original original = {.ip = packet->ip, .header = packet->header, .mtu = packet->mtu};
    uint8_t copy[NS_RING_SLOT_SIZE];
    enum ns_egress kind;

    if (verdict->offset > NS_RING_SLOT_SIZE || verdict->length == 0 ||
        verdict->length > NS_RING_SLOT_SIZE - verdict->offset) {
        refuse_change(pktio, slot, verdict, &pktio->counters->bad_bounds);
        return;
    }
    memcpy(copy, pktio->ring.slot + (size_t)slot * NS_RING_SLOT_SIZE + verdict->offset, verdict->length);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* from here on only the copy is read, never the slot */
    kind = ns_egress_check(&original, copy, verdict->length, &pktio->rewrite);
    if (kind >= NS_EGRESS_BAD_PACKET) {
        refuse_change(pktio, slot, verdict, egress_counter(pktio->counters, kind));
        return;
    }
    if (kind != NS_EGRESS_TURNED)
        ns_pktio_settle(pktio); /* earlier packets of its flow that passed leave first */
    ns_egress_finish(kind, &original.ip, copy);
    ns_count(egress_counter(pktio->counters, kind));
    offload(pktio, slot, verdict, NS_OFFLOAD_REWRITE, copy);
    send_changed(pktio, slot, kind, copy, verdict->length);
}

static void decide(struct ns_pktio *pktio, uint32_t slot, const struct ns_ring_verdict *verdict, uint64_t now) {
    if (!code_valid(verdict->code)) {
        pass(pktio, slot, &pktio->counters->bad_code);
        return;
    }
    switch ((enum ns_verdict)(verdict->code & NS_VERDICT_MASK)) {
    case NS_VERDICT_PASS:
        offload(pktio, slot, verdict, NS_OFFLOAD_PASS, NULL);
        pass(pktio, slot, &pktio->counters->passed);
        break;
    case NS_VERDICT_DROP:
        offload(pktio, slot, verdict, NS_OFFLOAD_DROP, NULL);
        drop(pktio, slot);
        break;
    case NS_VERDICT_CHANGED:
        changed(pktio, slot, verdict);
        break;
    case NS_VERDICT_STOLEN:
        steal(pktio, slot, now);
        break;
    }
}

static void take(struct ns_pktio *pktio, const struct ns_ring_verdict *verdict, uint64_t now) {
    uint32_t slot = ns_table_find(&pktio->table, verdict->seq);
    enum ns_packet_state state = slot == NS_TABLE_NONE ? NS_PACKET_FREE : pktio->table.packets[slot].state;

    switch (state) {
    case NS_PACKET_HELD:
    case NS_PACKET_STOLEN:
        decide(pktio, slot, verdict, now);
        break;
    case NS_PACKET_LATE:
        ns_count(&pktio->counters->stale_verdict);
        if (verdict->code != NS_VERDICT_STOLEN)
            ns_table_release(&pktio->table, slot);
        break;
    case NS_PACKET_COPY:
        if (wants_offload(verdict))
            ns_count(&pktio->counters->bad_code);
        if (verdict->code != NS_VERDICT_STOLEN)
            ns_table_release(&pktio->table, slot);
        break;
    case NS_PACKET_FREE:
        ns_count(&pktio->counters->stale_verdict);
        break;
    }
}

uint32_t ns_verdicts_take(struct ns_pktio *pktio, uint32_t most, uint64_t now) {
    uint32_t count = 0;

    if (pktio->abandoned)
        return 0;
    for (; pktio->taken != pktio->answered && count < most; count++) {
        uint64_t at = pktio->taken++ & (2ull * pktio->ring.slots - 1);
        struct ns_ring_verdict verdict = read_once(&pktio->ring.verdict[at]);

        take(pktio, &verdict, now);
    }
    if (count != 0)
        __atomic_store_n(&pktio->ring.d->taken, pktio->taken, __ATOMIC_RELEASE);
    return count;
}

void ns_verdicts_expire(struct ns_pktio *pktio, uint64_t now) {
    struct ns_counters *counters = pktio->counters;

    for (uint32_t slot; (slot = ns_table_expired(&pktio->table, now)) != NS_TABLE_NONE;) {
        bool stolen = pktio->table.packets[slot].state == NS_PACKET_STOLEN;

        pass_late(pktio, slot, stolen ? &counters->steal_deadline : &counters->deadline);
    }
}
