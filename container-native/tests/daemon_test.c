/* SPDX-License-Identifier: Apache-2.0 */
/* When the supervisor starts a daemon again. */
#include "../supervisor/daemon.h"
#include "ns_test.h"

NS_TEST(the_back_off_doubles_to_its_most) {
    static const uint32_t expected[] = {200, 400, 800, 1600, 3200, 6400, 10000, 10000};
    uint32_t wait = 0;

    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        wait = ns_daemon_backoff(wait, 0);
        NS_EQUAL(expected[i], wait);
    }
}

NS_TEST(a_long_life_begins_it_anew) {
    NS_EQUAL(10000, ns_daemon_backoff(10000, NS_BACKOFF_RESET_MS - 1));
    NS_EQUAL(NS_BACKOFF_FIRST_MS, ns_daemon_backoff(10000, NS_BACKOFF_RESET_MS));
}

int main(void) {
    NS_RUN(the_back_off_doubles_to_its_most);
    NS_RUN(a_long_life_begins_it_anew);
    return ns_test_end();
}
