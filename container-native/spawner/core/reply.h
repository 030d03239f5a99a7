/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h - lines to the client: answers to its orders, and events. */
#ifndef NS_REPLY_H
#define NS_REPLY_H

#include "client.h"
#include "ns_layer.h"
#include <stdio.h>

struct ns_spawner;

/* Answers an order, unless its client has gone. `pairs` is "" or " key=value...". */
void ns_reply_ok(struct ns_spawner *spawner, struct ns_ticket ticket, const char *pairs);
void ns_reply_error(struct ns_spawner *spawner, struct ns_ticket ticket, const char *reason);

/* Refuses a line of the present client. `id` is 0 if the line has none. */
void ns_reply_refuse(struct ns_spawner *spawner, uint64_t id, const char *reason);

/* Tells a client that has said hello. */
void ns_reply_event(struct ns_spawner *spawner, const char *name, const char *pairs);

/* Adds two lists: the layers without `missing`, and `missing`. */
void ns_reply_put_layers(FILE *out, ns_layer_set missing);

#endif
