/* SPDX-License-Identifier: Apache-2.0 */
/* pktio_life.c - the pktio of a container: asked for, started, away, watched, started again. */
#include "container.h"
#include "host.h"
#include "life.h"
#include "ns_log.h"
#include "reports.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static bool has_pktio(const struct ns_container *container) {
    return !container->spare && container->life >= NS_STARTING && container->life <= NS_ENDING;
}

/* Tries pktio again later. Fails the container instead if its start waits for pktio. */
static void pktio_failed(struct ns_spawner *spawner, struct ns_container *container, const char *why) {
    ns_queues_release(&container->pktio.queues);
    if (!has_pktio(container))
        return ns_life_ended(spawner, container);
    if (container->life == NS_STARTING)
        return ns_life_fail(spawner, container, why);
    ns_error("%s: pktio: %s", container->order.name, why);
    container->pktio.at = ns_now() + NS_READER_WAIT_MOST_MS;
}

static void pktio_started(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    if (pid < 0)
        return pktio_failed(spawner, container, why);
    ns_reader_started(&container->pktio, pid, ns_now());
    if (!has_pktio(container))
        kill(pid, SIGTERM);
    else if (container->life != NS_STARTING)
        ns_reports_event(spawner, container, "pktio-started", " pid=%d", (int)pid);
    else if (ns_life_was_spare(container))
        ns_container_move(spawner, container, NS_ADOPTING, NULL);
    else
        ns_life_start_host(spawner, container);
}

static void launch_pktio(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    if (ns_queues_open(&container->pktio.queues, (uint16_t)container->order.queue, true) != 0) {
        snprintf(why, sizeof why, "netlink sockets: %s", strerror(errno));
        return pktio_failed(spawner, container, why);
    }
    if (ns_packets_start(spawner, container, ns_life_time_left(container), pktio_started, why) != 0)
        return pktio_failed(spawner, container, why);
    container->tasks++;
}

void ns_life_bring_pktio(struct ns_spawner *spawner, struct ns_container *container) {
    container->pktio.at = 0;
    container->granted = false;
    container->granting = ns_bpfd_grant(spawner, container);
    if (!container->granting)
        launch_pktio(spawner, container);
}

void ns_life_end_grant(struct ns_spawner *spawner, struct ns_container *container) {
    container->granting = false;
    if (has_pktio(container))
        launch_pktio(spawner, container);
}

void ns_life_renew_pktio(struct ns_container *container) {
    container->renew = false;
    if (container->pktio.pid == 0 || container->life != NS_RUNNING)
        return;
    ns_info("%s: pktio starts again, with what the fast path is now", container->order.name);
    kill(container->pktio.pid, SIGTERM);
}

void ns_life_pktio_ended(struct ns_spawner *spawner, struct ns_container *container, int status) {
    uint64_t released = ns_reader_ended(&container->pktio, ns_now());
    char text[24];

    if (container->life == NS_DRAINING) {
        container->held = __atomic_load_n(&container->counters->held, __ATOMIC_RELAXED) + released;
        return ns_life_ended(spawner, container);
    }
    ns_life_print_status(status, text);
    ns_reports_event(spawner, container, "pktio-exited", " status=%s held=%llu", text, (unsigned long long)released);
}

static void watch_pktio(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    uint64_t heartbeat = __atomic_load_n(&container->counters->heartbeat, __ATOMIC_RELAXED);
    uint64_t held = __atomic_load_n(&container->counters->held, __ATOMIC_RELAXED), waiting;

    if (ns_reader_watch(&container->pktio, heartbeat, held, now, &waiting))
        ns_reports_event(spawner, container, "pktio-hung", " waiting=%llu", (unsigned long long)waiting);
}

uint64_t ns_life_tick_pktio(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    if (!has_pktio(container))
        return UINT64_MAX;
    if (container->pktio.at != 0 && now >= container->pktio.at && container->life != NS_STARTING)
        ns_life_bring_pktio(spawner, container);
    if (container->pktio.pid != 0) {
        watch_pktio(spawner, container, now);
        return now + NS_READER_WATCH_MS;
    }
    return ns_sooner(UINT64_MAX, container->pktio.at);
}
