/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sockets.h - the UDP sockets and selectors of the building block `io`. Java has handles, never descriptors. A handle
 * is a descriptor with a generation, so a handle of a closed socket is refused, even if its number is in use again.
 *
 * Any thread may call these functions. Whoever uses a socket holds the table, and closing waits for that.
 */
#ifndef NS_SOCKETS_H
#define NS_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

#define NS_SOCKETS_MOST (1 << 17) /* descriptors */

enum ns_socket_kind { NS_SOCKET_NONE, NS_SOCKET_UDP, NS_SOCKET_SELECTOR };

/* Flags of a socket. */
enum {
    NS_SOCKET_V6 = 1,
    NS_SOCKET_GATHERS = 2,   /* UDP_GRO */
    NS_SOCKET_UNCUT = 4,     /* the kernel or the device does not cut messages */
    NS_SOCKET_ERRORS = 8,    /* ICMP errors are kept for ns_datagrams_errors */
    NS_SOCKET_FRAGMENTS = 16 /* IPv4 packets leave without DF, and routers may cut them */
};

struct ns_socket {
    int fd;
    int wake;            /* of a selector: its event descriptor */
    uint32_t generation; /* 1 or more */
    uint8_t kind, flags; /* flags may change while another thread uses the socket */
    uint8_t interest;    /* in its selector: NS_EVENT_READ, NS_EVENT_WRITE; changes at any time, too */
    uint64_t key;        /* in its selector */
};

/* Options, as org.netserv.io.Natives numbers them. */
enum ns_socket_option {
    NS_OPTION_GATHER,
    NS_OPTION_ERRORS,
    NS_OPTION_TRAFFIC,
    NS_OPTION_FRAGMENT,
    NS_OPTION_RECEIVE_BUFFER, /* bytes */
    NS_OPTION_SEND_BUFFER,    /* bytes */
};

/* Choices of ns_sockets_open. */
enum {
    NS_OPEN_SHARED = 1,    /* several sockets may have this port, if all of them have this flag */
    NS_OPEN_ONE_FAMILY = 2 /* :: is every address of IPv6 alone */
};

/*
 * Opens a UDP socket that does not block. `address` has 16 bytes, IPv4 as ::ffff:a.b.c.d. The address :: is every
 * address of both families. Returns its handle, or -errno.
 */
int64_t ns_sockets_open(const uint8_t *address, uint32_t scope, uint16_t port, unsigned flags);
/* Adds an open descriptor to the table, which owns it from then on. Returns its handle, or -errno with it closed. */
int64_t ns_sockets_add(int fd, int wake, enum ns_socket_kind kind, uint8_t flags);
/* Closes a socket or selector. Returns 0 or -EBADF. */
int ns_sockets_close(int64_t handle);

/* Keeps every socket open until ns_sockets_drop. The holder must not block and not hold twice. */
void ns_sockets_hold(void);
void ns_sockets_drop(void);
/* Returns the socket or selector of a handle, or NULL. Only while the table is held. */
struct ns_socket *ns_sockets_find(int64_t handle, enum ns_socket_kind kind);

/* Returns 0 or more, or -errno. A buffer's option returns the bytes that the kernel has granted. */
int ns_sockets_set(struct ns_socket *socket, enum ns_socket_option option, int value);
/* Writes the address and returns the port, or -errno. */
int ns_sockets_local(const struct ns_socket *socket, uint8_t *address);

#endif
