/* SPDX-License-Identifier: Apache-2.0 */
#include "flows.h"
#include "answers.h"
#include "kept.h"
#include "leave.h"
#include "relays.h"
#include "samples.h"
#include "serval.h"
#include "steer.h"

#include "ns_libbpf.h"
#include "ns_log.h"
#include "ns_time.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD_BYTES (NS_RECORDS * sizeof(struct ns_ring_record))
#define SECOND 1000000000ull

static int map(const struct ns_bpfd *bpfd, const char *name) {
    return ns_programs_map(&bpfd->programs, name);
}

struct ns_granted *ns_flows_find(const struct ns_bpfd *bpfd, const char *name) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] != NULL && strcmp(bpfd->granted[i]->name, name) == 0)
            return bpfd->granted[i];
    }
    return NULL;
}

static struct ns_asker asker(const struct ns_bpfd *bpfd, const struct ns_granted *granted) {
    return (struct ns_asker){granted->name, &granted->rewrite, &bpfd->filters, bpfd->offload_mark, bpfd->turned_mark};
}

/* --- records: while a record is written, readers see an odd version, or a new one --- */

static void begin(struct ns_ring_record *record) {
    __atomic_store_n(&record->version, record->version | 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end(struct ns_ring_record *record) {
    __atomic_store_n(&record->version, (record->version | 1) + 1, __ATOMIC_RELEASE);
}

static void set_state(struct ns_ring_record *record, enum ns_record_state state) {
    begin(record);
    record->state = state;
    end(record);
}

static void fill(struct ns_ring_record *record, const struct ns_offload *request, uint64_t now) {
    begin(record);
    record->state = NS_RECORD_OFFLOADED;
    record->seq = request->seq;
    record->family = request->family;
    record->protocol = request->protocol;
    record->ttl = 0;
    memcpy(record->source, request->source, 16);
    memcpy(record->destination, request->destination, 16);
    record->source_port = request->source_port;
    record->destination_port = request->destination_port;
    record->packets = record->bytes = 0;
    record->last_usec = now / 1000;
    end(record);
}

/* --- flows in the kernel --- */

union key {
    struct ns_key4 v4;
    struct ns_key6 v6;
};

static void make_key(union key *key, const struct ns_offload *r) {
    uint16_t ports[2] = {htons(r->source_port), htons(r->destination_port)};
    uint32_t both, meta = ns_meta(r->family, r->protocol, 0);

    memcpy(&both, ports, sizeof both);
    memset(key, 0, sizeof *key);
    if (r->family == 4) {
        memcpy(&key->v4.source, r->source, 4);
        memcpy(&key->v4.destination, r->destination, 4);
        key->v4.ports = both;
        key->v4.meta = meta;
    } else {
        memcpy(key->v6.source, r->source, 16);
        memcpy(key->v6.destination, r->destination, 16);
        key->v6.ports = both;
        key->v6.meta = meta;
    }
}

static int flows_of(const struct ns_bpfd *bpfd, const struct ns_offload *request) {
    return map(bpfd, request->family == 4 ? "ns_flows4" : "ns_flows6");
}

static void finish(struct ns_bpfd *bpfd, struct ns_granted *granted, unsigned at, enum ns_record_state state) {
    struct ns_granted_flow *flow = &granted->flow[at];
    struct ns_ring_record *record = &granted->records[at];
    union key key;

    make_key(&key, &flow->request);
    bpf_map_delete_elem(flows_of(bpfd, &flow->request), &key);
    set_state(record, state);
    granted->packets += __atomic_load_n(&record->packets, __ATOMIC_RELAXED);
    granted->bytes += __atomic_load_n(&record->bytes, __ATOMIC_RELAXED);
    flow->used = false;
    granted->used--;
    bpfd->total--;
    *(state == NS_RECORD_ENDED_TIME   ? &granted->ended_time
      : state == NS_RECORD_ENDED_IDLE ? &granted->ended_idle
                                      : &granted->ended_revoked) += 1;
}

static bool same_flow(const struct ns_offload *a, const struct ns_offload *b) {
    return a->family == b->family && a->protocol == b->protocol && a->source_port == b->source_port &&
           a->destination_port == b->destination_port && memcmp(a->source, b->source, 16) == 0 &&
           memcmp(a->destination, b->destination, 16) == 0;
}

/*
 * Returns the flow's place if it has one. Else returns the place that has been free for longest, so that readers can
 * see ended flows.
 */
static unsigned find_place(struct ns_granted *granted, const struct ns_offload *request, bool *again) {
    unsigned place = NS_RING_RECORD_FLOWS;

    for (unsigned i = 0; i < NS_RING_RECORD_FLOWS; i++) {
        if (granted->flow[i].used && same_flow(&granted->flow[i].request, request)) {
            *again = true;
            return i;
        }
    }
    for (unsigned i = 0; i < NS_RING_RECORD_FLOWS && granted->used < granted->quota; i++) {
        place = (granted->next + i) % NS_RING_RECORD_FLOWS;
        if (!granted->flow[place].used) {
            granted->next = place + 1;
            return place;
        }
    }
    return NS_RING_RECORD_FLOWS;
}

/*
 * Takes a flow. The program goes into its slot first, then the record is filled, then the flow is added, because the
 * programs look at the record's time.
 */
static enum ns_refused take(struct ns_bpfd *bpfd, struct ns_granted *granted, struct ns_accepted *accepted) {
    const struct ns_offload *request = &accepted->request;
    struct ns_ring_record *record;
    uint64_t now = ns_now_ns();
    bool again = false;
    unsigned place = find_place(granted, request, &again);
    union key key;

    if (place == NS_RING_RECORD_FLOWS || (!again && bpfd->total == NS_FLOWS_MAX))
        return NS_REFUSED_quota;
    record = &granted->records[place];
    accepted->flow.container = (uint16_t)granted->slot;
    accepted->flow.record = (uint16_t)place;
    accepted->flow.expires = now + request->seconds * SECOND;
    make_key(&key, request);
    ns_programs_need(&bpfd->programs, true, bpfd->programs.counts);
    if (!again)
        fill(record, request, now);
    if (bpf_map_update_elem(flows_of(bpfd, request), &key, &accepted->flow, again ? BPF_ANY : BPF_NOEXIST) != 0) {
        enum ns_refused refused = errno == EEXIST ? NS_REFUSED_taken : NS_REFUSED_failed;

        if (!again)
            set_state(record, NS_RECORD_FREE);
        return refused;
    }
    granted->flow[place] = (struct ns_granted_flow){true, accepted->flow.expires, *request};
    granted->used += !again;
    bpfd->total += !again;
    return NS_REFUSED_NOT;
}

void ns_flows_ask(struct ns_bpfd *bpfd, struct ns_granted *granted, const void *bytes, size_t length) {
    struct ns_asker who = asker(bpfd, granted);
    struct ns_accepted accepted;
    enum ns_refused refused = ns_check(&accepted, &who, bytes, length);

    granted->asked++;
    if (refused == NS_REFUSED_NOT)
        refused = take(bpfd, granted, &accepted);
    if (refused == NS_REFUSED_NOT)
        granted->taken++;
    else
        granted->refused[refused]++;
}

static void sweep(struct ns_bpfd *bpfd, struct ns_granted *granted, uint64_t now) {
    for (unsigned i = 0; i < NS_RING_RECORD_FLOWS && granted->used != 0; i++) {
        uint64_t last = __atomic_load_n(&granted->records[i].last_usec, __ATOMIC_RELAXED);

        if (!granted->flow[i].used)
            continue;
        if (now >= granted->flow[i].expires)
            finish(bpfd, granted, i, NS_RECORD_ENDED_TIME);
        else if (now / 1000 > last && now / 1000 - last >= NS_FLOW_IDLE_SECONDS * 1000000ull)
            finish(bpfd, granted, i, NS_RECORD_ENDED_IDLE);
    }
}

void ns_flows_sweep(struct ns_bpfd *bpfd) {
    uint64_t now = ns_now_ns();

    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] == NULL)
            continue;
        sweep(bpfd, bpfd->granted[i], now);
        ns_relays_sweep(bpfd, bpfd->granted[i], now);
        ns_serval_sweep(bpfd, bpfd->granted[i], now);
        ns_answers_sweep(bpfd, bpfd->granted[i], now);
    }
    ns_kept_sweep(bpfd, now);
    ns_programs_need(&bpfd->programs, bpfd->total != 0, bpfd->programs.counts);
    ns_programs_relays(&bpfd->programs, bpfd->relays != 0);
    ns_programs_answers(&bpfd->programs, bpfd->answers != 0);
}

