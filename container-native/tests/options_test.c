/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of pktio, and the cache of MTUs. */
#include "mtu.h"
#include "ns_log.h"
#include "ns_test.h"
#include "options.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

static struct ns_options options;

/* Parses the mandatory options and then `more`, words with one space between them. */
static bool parse(const char *more) {
    static char text[512];
    char *argv[64], *rest = text, *word;
    int argc = 1;

    argv[0] = "pktio";
    snprintf(text, sizeof text, "--name x --queue 100 --desc-fd 3 --slots-fd 4 --rx-efd 5 --tx-efd 6 --stats-fd 7%s%s",
             *more != '\0' ? " " : "", more);
    while ((word = strsep(&rest, " ")) != NULL)
        argv[argc++] = word;
    argv[argc] = NULL;
    return ns_options_parse(&options, argc, argv);
}

NS_TEST(what_is_not_said_has_its_preset) {
    NS_CHECK(parse(""));
    NS_CHECK(strcmp(options.name, "x") == 0);
    NS_EQUAL(100, options.queue);
    NS_EQUAL(4096, options.queue_length);
    NS_EQUAL(1024, options.slots);
    NS_EQUAL(3, options.desc_fd);
    NS_EQUAL(7, options.stats_fd);
    NS_EQUAL(-1, options.packets_fd);
    NS_EQUAL(-1, options.copies_fd);
    NS_EQUAL(-1, options.fastpath_fd);
    NS_EQUAL(-1, options.records_fd);
    NS_EQUAL(-1, options.samples_fd);
    NS_EQUAL(0, options.xdp.count);
    NS_EQUAL(-1, options.xdp.raw4);
    NS_EQUAL(-1, options.xdp.raw6);
    NS_EQUAL(200000000, options.limits.deadline);
    NS_EQUAL(5000000000, options.limits.steal);
    NS_EQUAL(64, options.limits.steal_max);
    NS_EQUAL(0x400000, options.limits.turned_mark);
    NS_EQUAL(0, options.rewrite.count);
}

NS_TEST(every_option_is_taken) {
    NS_CHECK(parse(
        "--queue-len 65535 --slots 64 --packets-fd 8 --copies-fd 9 --deadline-ms 10000 --steal-ms 30000 "
        "--steal-max 16384 --fastpath-fd 10 --records-fd 11 --samples-fd 16 --turned-mark 0x80000000 --copy-mark 1 "
        "--rewrite 192.0.2.0/24->198.51.100.1 "
        "--rewrite 2001:db8::/32->2001:db8:1::/48 --xsk 3:0:14 --xsk 2147483647:65535:15 --raw4-fd 12 --raw6-fd 13"));
    NS_EQUAL(65535, options.queue_length);
    NS_EQUAL(64, options.slots);
    NS_EQUAL(8, options.packets_fd);
    NS_EQUAL(9, options.copies_fd);
    NS_EQUAL(10, options.fastpath_fd);
    NS_EQUAL(11, options.records_fd);
    NS_EQUAL(16, options.samples_fd);
    NS_EQUAL(10000000000, options.limits.deadline);
    NS_EQUAL(30000000000, options.limits.steal);
    NS_EQUAL(16384, options.limits.steal_max);
    NS_EQUAL(0x80000000, options.limits.turned_mark);
    NS_EQUAL(1, options.limits.copy_mark);
    NS_EQUAL(2, options.rewrite.count);
    NS_EQUAL(12, options.xdp.raw4);
    NS_EQUAL(13, options.xdp.raw6);
    NS_EQUAL(2, options.xdp.count);
    NS_EQUAL(3, options.xdp.source[0].ifindex);
    NS_EQUAL(0, options.xdp.source[0].queue);
    NS_EQUAL(14, options.xdp.source[0].fd);
    NS_EQUAL(65535, options.xdp.source[1].queue);
}

