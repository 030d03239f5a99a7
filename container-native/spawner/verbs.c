/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.c - one function per verb; see docs/protocols/spawner.md. */
#include "container.h"
#include "job.h"
#include "layers.h"
#include "ns_log.h"
#include "spawner.h"
#include "stats.h"
#include "sysctl.h"

#include <stdlib.h>
#include <string.h>

/* Sends "<head><pairs>" as one line. */
static void send_line(struct ns_spawner *spawner, const char *head, const char *pairs) {
    char *line = NULL;

    if (asprintf(&line, "%s%s", head, pairs) < 0)
        return;
    ns_client_send(&spawner->client, line);
    free(line);
}

void ns_verbs_ok(struct ns_spawner *spawner, struct ns_ticket ticket, const char *pairs) {
    char head[40];

    if (!ns_client_holds(&spawner->client, ticket))
        return;
    snprintf(head, sizeof head, "ok id=%llu", (unsigned long long)ticket.id);
    send_line(spawner, head, pairs);
}

static void send_error(struct ns_spawner *spawner, uint64_t id, const char *reason) {
    char *pairs = NULL, head[40];
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    if (out == NULL)
        return;
    ns_line_put(out, "reason", reason);
    if (fclose(out) == 0) {
        snprintf(head, sizeof head, "error id=%llu", (unsigned long long)id);
        send_line(spawner, head, pairs);
    }
    free(pairs);
    ns_warn("refused: %s", reason);
}

void ns_verbs_error(struct ns_spawner *spawner, struct ns_ticket ticket, const char *reason) {
    if (ns_client_holds(&spawner->client, ticket))
        send_error(spawner, ticket.id, reason);
}

void ns_verbs_event(struct ns_spawner *spawner, const char *name, const char *pairs) {
    char head[40];

    if (!spawner->client.greeted)
        return;
    snprintf(head, sizeof head, "event %s", name);
    send_line(spawner, head, pairs);
}

/* What a container has that does without `missing`, and what it does not have. */
static void put_layers(FILE *out, ns_layer_set missing) {
    char text[NS_LAYER_TEXT];

    ns_layer_print(NS_LAYER_ALL & ~missing, text);
    ns_line_put(out, "layers", text);
    ns_layer_print(missing, text);
    ns_line_put(out, "missing", text);
}

/* --- the verbs --- */

/* A `prepare` that waits, perhaps, for what bpfd can do; the last one that came. */
static struct {
    struct ns_ticket ticket;
    char *pairs; /* NULL = none waits */
} preparing;

void ns_verbs_prepared(struct ns_spawner *spawner) {
    char *pairs = NULL;
    size_t size;
    FILE *out = preparing.pairs == NULL ? NULL : open_memstream(&pairs, &size);

    if (out == NULL)
        return;
    fputs(preparing.pairs, out);
    ns_line_put(out, "features", spawner->features);
    ns_bpfd_put_own(spawner, out);
    if (fclose(out) == 0)
        ns_verbs_ok(spawner, preparing.ticket, pairs);
    free(pairs);
    free(preparing.pairs);
    preparing.pairs = NULL;
}

static void prepare(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    char *warnings = NULL, *pairs = NULL;
    const char *problem;
    size_t size;
    FILE *out = open_memstream(&warnings, &size);

    if (out == NULL)
        return ns_verbs_error(spawner, ticket, "out of memory");
    ns_sysctl_prepare(request->interface, request->interfaces, request->set, spawner->saved_sysctls, out);
    problem = ns_processors_apart(&spawner->processors, request->processors);
    if (problem != NULL)
        fprintf(out, "%spacket-processors: %s", ftell(out) > 0 ? "," : "", problem);
    if (fclose(out) != 0 || (out = open_memstream(&pairs, &size)) == NULL) {
        free(warnings);
        return ns_verbs_error(spawner, ticket, "out of memory");
    }
    ns_line_put(out, "warnings", warnings);
    put_layers(out, spawner->lacking);
    free(warnings);
    if (fclose(out) != 0 || ns_spawner_rules(spawner) != 0) {
        free(pairs);
        return ns_verbs_error(spawner, ticket, "rules: see the spawner's log");
    }
    free(preparing.pairs);
    preparing.ticket = ticket;
    preparing.pairs = pairs;
    if (ns_bpfd_known(spawner))
        ns_verbs_prepared(spawner);
}

