/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - asks the node again and again whether its daemons answer, and tells the service manager: READY=1 the
 * first time that all do, WATCHDOG=1 each time after that, STATUS= when something else is missing than before.
 *
 * One question is a child with the controller's uid and no capability. It asks `health` on admin.sock
 * (docs/protocols/admin.md), which the controller answers from what spawner and nsis-gist say. The supervisor sees
 * its exit status alone, and never waits.
 */
#ifndef NS_HEALTH_H
#define NS_HEALTH_H

#include "node.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_HEALTH_STARTING_MS 250 /* between two questions until the node is ready */
#define NS_HEALTH_MOST_MS 20000   /* after that, where no watchdog wants more */
#define NS_HEALTH_ANSWER_MS 5000  /* for an answer */

/* The exit status of a question. */
enum ns_health { NS_HEALTH_ALL, NS_HEALTH_NO_CONTROLLER, NS_HEALTH_NO_SPAWNER, NS_HEALTH_NO_SIGNALING };

/* Begins; the first question is due at once. */
void ns_health_open(uint64_t now);

/* Asks, if it is time; returns when to come again, UINT64_MAX = never. */
uint64_t ns_health_tick(const struct ns_node *node, uint64_t now);

/* Takes the end of a child; false if the child was no question. */
bool ns_health_ended(pid_t pid, int status, uint64_t now);

/* No question after this. */
void ns_health_close(void);

/* How long to wait until the next question. Pure. */
uint64_t ns_health_pause(bool ready, uint64_t watchdog);

/* Reads the controller's reply to `health`. `signaling` = whether this node has a signaling daemon. Pure. */
enum ns_health ns_health_read(const char *reply, bool signaling);

/* Asks once on the socket at `path`, and waits for the answer. */
enum ns_health ns_health_ask(const char *path, bool signaling);

#endif
