/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

void ns_sal_answers_await(struct ns_sal_answers *answers, const struct ns_sal_answer *answer) {
    answers->places[answers->next++ % NS_SAL_ANSWERS] = *answer;
}

bool ns_sal_answers_take(struct ns_sal_answers *answers, struct ns_sal_answer *answer, const struct ns_sal_tuple *inner,
                         uint64_t now) {
    /* The newest first, because a client may have sent the same SYN again. */
    for (unsigned i = 1; i <= NS_SAL_ANSWERS; i++) {
        struct ns_sal_answer *at = &answers->places[(answers->next - i) % NS_SAL_ANSWERS];

        if (at->inner.ports != inner->ports || memcmp(&at->inner, inner, sizeof *inner) != 0)
            continue;
        *answer = *at;
        at->inner.family = 0;
        return answer->until > now;
    }
    return false;
}
