/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd_wire.h - lines to bpfd and its answers, one at a time. Each order but its first is quick work, and has a second: one that
 * takes longer hangs, and is killed, for nobody waits for it without keeping all containers waiting.
 */
#ifndef NS_BPFD_WIRE_H
#define NS_BPFD_WIRE_H

#include "bpfd.h"
#include "line.h"

#define NS_BPFD_ANSWER 4096 /* bytes of one, at most */
#define NS_BPFD_GIVES 2     /* descriptors that come with one, at most */
#define NS_BPFD_TAKES 3     /* that go with an order */

/* A line, and descriptors with it. 0, or -1 with errno. */
int ns_bpfd_say(struct ns_bpfd_child *child, const char *line, const int *fds, unsigned count);

/* The answer to order `id` into `text`, parsed; its descriptors into `fds`, -1 = none. 0 if it is "ok". */
int ns_bpfd_hear(struct ns_bpfd_child *child, uint64_t id, struct ns_line *line, char text[NS_BPFD_ANSWER + 1],
                 int fds[NS_BPFD_GIVES]);

/* Closes them. */
void ns_bpfd_drop(int fds[NS_BPFD_GIVES]);

/* Says order child->id and hears its answer. */
int ns_bpfd_ask(struct ns_bpfd_child *child, const char *text, const int *fds, unsigned count, struct ns_line *line,
                char answer[NS_BPFD_ANSWER + 1], int gives[NS_BPFD_GIVES]);

/* As that, for what is answered by "ok" alone. */
int ns_bpfd_order(struct ns_bpfd_child *child, const char *text);

/* Kills it: one that does not answer cannot be asked again, its answers would come for other orders. -1. */
int ns_bpfd_give_up(struct ns_bpfd_child *child, const char *what);

/* The container of its queue, NULL = nobody reads it. */
struct ns_container *ns_bpfd_reader(const struct ns_spawner *spawner, const struct ns_filter *filter);

/* What it says of its interfaces, NULL = nothing: samples are taken where it is attached to tc. */
void ns_bpfd_attached(struct ns_bpfd_child *child, const char *tc);

/* Before it hears of the filters: the rules leave to it what it will take. */
void ns_bpfd_samples_settle(struct ns_spawner *spawner);

/* It takes no samples any more: the firewall does. */
void ns_bpfd_samples_over(struct ns_spawner *spawner);

/* A new one knows nothing: interfaces, containers, filters. */
void ns_bpfd_tell_all(struct ns_spawner *spawner);

/* It takes orders. */
static inline bool ns_bpfd_there(const struct ns_bpfd_child *child) {
    return child->greeted && child->socket >= 0;
}

#endif
