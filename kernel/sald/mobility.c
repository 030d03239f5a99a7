/* SPDX-License-Identifier: Apache-2.0 */
#include "mobility.h"

#define MOST_MS 120000u

void ns_sal_mobility_begin(struct ns_sal_mobility *mobility, const struct ns_sal_address *own) {
    *mobility = (struct ns_sal_mobility){.state = NS_MOVE_SETTLED, .own = *own, .answer_at = NS_SAL_NEVER};
}

const struct ns_sal_address *ns_sal_mobility_newest(const struct ns_sal_mobility *mobility) {
    return mobility->has_pending ? &mobility->pending : &mobility->own;
}

const struct ns_sal_address *ns_sal_mobility_control(const struct ns_sal_mobility *mobility) {
    return mobility->has_noted ? &mobility->noted : &mobility->peer;
}

/* Remembers an address that was left, the oldest of them no longer. */
static void remember(struct ns_sal_mobility *mobility, const struct ns_sal_address *address) {
    memmove(mobility->left + 1, mobility->left, sizeof mobility->left - sizeof mobility->left[0]);
    mobility->left[0] = *address;
    if (mobility->left_count < NS_SAL_LEFT)
        mobility->left_count++;
}

static void discard(struct ns_sal_mobility *mobility) {
    mobility->has_noted = false;
    mobility->answer_at = NS_SAL_NEVER;
}

static void tell(struct ns_sal_work *work, enum ns_sal_told what) {
    work->port->tell(work->port->context, work->flow, what);
}

static void act(struct ns_sal_work *work, enum ns_move_action action, const struct ns_sal_address *from) {
    struct ns_sal_mobility *mobility = &work->flow->mobility;

    switch (action) {
    case NS_MOVE_DO_SEND_RSYN:
        ns_sal_channel_post(&work->flow->channel, &work->channel, NS_SAL_RSYN, work->now);
        break;
    case NS_MOVE_DO_SWITCH_OWN:
        mobility->own = mobility->pending;
        mobility->has_pending = false;
        mobility->left_count = 0;
        tell(work, NS_SAL_TOLD_OWN_MOVED);
        break;
    case NS_MOVE_DO_SEND_ACK:
        ns_sal_flow_plain(work, NS_SAL_ACK, &mobility->own, ns_sal_mobility_control(mobility));
        break;
    case NS_MOVE_DO_NOTE:
        mobility->noted = *from;
        mobility->has_noted = true;
        mobility->answers = 0;
        mobility->answer_wait = NS_SAL_MOVE_MS;
        break;
    case NS_MOVE_DO_FREEZE:
        tell(work, NS_SAL_TOLD_FREEZE);
        break;
    case NS_MOVE_DO_ANSWER:
        ns_sal_flow_plain(work, NS_SAL_RSYN | NS_SAL_ACK, ns_sal_mobility_newest(mobility), &mobility->noted);
        mobility->answer_at = work->now + mobility->answer_wait;
        break;
    case NS_MOVE_DO_SWITCH_PEER:
        mobility->peer = mobility->noted;
        discard(mobility);
        tell(work, NS_SAL_TOLD_PEER_MOVED);
        break;
    case NS_MOVE_DO_DISCARD:
        discard(mobility);
        break;
    case NS_MOVE_DO_THAW:
        tell(work, NS_SAL_TOLD_THAW);
        break;
    default:
        break;
    }
}

static void fire(struct ns_sal_work *work, enum ns_move_event event, const struct ns_sal_address *from) {
    struct ns_sal_mobility *mobility = &work->flow->mobility;
    const struct ns_transition *line = &ns_move_table[mobility->state][event];

    if (!line->expected) {
        mobility->unexpected++;
        return;
    }
    mobility->state = line->next;
    for (unsigned i = 0; i < NS_SAL_ACTIONS && line->actions[i] != NS_MOVE_DO_NOTHING; i++)
        act(work, (enum ns_move_action)line->actions[i], from);
}

void ns_sal_mobility_leave(struct ns_sal_mobility *mobility, const struct ns_sal_address *own) {
    remember(mobility, &mobility->own);
    mobility->own = *own;
}

void ns_sal_mobility_move(struct ns_sal_work *work, const struct ns_sal_address *own) {
    struct ns_sal_mobility *mobility = &work->flow->mobility;

    if (mobility->has_pending)
        remember(mobility, &mobility->pending);
    mobility->pending = *own;
    mobility->has_pending = true;
    fire(work, NS_MOVE_ON_MOVE, NULL);
}

void ns_sal_mobility_moved(struct ns_sal_work *work, const struct ns_sal_address *from) {
    fire(work, NS_MOVE_ON_RSYN, from);
}

bool ns_sal_mobility_moved_again(struct ns_sal_work *work, const struct ns_sal_address *from) {
    const struct ns_sal_mobility *mobility = &work->flow->mobility;

    if (!mobility->has_noted || !ns_sal_same(from, &mobility->noted))
        return false;
    fire(work, NS_MOVE_ON_RSYN_AGAIN, from);
    return true;
}

void ns_sal_mobility_acked(struct ns_sal_work *work, bool again) {
    fire(work, again ? NS_MOVE_ON_ACKED_AGAIN : NS_MOVE_ON_ACKED, NULL);
}

void ns_sal_mobility_confirm(struct ns_sal_work *work, const struct ns_sal_address *from) {
    const struct ns_sal_mobility *mobility = &work->flow->mobility;

    if (mobility->has_noted && ns_sal_same(from, &mobility->noted))
        fire(work, NS_MOVE_ON_CONFIRM, from);
}

void ns_sal_mobility_due(struct ns_sal_work *work) {
    struct ns_sal_mobility *mobility = &work->flow->mobility;

    if (mobility->answer_at > work->now)
        return;
    mobility->answers++;
    mobility->answer_wait = mobility->answer_wait * 2 > MOST_MS ? MOST_MS : mobility->answer_wait * 2;
    fire(work, mobility->answers >= NS_SAL_TRIES ? NS_MOVE_ON_ANSWERS_OVER : NS_MOVE_ON_ANSWER_DUE, NULL);
}
