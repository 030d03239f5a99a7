/* SPDX-License-Identifier: Apache-2.0 */
#include "sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_GRO
#define UDP_GRO 104 /* Linux 5.0 */
#endif

/* Pages of it that no descriptor has reached are never touched. */
static struct ns_socket table[NS_SOCKETS_MOST];
static uint32_t generation;
/* A closer comes before users, because users hold the lock again and again, each time for a moment only. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/* --- the table --- */

int64_t ns_sockets_add(int fd, int wake, enum ns_socket_kind kind, uint8_t flags) {
    int64_t handle;

    if (fd >= NS_SOCKETS_MOST) {
        close(fd);
        if (wake >= 0)
            close(wake);
        return -EMFILE;
    }
    pthread_rwlock_wrlock(&lock);
    generation = generation == INT32_MAX ? 1 : generation + 1;
    table[fd] = (struct ns_socket){.fd = fd, .wake = wake, .generation = generation, .kind = kind, .flags = flags};
    handle = (int64_t)generation << 32 | fd;
    pthread_rwlock_unlock(&lock);
    return handle;
}

void ns_sockets_hold(void) {
    pthread_rwlock_rdlock(&lock);
}

void ns_sockets_drop(void) {
    pthread_rwlock_unlock(&lock);
}

static struct ns_socket *at(int64_t handle) {
    uint32_t fd = (uint32_t)handle;

    if (handle <= 0 || fd >= NS_SOCKETS_MOST || table[fd].kind == NS_SOCKET_NONE ||
        table[fd].generation != (uint64_t)handle >> 32)
        return NULL;
    return &table[fd];
}

struct ns_socket *ns_sockets_find(int64_t handle, enum ns_socket_kind kind) {
    struct ns_socket *socket = at(handle);

    return socket != NULL && socket->kind == kind ? socket : NULL;
}

int ns_sockets_close(int64_t handle) {
    struct ns_socket *socket;

    pthread_rwlock_wrlock(&lock);
    socket = at(handle);
    if (socket != NULL) {
        socket->kind = NS_SOCKET_NONE;
        close(socket->fd);
        if (socket->wake >= 0)
            close(socket->wake);
    }
    pthread_rwlock_unlock(&lock);
    return socket == NULL ? -EBADF : 0;
}

/* --- opening --- */

static int set(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value) == 0 ? 0 : -errno;
}

static bool is_any(const uint8_t *address) {
    static const uint8_t zero[16];

    return memcmp(address, zero, sizeof zero) == 0;
}

/* Asks for the address to which each packet came, which only a socket of every address needs. */
static int set_destinations(int fd, bool v6) {
    return v6 ? set(fd, SOL_IPV6, IPV6_RECVPKTINFO, 1) : set(fd, SOL_IP, IP_PKTINFO, 1);
}

static int bind_v4(int fd, const uint8_t *address, uint16_t port) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};

    memcpy(&v4.sin_addr, address + sizeof mapped, 4);
    if (v4.sin_addr.s_addr == htonl(INADDR_ANY) && set_destinations(fd, false) != 0)
        return -1;
    return bind(fd, (struct sockaddr *)&v4, sizeof v4);
}

static int bind_v6(int fd, const uint8_t *address, uint32_t scope, uint16_t port, bool one_family) {
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = scope};
    bool any = is_any(address);

    memcpy(&v6.sin6_addr, address, 16);
    if (set(fd, SOL_IPV6, IPV6_V6ONLY, !any || one_family) != 0 || (any && set_destinations(fd, true) != 0))
        return -1;
    return bind(fd, (struct sockaddr *)&v6, sizeof v6);
}

