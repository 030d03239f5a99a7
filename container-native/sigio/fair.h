/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair.h - limits packets a second for gist, by source, so that a frequent sender cannot keep out a rare one. Pure.
 *
 * Three quarters of the rate go to any source, first come first served. The last quarter serves sources within
 * NS_FAIR_FIRST packets a second. Sources are counted in NS_FAIR_PLACES places, by a hash with a secret seed. Two
 * sources that share a place share its first packets, too.
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

/* Sets a rate of `rate` packets a second, 1 to 1,000,000,000. A seed of 0 keeps the present seed and places. */
void ns_fair_set(struct ns_fair *fair, uint64_t rate, uint64_t seed);

/* Takes a packet for a source (ns_source_of). Returns false if the limit is reached. `now` never goes back. */
bool ns_fair_take(struct ns_fair *fair, uint64_t source, uint64_t now);

#endif
