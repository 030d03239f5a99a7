/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfd_samples.c - decides whether bpfd or the firewall takes a filter's samples. bpfd's program takes them where a
 * packet comes in by an interface of the fast path. Elsewhere a rule of the firewall takes them. A packet is never
 * sampled by both: the rules of the filters that bpfd samples stand in a chain, and packets of these interfaces leave
 * that chain at once.
 *
 * The firewall alone takes the samples without a fast path or without ring buffers. It also takes them for a filter
 * with a program, and for the filters beyond the places that the kernel has for sampled filters.
 */
#include "bpfd_wire.h"
#include "container.h"
#include "firewall.h"
#include "ns_fastpath.h"
#include "ns_log.h"
#include "spawner.h"
#include <string.h>

_Static_assert(NS_INTERFACES_MAX <= NS_RULES_INTERFACES, "the rules have room for each interface");

struct attached {
    struct ns_bpfd_child *child;
    unsigned count;
};

static bool note(void *context, const char *tc) {
    struct attached *attached = context;

    if (attached->count == attached->child->interfaces)
        return false;
    attached->child->sampled[attached->count++] = strcmp(tc, "none") != 0;
    return true;
}

static bool is_ringbuf(void *context, const char *feature) {
    *(bool *)context |= strcmp(feature, "ringbuf") == 0;
    return true;
}

void ns_bpfd_attached(struct ns_bpfd_child *child, const char *tc) {
    struct attached attached = {child, 0};

    memset(child->sampled, 0, sizeof child->sampled);
    child->samples = false;
    if (tc != NULL && ns_value_list(tc, note, &attached))
        ns_value_list(child->offered, is_ringbuf, &child->samples);
}

static bool takes(const struct ns_spawner *spawner, const struct ns_filter *filter) {
    const struct ns_container *reader = ns_bpfd_reader(spawner, filter);

    return filter->sample != 0 && filter->match.count == 0 && reader != NULL && reader->grant.samples_fd >= 0;
}

/* Chooses the filters that bpfd samples, in the order of the list, as many as there are places for each family. */
static void choose(const struct ns_spawner *spawner, bool taken[NS_FILTERS_MAX]) {
    const struct ns_bpfd_child *child = &spawner->bpfd;
    unsigned count[2] = {0, 0};

    memset(taken, 0, NS_FILTERS_MAX * sizeof *taken);
    for (unsigned i = 0; i < spawner->filters && child->samples && ns_bpfd_there(child); i++) {
        unsigned *of_family = &count[spawner->filter[i].family == 6];

        taken[i] = *of_family < NS_SAMPLE_FILTERS && takes(spawner, &spawner->filter[i]);
        *of_family += taken[i];
    }
}

void ns_bpfd_samples_choose(struct ns_spawner *spawner) {
    choose(spawner, spawner->bpfd.taken);
}

void ns_bpfd_rules(const struct ns_spawner *spawner, struct ns_rules *rules) {
    const struct ns_bpfd_child *child = &spawner->bpfd;

    rules->taken = child->taken;
    for (unsigned i = 0; i < child->interfaces; i++) {
        if (child->sampled[i])
            rules->interface[rules->interfaces++] = child->interface[i];
    }
}

/* Tells bpfd the choice once the rules leave these filters to bpfd, so that no packet is copied twice. */
static void settled(struct ns_spawner *spawner, uint64_t token, const char *why) {
    (void)token;
    if (why[0] == '\0')
        ns_bpfd_filters(spawner);
}

void ns_bpfd_samples_settle(struct ns_spawner *spawner) {
    static bool taken[NS_FILTERS_MAX];

    choose(spawner, taken);
    if (memcmp(taken, spawner->bpfd.taken, sizeof taken) != 0)
        ns_firewall_want(spawner, settled, 0);
}

void ns_bpfd_samples_over(struct ns_spawner *spawner) {
    spawner->bpfd.samples = false;
    if (!spawner->stopping)
        ns_bpfd_samples_settle(spawner);
}
