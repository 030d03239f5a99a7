/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd_wire.h - orders to bpfd, one after the other, and its answers. Nobody waits: an order is sent as the socket takes it, and its
 * answer is heard by a function.
 *
 *     given --the one before it is answered--> being sent, line by line --all sent--> answered by bpfd: done, the next one is sent
 *                                                   |                                    |
 *                                                   +-- its one deadline is over --------+--> bpfd is killed, all orders fail
 */
#ifndef NS_BPFD_WIRE_H
#define NS_BPFD_WIRE_H

#include "bpfd.h"
#include "ns_line.h"

#define NS_BPFD_ANSWER 4096 /* bytes of one, at most */
#define NS_BPFD_GIVES 2     /* descriptors that come with one, at most */
#define NS_BPFD_TAKES 3     /* that go with an order */

/*
 * Hears of an order: the answer if it was "ok", NULL if it was refused or there was none. It may keep descriptors of `gives` by setting
 * them to -1. `token` is what was given with the order.
 */
typedef void (*ns_bpfd_done)(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                             int gives[NS_BPFD_GIVES]);

struct ns_bpfd_order {
    struct ns_bpfd_order *next;
    uint64_t id;
    char *text; /* lines with a LF between them, each a datagram */
    size_t length, sent;
    int fds[NS_BPFD_TAKES]; /* copies, with the first line */
    unsigned count;
    uint64_t msec; /* its deadline, from when the one before it is answered */
    ns_bpfd_done done;
    uint64_t token;
};

/* Gives order `id`, whose lines are `text` (taken over, NULL = no memory); `msec` more than usual. `done` may be NULL. */
void ns_bpfd_give(struct ns_spawner *spawner, uint64_t id, char *text, const int *fds, unsigned count, uint64_t msec,
                  ns_bpfd_done done, uint64_t token);

/* Forgets orders for `done` of which nothing has been sent. */
void ns_bpfd_withdraw(struct ns_bpfd_child *child, ns_bpfd_done done);

/* Sends what the socket takes. */
void ns_bpfd_pump(struct ns_spawner *spawner);

/* All orders fail; their functions hear of it. */
void ns_bpfd_fail_all(struct ns_spawner *spawner);

/* Kills it: one that does not answer cannot be asked again, its answers would come for other orders. */
void ns_bpfd_give_up(struct ns_spawner *spawner, const char *what);

/* The container of its queue, NULL = nobody reads it. */
struct ns_container *ns_bpfd_reader(const struct ns_spawner *spawner, const struct ns_filter *filter);

/* What it says of its interfaces, NULL = nothing: samples are taken where it is attached to tc. */
void ns_bpfd_attached(struct ns_bpfd_child *child, const char *tc);

/* Before it hears of the filters: the rules leave to it what it will take. */
void ns_bpfd_samples_settle(struct ns_spawner *spawner);

/* It takes no samples any more: the firewall does. */
void ns_bpfd_samples_over(struct ns_spawner *spawner);

/* A new one knows nothing: interfaces, containers, filters. ns_bpfd_told() at the end of it. */
void ns_bpfd_tell_all(struct ns_spawner *spawner);

/* bpfd.c: whoever waits for what it can do waits no longer. `reason`: why nothing is done on interfaces, "" = it is. */
void ns_bpfd_told(struct ns_spawner *spawner, const char *reason);

/* It takes orders. */
static inline bool ns_bpfd_there(const struct ns_bpfd_child *child) {
    return child->greeted && child->socket >= 0;
}

#endif
