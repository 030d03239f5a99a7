/* SPDX-License-Identifier: Apache-2.0 */
#include "reply.h"

#include "ns_line.h"
#include "ns_log.h"
#include "spawner.h"

#include <stdio.h>
#include <stdlib.h>

/* Sends "<head><pairs>" as one line. */
static void send_line(struct ns_spawner *spawner, const char *head, const char *pairs) {
    char *line = NULL;

    if (asprintf(&line, "%s%s", head, pairs) < 0)
        return;
    ns_client_send(&spawner->client, line);
    free(line);
}

void ns_reply_ok(struct ns_spawner *spawner, struct ns_ticket ticket, const char *pairs) {
    char head[40];

    if (!ns_client_holds(&spawner->client, ticket))
        return;
    snprintf(head, sizeof head, "ok id=%llu", (unsigned long long)ticket.id);
    send_line(spawner, head, pairs);
}

void ns_reply_refuse(struct ns_spawner *spawner, uint64_t id, const char *reason) {
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

void ns_reply_error(struct ns_spawner *spawner, struct ns_ticket ticket, const char *reason) {
    if (ns_client_holds(&spawner->client, ticket))
        ns_reply_refuse(spawner, ticket.id, reason);
}

void ns_reply_event(struct ns_spawner *spawner, const char *name, const char *pairs) {
    char head[40];

    if (!spawner->client.greeted)
        return;
    snprintf(head, sizeof head, "event %s", name);
    send_line(spawner, head, pairs);
}

void ns_reply_put_layers(FILE *out, ns_layer_set missing) {
    char text[NS_LAYER_TEXT];

    ns_layer_print(NS_LAYER_ALL & ~missing, text);
    ns_line_put(out, "layers", text);
    ns_layer_print(missing, text);
    ns_line_put(out, "missing", text);
}
