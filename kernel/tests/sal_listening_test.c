/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the services that are there while a program listens: when sald looks, and what its hooks know. */
#include "cgroup.h"
#include "listening.h"
#include "ns_test.h"

#include <string.h>

static struct ns_sal_listening listening;
static struct ns_sal_services services;
static unsigned ports, sockets; /* that are in the maps of the hooks */
static unsigned room;           /* for sockets */

static bool on_port(void *context, bool datagrams, uint16_t port, bool watched) {
    (void)context, (void)datagrams, (void)port;
    ports += watched ? 1u : -1u;
    return true;
}

static bool on_socket(void *context, const struct ns_sal_listener_socket *socket, bool there) {
    (void)context, (void)socket;
    if (there && sockets == room)
        return false;
    sockets += there ? 1u : -1u;
    return true;
}

static void begin(bool hooked) {
    memset(&listening, 0, sizeof listening);
    services.count = 0;
    ports = sockets = 0;
    room = 1000;
    listening.hooked_ms = NS_SAL_HOOKED_LOOK_MS;
    if (hooked)
        ns_sal_listening_hook(&listening, on_port, on_socket, NULL);
}

static const uint8_t *watch(uint8_t number, uint16_t port, bool datagrams) {
    static uint8_t ids[256][NS_SAL_ID];
    struct ns_sal_rule rule = {.action = NS_SAL_DEMUX, .bits = 256, .target = {.port = port}, .until = UINT64_MAX};

    ids[number][0] = rule.id[0] = number;
    rule.datagrams = datagrams;
    NS_CHECK(ns_sal_listening_add(&listening, &rule));
    return ids[number];
}

static void looked(uint64_t now) {
    ns_sal_listening_looked(&listening, ns_sal_listening_apply(&listening, &services, now), now);
}

NS_TEST(without_hooks_a_look_comes_twice_a_second) {
    begin(false);
    watch(1, 80, false);
    looked(1000);
    NS_EQUAL(1500, listening.look_at);
    NS_EQUAL(0, listening.polls); /* the order was the reason */
    NS_CHECK(!ns_sal_listening_found(&listening, false, 80, 7));
    looked(1500);
    NS_EQUAL(2000, listening.look_at);
    NS_EQUAL(1, services.count);
    NS_EQUAL(1, listening.polls);
    NS_EQUAL(2, listening.looks);
    NS_EQUAL(0, listening.late); /* there is nothing that could be earlier */
}

NS_TEST(with_hooks_polls_are_rare_and_what_they_find_is_late) {
    begin(true);
    watch(1, 80, false);
    looked(1000);
    NS_EQUAL(1000 + NS_SAL_HOOKED_LOOK_MS, listening.look_at);
    NS_CHECK(ns_sal_listening_found(&listening, false, 80, 7));
    looked(6000);
    NS_EQUAL(1, services.count);
    NS_EQUAL(1, listening.late);
    looked(11000);
    NS_EQUAL(1, listening.late);
    NS_EQUAL(2, listening.polls);
}

/* An end is told while the socket is there, and whoever closes it may be slow. */
NS_TEST(an_event_is_followed_by_some_looks) {
    const uint64_t looks[] = {20000, 20005, 20025, 20105, 20425, 20425 + NS_SAL_HOOKED_LOOK_MS};

    begin(true);
    watch(1, 80, false);
    looked(18000);
    ns_sal_listening_wake(&listening, 20000);
    for (unsigned i = 0; i < 5; i++) {
        NS_EQUAL(looks[i], listening.look_at);
        looked(listening.look_at);
        NS_EQUAL(looks[i + 1], listening.look_at);
    }
    NS_EQUAL(0, listening.polls);
    NS_EQUAL(0, listening.late);
}

NS_TEST(a_flood_of_events_has_a_bounded_number_of_looks) {
    unsigned looks = 0;

    begin(true);
    watch(1, 80, false);
    looked(999);
    for (uint64_t now = 1000; now < 2000; now++) {
        for (unsigned i = 0; i < 10; i++)
            ns_sal_listening_wake(&listening, now);
        if (now < listening.look_at)
            continue;
        looked(now);
        looks++;
    }
    NS_EQUAL(1000 / NS_SAL_LOOK_AGAIN_MS, looks);
    NS_CHECK(listening.look_at < 2000 + NS_SAL_LOOK_AGAIN_MS); /* none of them is put off by those before */
}

NS_TEST(an_order_ends_no_looks_behind_an_event) {
    begin(true);
    watch(1, 80, false);
    looked(1000);
    ns_sal_listening_wake(&listening, 2000);
    watch(2, 81, false);
    looked(2000);
    NS_EQUAL(2000 + NS_SAL_LOOK_AGAIN_MS, listening.look_at);
}

