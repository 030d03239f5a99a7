/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.h - tells the service manager the state of the node, as sd_notify(3) describes: one datagram of assignments
 * to the socket that NOTIFY_SOCKET names. Without that variable nothing is sent.
 */
#ifndef NS_NOTIFY_H
#define NS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Reads NOTIFY_SOCKET and WATCHDOG_USEC. Returns false, with a line in the log, if the address makes no sense. */
bool ns_notify_open(void);

/* Tells whether a service manager listens. */
bool ns_notify_wanted(void);

/* Returns the period in ms in which the service manager expects WATCHDOG=1; 0 = never. */
uint64_t ns_notify_watchdog(void);

/* Sends assignments such as "READY=1\nSTATUS=...". Does not wait for a manager that no longer listens. */
void ns_notify(const char *assignments);

#endif
