/* SPDX-License-Identifier: Apache-2.0 */
/* Tests sets of layers as text, and layers that are only left out together. */
#include "ns_layer.h"
#include "ns_test.h"

NS_TEST(every_set_is_read_as_it_is_printed) {
    char text[NS_LAYER_TEXT];
    ns_layer_set set;

    for (ns_layer_set i = 0; i <= NS_LAYER_ALL; i++) {
        ns_layer_print(i, text);
        NS_CHECK(ns_layer_read(&set, text));
        NS_EQUAL(i, set);
    }
}

NS_TEST(all_is_every_one) {
    ns_layer_set set;

    NS_CHECK(ns_layer_read(&set, "all"));
    NS_EQUAL(NS_LAYER_ALL, set);
    NS_CHECK(ns_layer_read(&set, "pid,all"));
    NS_EQUAL(NS_LAYER_ALL, set);
}

NS_TEST(what_is_no_layer_is_refused) {
    static const char *const bad[] = {"none",   "pid,",     "pid,,net",
                                      ",pid",   "pid net",  "PID",
                                      "seccom", "seccompp", "a-name-that-is-longer-than-any-layer-could-be"};
    ns_layer_set set;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        NS_CHECK(!ns_layer_read(&set, bad[i]));
}

NS_TEST(rules_mean_nothing_without_a_network) {
    for (int i = 0; i < NS_LAYER_COUNT; i++) {
        ns_layer_set more = i == NS_LAYER_NET ? NS_LAYER_BIT(NS_LAYER_RULES) : 0;

        NS_EQUAL(NS_LAYER_BIT(i) | more, ns_layer_missing(NS_LAYER_BIT(i)));
    }
    NS_EQUAL(0, ns_layer_missing(0));
}

int main(void) {
    NS_RUN(every_set_is_read_as_it_is_printed);
    NS_RUN(all_is_every_one);
    NS_RUN(what_is_no_layer_is_refused);
    NS_RUN(rules_mean_nothing_without_a_network);
    return ns_test_end();
}
