/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filters.h - the verb `filters`, a request of several lines. It replaces the list of filters as a whole, or not at
 * all.
 *
 *     COMING --all lines are there--> WAITING --no other list is being written--> WRITING.
 *
 *     WAITING --another list comes--> error.
 *     WRITING --the rules are there, bpfd has answered--> the list is in force: ok.
 *     WRITING --failed--> the old list is in force: error.
 *
 * One list can be in each of the three states.
 */
#ifndef NS_FILTERS_H
#define NS_FILTERS_H

#include "client.h"
#include "request.h"

struct ns_spawner;

struct ns_lists {
    uint64_t id; /* of the request that is COMING, 0 = none */
    unsigned expected, come;
    struct ns_filter filter[NS_FILTERS_MAX]; /* COMING, then WAITING */
    struct ns_refusal why;                   /* of the first bad line */
    bool waiting, writing;
    struct ns_ticket waits, writes;
    struct ns_filter *old; /* in force before the list that is being written */
    unsigned old_count;
    bool ruled; /* the rules of a list were written once */
};

void ns_filters_begin(struct ns_spawner *spawner, const struct ns_request *request);
void ns_filters_line(struct ns_spawner *spawner, char *text, size_t length);

#endif
