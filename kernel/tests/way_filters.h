/* SPDX-License-Identifier: Apache-2.0 */
/* way_filters.h - gives bpfd the filters of ways, from lines such as the
 * spawner writes. */
#ifndef NS_TEST_WAY_FILTERS_H
#define NS_TEST_WAY_FILTERS_H

#include "flows.h"
#include "ns_test.h"
#include <string.h>

static inline void filter_ways(struct ns_bpfd *bpfd, unsigned count, const char *const *lines) {
    static struct ns_way_filters list;

    list.count = count;
    for (unsigned i = 0; i < count; i++) {
        char copy[256];
        struct ns_line line;
        const char *why;

        strcpy(copy, lines[i]);
        NS_CHECK(ns_line_parse(&line, copy, strlen(copy), false) && ns_way_parse(&list.filter[i], &line, &why));
    }
    ns_flows_filter(bpfd, &list);
}

#endif
