/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reports.h - what a container's host writes to its report descriptor, line by line to the client and to the log; and events.
 *
 * A module can write there, too. So a container has a stock of reports, which grows again with time; while it is used up,
 * nobody reads its pipe: the flood stops in the container, which alone pays for it.
 */
#ifndef NS_REPORTS_H
#define NS_REPORTS_H

#include "container.h"

#define NS_REPORTS_STOCK 32       /* reports in a row */
#define NS_REPORTS_EVERY_MS 1000u /* one more */

/* Sends "event <name> container=<container><format...>" and logs it. */
void ns_reports_event(struct ns_spawner *spawner, const struct ns_container *container, const char *name,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Answers the order to start a container that runs now. */
void ns_reports_started(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket);

/* Is its pipe to be read? */
bool ns_reports_wanted(const struct ns_container *container);

/* Reads the pipe once; false if there was nothing, or nothing can come any more. */
bool ns_reports_read(struct ns_spawner *spawner, struct ns_container *container);

/* Refills the stock; returns when it wants to be called again (ns_now), 0 = never. */
uint64_t ns_reports_tick(struct ns_container *container, uint64_t now);

#endif
