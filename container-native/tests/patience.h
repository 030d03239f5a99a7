/* SPDX-License-Identifier: Apache-2.0 */
/* patience.h - waits for a condition to become true: asks often, but not for ever. */
#ifndef NS_TEST_PATIENCE_H
#define NS_TEST_PATIENCE_H

#include "ns_test.h"

#include <time.h>

#define WAIT_MSEC 20000 /* bound of every wait */

static inline void pause_msec(long msec) {
    struct timespec time = {msec / 1000, msec % 1000 * 1000000};

    nanosleep(&time, NULL);
}

#define WAIT_FOR(condition)                                                                                            \
    do {                                                                                                               \
        for (int left = WAIT_MSEC; !(condition) && left > 0; left--)                                                   \
            pause_msec(1);                                                                                             \
        NS_CHECK(condition);                                                                                           \
    } while (0)

#endif
