/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define BYTES (NS_RECORDS * sizeof(struct ns_ring_record))
#define ATTEMPTS 4 /* number of attempts to read a record that is being written */

const struct ns_ring_record *ns_records_map(int fd) {
    struct stat info;
    void *at;

    /*
     * The kernel refuses to map more than a BPF array has. For a file it would not refuse, and the access would
     * fault.
     */
    if (fstat(fd, &info) != 0 || (S_ISREG(info.st_mode) && (uint64_t)info.st_size < BYTES)) {
        errno = EBADMSG;
        return NULL;
    }
    at = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

void ns_records_begin(struct ns_records *records, const struct ns_ring_record *from, struct ns_ring_record *to,
                      struct ns_ring_relay *relays, uint64_t now) {
    memset(records, 0, sizeof *records);
    records->from = from;
    records->to = to;
    records->relays = relays;
    records->version = (uint32_t)(now / 1000) & ~1u;
    if (to != NULL)
        madvise(to, relays != NULL ? BYTES : NS_RECORD_RELAYS * sizeof *to, MADV_REMOVE); /* whole pages, untouched */
}

/* Tells whether the family is valid. The last record, "other", has no family. */
static bool known_family(const struct ns_ring_record *record, uint32_t index) {
    return record->family == 4 || record->family == 6 || (record->family == 0 && index == NS_RECORD_RELAYS - 1);
}

/*
 * Tells whether the record is unused. The record "other" is never free, so it counts as unused while its count is 0.
 */
static bool nothing(const struct ns_ring_record *record, uint32_t index) {
    return __atomic_load_n(&record->state, __ATOMIC_RELAXED) == NS_RECORD_FREE ||
           (index == NS_RECORD_RELAYS - 1 && __atomic_load_n(&record->packets, __ATOMIC_RELAXED) == 0);
}

/*
 * Reads a record that another process may be writing. Returns false if the record stays unfinished or is not valid.
 */
static bool read_record(const struct ns_ring_record *at, uint32_t index, struct ns_ring_record *record) {
    for (int i = 0; i < ATTEMPTS; i++) {
        uint32_t version = __atomic_load_n(&at->version, __ATOMIC_ACQUIRE);

        memcpy(record, at, sizeof *record);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if ((version & 1) == 0 && __atomic_load_n(&at->version, __ATOMIC_RELAXED) == version) {
            bool counted = record->state == NS_RECORD_COUNTED;

            record->version = 0;
            return record->state <= NS_RECORD_COUNTED && counted == (index >= NS_RING_RECORD_FLOWS) &&
                   known_family(record, index);
        }
    }
    return false;
}

static void write_record(struct ns_records *records, uint32_t index, const struct ns_ring_record *record) {
    struct ns_ring_record *to = &records->to[index];

    __atomic_store_n(&to->version, records->version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy((uint8_t *)to + sizeof to->version, (const uint8_t *)record + sizeof to->version,
           sizeof *to - sizeof to->version);
    records->version += 2;
    __atomic_store_n(&to->version, records->version, __ATOMIC_RELEASE);
    records->used[index] = record->state != NS_RECORD_FREE;
}

static bool differs(const struct ns_ring_record *a, const struct ns_ring_record *b) {
    const size_t skip = sizeof a->version;

    return memcmp((const uint8_t *)a + skip, (const uint8_t *)b + skip, sizeof *a - skip) != 0;
}

/* Returns 1 if the copy has been written. */
static uint32_t copy_one(struct ns_records *records, uint32_t index) {
    static const struct ns_ring_record none;
    const struct ns_ring_record *from = &records->from[index];
    struct ns_ring_record record;

    if (nothing(from, index)) {
        if (!records->used[index])
            return 0;
        record = none;
    } else if (!read_record(from, index, &record)) {
        return 0; /* tried again next time */
    }
    if (records->used[index] && !differs(&record, &records->to[index]))
        return 0;
    write_record(records, index, &record);
    return 1;
}

/*
 * Copies the record of a relay, word by word. The answer goes last, so that its reader finds the numbers that belong
 * to it.
 */
static uint32_t copy_relay(struct ns_records *records, uint32_t place) {
    const uint64_t *from = (const uint64_t *)&records->from[NS_RECORD_RELAYS + place];
    uint64_t *to = (uint64_t *)&records->relays[place], answer = __atomic_load_n(from, __ATOMIC_ACQUIRE);
    uint32_t written = 0;

    if (answer == 0 && to[0] == 0)
        return 0; /* never used */
    for (unsigned i = 1; i < offsetof(struct ns_ring_relay, reserved) / sizeof *to; i++) {
        uint64_t word = __atomic_load_n(from + i, __ATOMIC_RELAXED);

        if (to[i] == word)
            continue;
        __atomic_store_n(to + i, word, __ATOMIC_RELAXED);
        written = 1;
    }
    if (to[0] != answer) {
        __atomic_store_n(to, answer, __ATOMIC_RELEASE);
        written = 1;
    }
    return written;
}

uint32_t ns_records_copy(struct ns_records *records, uint64_t now) {
    uint32_t written = 0;

    if (records->from == NULL || records->to == NULL || now < records->next)
        return 0;
    records->next = now + NS_RECORDS_EVERY;
    for (uint32_t i = 0; i < NS_RECORD_RELAYS; i++)
        written += copy_one(records, i);
    for (uint32_t i = 0; i < NS_RING_RELAYS && records->relays != NULL; i++)
        written += copy_relay(records, i);
    return written;
}