int64_t ns_sockets_open(const uint8_t *address, uint32_t scope, uint16_t port, unsigned flags) {
    static const uint8_t any_v4[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    bool v6 = memcmp(address, mapped, sizeof mapped) != 0;
    int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error;

    if (fd < 0 && errno == EAFNOSUPPORT && is_any(address) && (flags & NS_OPEN_ONE_FAMILY) == 0)
        return ns_sockets_open(any_v4, 0, port, flags); /* a node without IPv6 */
    if (fd < 0)
        return -errno;
    if (((flags & NS_OPEN_SHARED) == 0 || set(fd, SOL_SOCKET, SO_REUSEPORT, 1) == 0) &&
        (v6 ? bind_v6(fd, address, scope, port, (flags & NS_OPEN_ONE_FAMILY) != 0) : bind_v4(fd, address, port)) == 0)
        return ns_sockets_add(fd, -1, NS_SOCKET_UDP, v6 ? NS_SOCKET_V6 : 0);
    error = errno;
    close(fd);
    return -error;
}

int ns_sockets_local(const struct ns_socket *socket, uint8_t *address) {
    struct sockaddr_in6 v6;
    struct sockaddr_in v4;
    socklen_t length = sizeof v6;

    if (getsockname(socket->fd, (struct sockaddr *)&v6, &length) != 0)
        return -errno;
    if (v6.sin6_family == AF_INET6) {
        memcpy(address, &v6.sin6_addr, 16);
        return ntohs(v6.sin6_port);
    }
    memcpy(&v4, &v6, sizeof v4);
    memcpy(address, mapped, sizeof mapped);
    memcpy(address + sizeof mapped, &v4.sin_addr, 4);
    return ntohs(v4.sin_port);
}

/* --- options --- */

static int set_flag(struct ns_socket *socket, int result, uint8_t flag, bool on) {
    if (result == 0 && on)
        __atomic_fetch_or(&socket->flags, flag, __ATOMIC_RELAXED);
    else if (result == 0)
        __atomic_fetch_and(&socket->flags, (uint8_t)~flag, __ATOMIC_RELAXED);
    return result;
}

/* Sets an option of IPv4, and its sibling of IPv6 for a socket of IPv6, which may have packets of both. */
static int set_both(const struct ns_socket *socket, int v4, int v6, int value) {
    int result = set(socket->fd, SOL_IP, v4, value);

    if (result == 0 && (socket->flags & NS_SOCKET_V6) != 0)
        result = set(socket->fd, SOL_IPV6, v6, value);
    return result;
}

static int set_traffic(const struct ns_socket *socket, bool on) {
    int result = set_both(socket, IP_RECVTOS, IPV6_RECVTCLASS, on);

    return result != 0 ? result : set_both(socket, IP_RECVTTL, IPV6_RECVHOPLIMIT, on);
}

static int set_buffer(const struct ns_socket *socket, int option, int bytes) {
    int granted = 0, result = set(socket->fd, SOL_SOCKET, option, bytes / 2); /* the kernel doubles it */
    socklen_t length = sizeof granted;

    if (result != 0)
        return result;
    return getsockopt(socket->fd, SOL_SOCKET, option, &granted, &length) == 0 ? granted : -errno;
}

int ns_sockets_set(struct ns_socket *socket, enum ns_socket_option option, int value) {
    bool on = value != 0;

    switch (option) {
    case NS_OPTION_GATHER:
        return set_flag(socket, set(socket->fd, SOL_UDP, UDP_GRO, on), NS_SOCKET_GATHERS, on);
    case NS_OPTION_ERRORS:
        return set_flag(socket, set_both(socket, IP_RECVERR, IPV6_RECVERR, on), NS_SOCKET_ERRORS, on);
    case NS_OPTION_TRAFFIC:
        return set_traffic(socket, on);
    case NS_OPTION_FRAGMENT:
        return set_flag(socket, set(socket->fd, SOL_IP, IP_MTU_DISCOVER, on ? IP_PMTUDISC_DONT : IP_PMTUDISC_WANT),
                        NS_SOCKET_FRAGMENTS, on);
    case NS_OPTION_RECEIVE_BUFFER:
        return set_buffer(socket, SO_RCVBUF, value);
    case NS_OPTION_SEND_BUFFER:
        return set_buffer(socket, SO_SNDBUF, value);
    }
    return -EINVAL;
}
