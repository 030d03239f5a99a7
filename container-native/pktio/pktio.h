/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pktio.h - one container's packet path. Sockets and the clock are not part of it: the caller passes them as pointers
 * and arguments.
 *
 *
 * A turn, in this order:
 *     ns_ring_look      read the container's cursors
 *     ns_deliver        for each packet received; then ns_ring_publish
 *     ns_verdicts_take  answers of the container
 *     ns_verdicts_expire
 *     ns_pktio_flush    everything goes to the kernel in one message
 *     ns_records_copy   ten times a second
 * One thread. `now` is CLOCK_MONOTONIC in nanoseconds.
 */
#ifndef NS_PKTIO_H
#define NS_PKTIO_H

#include "kernel.h"
#include "message.h"
#include "ns_counters.h"
#include "ns_memfd.h"
#include "records.h"
#include "rewrite.h"
#include "table.h"

#define NS_PKTIO_FOLD 256u /* plain accepts collected before they go out */

struct ns_pktio_limits {
    uint64_t deadline;    /* nanoseconds */
    uint64_t steal;       /* nanoseconds */
    uint32_t steal_max;   /* packets */
    uint32_t turned_mark; /* T: or-ed to the mark of a turned packet */
    uint32_t copy_mark;   /* S: or-ed to the mark of a packet after its copy is taken */
};

/* MTU of an interface in bytes, 0 = unknown. */
struct ns_mtu_source {
    void *context;
    uint32_t (*mtu)(void *context, uint32_t ifindex, uint64_t now);
};

struct ns_pktio {
    struct ns_ring_map ring;
    struct ns_pktio_limits limits;
    struct ns_rewrite rewrite;
    struct ns_counters *counters;
    struct ns_kernel kernel;
    struct ns_mtu_source mtu;
    int fastpath_fd; /* socket to bpfd for requests, -1 = there is no fast path */
    struct ns_records records;
    struct ns_table table;
    uint64_t produced;  /* descriptors written; the shared cursor follows in ns_ring_publish */
    uint64_t taken;     /* verdicts taken */
    uint64_t consumed;  /* descriptors the container has taken, by its last valid word */
    uint64_t answered;  /* verdicts it has published, by its last valid word */
    uint64_t forwarded; /* questions about relays sent on to bpfd */
    bool asks_full;     /* the socket to bpfd took no more of them */
    bool abandoned;     /* its cursors were out of range: it is not trusted, and everything passes */
    uint32_t accepts;
    uint32_t accept[NS_PKTIO_FOLD];
};

/* Adds to a counter that only this thread writes. */
static inline void ns_count(uint64_t *counter) {
    __atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

/*
 * Begins with ring, limits, rewrite, counters, kernel, mtu, fastpath_fd and records set by the caller. Takes the ring
 * up at the point that a predecessor reached: see resume.c. Returns 0, or -1 with ENOMEM.
 */
int ns_pktio_init(struct ns_pktio *pktio);
void ns_pktio_destroy(struct ns_pktio *pktio);

/* Lets the packet go on as it came. The next flush sends the answer. */
void ns_pktio_accept(struct ns_pktio *pktio, bool xdp, uint32_t id);

/*
 * Sends the plain accepts collected so far ahead of any later answer, because a packet answered later must not
 * overtake them.
 */
void ns_pktio_settle(struct ns_pktio *pktio);

/*
 * Sends the collected answers. A run of plain accepts becomes one message if the message would hit no older packet.
 */
void ns_pktio_flush(struct ns_pktio *pktio);

/*
 * Accepts everything outstanding and counts each packet in `reason` (may be NULL). Returns the number of packets.
 * Their slots remain with the container.
 */
uint32_t ns_pktio_accept_all(struct ns_pktio *pktio, uint64_t *reason);

/* SIGHUP: trusts the ring again and takes it up as a restarted pktio does. Returns 0, or -1 with ENOMEM. */
int ns_pktio_reopen(struct ns_pktio *pktio);

/* Reads the container's cursors once. A cursor out of range abandons the ring. */
void ns_ring_look(struct ns_pktio *pktio);

/*
 * Stops trusting the container: accepts everything outstanding, and every packet that comes, until ns_pktio_reopen.
 */
void ns_ring_abandon(struct ns_pktio *pktio, const char *why);

/* Publishes the descriptors written. Returns true if the container sleeps and must be woken. */
bool ns_ring_publish(struct ns_pktio *pktio);

/* Announces our sleep. Returns false if there is work after all. ns_ring_wake follows the sleep. */
bool ns_ring_sleep(struct ns_pktio *pktio);
void ns_ring_wake(struct ns_pktio *pktio);

/* A message received. Bytes behind the head lie in the slot from NS_DELIVER_AT on. */
#define NS_DELIVER_AT (NS_RING_HEADROOM + 160u)
struct ns_arrival {
    bool copy;
    bool taken;      /* a copy that the fast path has made: no packet waits for an answer */
    bool xdp;        /* the packet came by AF_XDP: message.id is its frame */
    bool understood; /* false: only message.id is valid */
    struct ns_message message;
    const uint8_t *head; /* the first NS_MESSAGE_HEAD bytes, private */
    uint32_t slot;       /* taken from the table, NS_TABLE_NONE = there was none */
    uint64_t nsec;       /* time of arrival, CLOCK_MONOTONIC; 0 = now */
};

/*
 * Puts the packet into the ring, or lets it go on unchanged with a counted reason. Returns true if the slot has been
 * used.
 */
bool ns_deliver(struct ns_pktio *pktio, const struct ns_arrival *arrival, uint64_t now);

/* Takes at most `most` verdicts up to the cursor last read. Returns the number taken. */
uint32_t ns_verdicts_take(struct ns_pktio *pktio, uint32_t most, uint64_t now);

/* Accepts the packets that were not answered before their deadline. */
void ns_verdicts_expire(struct ns_pktio *pktio, uint64_t now);

/* Finds the slots that a predecessor has lent and not got back. */
void ns_resume(struct ns_pktio *pktio);

#endif