/* --- counts --- */

static void forget_in(int counts, unsigned container, size_t words) {
    uint8_t key[sizeof(struct ns_count6)], next[sizeof(struct ns_count6)];
    bool more = bpf_map_get_next_key(counts, NULL, key) == 0;
    uint16_t owner;

    while (more) {
        more = bpf_map_get_next_key(counts, key, next) == 0;
        memcpy(&owner, key + words, sizeof owner);
        if (owner == container)
            bpf_map_delete_elem(counts, key);
        memcpy(key, next, sizeof key);
    }
}

/*
 * Forgets the counts. The keys go before the records, and the number of used records goes last, so that no program
 * counts into a record that is given away anew.
 */
static void forget_counts(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    uint32_t slot = granted->slot, none = 0;

    forget_in(map(bpfd, "ns_counts4"), granted->slot, sizeof(struct ns_key4));
    forget_in(map(bpfd, "ns_counts6"), granted->slot, sizeof(struct ns_key6));
    for (unsigned i = NS_RING_RECORD_FLOWS; i < NS_RECORD_RELAYS; i++) {
        struct ns_ring_record *record = &granted->records[i];
        uint32_t version = record->version;

        if (record->state == NS_RECORD_FREE && record->packets == 0)
            continue;
        begin(record);
        memset(&record->state, 0, sizeof *record - sizeof record->version);
        __atomic_store_n(&record->version, (version | 1) + 1, __ATOMIC_RELEASE);
    }
    granted->records[NS_RECORD_OTHER].state = NS_RECORD_COUNTED;
    bpf_map_update_elem(map(bpfd, "ns_count_used"), &slot, &none, BPF_ANY);
}

