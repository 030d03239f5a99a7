/* SPDX-License-Identifier: Apache-2.0 */
#include "selector.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const uint64_t woken; /* the event descriptor's data: no handle is 0 */

int64_t ns_selector_open(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC), wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = woken};
    int error;

    if (fd >= 0 && wake >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, wake, &event) == 0)
        return ns_sockets_add(fd, wake, NS_SOCKET_SELECTOR, 0);
    error = errno;
    if (fd >= 0)
        close(fd);
    if (wake >= 0)
        close(wake);
    return -error;
}

static int control(const struct ns_socket *selector, int operation, const struct ns_socket *socket, uint32_t events) {
    struct epoll_event event = {.events = events,
                                .data.u64 = (uint64_t)socket->generation << 32 | (uint32_t)socket->fd};

    return epoll_ctl(selector->fd, operation, socket->fd, &event) == 0 ? 0 : -errno;
}

int ns_selector_add(const struct ns_socket *selector, struct ns_socket *socket, uint64_t key) {
    int result = control(selector, EPOLL_CTL_ADD, socket, EPOLLIN);

    if (result == 0)
        __atomic_store_n(&socket->key, key, __ATOMIC_RELAXED);
    return result;
}

int ns_selector_change(const struct ns_socket *selector, const struct ns_socket *socket, uint32_t interest) {
    uint32_t events =
        ((interest & NS_EVENT_READ) != 0 ? EPOLLIN : 0u) | ((interest & NS_EVENT_WRITE) != 0 ? EPOLLOUT : 0u);

    return control(selector, EPOLL_CTL_MOD, socket, events);
}

int ns_selector_remove(const struct ns_socket *selector, const struct ns_socket *socket) {
    return control(selector, EPOLL_CTL_DEL, socket, 0);
}

void ns_selector_wake(const struct ns_socket *selector) {
    ssize_t n = write(selector->wake, &(uint64_t){1}, sizeof(uint64_t));

    (void)n; /* a full counter wakes, too */
}

/* Takes the wake-ups that have come. */
static void rest(const struct ns_socket *selector) {
    uint64_t times;
    ssize_t n = read(selector->wake, &times, sizeof times);

    (void)n;
}

/* The arguments and the state of one call. */
struct harvest {
    const struct ns_datagrams *batch;
    struct ns_filled filled;
    struct ns_event *events;
    uint32_t capacity, count;
};

static void add_event(struct harvest *to, const struct ns_socket *socket, uint32_t flags) {
    if (flags != 0 && to->count < to->capacity)
        to->events[to->count++] = (struct ns_event){.key = socket->key, .flags = flags};
}

/*
 * Receives from one socket; `left` sockets, this one among them, still have to share the batch. An error here is a
 * socket's own that can never receive again, and its user hears of it as an event.
 */
static void harvest_socket(struct harvest *to, const struct ns_socket *socket, uint32_t ready, uint32_t left) {
    uint32_t entries = to->batch->capacity - to->filled.entries, rooms = to->batch->rooms - to->filled.rooms;
    uint32_t share = ((entries < rooms ? entries : rooms) + left - 1) / left;
    uint32_t flags = (ready & EPOLLOUT) != 0 ? NS_EVENT_WRITE : 0;

    if ((ready & EPOLLERR) != 0 && (socket->flags & NS_SOCKET_ERRORS) != 0)
        flags |= NS_EVENT_ERROR;
    if ((ready & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0 &&
        ns_datagrams_receive(socket, to->batch, share, &to->filled) != 0)
        flags |= NS_EVENT_ERROR;
    add_event(to, socket, flags);
}

int ns_selector_receive(int64_t handle, const struct ns_datagrams *batch, int timeout, struct ns_event *events,
                        uint32_t capacity, uint32_t *count) {
    struct epoll_event ready[NS_EVENTS_MOST];
    struct harvest to = {.batch = batch, .events = events, .capacity = capacity};
    uint32_t most = capacity < NS_EVENTS_MOST ? capacity : NS_EVENTS_MOST;
    struct ns_socket *selector, *socket;
    int fd, n;

    *count = 0;
    ns_sockets_hold();
    selector = ns_sockets_find(handle, NS_SOCKET_SELECTOR);
    fd = selector == NULL ? -1 : selector->fd;
    ns_sockets_drop();
    if (most > batch->rooms) /* each socket that is ready gets a room */
        most = batch->rooms;
    if (most > batch->capacity)
        most = batch->capacity;
    n = epoll_wait(fd, ready, (int)most, timeout);
    if (n < 0)
        return errno == EINTR ? 0 : -errno;
    ns_sockets_hold();
    for (int i = 0; i < n; i++) {
        if (ready[i].data.u64 == woken && (selector = ns_sockets_find(handle, NS_SOCKET_SELECTOR)) != NULL)
            rest(selector);
        else if ((socket = ns_sockets_find((int64_t)ready[i].data.u64, NS_SOCKET_UDP)) != NULL)
            harvest_socket(&to, socket, ready[i].events, (uint32_t)(n - i));
    }
    ns_sockets_drop();
    *count = to.count;
    return (int)to.filled.entries;
}
