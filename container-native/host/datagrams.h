/* SPDX-License-Identifier: Apache-2.0 */
/*
 * datagrams.h - many UDP datagrams with one system call, for the building block `io`. Java and C share the memory of
 * a batch (org.netserv.io.DatagramBatch):
 *
 *     0             80 * capacity
 *     | entry 0 ... | room 0 | room 1 | ...         each room has `size` bytes
 *
 * Numbers of an entry are in the byte order of the machine. Code of a module may write to this memory at any time,
 * so each number is read once and checked before it is used. Two calls at a time for one batch mix their datagrams
 * up, and do no other harm. No call blocks, and none allocates.
 */
#ifndef NS_DATAGRAMS_H
#define NS_DATAGRAMS_H

#include "sockets.h"
#include <stddef.h>

#define NS_DATAGRAMS_MOST 1024      /* entries of a batch */
#define NS_DATAGRAMS_GATHERED 128   /* datagrams that one message of a socket that gathers has at most */
#define NS_DATAGRAM_SIZE_MOST 65535 /* bytes of a room */

/* Flags of an entry. */
enum {
    NS_DATAGRAM_TRUNCATED = 1, /* received: the datagram was longer than its room */
    NS_DATAGRAM_TRAFFIC = 2,   /* received: tos and ttl are the packet's */
    NS_DATAGRAM_SET_TOS = 4,   /* sent: with `tos` */
    NS_DATAGRAM_SET_TTL = 8,   /* sent: with `ttl` */
    NS_DATAGRAM_WHOLE = 16,    /* sent: never as fragments, and with DF in IPv4 */
    NS_DATAGRAM_ICMP = 32,     /* error: another host sent it; without this flag, this host found it */
};

struct ns_datagram {
    uint32_t length;     /*  0 bytes */
    uint32_t offset;     /*  4 place of the first byte, from the beginning of the batch */
    uint8_t address[16]; /*  8 of the other side, IPv4 as ::ffff:a.b.c.d, in network order */
    uint8_t local[16];   /* 24 of this side; zero = the socket's only address, or the system's choice */
    uint64_t key;        /* 40 received: the socket's in its selector */
    int64_t socket;      /* 48 the socket's handle */
    uint16_t port;       /* 56 of the other side */
    uint16_t flags;      /* 58 */
    int32_t error;       /* 60 sent: 0, or the errno of the refusal; error: its errno */
    uint32_t scope;      /* 64 interface of a link-local address, else 0 */
    uint8_t tos, ttl;    /* 68 of the IP header: TOS or traffic class, TTL or hop limit */
    uint8_t type, code;  /* 70 error: of ICMP or ICMPv6 */
    uint32_t info;       /* 72 error: the path's MTU, if the error is about it */
    uint32_t pad;        /* 76 */
};

struct ns_datagrams {
    uint8_t *memory; /* aligned to 8 bytes */
    size_t bytes;    /* of the memory */
    uint32_t capacity, rooms, size;
};

/* Returns true if the shape is in range and the memory holds it. The other calls take only such batches. */
bool ns_datagrams_fit(const struct ns_datagrams *batch);

/* The parts of a batch that are filled. */
struct ns_filled {
    uint32_t entries, rooms;
    bool more; /* the last call has not emptied its socket, or does not know */
};

/*
 * Receives datagrams that wait, in at most `limit` messages. Fills the next free entries and rooms, and counts them
 * in `filled`. A message that the kernel has gathered becomes an entry for each of its datagrams. Such a socket
 * receives nothing if fewer than NS_DATAGRAMS_GATHERED entries are free.
 *
 * Returns 0, or -errno if the socket can never receive again. Errors that ICMP has caused are passed over.
 */
int ns_datagrams_receive(const struct ns_socket *socket, const struct ns_datagrams *batch, uint32_t limit,
                         struct ns_filled *filled);

/*
 * Receives errors of datagrams that the socket has sent (NS_SOCKET_ERRORS). An entry has the destination of that
 * datagram and the beginning of its bytes, as far as the error has them. Returns the number of entries, or -errno.
 */
int ns_datagrams_errors(const struct ns_socket *socket, const struct ns_datagrams *batch);

/*
 * Sends the datagrams of `count` entries from `first`, in order. Neighbours of equal length toward one destination
 * leave as one message that the kernel cuts (UDP_SEGMENT), the last of which may be shorter. A socket whose kernel or
 * device cannot cut is marked with NS_SOCKET_UNCUT, and its datagrams go one by one from then on.
 *
 * Returns the number of entries that are done: sent, with error 0, or refused, with error set. A number below `count`
 * tells that the socket takes no more now. The entry that stopped there is unchanged.
 */
uint32_t ns_datagrams_send(struct ns_socket *socket, const struct ns_datagrams *batch, uint32_t first, uint32_t count);

/*
 * Sends each entry by the socket of its handle: all entries of one socket together and in their order, the sockets in
 * the order of their first entries. An entry with the handle 0 is left out. A full socket refuses its entries with
 * EAGAIN, and an unknown one with EBADF. Returns the number of entries that were sent.
 */
uint32_t ns_datagrams_send_each(const struct ns_datagrams *batch, uint32_t first, uint32_t count);

#endif
