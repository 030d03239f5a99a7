/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the spawner's part of AF_XDP. spawner_xdp.sh runs it: spawner_xdp <spawner> <root> */
#include "ns_test.h"
#include "spawner_rig.h"

#define FASTPATH "fastpath interfaces=up0 mode=auto forward=kernel"

static bool start_on(const struct order *order, const char *plane) {
    char text[2100];

    snprintf(text, sizeof text, "%s flows=0 plane=%s", order_line(order), plane);
    return told(text);
}

static bool up(void) {
    return run_up() && told(FASTPATH);
}

NS_TEST(pktio_has_a_socket_for_each_queue_and_again_after_its_death) {
    static const struct order order = {.name = "fast"};

    NS_CHECK(up());
    NS_CHECK(start_on(&order, "afxdp"));
    NS_CHECK(wait_for_stat("fast", "xdp_sockets", 1));
    kill((pid_t)stat_of("fast", "pktio"), SIGKILL);
    NS_CHECK(has_line("event pktio-started"));
    NS_CHECK(wait_for_stat("fast", "heartbeat", 1));
    NS_CHECK(wait_for_stat("fast", "xdp_sockets", 1)); /* no socket of the dead pktio stands in the way */
    NS_CHECK(stop("fast", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(who_did_not_ask_or_has_limits_of_the_queue_has_none) {
    static const struct order plain = {.name = "plain"}, limited = {.name = "limited", .index = 1, .packets = 1000};

    NS_CHECK(up());
    NS_CHECK(start_on(&plain, "queue"));
    NS_CHECK(start_on(&limited, "afxdp"));
    NS_CHECK(wait_for_stat("plain", "heartbeat", 1));
    NS_CHECK(wait_for_stat("limited", "heartbeat", 1));
    NS_EQUAL(0, stat_of("plain", "xdp_sockets"));
    NS_EQUAL(0, stat_of("limited", "xdp_sockets"));
    NS_CHECK(shut_down());
}

/*
 * The kernel allows one socket per interface and queue. The second container gets its packets by the queue, and
 * works.
 */
NS_TEST(the_first_has_the_interface) {
    static const struct order first = {.name = "first"}, second = {.name = "second", .index = 1};

    NS_CHECK(up());
    NS_CHECK(start_on(&first, "afxdp"));
    NS_CHECK(wait_for_stat("first", "xdp_sockets", 1));
    NS_CHECK(start_on(&second, "afxdp"));
    NS_CHECK(wait_for_stat("second", "heartbeat", 1));
    NS_EQUAL(0, stat_of("second", "xdp_sockets"));
    NS_EQUAL(1, stat_of("first", "xdp_sockets"));
    NS_CHECK(shut_down());
}

static bool filtered(const char *plane) {
    char line[128], reply[1024];

    snprintf(line, sizeof line, "family=4 proto=17 queue=100 dst=192.0.2.0/24 dport=5060 plane=%s\n", plane);
    return ask("filters count=1", line, reply, sizeof reply);
}

/* The operator's interfaces, and the plane of a publisher, reach a running container. */
NS_TEST(what_is_ordered_later_comes_with_another_pktio) {
    static const struct order order = {.name = "early"};

    NS_CHECK(run_up());
    NS_CHECK(start_on(&order, "queue"));
    NS_CHECK(filtered("queue"));
    NS_CHECK(wait_for_stat("early", "heartbeat", 1));
    NS_EQUAL(-1, stat_of("early", "flows"));
    NS_CHECK(told(FASTPATH));
    NS_CHECK(has_line("event pktio-started"));
    NS_EQUAL(0, stat_of("early", "flows"));
    NS_EQUAL(0, stat_of("early", "xdp_sockets"));
    NS_CHECK(filtered("afxdp"));
    NS_CHECK(has_line("event pktio-started"));
    NS_CHECK(wait_for_stat("early", "xdp_sockets", 1));
    NS_CHECK(filtered("afxdp")); /* nothing new */
    NS_CHECK(shut_down());
}

int main(int argc, char **argv) {
    char log[512];

    if (argc != 3)
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    snprintf(log, sizeof log, "%s/spawner.log", rig.root);
    if (getenv("NS_TEST_LOG") != NULL)
        snprintf(log, sizeof log, "%s", getenv("NS_TEST_LOG"));
    if (freopen(log, "a", stderr) == NULL)
        return 2;
    NS_RUN(pktio_has_a_socket_for_each_queue_and_again_after_its_death);
    NS_RUN(who_did_not_ask_or_has_limits_of_the_queue_has_none);
    NS_RUN(the_first_has_the_interface);
    NS_RUN(what_is_ordered_later_comes_with_another_pktio);
    return ns_test_end();
}