/*
 * Writes the counting filters, grouped by container, in their order. Filters beyond the table do not count, and the
 * log names them.
 */
static void write_counting(struct ns_bpfd *bpfd) {
    struct ns_count_filters lists[2] = {{0}, {0}};

    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        for (unsigned j = 0; bpfd->granted[i] != NULL && j < bpfd->filters.count; j++) {
            const struct ns_way_filter *filter = &bpfd->filters.filter[j];
            struct ns_count_filters *list = &lists[filter->family == 6];

            if (filter->way != NS_WAY_COUNT || strcmp(filter->container, bpfd->granted[i]->name) != 0)
                continue;
            if (list->count == NS_COUNT_FILTERS)
                ns_warn("%s: more than %u counting filters of IPv%u: one does not count", filter->container,
                        NS_COUNT_FILTERS, filter->family);
            else
                ns_way_compile(&list->filter[list->count++], filter, i);
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (ns_programs_swap(&bpfd->programs, "ns_counting", i, &lists[i], sizeof lists[i]) == 0)
            continue;
        ns_error("counting filters: %s; nothing is counted", strerror(errno));
        bpf_map_delete_elem(map(bpfd, "ns_counting"), &i);
    }
    ns_programs_need(&bpfd->programs, bpfd->programs.flows, lists[0].count + lists[1].count != 0);
}

/*
 * Tells whether a container's counting filters are the same in both lists, in the same order. The modules behind them
 * may differ.
 */
static bool counts_as_before(const struct ns_way_filters *a, const struct ns_way_filters *b, const char *container) {
    unsigned i = 0, j = 0;

    for (;;) {
        while (i < a->count && (a->filter[i].way != NS_WAY_COUNT || strcmp(a->filter[i].container, container) != 0))
            i++;
        while (j < b->count && (b->filter[j].way != NS_WAY_COUNT || strcmp(b->filter[j].container, container) != 0))
            j++;
        if (i == a->count || j == b->count)
            return i == a->count && j == b->count;
        if (memcmp(&a->filter[i++], &b->filter[j++], offsetof(struct ns_way_filter, claim)) != 0)
            return false;
    }
}

static void end_unfiltered(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_way_filters *before) {
    struct ns_asker who = asker(bpfd, granted);

    for (unsigned i = 0; i < NS_RING_RECORD_FLOWS; i++) {
        if (granted->flow[i].used && !ns_check_again(&granted->flow[i].request, &who, before))
            finish(bpfd, granted, i, NS_RECORD_ENDED_REVOKED);
    }
}

int ns_flows_filter(struct ns_bpfd *bpfd, const struct ns_way_filters *filters) {
    static struct ns_way_filters old;
    int result;

    old = bpfd->filters;
    bpfd->filters = *filters;
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] != NULL)
            end_unfiltered(bpfd, bpfd->granted[i], &old);
    }
    ns_relays_check_again(bpfd);
    ns_serval_check_again(bpfd);
    ns_answers_check_again(bpfd, &old);
    write_counting(bpfd);
    result = ns_samples_filter(bpfd);
    ns_steer_filter(bpfd);
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        if (bpfd->granted[i] != NULL && !counts_as_before(&old, filters, bpfd->granted[i]->name))
            forget_counts(bpfd, bpfd->granted[i]);
    }
    return result;
}

/* --- containers --- */

static int make_records(void) {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);

    return bpf_map_create(BPF_MAP_TYPE_ARRAY, "ns_records", sizeof(uint32_t), sizeof(struct ns_ring_record), NS_RECORDS,
                          &options);
}

static int open_records(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    uint32_t slot = granted->slot;
    void *at;

    if (granted->records_fd < 0)
        granted->records_fd = make_records();
    if (granted->records_fd < 0)
        return -1;
    at = mmap(NULL, RECORD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, granted->records_fd, 0);
    if (at == MAP_FAILED)
        return -1;
    granted->records = at;
    return bpf_map_update_elem(map(bpfd, "ns_records"), &slot, &granted->records_fd, BPF_ANY);
}

