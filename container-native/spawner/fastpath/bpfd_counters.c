/* SPDX-License-Identifier: Apache-2.0 */
/* bpfd_counters.c - asks bpfd for counters. */
#include "bpfd_wire.h"
#include "containers.h"
#include "reply.h"
#include "spawner.h"
#include <stdlib.h>
#include <string.h>

static void stats_done(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                       int gives[NS_BPFD_GIVES]) {
    struct ns_bpfd_waiting *waiting = ns_bpfd_waiting(token), was = *waiting;
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    (void)gives;
    free(waiting);
    for (unsigned i = 0; out != NULL && answer != NULL && i < answer->count; i++) {
        const char *key = answer->pairs[i].key;
        bool whole = strcmp(key, "flows") == 0 || strncmp(key, "steer", 5) == 0 || strncmp(key, "relay", 5) == 0 ||
                     strncmp(key, "serval", 6) == 0 || strncmp(key, "answers", 7) == 0;

        if (strcmp(key, "id") != 0)
            fprintf(out, " %s%s=%s", whole ? "" : "flows-", key, answer->pairs[i].value);
    }
    if (out != NULL)
        fclose(out);
    was.stats(spawner, was.ticket, was.serial, pairs == NULL ? "" : pairs);
    free(pairs);
}

void ns_bpfd_stats(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket,
                   ns_bpfd_stats_done done) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct ns_bpfd_waiting *waiting = NULL;
    char *text;

    if (container->grant.pktio_fd >= 0 && ns_bpfd_there(child))
        waiting =
            ns_bpfd_wait_for((struct ns_bpfd_waiting){.ticket = ticket, .serial = container->serial, .stats = done});
    if (waiting == NULL)
        return done(spawner, ticket, container->serial, "");
    if (asprintf(&text, "stats id=%llu container=%s", (unsigned long long)++child->id, container->order.name) < 0)
        text = NULL;
    ns_bpfd_give(spawner, child->id, text, NULL, 0, 0, stats_done, (uintptr_t)waiting);
}

static void talkers_done(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                         int gives[NS_BPFD_GIVES]) {
    struct ns_bpfd_waiting *waiting = ns_bpfd_waiting(token), was = *waiting;
    char *pairs = NULL;
    size_t size;
    FILE *out = answer == NULL ? NULL : open_memstream(&pairs, &size);

    (void)gives;
    free(waiting);
    for (unsigned i = 0; out != NULL && i < answer->count; i++) {
        if (strcmp(answer->pairs[i].key, "id") != 0)
            ns_line_put(out, answer->pairs[i].key, answer->pairs[i].value);
    }
    if (out != NULL && fclose(out) == 0)
        ns_reply_ok(spawner, was.ticket, pairs);
    else
        ns_reply_error(spawner, was.ticket, answer == NULL ? NS_BPFD_NOT_THERE : "out of memory");
    free(pairs);
}

void ns_bpfd_talkers(struct ns_spawner *spawner, uint64_t most, struct ns_ticket ticket) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct ns_bpfd_waiting *waiting;
    char *text;

    if (!ns_bpfd_there(child))
        return ns_reply_error(spawner, ticket, NS_BPFD_NOT_THERE);
    waiting = ns_bpfd_wait_for((struct ns_bpfd_waiting){.ticket = ticket});
    if (waiting == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    if (asprintf(&text, "talkers id=%llu most=%llu", (unsigned long long)++child->id, (unsigned long long)most) < 0)
        text = NULL;
    ns_bpfd_give(spawner, child->id, text, NULL, 0, 0, talkers_done, (uintptr_t)waiting);
}