static void start(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    struct ns_container *container;
    char why[160], *pairs = NULL;
    size_t size;
    FILE *out;

    container = ns_container_start(spawner, request, why);
    if (container == NULL)
        return ns_verbs_error(spawner, ticket, why);
    out = open_memstream(&pairs, &size);
    if (out == NULL)
        return ns_verbs_error(spawner, ticket, "out of memory");
    ns_line_put_number(out, "pid", (unsigned long long)container->host);
    ns_line_put_number(out, "pktio", (unsigned long long)container->pktio.pid);
    put_layers(out, container->missing);
    ns_line_put_number(out, "uid", ns_container_uid(spawner, container));
    if (container->slot >= 0)
        ns_line_put_number(out, "spare", 1);
    if (fclose(out) == 0)
        ns_verbs_ok(spawner, ticket, pairs);
    free(pairs);
}

static void stop(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    struct ns_container *container = ns_container_find(spawner, request->name);

    if (container == NULL)
        return ns_verbs_error(spawner, ticket, "container: does not run");
    ns_container_stop(spawner, container, request->grace, request->dump, ticket);
}

static void stats(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    struct ns_container *container = ns_container_find(spawner, request->name);
    char *pairs = NULL;
    size_t size;
    FILE *out;

    if (container == NULL)
        return ns_verbs_error(spawner, ticket, "container: does not run");
    out = open_memstream(&pairs, &size);
    if (out == NULL)
        return ns_verbs_error(spawner, ticket, "out of memory");
    ns_stats_print(spawner, container, out);
    if (fclose(out) == 0)
        ns_verbs_ok(spawner, ticket, pairs);
    free(pairs);
}

static void list(struct ns_spawner *spawner, struct ns_ticket ticket) {
    const char *comma = "";
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    if (out == NULL)
        return ns_verbs_error(spawner, ticket, "out of memory");
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
    if (fclose(out) == 0)
        ns_verbs_ok(spawner, ticket, pairs);
    free(pairs);
}

static void worker(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    char why[160];

    if (!ns_job_start(spawner, request, ticket, why))
        ns_verbs_error(spawner, ticket, why);
}

static void fastpath(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    char why[160], *pairs = NULL;

    if (ns_bpfd_fastpath(spawner, request, &pairs, why) != 0)
        return ns_verbs_error(spawner, ticket, why);
    ns_verbs_ok(spawner, ticket, pairs);
    free(pairs);
}

/* --- filters: a request of several lines --- */

/* The firewall's rules know nothing of whose a filter is. */
static bool same_rules(const struct ns_filter *a, const struct ns_filter *b, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        struct ns_filter one = a[i];

        one.claim = b[i].claim;
        if (memcmp(&one, &b[i], sizeof one) != 0)
            return false;
    }
    return true;
}

