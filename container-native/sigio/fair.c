/* SPDX-License-Identifier: Apache-2.0 */
#include "fair.h"

void ns_fair_set(struct ns_fair *fair, uint64_t rate, uint64_t seed) {
    uint64_t reserve = rate / 4;

    fair->common = ns_bucket_of(rate - reserve);
    fair->reserve = reserve > 0 ? ns_bucket_of(reserve) : (struct ns_bucket){.interval = 1};
    if (seed == 0)
        return;
    fair->seed = seed;
    for (unsigned i = 0; i < NS_FAIR_PLACES; i++)
        fair->firsts[i] = ns_bucket_of(NS_FAIR_FIRST);
}

/* Mixes by the finalizer of splitmix64: each bit of the source and of the seed changes half of the bits. */
static unsigned place_of(const struct ns_fair *fair, uint64_t source) {
    uint64_t mixed = source ^ fair->seed;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    return (unsigned)((mixed ^ mixed >> 31) % NS_FAIR_PLACES);
}

bool ns_fair_take(struct ns_fair *fair, uint64_t source, uint64_t now) {
    if (ns_bucket_take(&fair->common, now))
        return true;
    return ns_bucket_take(&fair->firsts[place_of(fair, source)], now) && ns_bucket_take(&fair->reserve, now);
}
