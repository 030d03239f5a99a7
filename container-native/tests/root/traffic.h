/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traffic.h - servers and clients in other network namespaces, each a child of the test. A place is the path of a
 * namespace; NULL is the test's own namespace.
 */
#ifndef NS_TEST_TRAFFIC_H
#define NS_TEST_TRAFFIC_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SERVERS_MAX 16
#define SOCKETS_MAX 64
#define REACH_MSEC 5000 /* for an answer that must come */
#define DENY_MSEC 400   /* for an answer that must not */

static pid_t servers[SERVERS_MAX];
static unsigned server_count;

static inline void go(const char *place) {
    int fd = place == NULL ? -1 : open(place, O_RDONLY | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (place != NULL && (fd < 0 || setns(fd, CLONE_NEWNET) != 0))
        _exit(126);
}

static inline socklen_t endpoint(struct sockaddr_storage *to, const char *address, unsigned port) {
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
    struct sockaddr_in *four = (struct sockaddr_in *)to;

    memset(to, 0, sizeof *to);
    if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        return sizeof *four;
    }
    inet_pton(AF_INET6, address, &six->sin6_addr);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    return sizeof *six;
}

/* Writes "<name> <address of the client>". */
static inline size_t greet(char *text, size_t size, const char *name, const struct sockaddr_in6 *from) {
    char address[INET6_ADDRSTRLEN];

    inet_ntop(AF_INET6, &from->sin6_addr, address, sizeof address);
    return (size_t)snprintf(text, size, "%s %s", name, strncmp(address, "::ffff:", 7) == 0 ? address + 7 : address);
}

static inline void serve_one(struct pollfd *set, nfds_t *used, nfds_t i, const char *name) {
    struct sockaddr_in6 from;
    socklen_t size = sizeof from;
    char text[128];
    int fd;

    if (i % 2 == 1) { /* UDP */
        if (recvfrom(set[i].fd, text, sizeof text, 0, (struct sockaddr *)&from, &size) >= 0)
            sendto(set[i].fd, text, greet(text, sizeof text, name, &from), 0, (struct sockaddr *)&from, size);
        return;
    }
    fd = accept(set[i].fd, (struct sockaddr *)&from, &size);
    if (fd < 0 || *used == SOCKETS_MAX)
        return;
    if (write(fd, text, greet(text, sizeof text, name, &from)) < 0)
        close(fd);
    else
        set[(*used)++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/*
 * Serves TCP and UDP of both families on each port. Answers with its name and the client's address. Connections stay
 * until the client goes.
 */
static inline void serve(const char *name, uid_t uid, const unsigned *ports, unsigned count, int ready) {
    struct pollfd set[SOCKETS_MAX + 8];
    nfds_t used = 0;
    int off = 0, on = 1;

    if (uid != 0 && (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0))
        _exit(125);
    for (unsigned i = 0; i < 2 * count; i++) {
        struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)ports[i / 2])};
        int fd = socket(AF_INET6, i % 2 == 0 ? SOCK_STREAM : SOCK_DGRAM, 0);

        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd, (struct sockaddr *)&any, sizeof any) != 0 || (i % 2 == 0 && listen(fd, 64) != 0))
            _exit(124);
        set[used++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    if (write(ready, "r", 1) != 1)
        _exit(123);
    for (;;) {
        if (poll(set, used, -1) < 0)
            _exit(122);
        for (nfds_t i = 0; i < 2 * count; i++) {
            if (set[i].revents != 0)
                serve_one(set, &used, i, name);
        }
        for (nfds_t i = 2 * count; i < used; i++) {
            if (set[i].revents != 0) {
                close(set[i].fd);
                set[i--] = set[--used];
            }
        }
    }
}

/* Starts a server. Returns false if it could not bind. */
static inline bool start_server(const char *place, const char *name, uid_t uid, const unsigned *ports, unsigned count) {
    int ready[2];
    char byte;
    pid_t pid;
    bool good;

    if (server_count == SERVERS_MAX || pipe2(ready, O_CLOEXEC) != 0)
        return false;
    pid = fork();
    if (pid == 0) {
        close(ready[0]);
        go(place);
        serve(name, uid, ports, count, ready[1]);
    }
    close(ready[1]);
    good = pid > 0 && read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (pid > 0)
        servers[server_count++] = pid;
    return good;
}

static inline void end_servers(void) {
    while (server_count > 0) {
        kill(servers[--server_count], SIGKILL);
        waitpid(servers[server_count], NULL, 0);
    }
}

/* Runs `act` in a child, and returns the text that `act` writes to a pipe. */
static inline void from(const char *place, void (*act)(int out, const void *context), const void *context, char *text,
                        size_t size) {
    size_t used = 0;
    int out[2];
    ssize_t n;
    pid_t pid;

    text[0] = '\0';
    if (pipe2(out, O_CLOEXEC) != 0)
        return;
    pid = fork();
    if (pid == 0) {
        close(out[0]);
        go(place);
        act(out[1], context);
        _exit(0);
    }
    close(out[1]);
    while (used < size - 1 && (n = read(out[0], text + used, size - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = '\0';
    close(out[0]);
    waitpid(pid, NULL, 0);
}

struct call {
    bool udp;
    const char *address;
    unsigned port;
    int msec;
    unsigned source; /* the client's port, 0 = any */
};

/* Connects or sends, and returns the bytes that come back in time. */
static inline int call_open(const struct call *call, char *text, size_t size) {
    struct sockaddr_storage to;
    socklen_t length = endpoint(&to, call->address, call->port);
    int fd = socket(to.ss_family, (call->udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    ssize_t n = -1;

    if (call->source != 0) {
        struct sockaddr_storage own;
        socklen_t own_length = endpoint(&own, to.ss_family == AF_INET ? "0.0.0.0" : "::", call->source);

        if (bind(fd, (struct sockaddr *)&own, own_length) != 0)
            goto out;
    }
    if (connect(fd, (struct sockaddr *)&to, length) != 0 && errno != EINPROGRESS)
        goto out;
    if (call->udp && send(fd, "?", 1, 0) != 1)
        goto out;
    if (poll(&wait, 1, call->msec) == 1)
        n = read(fd, text, size - 1);
out:
    text[n > 0 ? n : 0] = '\0';
    if (n > 0)
        return fd;
    close(fd);
    return -1;
}

static inline void call_once(int out, const void *context) {
    char text[128];

    if (call_open(context, text, sizeof text) >= 0 && write(out, text, strlen(text)) < 0)
        _exit(1);
}

/* Returns a server's answer to a client at `place`; "" if no answer comes. */
static inline const char *answer(const char *place, bool udp, const char *address, unsigned port, int msec) {
    static char text[128];
    struct call call = {udp, address, port, msec, 0};

    from(place, call_once, &call, text, sizeof text);
    return text;
}

/* The same by UDP, of a client that has always one port, so that all its datagrams are one flow. */
static inline const char *answer_from(const char *place, unsigned source, const char *address, unsigned port) {
    static char text[128];
    struct call call = {true, address, port, DENY_MSEC, source};

    from(place, call_once, &call, text, sizeof text);
    return text;
}

static inline bool reaches(const char *place, bool udp, const char *address, unsigned port, const char *expected) {
    return strcmp(answer(place, udp, address, port, REACH_MSEC), expected) == 0;
}

static inline bool denied(const char *place, bool udp, const char *address, unsigned port) {
    return answer(place, udp, address, port, DENY_MSEC)[0] == '\0';
}

#endif
