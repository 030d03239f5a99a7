/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs.h"

#include "containers.h"
#include "filters.h"
#include "firewall.h"
#include "job.h"
#include "layers.h"
#include "ns_log.h"
#include "reply.h"
#include "slot.h"
#include "spawner.h"
#include "stats.h"
#include "sysctl.h"

#include <stdlib.h>
#include <string.h>

/* --- the verbs --- */

/* The last `prepare`, while it waits for its rules, its settings, its prefixes, and perhaps for bpfd's features. */
static struct {
    struct ns_ticket ticket;
    char *warnings; /* NULL = none waits */
    uint64_t token; /* of the last `prepare` that came */
    bool ruled;     /* its rules are there */
    bool settled;   /* rp_filter and accept_local of its interfaces have been checked or set */
    bool checked;   /* its prefixes have been held against addresses and routes */
} preparing;

static void prepare_over(void) {
    free(preparing.warnings);
    preparing.warnings = NULL;
}

static void prepared(struct ns_spawner *spawner) {
    bool ready = preparing.warnings != NULL && preparing.ruled && preparing.settled && preparing.checked &&
                 ns_bpfd_known(spawner);
    char *pairs = NULL;
    size_t size;
    FILE *out = ready ? open_memstream(&pairs, &size) : NULL;

    if (out == NULL)
        return;
    ns_line_put(out, "warnings", preparing.warnings);
    ns_reply_put_layers(out, spawner->lacking);
    ns_firewall_put(&spawner->firewall, out);
    ns_line_put(out, "features", spawner->features);
    ns_bpfd_put_own(spawner, out);
    if (fclose(out) == 0)
        ns_reply_ok(spawner, preparing.ticket, pairs);
    free(pairs);
    prepare_over();
}

/* Answers the waiting `prepare` if bpfd's features have become known since the last turn. */
uint64_t ns_verbs_tick(struct ns_spawner *spawner, uint64_t now) {
    (void)now;
    prepared(spawner);
    return UINT64_MAX;
}

static void prepare_ruled(struct ns_spawner *spawner, uint64_t token, const char *why) {
    if (preparing.warnings == NULL || token != preparing.token)
        return;
    preparing.ruled = why[0] == '\0';
    if (preparing.ruled)
        return prepared(spawner);
    ns_reply_error(spawner, preparing.ticket, why);
    prepare_over();
}

/* Appends a warning to the warnings of the waiting `prepare`, separated by a comma. */
static void prepare_warn(const char *warning) {
    char *both = NULL;

    if (warning[0] == '\0' ||
        asprintf(&both, "%s%s%s", preparing.warnings, preparing.warnings[0] != '\0' ? "," : "", warning) < 0)
        return;
    free(preparing.warnings);
    preparing.warnings = both;
}

static void prepare_settled(struct ns_spawner *spawner, const char *warnings) {
    if (preparing.warnings == NULL)
        return;
    prepare_warn(warnings);
    preparing.settled = true;
    prepared(spawner);
}

static void prepare_checked(struct ns_spawner *spawner, const char *warning) {
    if (warning[0] != '\0')
        ns_warn("%s", warning);
    if (preparing.warnings == NULL)
        return;
    prepare_warn(warning);
    preparing.checked = true;
    prepared(spawner);
}

static void put_warning(FILE *out, const char *key, const char *problem) {
    if (problem != NULL)
        fprintf(out, "%s%s: %s", ftell(out) > 0 ? "," : "", key, problem);
}

