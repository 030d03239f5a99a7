/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the rights that each Landlock ABI can deny: never fewer than the ABI before, and never a right that it does
 * not know.
 */
#include "ns_landlock.h"
#include "ns_test.h"
#include <unistd.h>

NS_TEST(a_kernel_without_it_denies_nothing) {
    struct ns_landlock_plan plan = ns_landlock_plan(0);

    NS_CHECK(plan.fs == 0 && plan.net == 0 && plan.scoped == 0);
}

NS_TEST(each_abi_adds_what_it_knows) {
    static const struct {
        int abi;
        uint64_t fs, net, scoped;
    } known[] = {
        {1, 0x1fff, 0, 0}, {2, 0x3fff, 0, 0}, {3, 0x7fff, 0, 0},
        {4, 0x7fff, 3, 0}, {5, 0xffff, 3, 0}, {6, 0xffff, 3, 3},
    };

    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct ns_landlock_plan plan = ns_landlock_plan(known[i].abi);

        NS_EQUAL(known[i].fs, plan.fs);
        NS_EQUAL(known[i].net, plan.net);
        NS_EQUAL(known[i].scoped, plan.scoped);
    }
}

NS_TEST(a_newer_abi_is_used_as_the_newest_known) {
    NS_EQUAL(ns_landlock_plan(6).fs, ns_landlock_plan(99).fs);
    NS_EQUAL(ns_landlock_plan(6).scoped, ns_landlock_plan(99).scoped);
}

NS_TEST(without_a_kernel_every_step_succeeds) {
    struct ns_landlock landlock = {.fd = -1};

    NS_EQUAL(0, ns_landlock_path(&landlock, "/", NS_LANDLOCK_READ));
    NS_EQUAL(0, ns_landlock_tcp(&landlock, NS_LANDLOCK_CONNECT, 443, 443));
    NS_EQUAL(0, ns_landlock_enter(&landlock));
}

/* Without a kind to deny there is no ruleset, on any kernel. */
NS_TEST(no_kind_is_no_ruleset) {
    struct ns_landlock landlock = {.fd = 7};

    NS_EQUAL(0, ns_landlock_open(&landlock, 0));
    NS_EQUAL(-1, landlock.fd);
}

NS_TEST(each_kind_denies_its_own) {
    struct ns_landlock files, ports;
    struct ns_landlock_plan all = ns_landlock_plan(ns_landlock_abi());

    NS_EQUAL(0, ns_landlock_open(&files, NS_LANDLOCK_FILES));
    NS_EQUAL(0, ns_landlock_open(&ports, NS_LANDLOCK_TCP));
    NS_CHECK(files.plan.fs == all.fs && files.plan.scoped == all.scoped && files.plan.net == 0);
    NS_CHECK(ports.plan.fs == 0 && ports.plan.scoped == 0 && ports.plan.net == all.net);
    NS_EQUAL(ns_landlock_abi() >= 1, files.fd >= 0);
    NS_EQUAL(ns_landlock_abi() >= NS_LANDLOCK_TCP_ABI, ports.fd >= 0);
    close(files.fd);
    close(ports.fd);
}

int main(void) {
    NS_RUN(a_kernel_without_it_denies_nothing);
    NS_RUN(each_abi_adds_what_it_knows);
    NS_RUN(a_newer_abi_is_used_as_the_newest_known);
    NS_RUN(without_a_kernel_every_step_succeeds);
    NS_RUN(no_kind_is_no_ruleset);
    NS_RUN(each_kind_denies_its_own);
    return ns_test_end();
}