/* All lines have come: the list is replaced as a whole, or not at all. */
static void filters_complete(struct ns_spawner *spawner) {
    struct ns_ticket ticket = ns_client_ticket(&spawner->client, spawner->pending_id);
    unsigned count = spawner->filters;
    struct ns_filter *old;
    bool same;

    spawner->pending_id = 0;
    if (spawner->pending_why.text[0] != '\0')
        return ns_verbs_error(spawner, ticket, spawner->pending_why.text);
    old = malloc(sizeof spawner->filter);
    if (old == NULL)
        return ns_verbs_error(spawner, ticket, "out of memory");
    memcpy(old, spawner->filter, sizeof spawner->filter);
    same = spawner->ruled && count == spawner->pending_count && same_rules(old, spawner->pending_filter, count);
    memcpy(spawner->filter, spawner->pending_filter, sizeof spawner->filter);
    spawner->filters = spawner->pending_count;
    if (same || ns_spawner_rules(spawner) == 0) {
        spawner->ruled = true;
        ns_bpfd_filters(spawner);
        ns_bpfd_planes(spawner);
        ns_verbs_ok(spawner, ticket, "");
    } else {
        memcpy(spawner->filter, old, sizeof spawner->filter);
        spawner->filters = count;
        if (ns_spawner_rules(spawner) != 0)
            ns_error("the old filters could not be put back");
        ns_verbs_error(spawner, ticket, "rules: see the spawner's log");
    }
    free(old);
}

static void filters_begin(struct ns_spawner *spawner, const struct ns_request *request) {
    spawner->pending_id = request->id;
    spawner->pending_count = (unsigned)request->count;
    spawner->pending_filters = 0;
    spawner->pending_why.text[0] = '\0';
    if (request->count == 0)
        filters_complete(spawner);
}

static void filters_line(struct ns_spawner *spawner, char *text, size_t length) {
    struct ns_filter *filter = &spawner->pending_filter[spawner->pending_filters++];
    struct ns_refusal why;
    struct ns_line line;
    bool good = ns_line_parse(&line, text, length, false);

    if (!good)
        snprintf(why.text, sizeof why.text, "%s %.40s", line.why, line.at);
    else
        good = ns_request_filter(filter, &line, &why);
    if (!good && spawner->pending_why.text[0] == '\0')
        snprintf(spawner->pending_why.text, sizeof spawner->pending_why.text, "filter %u: %.160s",
                 spawner->pending_filters, why.text);
    if (spawner->pending_filters == spawner->pending_count)
        filters_complete(spawner);
}

/* --- lines --- */

static void hello(struct ns_spawner *spawner, const struct ns_request *request) {
    if (spawner->client.greeted) {
        send_error(spawner, 0, "hello: a second time");
    } else if (request->major != 1) {
        send_error(spawner, 0, "protocol: major is not 1");
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
        send_error(spawner, request->id, "hello: missing");
        return ns_client_drop(&spawner->client, "no hello");
    }
    if (spawner->stopping)
        return ns_verbs_error(spawner, ticket, "the spawner stops");
    switch (request->verb) {
    case NS_VERB_PREPARE:
        return prepare(spawner, request, ticket);
    case NS_VERB_START:
        return start(spawner, request, ticket);
    case NS_VERB_STOP:
        return stop(spawner, request, ticket);
    case NS_VERB_FILTERS:
        return filters_begin(spawner, request);
    case NS_VERB_STATS:
        return stats(spawner, request, ticket);
    case NS_VERB_LIST:
        return list(spawner, ticket);
    case NS_VERB_WORKER:
        return worker(spawner, request, ticket);
    case NS_VERB_SPARES:
        ns_spares_want(spawner, request);
        return ns_verbs_ok(spawner, ticket, "");
    case NS_VERB_FASTPATH:
        return fastpath(spawner, request, ticket);
    case NS_VERB_HELLO:
        break;
    }
}

void ns_verbs_line(void *context, char *text, size_t length) {
    static struct ns_request request;
    struct ns_spawner *spawner = context;
    struct ns_refusal why;
    struct ns_line line;

    if (spawner->pending_id != 0)
        return filters_line(spawner, text, length);
    if (!ns_line_parse(&line, text, length, true)) {
        snprintf(why.text, sizeof why.text, "%s%s%.40s", line.why, line.at[0] != '\0' ? ": " : "", line.at);
        return send_error(spawner, 0, why.text);
    }
    if (ns_request_parse(&request, &line, spawner->ids, &why))
        act(spawner, &request);
    else
        send_error(spawner, request.id, why.text);
}