static void prepare(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    char *warnings = NULL;
    size_t size;
    FILE *out = open_memstream(&warnings, &size);

    if (out == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    put_warning(out, "jobs-net: the kernel does not hold jobs to the addresses they may reach",
                spawner->jobs_lack[0] != '\0' ? spawner->jobs_lack : NULL);
    put_warning(out, "packet-processors", ns_processors_apart(&spawner->processors, request->processors));
    put_warning(out, "containers", ns_prefixes_take(spawner, request));
    ns_bpfd_node(spawner);
    if (fclose(out) != 0) {
        free(warnings);
        return ns_reply_error(spawner, ticket, "out of memory");
    }
    if (preparing.warnings != NULL)
        ns_reply_error(spawner, preparing.ticket, "another prepare took over");
    prepare_over();
    preparing.ticket = ticket;
    preparing.warnings = warnings;
    preparing.ruled = preparing.settled = preparing.checked = false;
    ns_sysctl_prepare(spawner, request, prepare_settled);
    ns_prefixes_check(spawner, prepare_checked);
    ns_firewall_want(spawner, prepare_ruled, ++preparing.token);
}

static void stop(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    struct ns_container *container = ns_container_find(spawner, request->name);

    if (container == NULL)
        return ns_reply_error(spawner, ticket, "container: does not run");
    ns_container_stop(spawner, container, request->grace, request->dump, ticket);
}

static void stats(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    struct ns_container *container = ns_container_find(spawner, request->name);

    if (container == NULL || !ns_container_has_run(container))
        return ns_reply_error(spawner, ticket, "container: does not run");
    ns_stats(spawner, container, ticket);
}

static void list(struct ns_spawner *spawner, struct ns_ticket ticket) {
    const char *comma = "";
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    if (out == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    fputs(" containers=", out);
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL) {
            fprintf(out, "%s%s", comma, spawner->containers[i]->order.name);
            comma = ",";
        }
    }
    fputs(" uids=", out);
    comma = "";
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL) {
            fprintf(out, "%s%u", comma, ns_container_uid(spawner, spawner->containers[i]));
            comma = ",";
        }
    }
    ns_line_put_number(out, "spare-jobs", ns_spare_jobs_ready(spawner));
    ns_line_put_number(out, "loop-slowest", spawner->clock.slowest_us);
    ns_line_put_number(out, "loop-over-10ms", spawner->clock.over);
    ns_line_put(out, "loop-work", spawner->clock.slowest);
    if (fclose(out) == 0)
        ns_reply_ok(spawner, ticket, pairs);
    free(pairs);
}

static void worker(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    char why[160];

    if (!ns_job_start(spawner, request, ticket, why))
        ns_reply_error(spawner, ticket, why);
}

/* --- lines --- */

static void hello(struct ns_spawner *spawner, const struct ns_request *request) {
    if (spawner->client.greeted) {
        ns_reply_refuse(spawner, 0, "hello: a second time");
    } else if (request->major != 1) {
        ns_reply_refuse(spawner, 0, "protocol: major is not 1");
        ns_client_drop(&spawner->client, "protocol");
    } else {
        spawner->client.greeted = true;
    }
}

static void act(struct ns_spawner *spawner, const struct ns_request *request) {
    struct ns_ticket ticket = ns_client_ticket(&spawner->client, request->id);

    if (request->verb == NS_VERB_HELLO)
        return hello(spawner, request);
    if (!spawner->client.greeted) {
        ns_reply_refuse(spawner, request->id, "hello: missing");
        return ns_client_drop(&spawner->client, "no hello");
    }
    if (spawner->stopping)
        return ns_reply_error(spawner, ticket, "the spawner stops");
    ns_clock_work(&spawner->clock, ns_request_verb(request->verb));
    switch (request->verb) {
    case NS_VERB_PREPARE:
        return prepare(spawner, request, ticket);
    case NS_VERB_START:
        return ns_container_start(spawner, request, ticket);
    case NS_VERB_STOP:
        return stop(spawner, request, ticket);
    case NS_VERB_FILTERS:
        return ns_filters_begin(spawner, request);
    case NS_VERB_STATS:
        return stats(spawner, request, ticket);
    case NS_VERB_LIST:
        return list(spawner, ticket);
    case NS_VERB_WORKER:
        return worker(spawner, request, ticket);
    case NS_VERB_SPARES:
        ns_spares_want(spawner, request);
        return ns_reply_ok(spawner, ticket, "");
    case NS_VERB_SPARE_JOBS:
        ns_spare_jobs_want(spawner, request);
        return ns_reply_ok(spawner, ticket, "");
    case NS_VERB_FASTPATH:
        return ns_bpfd_fastpath(spawner, request, ticket);
    case NS_VERB_TALKERS:
        return ns_bpfd_talkers(spawner, request->most, ticket);
    case NS_VERB_FORGET:
        return ns_bpfd_forget_asked(spawner, request->name, ticket);
    case NS_VERB_HELLO:
        break;
    }
}

static void take_line(struct ns_spawner *spawner, char *text, size_t length) {
    static struct ns_request request;
    struct ns_refusal why;
    struct ns_line line;

    if (spawner->lists.id != 0)
        return ns_filters_line(spawner, text, length);
    if (!ns_line_parse(&line, text, length, true)) {
        snprintf(why.text, sizeof why.text, "%s%s%.40s", line.why, line.at[0] != '\0' ? ": " : "", line.at);
        return ns_reply_refuse(spawner, 0, why.text);
    }
    if (ns_request_parse(&request, &line, spawner->ids, &why))
        act(spawner, &request);
    else
        ns_reply_refuse(spawner, request.id, why.text);
}

bool ns_verbs_line(void *context, char *text, size_t length) {
    struct ns_spawner *spawner = context;

    take_line(spawner, text, length);
    return !ns_clock_late(&spawner->clock);
}
