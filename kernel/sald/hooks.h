/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks.h - programs at the root of the cgroups that wake sald when somebody begins to listen on a watched port, or
 * ends. Their links have no pin, so the kernel takes the programs off when sald ends, however that is. Programs of
 * others stay beside them.
 */
#ifndef NS_SALD_HOOKS_H
#define NS_SALD_HOOKS_H

#include "listening.h"
#include "ns_sal_listen.h"

#define NS_SAL_HOOKS 4u

struct bpf_link;
struct bpf_object;
struct ring_buffer;

struct ns_sal_hooks {
    struct bpf_object *object; /* NULL: there are none */
    struct bpf_link *links[NS_SAL_HOOKS];
    int ports, sockets, counts; /* descriptors of maps */
    uint64_t net;               /* cookie of this network namespace */
    struct ring_buffer *events;
    int events_fd; /* -1 = none */
};

/*
 * Loads and attaches the programs, and has `listening` use them. Where the machine or the kernel does not allow it, all
 * stays as it was, and the log has one line with the reason. `object` may be NULL: then there are no hooks.
 */
void ns_sal_hooks_open(struct ns_sal_hooks *hooks, const char *object, struct ns_sal_listening *listening);

/* Takes the events that there are. */
void ns_sal_hooks_read(struct ns_sal_hooks *hooks);

/* Reads the numbers of events and of lost events. */
void ns_sal_hooks_count(const struct ns_sal_hooks *hooks, uint64_t counts[NS_SAL_LISTEN_COUNT_KINDS]);

#endif
