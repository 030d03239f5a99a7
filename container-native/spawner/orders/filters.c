/* SPDX-License-Identifier: Apache-2.0 */
#include "filters.h"

#include "firewall.h"
#include "ns_line.h"
#include "ns_log.h"
#include "reply.h"
#include "spawner.h"
#include <stdlib.h>
#include <string.h>

/* Returns true if two lists have the same rules. Claims are ignored, because the rules do not contain them. */
static bool same_rules(const struct ns_filter *a, const struct ns_filter *b, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct ns_filter one = a[i];

        one.claim = b[i].claim;
        if (memcmp(&one, &b[i], sizeof one) != 0)
            return false;
    }
    return true;
}

static void write_list(struct ns_spawner *spawner);

/* Ends the writing of a list. The list that waits, if there is one, is next. */
static void end(struct ns_spawner *spawner) {
    struct ns_lists *lists = &spawner->lists;

    free(lists->old);
    lists->old = NULL;
    lists->writing = false;
    if (lists->waiting)
        write_list(spawner);
}

static void put_back(struct ns_spawner *spawner) {
    struct ns_lists *lists = &spawner->lists;

    memcpy(spawner->filter, lists->old, sizeof spawner->filter);
    spawner->filters = lists->old_count;
    ns_firewall_want(spawner, NULL, 0);
}

/*
 * Answers the request once bpfd has answered. Until then the kernel may still have a flow of the old list, and the
 * new list does not count.
 */
static void told(struct ns_spawner *spawner, uint64_t token) {
    (void)token;
    ns_reply_ok(spawner, spawner->lists.writes, "");
    end(spawner);
}

static void written(struct ns_spawner *spawner, uint64_t token, const char *why) {
    struct ns_lists *lists = &spawner->lists;

    (void)token; /* one list is written at a time */
    if (why[0] != '\0') {
        put_back(spawner);
        ns_reply_error(spawner, lists->writes, why);
        return end(spawner);
    }
    lists->ruled = true;
    ns_bpfd_planes(spawner);
    ns_bpfd_filters_then(spawner, told, 0);
}

static void write_list(struct ns_spawner *spawner) {
    struct ns_lists *lists = &spawner->lists;
    bool same;

    lists->waiting = false;
    lists->old = malloc(sizeof spawner->filter);
    if (lists->old == NULL)
        return ns_reply_error(spawner, lists->waits, "out of memory");
    lists->writing = true;
    lists->writes = lists->waits;
    lists->old_count = spawner->filters;
    memcpy(lists->old, spawner->filter, sizeof spawner->filter);
    same = lists->ruled && spawner->filters == lists->expected &&
           same_rules(spawner->filter, lists->filter, lists->expected);
    memcpy(spawner->filter, lists->filter, sizeof spawner->filter);
    spawner->filters = lists->expected;
    if (same)
        written(spawner, 0, "");
    else
        ns_firewall_want(spawner, written, 0);
}

/* Takes a list when all its lines have come: refuses it, lets it wait, or writes it. */
static void complete(struct ns_spawner *spawner) {
    struct ns_lists *lists = &spawner->lists;

    lists->waits = ns_client_ticket(&spawner->client, lists->id);
    lists->id = 0;
    if (lists->why.text[0] != '\0')
        return ns_reply_error(spawner, lists->waits, lists->why.text);
    lists->waiting = true;
    if (!lists->writing)
        write_list(spawner);
}

void ns_filters_begin(struct ns_spawner *spawner, const struct ns_request *request) {
    struct ns_lists *lists = &spawner->lists;

    if (lists->waiting)
        ns_reply_error(spawner, lists->waits, "filters: another list took over");
    lists->waiting = false;
    lists->id = request->id;
    lists->expected = (unsigned)request->count;
    lists->come = 0;
    lists->why.text[0] = '\0';
    if (request->count == 0)
        complete(spawner);
}

void ns_filters_line(struct ns_spawner *spawner, char *text, size_t length) {
    struct ns_lists *lists = &spawner->lists;
    struct ns_filter *filter = &lists->filter[lists->come++];
    struct ns_refusal why;
    struct ns_line line;
    bool good = ns_line_parse(&line, text, length, false);

    if (!good)
        snprintf(why.text, sizeof why.text, "%s %.40s", line.why, line.at);
    else
        good = ns_request_filter(filter, &line, &why);
    if (!good && lists->why.text[0] == '\0')
        snprintf(lists->why.text, sizeof lists->why.text, "filter %u: %.160s", lists->come, why.text);
    if (lists->come == lists->expected)
        complete(spawner);
}
