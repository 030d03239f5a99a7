/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "ns_log.h"
#include "sample.h"
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ns_samples_open(struct ns_samples *samples, int fd) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *ours, *rest;
    int why;

    *samples = (struct ns_samples){.fd = -1, .size = NS_SAMPLE_RING_BYTES};
    if (fd < 0)
        return 0;
    ours = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ours == MAP_FAILED)
        return -1;
    rest = mmap(NULL, page + 2 * samples->size, PROT_READ, MAP_SHARED, fd, (off_t)page);
    if (rest == MAP_FAILED) {
        why = errno;
        munmap(ours, page);
        errno = why;
        return -1;
    }
    samples->fd = fd;
    samples->consumed = ours;
    samples->produced = rest;
    samples->records = (const uint8_t *)rest + page;
    samples->at = *samples->consumed;
    return 0;
}

void ns_samples_close(struct ns_samples *samples) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (samples->fd < 0)
        return;
    munmap(samples->consumed, page);
    munmap((void *)samples->produced, page + 2 * samples->size);
    samples->fd = -1;
}

static void deliver(struct ns_pktio *pktio, const struct ns_sampled *sampled, bool understood, uint64_t now) {
    const uint32_t in_head = NS_MESSAGE_HEAD - NS_SAMPLE_BEFORE;
    struct ns_arrival arrival = {
        .copy = true,
        .taken = true,
        .understood = understood,
        .head = sampled->before,
        .slot = ns_table_take(&pktio->table),
    };

    if (understood) {
        arrival.nsec = sampled->head.nsec;
        arrival.message = (struct ns_message){.mark = sampled->head.mark,
                                              .ifindex = sampled->head.ifindex,
                                              .length = sampled->kept,
                                              .true_length = sampled->head.length,
                                              .payload_offset = NS_SAMPLE_BEFORE,
                                              .family = sampled->head.family};
        if (arrival.slot != NS_TABLE_NONE && sampled->kept > in_head)
            memcpy(pktio->ring.slot + (size_t)arrival.slot * NS_RING_SLOT_SIZE + NS_DELIVER_AT,
                   sampled->packet + in_head, sampled->kept - in_head);
    }
    if (!ns_deliver(pktio, &arrival, now) && arrival.slot != NS_TABLE_NONE)
        ns_table_give_back(&pktio->table, arrival.slot);
}

static void take(struct ns_pktio *pktio, const uint8_t *record, size_t length, uint64_t now) {
    static struct ns_sampled sampled;
    bool understood = ns_sample_read(&sampled, record, length);
    uint64_t *lost = &pktio->counters->samples_lost;

    if (understood && sampled.head.lost != 0)
        __atomic_store_n(lost, *lost + sampled.head.lost, __ATOMIC_RELAXED);
    deliver(pktio, &sampled, understood, now);
}

/* Takes the next record, if it is finished. The length in the kernel's header never exceeds the bytes written. */
static bool next(struct ns_samples *samples, struct ns_pktio *pktio, uint64_t produced, uint64_t now) {
    const uint8_t *at = samples->records + (samples->at & (samples->size - 1));
    uint64_t left = produced - samples->at;
    uint32_t word, length;

    if (left == 0)
        return false;
    if (left > samples->size || left < BPF_RINGBUF_HDR_SZ || samples->at % 8 != 0) {
        ns_warn("samples: the ring buffer was left in disorder: what is in it is passed over");
        samples->at = produced;
        return false;
    }
    word = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
    if ((word & BPF_RINGBUF_BUSY_BIT) != 0)
        return false;
    length = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
    if (length > left - BPF_RINGBUF_HDR_SZ) {
        samples->at = produced;
        return false;
    }
    if ((word & BPF_RINGBUF_DISCARD_BIT) == 0)
        take(pktio, at + BPF_RINGBUF_HDR_SZ, length, now);
    samples->at += (length + BPF_RINGBUF_HDR_SZ + 7u) & ~7u;
    return true;
}

unsigned ns_samples_receive(struct ns_samples *samples, struct ns_pktio *pktio, uint64_t now) {
    unsigned count = 0;

    if (samples->fd < 0)
        return 0;
    while (count < NS_SAMPLES_BATCH && next(samples, pktio, __atomic_load_n(samples->produced, __ATOMIC_ACQUIRE), now))
        count++;
    __atomic_store_n(samples->consumed, samples->at, __ATOMIC_RELEASE);
    return count;
}
