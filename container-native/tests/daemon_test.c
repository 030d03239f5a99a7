/* SPDX-License-Identifier: Apache-2.0 */
/* Tests when the supervisor starts a daemon again. */
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

NS_TEST(a_reload_is_for_those_who_catch_it) {
    NS_CHECK(ns_daemon_catches_hup("Name:\tjava\nSigIgn:\t0000000000000000\nSigCgt:\t2000000181005ccf\nCapInh:\t0\n"));
    NS_CHECK(!ns_daemon_catches_hup("Name:\tjava\nSigIgn:\t0000000000000001\nSigCgt:\t2000000181005cce\n"));
    NS_CHECK(!ns_daemon_catches_hup("Name:\tsupervisor\nSigCgt:\t0000000000000000\n"));
    NS_CHECK(!ns_daemon_catches_hup("SigCgt:"));
    NS_CHECK(!ns_daemon_catches_hup(""));
}

int main(void) {
    NS_RUN(the_back_off_doubles_to_its_most);
    NS_RUN(a_long_life_begins_it_anew);
    NS_RUN(a_reload_is_for_those_who_catch_it);
    return ns_test_end();
}