static void drop(struct ns_granted *granted) {
    if (granted->records != NULL)
        munmap(granted->records, RECORD_BYTES);
    if (granted->records_fd >= 0)
        close(granted->records_fd);
    if (granted->samples_fd >= 0)
        close(granted->samples_fd);
    if (granted->socket >= 0)
        close(granted->socket);
    free(granted);
}

/* Ends the flows that an earlier bpfd has offloaded, because the kernel dropped them with it. */
static void take_up_records(struct ns_granted *granted) {
    for (unsigned i = 0; i < NS_RING_RECORD_FLOWS; i++) {
        if (granted->records[i].state == NS_RECORD_OFFLOADED)
            set_state(&granted->records[i], NS_RECORD_ENDED_REVOKED);
    }
}

static unsigned free_slot(const struct ns_bpfd *bpfd) {
    unsigned slot = 0;

    while (slot < NS_FASTPATH_CONTAINERS && bpfd->granted[slot] != NULL)
        slot++;
    return slot;
}

struct ns_granted *ns_flows_grant(struct ns_bpfd *bpfd, const char *name, int socket, int records, int samples) {
    struct ns_granted *granted = calloc(1, sizeof *granted);
    bool first = records < 0;
    unsigned slot = free_slot(bpfd);

    if (slot == NS_FASTPATH_CONTAINERS && ns_kept_make_room(bpfd))
        slot = free_slot(bpfd);
    if (granted == NULL || slot == NS_FASTPATH_CONTAINERS) {
        close(socket);
        if (records >= 0)
            close(records);
        if (samples >= 0)
            close(samples);
        free(granted);
        errno = ENOSPC;
        return NULL;
    }
    strcpy(granted->name, name);
    granted->slot = slot;
    granted->socket = socket;
    granted->records_fd = records;
    granted->samples_fd = samples;
    granted->leave.network = -1;
    if (open_records(bpfd, granted) != 0 || ns_samples_open(bpfd, granted, first) != 0) {
        int why = errno;

        drop(granted);
        errno = why;
        return NULL;
    }
    take_up_records(granted);
    ns_relays_begin(bpfd, granted);
    ns_serval_begin(bpfd, granted);
    ns_answers_begin(bpfd, granted);
    bpfd->granted[slot] = granted;
    forget_counts(bpfd, granted);
    ns_steer_begin_counts(bpfd, granted);
    write_counting(bpfd);
    ns_steer_filter(bpfd);
    return granted;
}

static void finish_all(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    for (unsigned i = 0; i < NS_RING_RECORD_FLOWS; i++) {
        if (granted->flow[i].used)
            finish(bpfd, granted, i, NS_RECORD_ENDED_REVOKED);
    }
}

/* Ends counts, samples and steering of a container that no filter finds any more. */
static void end_filters(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    write_counting(bpfd);
    ns_samples_filter(bpfd);
    ns_samples_close(bpfd, granted);
    ns_steer_forget(bpfd, granted);
    forget_counts(bpfd, granted);
}

void ns_flows_revoke(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    uint32_t slot = granted->slot;

    ns_leave_end(bpfd, granted);
    finish_all(bpfd, granted);
    ns_relays_revoke(bpfd, granted);
    ns_serval_revoke(bpfd, granted);
    ns_answers_revoke(bpfd, granted);
    bpfd->granted[slot] = NULL;
    if (granted->kept.until == 0)
        end_filters(bpfd, granted);
    bpf_map_delete_elem(map(bpfd, "ns_records"), &slot);
    drop(granted);
}

void ns_flows_leave(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    ns_leave_end(bpfd, granted);
    finish_all(bpfd, granted);
    ns_serval_revoke(bpfd, granted);
    ns_answers_revoke(bpfd, granted);
    granted->name[0] = '\0';
    end_filters(bpfd, granted);
    if (granted->samples_fd >= 0)
        close(granted->samples_fd);
    close(granted->socket);
    granted->samples_fd = granted->socket = -1;
    granted->closed = true;
}

void ns_flows_sum(const struct ns_granted *granted, bool counts, uint64_t *packets, uint64_t *bytes) {
    *packets = counts ? 0 : granted->packets;
    *bytes = counts ? 0 : granted->bytes;
    for (unsigned i = counts ? NS_RING_RECORD_FLOWS : 0; i < (counts ? NS_RECORD_RELAYS : NS_RING_RECORD_FLOWS); i++) {
        if (!counts && !granted->flow[i].used)
            continue;
        *packets += __atomic_load_n(&granted->records[i].packets, __ATOMIC_RELAXED);
        *bytes += __atomic_load_n(&granted->records[i].bytes, __ATOMIC_RELAXED);
    }
}
