/* SPDX-License-Identifier: Apache-2.0 */
#include "channel.h"

#include "packet.h"

#define FIRST_MS 3000u
#define LEAST_MS 200u
#define MOST_MS 120000u

static uint64_t bounded(uint64_t time) {
    return time < LEAST_MS ? LEAST_MS : time > MOST_MS ? MOST_MS : time;
}

static void measure(struct ns_sal_round_trip *trip, int64_t measured) {
    if (trip->smoothed < 0) {
        trip->smoothed = measured * 8;
        trip->variation = measured * 2;
    } else {
        int64_t error = measured - trip->smoothed / 8;

        trip->smoothed += error;
        trip->variation += (error < 0 ? -error : error) - trip->variation / 4;
    }
    trip->estimate = bounded((uint64_t)(trip->smoothed / 8) + (uint64_t)(trip->variation > 1 ? trip->variation : 1));
    trip->timeout = trip->estimate;
}

void ns_sal_channel_begin(struct ns_sal_channel *channel, uint32_t verno) {
    *channel = (struct ns_sal_channel){.state = NS_CHANNEL_QUIET, .next = verno, .due_at = NS_SAL_NEVER};
    channel->round_trip = (struct ns_sal_round_trip){.smoothed = -1, .estimate = FIRST_MS, .timeout = FIRST_MS};
}

/* SYN and SYN-ACK carry TCP's segment, and TCP sends it again by its own timer. */
static bool rides(const struct ns_sal_channel *channel) {
    return (channel->flags & NS_SAL_SYN) != 0;
}

static void number(struct ns_sal_channel *channel, unsigned inherited, unsigned wanted, uint64_t now) {
    if ((wanted & ~inherited & NS_SAL_FIN) != 0)
        channel->fin = channel->next;
    channel->flags = (uint8_t)(inherited | wanted);
    channel->next++;
    channel->tries = 0;
    channel->sent_at = now;
    channel->round_trip.timeout = (channel->flags & NS_SAL_RSYN) != 0 ? NS_SAL_MOVE_MS : channel->round_trip.estimate;
}

static void transmit(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port) {
    channel->tries++;
    port->transmit(port->flow, channel->flags);
}

static void fire(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port, enum ns_channel_event event,
                 unsigned wanted, uint64_t now) {
    const struct ns_transition *line = &ns_channel_table[channel->state][event];
    unsigned inherited = 0;

    if (!line->expected) {
        channel->unexpected++;
        return;
    }
    channel->state = line->next;
    for (unsigned i = 0; i < NS_SAL_ACTIONS && line->actions[i] != NS_CHANNEL_DO_NOTHING; i++) {
        switch ((enum ns_channel_action)line->actions[i]) {
        case NS_CHANNEL_DO_INHERIT:
            inherited = channel->flags;
            break;
        case NS_CHANNEL_DO_NUMBER:
            number(channel, inherited, wanted, now);
            break;
        case NS_CHANNEL_DO_TRANSMIT:
            transmit(channel, port);
            break;
        case NS_CHANNEL_DO_DROP_FIN:
            channel->flags &= (uint8_t)~NS_SAL_FIN;
            break;
        case NS_CHANNEL_DO_MEASURE:
            if (channel->tries == 1)
                measure(&channel->round_trip, (int64_t)(now - channel->sent_at));
            break;
        case NS_CHANNEL_DO_BACK_OFF:
            channel->round_trip.timeout = bounded(channel->round_trip.timeout * 2);
            break;
        case NS_CHANNEL_DO_START_TIMER:
            channel->due_at = now + (rides(channel) ? NS_SAL_SET_UP_MS : channel->round_trip.timeout);
            break;
        case NS_CHANNEL_DO_STOP_TIMER:
            channel->due_at = NS_SAL_NEVER;
            break;
        case NS_CHANNEL_DO_GIVE_UP:
            port->give_up(port->flow);
            break;
        default:
            break;
        }
    }
}

void ns_sal_channel_post(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port, unsigned flags,
                         uint64_t now) {
    fire(channel, port, NS_CHANNEL_ON_POST, flags, now);
}

void ns_sal_channel_again(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port) {
    if (channel->state == NS_CHANNEL_WAITING)
        transmit(channel, port);
}

unsigned ns_sal_channel_acked(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port, uint32_t ackno,
                              uint64_t now) {
    unsigned before = ns_sal_channel_waiting(channel);

    if (ackno == channel->next)
        fire(channel, port, NS_CHANNEL_ON_ACKED, 0, now);
    else if ((before & NS_SAL_FIN) != 0 && ns_sal_channel_covers(channel, ackno) && (int32_t)(ackno - channel->fin) > 0)
        fire(channel, port, NS_CHANNEL_ON_ACKED_IN_PART, 0, now);
    return before & ~ns_sal_channel_waiting(channel);
}

bool ns_sal_channel_covers(const struct ns_sal_channel *channel, uint32_t ackno) {
    return (int32_t)(ackno - channel->next) <= 0;
}

void ns_sal_channel_due(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port, uint64_t now) {
    if (channel->due_at <= now)
        fire(channel, port,
             channel->tries >= NS_SAL_TRIES || rides(channel) ? NS_CHANNEL_ON_LAST_DUE : NS_CHANNEL_ON_DUE, 0, now);
}

void ns_sal_channel_stop(struct ns_sal_channel *channel, const struct ns_sal_channel_port *port) {
    fire(channel, port, NS_CHANNEL_ON_STOP, 0, 0);
}

unsigned ns_sal_channel_waiting(const struct ns_sal_channel *channel) {
    return channel->state == NS_CHANNEL_WAITING ? channel->flags : 0;
}