NS_TEST(values_out_of_range_are_refused) {
    static const char *const bad[] = {
        "--queue 101",
        "--queue 65536",
        "--queue -2",
        "--queue 4294967396",           /* 2^32 + 100 */
        "--queue 18446744073709551716", /* 2^64 + 100 */
        "--queue-len 0",
        "--queue-len 65536",
        "--slots 65",
        "--slots 32",
        "--slots 32768",
        "--desc-fd 2",
        "--desc-fd 2147483648",
        "--packets-fd 0",
        "--deadline-ms 0",
        "--deadline-ms 10001",
        "--steal-ms 30001",
        "--steal-max 16385",
        "--turned-mark 0",
        "--turned-mark 0x100000000",
        "--turned-mark 3",
        "--turned-mark 0x200000",
        "--turned-mark 0x800000",
        "--copy-mark 0x200000",
        "--deadline-ms 5x",
        "--deadline-ms +5",
        "--deadline-ms",
        "--rewrite 192.0.2.0/24",
        "--rewrite 192.0.2.0/33->192.0.2.1",
        "--rewrite 192.0.2.0/24->2001:db8::1",
        "--raw4-fd 2",
        "--xsk 0:0:14",
        "--xsk 3:0",
        "--xsk 3:0:2",
        "--xsk 3:65536:14",
        "--xsk 3:0:14:1",
        "--xsk 3::14",
        "--xsk 99999999999999999999:0:14",
        "--no-such-option 1",
        "word",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (parse(bad[i])) {
            printf("# accepted: %s\n", bad[i]);
            NS_CHECK(!"accepted");
        }
    }
}

NS_TEST(each_mandatory_option_is_missed) {
    static char *const all[] = {"--name", "x",        "--queue", "100",      "--desc-fd", "3",          "--slots-fd",
                                "4",      "--rx-efd", "5",       "--tx-efd", "6",         "--stats-fd", "7"};
    enum { WORDS = sizeof all / sizeof all[0] };

    for (int left_out = 0; left_out < WORDS; left_out += 2) {
        char *argv[WORDS + 1] = {"pktio"};
        int argc = 1;

        for (int i = 0; i < WORDS; i++) {
            if (i / 2 != left_out / 2)
                argv[argc++] = all[i];
        }
        NS_CHECK(!ns_options_parse(&options, argc, argv));
    }
}

NS_TEST(an_mtu_is_asked_once_a_second) {
    struct ns_mtu_cache cache;
    uint32_t lo = if_nametoindex("lo"), none = lo + 60000 / NS_MTU_CACHE * NS_MTU_CACHE, mtu;

    NS_CHECK(lo != 0);
    NS_EQUAL(0, ns_mtu_open(&cache));
    mtu = ns_mtu_get(&cache, lo, 1000);
    NS_CHECK(mtu >= 1280);
    cache.entries[lo % NS_MTU_CACHE].mtu = 7; /* a value that only the cache can give, not the kernel */
    NS_EQUAL(7, ns_mtu_get(&cache, lo, 1000 + 999999999));
    NS_EQUAL(mtu, ns_mtu_get(&cache, lo, 1000 + 1000000000));
    NS_EQUAL(0, ns_mtu_get(&cache, none, 2000000000)); /* the same place */
    NS_EQUAL(mtu, ns_mtu_get(&cache, lo, 2000000000));
    NS_EQUAL(0, ns_mtu_get(&cache, 0, 0));
    ns_mtu_close(&cache);
    NS_EQUAL(-1, cache.fd);
}

int main(void) {
    setenv("NETSERV_LOG", "none", 1);
    ns_log_open("options_test");
    NS_RUN(what_is_not_said_has_its_preset);
    NS_RUN(every_option_is_taken);
    NS_RUN(values_out_of_range_are_refused);
    NS_RUN(each_mandatory_option_is_missed);
    NS_RUN(an_mtu_is_asked_once_a_second);
    return ns_test_end();
}
