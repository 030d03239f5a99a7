/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair.h - packets a second for gist, by source: nobody who asks often keeps out one who asks seldom. Pure.
 *
 * Three quarters of the rate are for whoever comes first. The last quarter is for sources within NS_FAIR_FIRST a second. Sources
 * are counted in NS_FAIR_PLACES places, by a hash with a secret seed: two that share a place share its first packets, too.
 */
#ifndef NS_FAIR_H
#define NS_FAIR_H

#include "bucket.h"

#define NS_FAIR_PLACES 1024u
#define NS_FAIR_FIRST 4u /* packets a second that a source gets out of the reserve */

struct ns_fair {
    uint64_t seed;
    struct ns_bucket common, reserve;
    struct ns_bucket firsts[NS_FAIR_PLACES];
};

/* Starts with `rate` packets a second, 1 to 1,000,000,000. A seed of 0 leaves the one before. */
void ns_fair_set(struct ns_fair *fair, uint64_t rate, uint64_t seed);

/* Takes one for a source: ns_source_of. False if there is none. `now` never goes back. */
bool ns_fair_take(struct ns_fair *fair, uint64_t source, uint64_t now);

#endif
