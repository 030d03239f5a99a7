/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.h - SYNs without state that the local stack is about to answer. Its SYN-ACK comes back by the names that the
 * stack was given, within microseconds as a rule. A new answer takes the place of the oldest, so no flood can fill
 * this list.
 */
#ifndef NS_SALD_ANSWERS_H
#define NS_SALD_ANSWERS_H

#include "flow.h"
#include "ns_sal.h"

#define NS_SAL_ANSWERS 256u
#define NS_SAL_ANSWER_MS 1000u /* for which the local stack's answer is awaited: its own timer fires then */

struct ns_sal_answer {
    struct ns_sal_tuple inner;     /* as the local stack sends; family 0 = the place is free */
    struct ns_sal_message message; /* the SYN-ACK */
    struct ns_sal_address from, to;
    uint8_t way[NS_SAL_WAY_MAX]; /* of the SYN with this host's address, way[1] is 0 without one */
    uint64_t until;
};

struct ns_sal_answers {
    struct ns_sal_answer places[NS_SAL_ANSWERS];
    unsigned next;
};

/* Keeps an answer for a second at most. */
void ns_sal_answers_await(struct ns_sal_answers *answers, const struct ns_sal_answer *answer);

/* Takes out the answer that awaits a segment with these names. Returns false if there is none. */
bool ns_sal_answers_take(struct ns_sal_answers *answers, struct ns_sal_answer *answer, const struct ns_sal_tuple *inner,
                         uint64_t now);

#endif
