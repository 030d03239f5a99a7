/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests a spawner on a kernel that lacks a layer: it reports the missing layer, for the machine and for each
 * container, and starts the container all the same. Run by lacking.sh: lacking <spawner> <root> <missing>, with a
 * spawner that lacks the missing layer.
 */
#include "spawner_rig.h"

#include <sys/stat.h>

static const char *missing;

/* Tells whether the reply has exactly " missing=<list>". */
static bool says(const char *reply) {
    char pattern[128];
    const char *at = strstr(reply, " missing=");

    snprintf(pattern, sizeof pattern, " missing=%s", missing);
    return at != NULL && strncmp(at, pattern, strlen(pattern)) == 0 && strchr(" \n", at[strlen(pattern)]) != NULL;
}

NS_TEST(a_kernel_that_lacks_a_layer_is_found_out) {
    char reply[8192];

    NS_CHECK(run_up());
    NS_CHECK(ask("prepare sysctl=check interfaces=lo", "", reply, sizeof reply));
    NS_CHECK(says(reply));
}

NS_TEST(a_container_starts_without_it_and_the_reply_says_so) {
    char reply[8192];
    struct order order = {.name = "quiet", .network = "7"};

    NS_CHECK(ask(order_line(&order), "", reply, sizeof reply));
    NS_CHECK(says(reply));
    NS_CHECK(value(reply, "pid") > 0 && value(reply, "pktio") > 0);
    NS_CHECK(stop("quiet", 2000));
}

NS_TEST(a_job_ends_as_it_would) {
    char path[300], reply[256];

    snprintf(path, sizeof path, "%s/run/netserv/jobs/fine", rig.root);
    NS_CHECK(mkdir(path, 0750) == 0 || errno == EEXIST);
    NS_EQUAL(0, chown(path, 690000, 690000));
    NS_CHECK(ask("worker job=fine memory=64 timeout=10 ports=", "", reply, sizeof reply));
    NS_EQUAL(3, value(reply, "exit"));
    NS_CHECK(shut_down());
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    if (!ns_test_quiet())
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    missing = argv[3];
    NS_RUN(a_kernel_that_lacks_a_layer_is_found_out);
    NS_RUN(a_container_starts_without_it_and_the_reply_says_so);
    NS_RUN(a_job_ends_as_it_would);
    return ns_test_failed;
}
