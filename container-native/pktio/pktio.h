/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pktio.h - one container's packet path, without sockets and clocks: they come in as pointers and arguments.
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
    uint32_t copy_mark;   /* S: or-ed to the mark of a packet whose copy was taken */
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
    uint64_t produced; /* descriptors written; the shared cursor follows in ns_ring_publish */
    uint64_t taken;    /* verdicts taken */
    uint64_t consumed; /* descriptors the container has taken, as it said last, within range */
    uint64_t answered; /* verdicts it has published, as it said last, within range */
    bool abandoned;    /* its cursors were out of range: nothing of it is believed, everything passes */
    uint32_t accepts;
    uint32_t accept[NS_PKTIO_FOLD];
};

/* Adds to a counter that only this thread writes. */
static inline void ns_count(uint64_t *counter) {
    __atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

/*
 * Expects ring, limits, rewrite, counters, kernel, mtu, fastpath_fd and records set. Takes the ring up where a predecessor left it: see resume.c.
 * 0, or -1 with ENOMEM.
 */
int ns_pktio_init(struct ns_pktio *pktio);
void ns_pktio_destroy(struct ns_pktio *pktio);

/* The packet goes on as it came; sent with the next flush. */
void ns_pktio_accept(struct ns_pktio *pktio, bool xdp, uint32_t id);

/* Plain accepts up to here go before any answer to come: what leaves behind them must not overtake them. */
void ns_pktio_settle(struct ns_pktio *pktio);

/* Sends what has been answered. Runs of plain accepts become one message where no older packet would be hit by it. */
void ns_pktio_flush(struct ns_pktio *pktio);

/* Accepts everything outstanding and counts each packet in `reason` (may be NULL). Slots stay the container's. */
uint32_t ns_pktio_accept_all(struct ns_pktio *pktio, uint64_t *reason);

/* SIGHUP: believes the ring again and takes it up as a restarted pktio would. 0, or -1 with ENOMEM. */
int ns_pktio_reopen(struct ns_pktio *pktio);

/* Reads the container's cursors, once; a cursor out of range abandons the ring. */
void ns_ring_look(struct ns_pktio *pktio);

/* Believes nothing of the container any more: accepts everything outstanding, and what comes, until ns_pktio_reopen. */
void ns_ring_abandon(struct ns_pktio *pktio, const char *why);

/* Publishes descriptors written; true if the container sleeps and must be woken. */
bool ns_ring_publish(struct ns_pktio *pktio);

/* Says that we sleep; false if there is work after all. Then ns_ring_wake. */
bool ns_ring_sleep(struct ns_pktio *pktio);
void ns_ring_wake(struct ns_pktio *pktio);

/* A message received. Bytes behind the head lie in the slot from NS_DELIVER_AT on. */
#define NS_DELIVER_AT (NS_RING_HEADROOM + 160u)
struct ns_arrival {
    bool copy;
    bool taken;      /* a copy that the fast path has made: no packet waits for us */
    bool xdp;        /* by AF_XDP: message.id is its frame */
    bool understood; /* else only message.id is valid */
    struct ns_message message;
    const uint8_t *head; /* the first NS_MESSAGE_HEAD bytes, private */
    uint32_t slot;       /* taken from the table, NS_TABLE_NONE = there was none */
    uint64_t nsec;       /* when it came, CLOCK_MONOTONIC; 0 = now */
};

/* Into the ring, or on unchanged with a counted reason. True if the slot has been used. */
bool ns_deliver(struct ns_pktio *pktio, const struct ns_arrival *arrival, uint64_t now);

/* Takes at most `most` verdicts up to the cursor last read; returns how many. */
uint32_t ns_verdicts_take(struct ns_pktio *pktio, uint32_t most, uint64_t now);

/* Accepts what has not been answered in time. */
void ns_verdicts_expire(struct ns_pktio *pktio, uint64_t now);

/* Rebuilds which slots a predecessor has lent and not got back. */
void ns_resume(struct ns_pktio *pktio);

#endif
