/* SPDX-License-Identifier: Apache-2.0 */
/* bucket.h - a token bucket in nanoseconds. It holds `most` tokens and gains a token every `interval`. Pure. */
#ifndef NS_BUCKET_H
#define NS_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

struct ns_bucket {
    uint64_t interval; /* nanoseconds per token */
    uint64_t most;     /* tokens when full */
    uint64_t full_at;  /* when the bucket is full again; in the past = full */
};

/* Returns a full bucket for 1 to 1,000,000,000 tokens a second. */
static inline struct ns_bucket ns_bucket_of(uint64_t per_second) {
    return (struct ns_bucket){.interval = 1000000000ull / per_second, .most = per_second};
}

/* Takes a token. Returns false if there is none. `now` never goes back. */
static inline bool ns_bucket_take(struct ns_bucket *bucket, uint64_t now) {
    uint64_t from = bucket->full_at > now ? bucket->full_at : now;

    if (from + bucket->interval > now + bucket->most * bucket->interval)
        return false;
    bucket->full_at = from + bucket->interval;
    return true;
}

#endif
