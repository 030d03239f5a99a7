/* SPDX-License-Identifier: Apache-2.0 */
/* container_end.c - the end of a container, from DUMPING to CLEARING: nothing of it is left, and the client hears. */
#include "bpfd.h"
#include "cgroup.h"
#include "container.h"
#include "containers.h"
#include "firewall.h"
#include "life.h"
#include "ns_log.h"
#include "parts.h"
#include "reply.h"
#include "reports.h"
#include "spare.h"
#include "spawner.h"
#include "task.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define EMPTY_MS 5000  /* to kill the processes in its cgroup */
#define CLEAR_MS 30000 /* to unmount its file system, which is written back, and to remove all other parts */

void ns_life_print_status(int status, char text[24]) {
    if (WIFEXITED(status))
        snprintf(text, 24, "exit:%d", WEXITSTATUS(status));
    else
        snprintf(text, 24, "signal:%d", WTERMSIG(status));
}

static void signal_host(const struct ns_container *container, int signal) {
    if (container->host > 0 && kill(container->host, signal) != 0)
        ns_warn("%s: signal %d: %s", container->order.name, signal, strerror(errno));
}

void ns_life_dump(struct ns_spawner *spawner, struct ns_container *container) {
    (void)spawner;
    signal_host(container, SIGQUIT);
}

void ns_life_dumped(struct ns_spawner *spawner, struct ns_container *container) {
    ns_container_move(spawner, container, NS_ENDING, NULL);
}

void ns_life_terminate(struct ns_spawner *spawner, struct ns_container *container) {
    (void)spawner;
    container->life_at = ns_now() + container->order.grace;
    signal_host(container, SIGTERM);
}

void ns_life_grace_over(struct ns_spawner *spawner, struct ns_container *container) {
    ns_warn("%s: did not end in %llu ms: killed", container->order.name, (unsigned long long)container->order.grace);
    ns_container_move(spawner, container, NS_KILLED, NULL);
}

static int empty_cgroup(void *context, char why[160]) {
    struct ns_container *container = context;

    (void)why;
    ns_cgroup_kill(&container->host_cgroup);
    return ns_cgroup_oom(&container->host_cgroup) > 0;
}

/*
 * Reads the last reports. The loop ends: no process is left to write to the pipe, and the pipe holds a limited number
 * of bytes.
 */
static void read_last(struct ns_spawner *spawner, struct ns_container *container) {
    while (container->life == NS_DRAINING && !container->failed && ns_reports_read(spawner, container))
        continue;
}

static void emptied(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    container->emptying = false;
    container->oom |= result == 1;
    if (result < 0)
        ns_warn("%s: its cgroup: %s", container->order.name, why);
    read_last(spawner, container);
    ns_life_ended(spawner, container);
}

/*
 * Kills the processes in its cgroup, and asks whether one was killed for lack of memory. The container goes on to the
 * next state when that is done. The task has an owner of its own, so that it is not cancelled with the others.
 */
static void empty(struct ns_spawner *spawner, struct ns_container *container) {
    const struct ns_task_order order = {.name = "empty",
                                        .work = empty_cgroup,
                                        .done = emptied,
                                        .context = container,
                                        .owner = &container->host_cgroup,
                                        .deadline_ms = EMPTY_MS};
    char why[160];

    if (container->host_cgroup.all == NULL || container->emptying)
        return;
    container->emptying = ns_task_order(spawner, &order) == 0;
    container->tasks += container->emptying;
    if (container->emptying)
        return;
    container->oom |= empty_cgroup(container, why) == 1; /* no task can be begun, so do the work here */
    read_last(spawner, container);
}

/* Kills the host. It is the first process of its PID namespace, so the kernel kills all others with it. */
void ns_life_kill_all(struct ns_spawner *spawner, struct ns_container *container) {
    ns_task_cancel(spawner, container, "not wanted any more");
    signal_host(container, SIGKILL);
    ns_program_end(container);
    empty(spawner, container);
    ns_life_ended(spawner, container);
}

void ns_life_kill_again(struct ns_spawner *spawner, struct ns_container *container) {
    ns_container_move(spawner, container, NS_KILLED, NULL);
}

/*
 * Ends the container's decisions in the fast path. The relays of a container that has died by itself wait for its next
 * start. Those of a container that was stopped do not, nor do those of a container that never ran.
 */
