/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"

#include "containers.h"
#include "ns_log.h"
#include "reply.h"
#include "slot.h"
#include "spawner.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ns_reports_event(struct ns_spawner *spawner, const struct ns_container *container, const char *name,
                      const char *format, ...) {
    char pairs[512];
    va_list arguments;
    int n = snprintf(pairs, sizeof pairs, " container=%s", container->order.name);

    va_start(arguments, format);
    vsnprintf(pairs + n, sizeof pairs - (size_t)n, format, arguments);
    va_end(arguments);
    ns_info("event %s%s", name, pairs);
    ns_reply_event(spawner, name, pairs);
}

void ns_reports_started(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket) {
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    if (out == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    ns_line_put_number(out, "pid", (unsigned long long)container->host);
    ns_line_put_number(out, "pktio", (unsigned long long)container->pktio.pid);
    ns_reply_put_layers(out, container->missing);
    ns_line_put_number(out, "uid", ns_container_uid(spawner, container));
    if (container->slot >= 0)
        ns_line_put_number(out, "spare", 1);
    if (fclose(out) == 0)
        ns_reply_ok(spawner, ticket, pairs);
    free(pairs);
}

static void tell(struct ns_spawner *spawner, const struct ns_container *container) {
    char *pairs = NULL;
    size_t size;
    FILE *out = open_memstream(&pairs, &size);

    ns_info("%s: report %s", container->order.name, container->report);
    if (out == NULL)
        return;
    ns_line_put(out, "container", container->order.name);
    ns_line_put(out, "text", container->report);
    if (fclose(out) == 0)
        ns_reply_event(spawner, "report", pairs);
    free(pairs);
}

/*
 * Handles the reports that are for the spawner alone: "booted", all reports of a spare, and "adopted", the last
 * of these. Foreign code runs only after "booted". The CPU quota holds from that report on, even if foreign code
 * forges it.
 */
static bool for_us(struct ns_container *container) {
    bool becomes = !container->spare && container->slot >= 0 && !container->adopted;

    if (strcmp(container->report, "kind=booted") == 0) {
        container->booted = true;
        if (container->cpu_at != 0)
            container->cpu_at = ns_now();
    } else if (becomes && strcmp(container->report, "kind=adopted") == 0) {
        container->adopted = true;
        ns_info("%s: report %s", container->order.name, container->report);
        return true;
    } else if (!container->spare) {
        return false;
    }
    ns_info("%s: report %s", container->order.name, container->report);
    return true;
}

static void line(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->report_used == 0)
        return;
    container->report[container->report_used] = '\0';
    container->report_used = 0;
    if (for_us(container))
        return;
    if (container->life == NS_DUMPING && strncmp(container->report, "kind=dump ", 10) == 0)
        container->life_at = ns_now();
    if (container->report_stock == 0) {
        container->reports_lost++;
        return;
    }
    container->report_stock--;
    tell(spawner, container);
}

/* Reads nothing before the state ADOPTING. The client must not hear of a container before `start` is answered. */
bool ns_reports_wanted(const struct ns_container *container) {
    return container->life >= NS_ADOPTING && container->report_fd >= 0 && container->report_stock > 0;
}

/* Cuts lines that are too long, and replaces characters that are not printable by '?'. */
bool ns_reports_read(struct ns_spawner *spawner, struct ns_container *container) {
    char chunk[512];
    ssize_t n = container->report_fd < 0 ? 0 : read(container->report_fd, chunk, sizeof chunk);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        if (container->report_fd >= 0)
            close(container->report_fd);
        container->report_fd = -1;
        return false;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (chunk[i] == '\n')
            line(spawner, container);
        else if (container->report_used < sizeof container->report - 1)
            container->report[container->report_used++] = chunk[i] >= 0x20 && chunk[i] < 0x7f ? chunk[i] : '?';
    }
    return true;
}

uint64_t ns_reports_tick(struct ns_container *container, uint64_t now) {
    bool empty = container->report_stock == 0;

    while (container->report_stock < NS_REPORTS_STOCK && now >= container->report_at + NS_REPORTS_EVERY_MS) {
        container->report_stock++;
        container->report_at += NS_REPORTS_EVERY_MS;
    }
    if (container->report_stock == NS_REPORTS_STOCK)
        container->report_at = now;
    if (empty && container->report_stock > 0 && container->reports_lost > 0) {
        ns_warn("%s: too many reports, %llu lost", container->order.name, (unsigned long long)container->reports_lost);
        container->reports_lost = 0;
    }
    return container->report_fd >= 0 && container->report_stock == 0 ? container->report_at + NS_REPORTS_EVERY_MS : 0;
}
