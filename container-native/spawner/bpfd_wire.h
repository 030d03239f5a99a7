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

/* A line, and descriptors with it. 0, or -1 with errno. */
int ns_bpfd_say(struct ns_bpfd_child *child, const char *line, const int *fds, unsigned count);

/* The answer to order `id` into `text`, parsed; its descriptor, if it has one, into *fd. 0 if it is "ok". */
int ns_bpfd_hear(struct ns_bpfd_child *child, uint64_t id, struct ns_line *line, char text[NS_BPFD_ANSWER + 1],
                 int *fd);

/* Says order child->id and hears its answer. */
int ns_bpfd_ask(struct ns_bpfd_child *child, const char *text, const int *fds, unsigned count, struct ns_line *line,
                char answer[NS_BPFD_ANSWER + 1], int *fd);

/* As that, for what is answered by "ok" alone. */
int ns_bpfd_order(struct ns_bpfd_child *child, const char *text);

/* Kills it: one that does not answer cannot be asked again, its answers would come for other orders. -1. */
int ns_bpfd_give_up(struct ns_bpfd_child *child, const char *what);

/* A new one knows nothing: interfaces, containers, filters. */
void ns_bpfd_tell_all(struct ns_spawner *spawner);

/* It takes orders. */
static inline bool ns_bpfd_there(const struct ns_bpfd_child *child) {
    return child->greeted && child->socket >= 0;
}

#endif
