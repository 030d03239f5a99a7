/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.h - tells the service manager how the node is, as sd_notify(3) describes: one datagram of assignments to the
 * socket that NOTIFY_SOCKET names. Without that variable nothing is told.
 */
#ifndef NS_NOTIFY_H
#define NS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Reads NOTIFY_SOCKET and WATCHDOG_USEC. False with a line in the log if the address makes no sense. */
bool ns_notify_open(void);

/* Whether a service manager listens. */
bool ns_notify_wanted(void);

/* How often the service manager wants to hear WATCHDOG=1, in ms; 0 = never. */
uint64_t ns_notify_watchdog(void);

/* Sends assignments such as "READY=1\nSTATUS=..."; a manager that does not listen any more is not waited for. */
void ns_notify(const char *assignments);

#endif
