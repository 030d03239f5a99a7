/* SPDX-License-Identifier: Apache-2.0 */
#include "talkers.h"

#include "ns_line.h"
#include <arpa/inet.h>
#include <string.h>

#define TRIES 3

/* Copies a record as a whole. Returns false if a program or bpfd writes it all the while. */
static bool read_record(struct ns_ring_record *copy, const struct ns_ring_record *record) {
    for (int i = 0; i < TRIES; i++) {
        uint32_t version = __atomic_load_n(&record->version, __ATOMIC_ACQUIRE);

        memcpy(copy, record, sizeof *copy);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if ((version & 1) == 0 && version == __atomic_load_n(&record->version, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

static bool is_before(const struct ns_ring_record *a, const struct ns_ring_record *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->packets > b->packets;
}

static void take(struct ns_talkers *talkers, const char *container, const struct ns_ring_record *record) {
    unsigned place = talkers->count;

    while (place > 0 && is_before(record, &talkers->talker[place - 1].record))
        place--;
    if (place == talkers->most)
        return;
    if (talkers->count < talkers->most)
        talkers->count++;
    memmove(&talkers->talker[place + 1], &talkers->talker[place],
            (talkers->count - 1 - place) * sizeof *talkers->talker);
    talkers->talker[place] = (struct ns_talker){container, *record};
}

void ns_talkers_add(struct ns_talkers *talkers, const char *container, const struct ns_ring_record *records) {
    for (unsigned i = 0; i < NS_RECORD_OTHER; i++) {
        uint32_t wanted = i < NS_RING_RECORD_FLOWS ? NS_RECORD_OFFLOADED : NS_RECORD_COUNTED;
        struct ns_ring_record record;

        if (__atomic_load_n(&records[i].state, __ATOMIC_RELAXED) != wanted || !read_record(&record, &records[i]) ||
            record.state != wanted)
            continue;
        talkers->records++;
        take(talkers, container, &record);
    }
    talkers->other += __atomic_load_n(&records[NS_RECORD_OTHER].packets, __ATOMIC_RELAXED);
}

static void print_one(FILE *out, const struct ns_talker *talker, uint64_t now_usec) {
    const struct ns_ring_record *record = &talker->record;
    int family = record->family == 6 ? AF_INET6 : AF_INET;
    char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
    uint64_t idle = now_usec > record->last_usec ? (now_usec - record->last_usec) / 1000 : 0;

    inet_ntop(family, record->source, source, sizeof source);
    inet_ntop(family, record->destination, destination, sizeof destination);
    fprintf(out, "%s/%s/%u/%u/%s/%u/%s/%u/%u/%llu/%llu/%llu", talker->container,
            record->state == NS_RECORD_COUNTED ? "count" : "flow", record->family, record->protocol, source,
            record->source_port, destination, record->destination_port, record->ttl,
            (unsigned long long)record->packets, (unsigned long long)record->bytes, (unsigned long long)idle);
}

void ns_talkers_print(const struct ns_talkers *talkers, uint64_t now_usec, FILE *out) {
    ns_line_put_number(out, "records", talkers->records);
    ns_line_put_number(out, "other", talkers->other);
    fputs(" talkers=", out);
    for (unsigned i = 0; i < talkers->count; i++) {
        if (i != 0)
            fputc(',', out);
        print_one(out, &talkers->talker[i], now_usec);
    }
}
