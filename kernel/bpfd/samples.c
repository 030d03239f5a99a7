/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "ns_libbpf.h"
#include "ns_log.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int map(const struct ns_bpfd *bpfd, const char *name) {
    return ns_programs_map(&bpfd->programs, name);
}

int ns_samples_open(struct ns_bpfd *bpfd, struct ns_granted *granted, bool make) {
    uint32_t slot = granted->slot, none = 0;

    if (!bpfd->programs.features[NS_FEATURE_ringbuf])
        return 0;
    if (make)
        granted->samples_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ns_samples", 0, 0, NS_SAMPLE_RING_BYTES, NULL);
    if (granted->samples_fd < 0)
        return make ? -1 : 0;
    bpf_map_update_elem(map(bpfd, "ns_samples_lost"), &slot, &none, BPF_ANY);
    ns_samples_limit(bpfd, granted, 0, 0);
    return bpf_map_update_elem(map(bpfd, "ns_samples"), &slot, &granted->samples_fd, BPF_ANY);
}

void ns_samples_limit(struct ns_bpfd *bpfd, const struct ns_granted *granted, uint64_t packets, uint64_t bytes) {
    const struct ns_sample_limit limit = {.packets = packets, .bytes = bytes};
    uint32_t slot = granted->slot;

    if (bpfd->programs.features[NS_FEATURE_ringbuf])
        bpf_map_update_elem(map(bpfd, "ns_sample_limits"), &slot, &limit, BPF_ANY);
}

void ns_samples_close(struct ns_bpfd *bpfd, const struct ns_granted *granted) {
    uint32_t slot = granted->slot;

    if (granted->samples_fd >= 0)
        bpf_map_delete_elem(map(bpfd, "ns_samples"), &slot);
}

static void add(struct ns_sample_filters *list, const struct ns_way_filter *filter, unsigned slot) {
    struct ns_sample_filter *out = &list->filter[list->count];

    if (list->count == NS_SAMPLE_FILTERS) {
        ns_warn("%s: more than %u sampling filters of IPv%u: one is not sampled", filter->container, NS_SAMPLE_FILTERS,
                filter->family);
        return;
    }
    list->count++;
    ns_way_compile_match(&out->match, filter);
    out->every = filter->every;
    out->container = (uint16_t)slot;
}

int ns_samples_filter(struct ns_bpfd *bpfd) {
    static struct ns_sample_filters lists[2];
    int result = 0;
    bool any;

    if (!bpfd->programs.features[NS_FEATURE_ringbuf])
        return 0;
    memset(lists, 0, sizeof lists);
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        const struct ns_granted *granted = bpfd->granted[i];

        for (unsigned j = 0; granted != NULL && granted->samples_fd >= 0 && j < bpfd->filters.count; j++) {
            const struct ns_way_filter *filter = &bpfd->filters.filter[j];

            if (filter->every != 0 && strcmp(filter->container, granted->name) == 0)
                add(&lists[filter->family == 6], filter, i);
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (memcmp(&lists[i], &bpfd->sampling[i], sizeof lists[i]) == 0)
            continue;
        if (ns_programs_swap(&bpfd->programs, "ns_sampling", i, &lists[i], sizeof lists[i]) == 0) {
            bpfd->sampling[i] = lists[i];
            continue;
        }
        ns_error("sampling filters: %s", strerror(errno));
        result = -1;
    }
    any = result == 0 && lists[0].count + lists[1].count != 0; /* no samples are better than outdated ones */
    ns_programs_slot(&bpfd->programs, "ns_tc_slots", NS_TC_SAMPLE, any ? "ns_tc_sample" : NULL);
    return result;
}
