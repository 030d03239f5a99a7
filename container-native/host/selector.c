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

/* --- the sockets of a selector ---
 *
 * A socket that is only read is told of once, when something comes (EPOLLET), and is then read until it is empty. The
 * kernel looks at such a socket no more while it is quiet. A socket that stays full, or has errors, is armed again:
 * the kernel looks at it then, and tells of it in the next wait if there is anything. With any other interest the
 * kernel tells of a socket in each wait.
 */

static int control(const struct ns_socket *selector, int operation, const struct ns_socket *socket, uint32_t events) {
    struct epoll_event event = {.events = events,
                                .data.u64 = (uint64_t)socket->generation << 32 | (uint32_t)socket->fd};

    return epoll_ctl(selector->fd, operation, socket->fd, &event) == 0 ? 0 : -errno;
}

static uint32_t events_of(uint8_t interest) {
    return interest == NS_EVENT_READ
               ? (uint32_t)(EPOLLIN | EPOLLET)
               : ((interest & NS_EVENT_READ) != 0 ? EPOLLIN : 0u) | ((interest & NS_EVENT_WRITE) != 0 ? EPOLLOUT : 0u);
}

int ns_selector_add(const struct ns_socket *selector, struct ns_socket *socket, uint64_t key) {
    int result;

    __atomic_store_n(&socket->interest, NS_EVENT_READ, __ATOMIC_SEQ_CST);
    result = control(selector, EPOLL_CTL_ADD, socket, events_of(NS_EVENT_READ));
    if (result == 0)
        __atomic_store_n(&socket->key, key, __ATOMIC_RELAXED);
    return result;
}

/* Arms a socket with its interest. Of two threads that do so at a time the last one meets the last interest. */
static int arm(const struct ns_socket *selector, const struct ns_socket *socket) {
    uint8_t interest;
    int result;

    do {
        interest = __atomic_load_n(&socket->interest, __ATOMIC_SEQ_CST);
        result = control(selector, EPOLL_CTL_MOD, socket, events_of(interest));
    } while (result == 0 && interest != __atomic_load_n(&socket->interest, __ATOMIC_SEQ_CST));
    return result;
}

int ns_selector_change(const struct ns_socket *selector, struct ns_socket *socket, uint32_t interest) {
    __atomic_store_n(&socket->interest, (uint8_t)(interest & (NS_EVENT_READ | NS_EVENT_WRITE)), __ATOMIC_SEQ_CST);
    return arm(selector, socket);
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

/* --- waiting --- */

/* The arguments and the state of one call. */
struct harvest {
    const struct ns_socket *selector;
    const struct ns_datagrams *batch;
    struct ns_filled filled;
    struct ns_event *events;
    uint32_t capacity, count;
};

static void add_event(struct harvest *to, const struct ns_socket *socket, uint32_t flags) {
    if (flags != 0 && to->count < to->capacity)
        to->events[to->count++] = (struct ns_event){.key = socket->key, .flags = flags};
}

/* Receives from one socket until it is empty or has filled its share of the batch. Returns 0 or -errno. */
static int receive_share(struct harvest *to, const struct ns_socket *socket, uint32_t left) {
    uint32_t entries = to->batch->capacity - to->filled.entries, rooms = to->batch->rooms - to->filled.rooms;
    uint32_t end = to->filled.rooms + ((entries < rooms ? entries : rooms) + left - 1) / left, before;
    int result;

    do {
        before = to->filled.rooms;
        result = ns_datagrams_receive(socket, to->batch, end - before, &to->filled);
    } while (result == 0 && to->filled.more && to->filled.rooms > before && to->filled.rooms < end);
    return result;
}

/*
 * Receives from one socket; `left` sockets, this one among them, still have to share the batch. An error here is a
 * socket's own that can never receive again, and its user hears of it as an event. An error may also have kept
 * recvmmsg from going on, so a socket with errors counts as one that is not empty.
 */
static void harvest_socket(struct harvest *to, const struct ns_socket *socket, uint32_t ready, uint32_t left) {
    uint32_t flags = (ready & EPOLLOUT) != 0 ? NS_EVENT_WRITE : 0;
    bool again = (ready & EPOLLERR) != 0;

    if (again && (socket->flags & NS_SOCKET_ERRORS) != 0)
        flags |= NS_EVENT_ERROR;
    if ((ready & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
        if (receive_share(to, socket, left) != 0)
            flags |= NS_EVENT_ERROR;
        again |= to->filled.more;
    }
    if (again && __atomic_load_n(&socket->interest, __ATOMIC_RELAXED) == NS_EVENT_READ)
        arm(to->selector, socket);
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
    to.selector = ns_sockets_find(handle, NS_SOCKET_SELECTOR);
    for (int i = 0; to.selector != NULL && i < n; i++) {
        if (ready[i].data.u64 == woken)
            rest(to.selector);
        else if ((socket = ns_sockets_find((int64_t)ready[i].data.u64, NS_SOCKET_UDP)) != NULL)
            harvest_socket(&to, socket, ready[i].events, (uint32_t)(n - i));
    }
    ns_sockets_drop();
    *count = to.count;
    return (int)to.filled.entries;
}