static void end_fast_path(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->died && container->stop.id == 0 && !spawner->stopping)
        ns_bpfd_keep(spawner, container);
    else
        ns_bpfd_revoke(spawner, container);
}

/* Ends pktio after the host. pktio accepts the packets that it holds, and then exits. */
void ns_life_drain(struct ns_spawner *spawner, struct ns_container *container) {
    end_fast_path(spawner, container);
    container->pktio.at = 0;
    container->granting = false;
    ns_task_cancel(spawner, container, "the container has ended");
    if (container->pktio.pid != 0)
        kill(container->pktio.pid, SIGTERM);
    ns_program_end(container);
    empty(spawner, container);
    ns_life_ended(spawner, container);
}

void ns_life_drain_over(struct ns_spawner *spawner, struct ns_container *container) {
    (void)spawner;
    container->life_at = ns_now() + NS_LIFE_DRAIN_MS;
    if (container->pktio.pid != 0)
        kill(container->pktio.pid, SIGKILL);
}

void ns_life_ended(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->host != 0 || container->tasks != 0)
        return;
    if (container->life == NS_KILLED)
        ns_container_move(spawner, container, NS_DRAINING, NULL);
    else if (container->life == NS_DRAINING && container->pktio.pid == 0 && container->program.pid == 0)
        ns_container_move(spawner, container, NS_CLEARING, NULL);
}

/* Answers an order that failed, or, if only the spare could not take it (`again`), starts it without a spare. */
static void answer_failed(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket start,
                          const char *why, bool again) {
    if (again) {
        ns_warn("%s: not from a spare: %s", order->name, why);
        ns_life_start_cold(spawner, order, start);
    } else {
        ns_reply_error(spawner, start, why);
    }
}

static void finish(struct ns_spawner *spawner, struct ns_container *container) {
    static struct ns_request order;
    struct ns_ticket start = container->start, stop = container->stop;
    bool failed = container->failed, again = ns_life_was_spare(container) && stop.id == 0 && !spawner->stopping;
    char status[24], pairs[64], why[160];

    order = container->order;
    snprintf(why, sizeof why, "%s", container->why);
    ns_life_print_status(container->host_status, status);
    snprintf(pairs, sizeof pairs, " status=%s held=%llu", status, (unsigned long long)container->held);
    if (!failed)
        ns_reports_event(spawner, container, "exited", "%s oom=%d", pairs, container->oom);
    ns_containers_remove(spawner, container);
    ns_parts_free(container);
    if (failed)
        answer_failed(spawner, &order, start, why, again);
    ns_reply_ok(spawner, stop, pairs);
}

/* Ends the container when its parts and its rules are gone, in either order. */
static void finish_if_gone(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->tasks == 0 && !container->unruling)
        finish(spawner, container);
}

static void unruled(struct ns_spawner *spawner, uint64_t serial, const char *why) {
    struct ns_container *container = ns_container_of_serial(spawner, serial);

    if (container == NULL || container->life != NS_CLEARING)
        return;
    if (why[0] != '\0')
        ns_warn("%s: its rules stay for now: %s", container->order.name, why);
    container->unruling = false;
    finish_if_gone(spawner, container);
}

/* The spawner, for the work in a task, which gets only the container as its context. The task is a fork. */
static struct ns_spawner *the_spawner;

static int clear_parts(void *context, char why[160]) {
    (void)why;
    ns_parts_clear(the_spawner, context);
    return 0;
}

static void cleared(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    if (result != 0)
        ns_warn("%s: not all that it was made of is gone: %s", container->order.name, why);
    if (container->spare)
        ns_spares_gone(spawner, container);
    else
        finish_if_gone(spawner, container);
}

/* Takes the parts away, and the rules at the same time. No process is left that they would hold back. */
void ns_life_clear(struct ns_spawner *spawner, struct ns_container *container) {
    uint64_t serial = container->serial;

    the_spawner = spawner;
    container->tasks++;
    container->unruling = !container->spare && ns_parts_has_rules(spawner, &container->order);
    if (ns_task_begin(spawner, "clear", clear_parts, container, CLEAR_MS, cleared) != 0)
        cleared(spawner, container, -1, strerror(errno));
    container = ns_container_of_serial(spawner, serial);
    if (container != NULL && container->unruling)
        ns_firewall_want(spawner, unruled, serial);
}
