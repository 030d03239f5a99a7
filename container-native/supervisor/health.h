/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - asks the node again and again whether its daemons answer, and tells the service manager. READY=1 goes
 * out the first time that all answer, WATCHDOG=1 each time after that, STATUS= when the result has changed.
 *
 * One question is a child with the controller's uid and no capability. It asks `health` on admin.sock
 * (docs/protocols/admin.md). The controller's answer includes the answers of spawner and nsis-gist. The supervisor
 * reads only the child's exit status, and never waits.
 */
#ifndef NS_HEALTH_H
#define NS_HEALTH_H

#include "node.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_HEALTH_STARTING_MS 250 /* between two questions until the node is ready */
#define NS_HEALTH_MOST_MS 20000   /* after that, unless the watchdog needs shorter pauses */
#define NS_HEALTH_ANSWER_MS 5000  /* for an answer */

/* The exit status of a question. */
enum ns_health { NS_HEALTH_ALL, NS_HEALTH_NO_CONTROLLER, NS_HEALTH_NO_SPAWNER, NS_HEALTH_NO_SIGNALING };

/* Begins to ask; the first question is due at once. */
void ns_health_open(uint64_t now);

/* Asks, if it is time. Returns the time of the next call, UINT64_MAX = never. */
uint64_t ns_health_tick(const struct ns_node *node, uint64_t now);

/* Takes the end of a child. Returns false if the child was no question. */
bool ns_health_ended(pid_t pid, int status, uint64_t now);

/* Stops asking. */
void ns_health_close(void);

/* Returns the pause before the next question. Pure. */
uint64_t ns_health_pause(bool ready, uint64_t watchdog);

/* Reads the controller's reply to `health`. `signaling` = whether this node has a signaling daemon. Pure. */
enum ns_health ns_health_read(const char *reply, bool signaling);

/* Asks once on the socket at `path`, and waits for the answer. */
enum ns_health ns_health_ask(const char *path, bool signaling);

#endif