NS_TEST(a_port_is_watched_until_its_last_service_goes) {
    const uint8_t *first, *second;

    begin(true);
    first = watch(1, 80, false);
    second = watch(2, 80, false);
    watch(3, 80, true);
    NS_EQUAL(3, ports);
    NS_CHECK(ns_sal_listening_remove(&listening, &services, first, 256));
    NS_EQUAL(3, ports);
    NS_CHECK(ns_sal_listening_remove(&listening, &services, second, 256));
    NS_EQUAL(2, ports);
    NS_CHECK(!ns_sal_listening_found(&listening, false, 80, 7));
    NS_CHECK(ns_sal_listening_found(&listening, true, 80, 8));
}

NS_TEST(hooks_know_the_sockets_of_watched_ports_once) {
    begin(true);
    watch(1, 80, false);
    NS_CHECK(ns_sal_listening_found(&listening, false, 80, 7));
    NS_CHECK(!ns_sal_listening_found(&listening, false, 80, 7));
    NS_CHECK(!ns_sal_listening_found(&listening, false, 81, 8));
    NS_CHECK(!ns_sal_listening_found(&listening, true, 80, 9));
    NS_EQUAL(1, sockets);
}

/* Then sald looks as often as without hooks, because an end may be missed. */
NS_TEST(sockets_beyond_the_hooks_have_sald_look_more_often) {
    begin(true);
    room = 2;
    watch(1, 80, false);
    for (uint64_t cookie = 0; cookie < 2; cookie++)
        NS_CHECK(ns_sal_listening_found(&listening, false, 80, cookie));
    looked(1000);
    NS_EQUAL(1000 + NS_SAL_HOOKED_LOOK_MS, listening.look_at);
    NS_CHECK(!ns_sal_listening_found(&listening, false, 80, 2));
    looked(2000);
    NS_EQUAL(2000 + NS_SAL_LOOK_MS, listening.look_at);
}

/* --- the place of the cgroups --- */

static const char *find(const char *mounts, char *path, size_t size) {
    FILE *file = fmemopen((char *)(uintptr_t)mounts, strlen(mounts), "r");
    bool found = ns_sal_cgroup_find(file, path, size);

    fclose(file);
    return found ? path : "none";
}

#define NS_FINDS(expected, mounts) NS_CHECK(strcmp(expected, find(mounts, path, sizeof path)) == 0)

NS_TEST(the_cgroups_of_version_2_are_found) {
    char path[32];

    NS_FINDS("/sys/fs/cgroup", "22 1 8:1 / / rw - ext4 /dev/sda rw\n"
                               "26 19 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    NS_FINDS("/sys/fs/cgroup/unified", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                                       "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    NS_FINDS("/a b\\c", "41 31 0:38 / /a\\040b\\134c rw shared:1 master:2 - cgroup2 none rw");
    NS_FINDS("/all", "40 31 0:38 /part /some rw - cgroup2 cgroup2 rw\n41 31 0:38 / /all rw - cgroup2 cgroup2 rw\n");
}

NS_TEST(other_mounts_are_none) {
    char path[32];

    NS_FINDS("none", "\n");
    NS_FINDS("none", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    NS_FINDS("none", "32 31 0:29 / /cgroup2 rw - tmpfs cgroup2 rw\n");
    NS_FINDS("none", "32 31 0:29 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"); /* not the whole */
    NS_FINDS("none", "32 31 - cgroup2 cgroup2 rw\n");
    NS_FINDS("none", " - \n - cgroup2\n");
    NS_FINDS("none", "41 31 0:38 / /a/path/that/has/no/room/in/its/place rw - cgroup2 cgroup2 rw\n");
}

int main(void) {
    NS_RUN(without_hooks_a_look_comes_twice_a_second);
    NS_RUN(with_hooks_polls_are_rare_and_what_they_find_is_late);
    NS_RUN(an_event_is_followed_by_some_looks);
    NS_RUN(a_flood_of_events_has_a_bounded_number_of_looks);
    NS_RUN(an_order_ends_no_looks_behind_an_event);
    NS_RUN(a_port_is_watched_until_its_last_service_goes);
    NS_RUN(hooks_know_the_sockets_of_watched_ports_once);
    NS_RUN(sockets_beyond_the_hooks_have_sald_look_more_often);
    NS_RUN(the_cgroups_of_version_2_are_found);
    NS_RUN(other_mounts_are_none);
    return ns_test_end();
}
