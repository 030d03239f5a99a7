/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.h - events, and the reports of containers. A container's host writes reports to its report descriptor. The
 * spawner sends each line to the client and to the log.
 *
 * A module can write to that descriptor, too. So a container has a stock of reports, which grows again with time.
 * While the stock is used up, the spawner does not read the pipe, so a flood blocks only the container that
 * causes it.
 */
#ifndef NS_REPORTS_H
#define NS_REPORTS_H

#include "container.h"

#define NS_REPORTS_STOCK 32       /* reports in a row */
#define NS_REPORTS_EVERY_MS 1000u /* one more */

/* Sends "event <name> container=<container><format...>" and logs it. */
void ns_reports_event(struct ns_spawner *spawner, const struct ns_container *container, const char *name,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Answers the order that started this container, which now runs. */
void ns_reports_started(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket);

/* Tells whether the container's pipe is to be read. */
bool ns_reports_wanted(const struct ns_container *container);

/* Reads the pipe once. False if there was nothing to read, or the pipe has ended. */
bool ns_reports_read(struct ns_spawner *spawner, struct ns_container *container);

/* Refills the stock. Returns the time of the next call (ns_now), 0 = no call is needed. */
uint64_t ns_reports_tick(struct ns_container *container, uint64_t now);

#endif
