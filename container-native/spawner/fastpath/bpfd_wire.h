/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd_wire.h - sends orders to bpfd, one after the other, and reads the answers. The spawner never blocks. An order
 * is sent as the socket takes it, and a function gets its answer.
 *
 *     given --its turn--> being sent, line by line --all sent--> waiting for bpfd --answer--> done; the next is sent.
 *                             |                                      |
 *                             +------ its one deadline is over ------+--> bpfd is killed, all orders fail.
 *
 * The turn of an order comes when the order before it is answered.
 */
#ifndef NS_BPFD_WIRE_H
#define NS_BPFD_WIRE_H

#include "bpfd.h"
#include "ns_line.h"

#define NS_BPFD_ANSWER 8192 /* bytes of an answer, at most */
#define NS_BPFD_GIVES 2     /* descriptors that come with an answer, at most */
#define NS_BPFD_TAKES 3     /* descriptors that go with an order, at most */
#define NS_BPFD_NOT_THERE "fast path: bpfd is not there, see the spawner's log"

/*
 * Is called when an order is over. `answer` is NULL if bpfd refused the order or did not answer it, else the answer
 * is "ok". The function may keep descriptors of `gives` by setting them to -1. `token` is the token that was given
 * with the order.
 */
typedef void (*ns_bpfd_done)(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                             int gives[NS_BPFD_GIVES]);

struct ns_bpfd_order {
    struct ns_bpfd_order *next;
    uint64_t id;
    char *text; /* lines with a LF between them, each a datagram */
    size_t length, sent;
    int fds[NS_BPFD_TAKES]; /* copies, sent with the first line */
    unsigned count;
    uint64_t msec; /* its deadline, counted from the answer to the order before it */
    ns_bpfd_done done;
    uint64_t token;
};

/*
 * Gives bpfd the order `id`. `text` has its lines and is taken over; NULL = no memory. `msec` is added to the usual
 * deadline. `done` may be NULL.
 */
void ns_bpfd_give(struct ns_spawner *spawner, uint64_t id, char *text, const int *fds, unsigned count, uint64_t msec,
                  ns_bpfd_done done, uint64_t token);

/* A verb of the controller that waits for bpfd. Its order's function frees it. */
struct ns_bpfd_waiting {
    struct ns_ticket ticket;
    uint64_t serial;
    bool others;
    ns_bpfd_stats_done stats;
    char pairs[NS_BPFD_ANSWER];
};

/* Returns a copy whose address is the token of an order, NULL = no memory. */
struct ns_bpfd_waiting *ns_bpfd_wait_for(struct ns_bpfd_waiting what);

static inline struct ns_bpfd_waiting *ns_bpfd_waiting(uint64_t token) {
    return (struct ns_bpfd_waiting *)(uintptr_t)token; /* NOLINT: given as such */
}

/* Forgets the orders for `done` that are still unsent. */
void ns_bpfd_withdraw(struct ns_bpfd_child *child, ns_bpfd_done done);

/* Sends as many lines of the first order as the socket takes. */
void ns_bpfd_pump(struct ns_spawner *spawner);

/* Fails all orders, and calls their functions. */
void ns_bpfd_fail_all(struct ns_spawner *spawner);

/* Kills a bpfd that does not answer. It cannot be asked again, because late answers would come for other orders. */
void ns_bpfd_give_up(struct ns_spawner *spawner, const char *what);

/* Returns the container that reads the filter's queue, NULL = none. */
struct ns_container *ns_bpfd_reader(const struct ns_spawner *spawner, const struct ns_filter *filter);

/* Notes where bpfd can take samples: on interfaces where it is attached to tc. `tc` is its answer, NULL = none. */
void ns_bpfd_attached(struct ns_bpfd_child *child, const char *tc);

/*
 * Chooses the filters that bpfd samples, and has the rules written anew if the choice differs. Comes before bpfd
 * hears of the filters, because the rules must first leave these filters to bpfd.
 */
void ns_bpfd_samples_settle(struct ns_spawner *spawner);

/* Hands all samples back to the firewall. */
void ns_bpfd_samples_over(struct ns_spawner *spawner);

/* Grants a new bpfd all that the one before it had granted. */
void ns_bpfd_grants_again(struct ns_spawner *spawner);

/* Tells a new bpfd, which knows nothing, of interfaces, containers and filters. Ends with ns_bpfd_told(). */
void ns_bpfd_tell_all(struct ns_spawner *spawner);

/* Ends the wait for features (in bpfd.c). `reason`: why bpfd does nothing on the interfaces, "" = it works there. */
void ns_bpfd_told(struct ns_spawner *spawner, const char *reason);

/* Returns true if bpfd takes orders. */
static inline bool ns_bpfd_there(const struct ns_bpfd_child *child) {
    return child->greeted && child->socket >= 0;
}

#endif
