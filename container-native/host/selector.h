/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selector.h - waits for datagrams on thousands of sockets, and receives them from all in one call. A selector is an
 * epoll descriptor with an event descriptor that wakes its thread.
 */
#ifndef NS_SELECTOR_H
#define NS_SELECTOR_H

#include "datagrams.h"

#define NS_EVENTS_MOST 256

/* Flags of an event and of an interest. */
enum { NS_EVENT_READ = 1, NS_EVENT_WRITE = 2, NS_EVENT_ERROR = 4 };

/* Events of a socket other than datagrams. Java reads these. */
struct ns_event {
    uint64_t key;
    uint32_t flags, pad;
};

/* Returns a handle, or -errno. ns_sockets_close closes it. */
int64_t ns_selector_open(void);

/*
 * Waits for the sockets of `interest` on this socket. `key` comes back with its datagrams and events. A socket belongs
 * to one selector. Returns 0 or -errno. ns_selector_add and ns_selector_change need the table held.
 */
int ns_selector_add(const struct ns_socket *selector, struct ns_socket *socket, uint64_t key);
int ns_selector_change(const struct ns_socket *selector, struct ns_socket *socket, uint32_t interest);
int ns_selector_remove(const struct ns_socket *selector, const struct ns_socket *socket);
void ns_selector_wake(const struct ns_socket *selector);

/*
 * Waits at most `timeout` milliseconds (-1 = for ever, 0 = not at all) for something to come. Receives from each
 * socket that has datagrams, and gives each its share of the batch, so that a busy socket does not keep others
 * waiting. Writes the events that are no datagrams, and their number to `count`.
 *
 * Returns the number of datagrams, or -errno. One thread at a time, which does not hold the table. The caller keeps
 * the selector open.
 */
int ns_selector_receive(int64_t selector, const struct ns_datagrams *batch, int timeout, struct ns_event *events,
                        uint32_t capacity, uint32_t *count);

#endif
