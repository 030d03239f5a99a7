/* SPDX-License-Identifier: Apache-2.0 */
#include "container.h"

#include "connect.h"
#include "containers.h"
#include "firewall.h"
#include "host.h"
#include "ns_log.h"
#include "parts.h"
#include "reply.h"
#include "reports.h"
#include "slot.h"
#include "spare.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DUMP_MS 2000       /* for the thread dump of a stop with dump=1 */
#define DRAIN_MS 2000      /* for pktio to accept the packets that it holds */
#define KILL_MS 5000       /* between two SIGKILLs of a cgroup that does not empty */
#define ADOPT_MS 2000      /* for the answer of a spare's host, which takes about 1 ms */
#define QUOTA_MS 5000      /* to set the CPU quota */
#define EMPTY_MS 5000      /* to kill the processes in its cgroup */
#define CLEAR_MS 30000     /* to unmount its file system, which is written back, and to remove all other parts */
#define BOOT_MS 60000      /* for a spare to boot; a slower one is killed */
#define START_CPU_MS 10000 /* a starting JVM gets at least one core until it has booted, but no longer than this */

static const struct state {
    const char *name, *late; /* `late` names the step in the reason of an order that took too long */
    uint64_t msec;           /* time limit of this state, 0 = none of its own */
    void (*enter)(struct ns_spawner *spawner, struct ns_container *container);
    void (*over)(struct ns_spawner *spawner, struct ns_container *container); /* its time is over */
} states[NS_CLEARING + 1];

static bool starts(const struct ns_container *container) {
    return container->life < NS_RUNNING;
}

void ns_container_move(struct ns_spawner *spawner, struct ns_container *container, enum ns_life to, const char *why) {
    if (why != NULL && container->why[0] == '\0')
        snprintf(container->why, sizeof container->why, "%s", why);
    container->life = to;
    container->life_at = starts(container) && states[to].msec == 0 ? container->start_by
                         : states[to].msec == 0                    ? 0
                                                                   : ns_now() + states[to].msec;
    states[to].enter(spawner, container);
}

/* --- conflicts between containers --- */

/* Finds the first `listen` of `a` that overlaps with one of `b`. True with the reason. */
static bool listens_overlap(const struct ns_request *a, const struct ns_request *b, char why[160]) {
    char text[NS_CONNECT_TEXT];

    for (unsigned i = 0; i < a->listens * b->listens; i++) {
        const struct ns_connect *ours = &a->listen[i / b->listens];

        if (!ns_connect_overlap(ours, &b->listen[i % b->listens]))
            continue;
        ns_connect_print(ours, text);
        snprintf(why, 160, "listen: %.70s is %s's", text, b->name);
        return true;
    }
    return false;
}

/*
 * Looks for a container with the same name, queue, uid or network, or an overlapping `listen`. Two containers
 * must not share any of these. True with the reason.
 */
static bool conflict(const struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        const struct ns_request *other = spawner->containers[i] == NULL ? NULL : &spawner->containers[i]->order;
        const char *taken = NULL;

        if (other == NULL)
            continue;
        if (strcmp(other->name, order->name) == 0)
            taken = "exists";
        else if (other->queue == order->queue)
            taken = "queue: in use";
        else if (other->uid == order->uid)
            taken = "uid: in use";
        else if (order->network >= 0 && other->network == order->network)
            taken = "network: in use";
        if (taken != NULL)
            snprintf(why, 160, "%s", taken);
        if (taken != NULL || listens_overlap(order, other, why))
            return true;
    }
    return false;
}

uint32_t ns_container_uid(const struct ns_spawner *spawner, const struct ns_container *container) {
    return container->slot < 0 ? (uint32_t)container->order.uid : ns_slot_id(spawner->ids, (unsigned)container->slot);
}

static bool was_spare(const struct ns_container *container) {
    return !container->spare && container->slot >= 0;
}

/* --- failure: the order is answered when nothing is left --- */

static void fail(struct ns_spawner *spawner, struct ns_container *container, const char *why) {
    container->failed = true;
    ns_container_move(spawner, container, NS_KILLED, why);
}

static void late(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    snprintf(why, sizeof why, "start: %s: not done in time", states[container->life].late);
    fail(spawner, container, why);
}

static uint64_t time_left(const struct ns_container *container) {
    uint64_t now = ns_now();

    if (!starts(container))
        return NS_LAUNCH_MS;
    return container->start_by > now ? container->start_by - now : 1;
}

/* --- MAKING, RULING --- */

static void ended(struct ns_spawner *spawner, struct ns_container *container);

/*
 * The spawner, for the work in a task, which gets only the container as its context. The task is a fork and reads its
 * own copy. The container exists for as long as it has a task.
 */
static struct ns_spawner *the_spawner;

static int make_parts(void *context, char why[160]) {
    struct ns_container *container = context;

    return was_spare(container) ? ns_parts_adopt(the_spawner, container, why)
                                : ns_parts_make(the_spawner, container, why);
}

static void made(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    if (container->life != NS_MAKING)
        return ended(spawner, container);
    if (result != 0)
        return fail(spawner, container, why);
    container->own_disk = !ns_layer_has(container->missing, NS_LAYER_DISK);
    ns_container_move(spawner, container, container->spare ? NS_STARTING : NS_RULING, NULL);
}

static void make(struct ns_spawner *spawner, struct ns_container *container) {
    the_spawner = spawner;
    if (ns_task_begin(spawner, "make", make_parts, container, time_left(container), made) != 0)
        return fail(spawner, container, "task: none can be begun");
    container->tasks++;
}

static void ruled(struct ns_spawner *spawner, uint64_t serial, const char *why) {
    struct ns_container *container = ns_container_of_serial(spawner, serial);

    if (container == NULL || container->life != NS_RULING)
        return;
    if (why[0] != '\0')
        fail(spawner, container, why);
    else
        ns_container_move(spawner, container, NS_STARTING, NULL);
}

/* Asks for the firewall rules, so that they exist before the network of the container does. */
static void rule(struct ns_spawner *spawner, struct ns_container *container) {
    if (ns_parts_has_rules(spawner, &container->order))
        ns_firewall_want(spawner, ruled, container->serial);
    else
        ns_container_move(spawner, container, NS_STARTING, NULL);
}

/* --- pktio: asked for, started, away --- */

static void start_host(struct ns_spawner *spawner, struct ns_container *container);

static bool has_pktio(const struct ns_container *container) {
    return !container->spare && container->life >= NS_STARTING && container->life <= NS_ENDING;
}

/* Tries pktio again later. Fails the container instead if its start waits for pktio. */
static void pktio_failed(struct ns_spawner *spawner, struct ns_container *container, const char *why) {
    ns_queues_release(&container->pktio.queues);
    if (!has_pktio(container))
        return ended(spawner, container);
    if (container->life == NS_STARTING)
        return fail(spawner, container, why);
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
    else if (was_spare(container))
        ns_container_move(spawner, container, NS_ADOPTING, NULL);
    else
        start_host(spawner, container);
}

static void launch_pktio(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    if (ns_queues_open(&container->pktio.queues, (uint16_t)container->order.queue, true) != 0) {
        snprintf(why, sizeof why, "netlink sockets: %s", strerror(errno));
        return pktio_failed(spawner, container, why);
    }
    if (ns_packets_start(spawner, container, time_left(container), pktio_started, why) != 0)
        return pktio_failed(spawner, container, why);
    container->tasks++;
}

static void bring_pktio(struct ns_spawner *spawner, struct ns_container *container) {
    container->pktio.at = 0;
    container->granted = false;
    container->granting = ns_bpfd_grant(spawner, container);
    if (!container->granting)
        launch_pktio(spawner, container);
}

static void end_grant(struct ns_spawner *spawner, struct ns_container *container) {
    container->granting = false;
    if (has_pktio(container))
        launch_pktio(spawner, container);
}

static void renew_pktio(struct ns_container *container) {
    container->renew = false;
    if (container->pktio.pid == 0 || container->life != NS_RUNNING)
        return;
    ns_info("%s: pktio starts again, with what the fast path is now", container->order.name);
    kill(container->pktio.pid, SIGTERM);
}

/* --- the host: STARTING, ADOPTING, RUNNING --- */

static void host_started(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    if (pid > 0)
        container->host = pid;
    if (container->life != NS_STARTING) {
        if (pid > 0)
            kill(pid, SIGKILL); /* the container goes on when the host's end is told */
        else
            ended(spawner, container);
    } else if (pid < 0) {
        fail(spawner, container, why);
    } else {
        ns_container_move(spawner, container, NS_RUNNING, NULL);
    }
}

static void start_host(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    if (ns_host_start(spawner, container, time_left(container), host_started, why) != 0)
        return fail(spawner, container, why);
    container->tasks++;
}

static void start_all(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->spare)
        start_host(spawner, container);
    else
        bring_pktio(spawner, container);
}

/*
 * Tells the host, as the last step of the adoption. Until then the spare's processes use nothing that belongs to the
 * publisher.
 */
static void adopt(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    if (container->host != 0 && kill(container->host, SIGHUP) == 0)
        return;
    snprintf(why, sizeof why, "host: %s", container->host == 0 ? "ended" : strerror(errno));
    fail(spawner, container, why);
}

static void not_adopted(struct ns_spawner *spawner, struct ns_container *container) {
    fail(spawner, container, "host: does not answer");
}

static void run(struct ns_spawner *spawner, struct ns_container *container) {
    const struct ns_request *order = &container->order;
    struct ns_ticket ticket = container->start;

    if (container->spare) {
        container->life_at = ns_now() + BOOT_MS;
        ns_info("%s: started, host %d", order->name, (int)container->host);
        return;
    }
    if (was_spare(container))
        ns_info("%s: was @spare%d, host %d, pktio %d, uid %u", order->name, container->slot, (int)container->host,
                (int)container->pktio.pid, ns_container_uid(spawner, container));
    else
        ns_info("%s: started, host %d, pktio %d, uid %llu", order->name, (int)container->host,
                (int)container->pktio.pid, (unsigned long long)order->uid);
    if (!was_spare(container) && order->cpu < 100 && !ns_layer_has(container->missing, NS_LAYER_CGROUP))
        container->cpu_at = ns_now() + START_CPU_MS;
    container->start.id = 0;
    ns_spares_yield(spawner);
    ns_reports_started(spawner, container, ticket);
}

static void run_over(struct ns_spawner *spawner, struct ns_container *container) {
    container->life_at = 0;
    if (!container->spare || container->booted)
        return;
    ns_warn("%s: has not booted in %d ms", container->order.name, BOOT_MS);
    ns_spares_back_off(spawner);
    ns_container_move(spawner, container, NS_KILLED, "has not booted");
}

/* --- the order --- */

static void begin(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    container->start_by = ns_now() + spawner->start_ms;
    if (ns_parts_open(spawner, container, why) != 0)
        fail(spawner, container, why);
    else
        ns_container_move(spawner, container, NS_MAKING, NULL);
}

void ns_container_begin_spare(struct ns_spawner *spawner, struct ns_container *container) {
    container->missing = ns_layer_missing(spawner->lacking);
    begin(spawner, container);
}

static void start_cold(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket) {
    struct ns_container *container = ns_parts_new(order);

    if (container == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    if (!ns_containers_add(spawner, container)) {
        ns_parts_free(container);
        return ns_reply_error(spawner, ticket, "too many containers");
    }
    container->start = ticket;
    container->missing = ns_layer_missing(order->without | spawner->lacking);
    begin(spawner, container);
}

/* Starts the container from a spare. False = no spare fits the order. */
static bool start_from_spare(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket) {
    struct ns_container *container = ns_spares_take(spawner, order);

    if (container == NULL)
        return false;
    container->order = *order;
    container->spare = false;
    container->start = ticket;
    container->start_by = ns_now() + spawner->start_ms;
    if (ns_containers_add(spawner, container))
        ns_container_move(spawner, container, NS_MAKING, NULL);
    else
        fail(spawner, container, "too many containers");
    return true;
}

void ns_container_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket) {
    const char *taken = ns_prefixes_refuse(spawner, order);
    char why[160];

    if (taken != NULL)
        snprintf(why, sizeof why, "network: %.150s", taken);
    if (taken != NULL || conflict(spawner, order, why))
        return ns_reply_error(spawner, ticket, why);
    if (!start_from_spare(spawner, order, ticket))
        start_cold(spawner, order, ticket);
    ns_spares_yield(spawner);
}

/* --- the end --- */

static void print_status(int status, char text[24]) {
    if (WIFEXITED(status))
        snprintf(text, 24, "exit:%d", WEXITSTATUS(status));
    else
        snprintf(text, 24, "signal:%d", WTERMSIG(status));
}

static void signal_host(const struct ns_container *container, int signal) {
    if (container->host > 0 && kill(container->host, signal) != 0)
        ns_warn("%s: signal %d: %s", container->order.name, signal, strerror(errno));
}

static void dump(struct ns_spawner *spawner, struct ns_container *container) {
    (void)spawner;
    signal_host(container, SIGQUIT);
}

static void dumped(struct ns_spawner *spawner, struct ns_container *container) {
    ns_container_move(spawner, container, NS_ENDING, NULL);
}

static void terminate(struct ns_spawner *spawner, struct ns_container *container) {
    (void)spawner;
    container->life_at = ns_now() + container->order.grace;
    signal_host(container, SIGTERM);
}

static void grace_over(struct ns_spawner *spawner, struct ns_container *container) {
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
    ended(spawner, container);
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
static void kill_all(struct ns_spawner *spawner, struct ns_container *container) {
    ns_task_cancel(spawner, container, "not wanted any more");
    signal_host(container, SIGKILL);
    empty(spawner, container);
    ended(spawner, container);
}

static void kill_again(struct ns_spawner *spawner, struct ns_container *container) {
    ns_container_move(spawner, container, NS_KILLED, NULL);
}

/* Ends pktio after the host. pktio accepts the packets that it holds, and then exits. */
static void drain(struct ns_spawner *spawner, struct ns_container *container) {
    ns_bpfd_revoke(spawner, container); /* the container's decisions in the fast path end with it */
    container->pktio.at = 0;
    container->granting = false;
    ns_task_cancel(spawner, container, "the container has ended");
    if (container->pktio.pid != 0)
        kill(container->pktio.pid, SIGTERM);
    empty(spawner, container);
    ended(spawner, container);
}

static void drain_over(struct ns_spawner *spawner, struct ns_container *container) {
    (void)spawner;
    container->life_at = ns_now() + DRAIN_MS;
    if (container->pktio.pid != 0)
        kill(container->pktio.pid, SIGKILL);
}

/* Enters the next state of the end when no process of the container and no task of it runs. */
static void ended(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->host != 0 || container->tasks != 0)
        return;
    if (container->life == NS_KILLED)
        ns_container_move(spawner, container, NS_DRAINING, NULL);
    else if (container->life == NS_DRAINING && container->pktio.pid == 0)
        ns_container_move(spawner, container, NS_CLEARING, NULL);
}

/* Answers an order that failed, or, if only the spare could not take it (`again`), starts it without a spare. */
static void answer_failed(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket start,
                          const char *why, bool again) {
    if (again) {
        ns_warn("%s: not from a spare: %s", order->name, why);
        start_cold(spawner, order, start);
    } else {
        ns_reply_error(spawner, start, why);
    }
}

static void finish(struct ns_spawner *spawner, struct ns_container *container) {
    static struct ns_request order;
    struct ns_ticket start = container->start, stop = container->stop;
    bool failed = container->failed, again = was_spare(container) && stop.id == 0 && !spawner->stopping;
    char status[24], pairs[64], why[160];

    order = container->order;
    snprintf(why, sizeof why, "%s", container->why);
    print_status(container->host_status, status);
    snprintf(pairs, sizeof pairs, " status=%s held=%llu", status, (unsigned long long)container->held);
    if (!failed)
        ns_reports_event(spawner, container, "exited", "%s oom=%d", pairs, container->oom);
    ns_containers_remove(spawner, container);
    ns_parts_free(container);
    if (failed)
        answer_failed(spawner, &order, start, why, again);
    ns_reply_ok(spawner, stop, pairs);
}

static void unruled(struct ns_spawner *spawner, uint64_t serial, const char *why) {
    struct ns_container *container = ns_container_of_serial(spawner, serial);

    if (container == NULL || container->life != NS_CLEARING)
        return;
    if (why[0] != '\0')
        ns_warn("%s: its rules stay for now: %s", container->order.name, why);
    finish(spawner, container);
}

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
    else if (ns_parts_has_rules(spawner, &container->order))
        ns_firewall_want(spawner, unruled, container->serial);
    else
        finish(spawner, container);
}

static void clear(struct ns_spawner *spawner, struct ns_container *container) {
    the_spawner = spawner;
    container->tasks++;
    if (ns_task_begin(spawner, "clear", clear_parts, container, CLEAR_MS, cleared) != 0)
        cleared(spawner, container, -1, strerror(errno));
}

void ns_container_stop(struct ns_spawner *spawner, struct ns_container *container, uint64_t grace, bool dump_first,
                       struct ns_ticket ticket) {
    if (container->stop.id != 0)
        ns_reply_error(spawner, container->stop, "another stop took over");
    container->stop = ticket;
    container->order.grace = grace;
    switch (container->life) {
    case NS_MAKING:
    case NS_RULING:
    case NS_STARTING:
    case NS_ADOPTING:
        fail(spawner, container, "stopped before it ran");
        break;
    case NS_RUNNING:
        ns_container_move(spawner, container, dump_first ? NS_DUMPING : NS_ENDING, NULL);
        break;
    case NS_DUMPING:
        break; /* goes on to ENDING with the new grace */
    case NS_ENDING:
        if (ns_now() + grace < container->life_at)
            container->life_at = ns_now() + grace;
        break;
    case NS_KILLED:
    case NS_DRAINING:
    case NS_CLEARING:
        break; /* already ends */
    }
}

static void nothing(struct ns_spawner *spawner, struct ns_container *container) {
    (void)spawner;
    container->life_at = 0;
}

static const struct state states[NS_CLEARING + 1] = {
    [NS_MAKING] = {"making", "its file system and cgroups", 0, make, late},
    [NS_RULING] = {"ruling", "its rules", 0, rule, late},
    [NS_STARTING] = {"starting", "its processes", 0, start_all, late},
    [NS_ADOPTING] = {"adopting", "its adoption", ADOPT_MS, adopt, not_adopted},
    [NS_RUNNING] = {"running", "", 0, run, run_over},
    [NS_DUMPING] = {"dumping", "", DUMP_MS, dump, dumped},
    [NS_ENDING] = {"ending", "", 0, terminate, grace_over},
    [NS_KILLED] = {"killed", "", KILL_MS, kill_all, kill_again},
    [NS_DRAINING] = {"draining", "", DRAIN_MS, drain, drain_over},
    [NS_CLEARING] = {"clearing", "", 0, clear, nothing}, /* no limit, because its task has a deadline */
};

/* --- children --- */

static void pktio_ended(struct ns_spawner *spawner, struct ns_container *container, int status) {
    uint64_t released = ns_reader_ended(&container->pktio, ns_now());
    char text[24];

    if (container->life == NS_DRAINING) {
        container->held = __atomic_load_n(&container->counters->held, __ATOMIC_RELAXED) + released;
        return ended(spawner, container);
    }
    print_status(status, text);
    ns_reports_event(spawner, container, "pktio-exited", " status=%s held=%llu", text, (unsigned long long)released);
}

static void host_ended(struct ns_spawner *spawner, struct ns_container *container, int status) {
    container->host = 0;
    container->host_status = status;
    switch (container->life) {
    case NS_MAKING:
    case NS_RULING:
    case NS_STARTING:
    case NS_ADOPTING:
        fail(spawner, container, "host: ended");
        break;
    case NS_RUNNING:
        if (container->spare)
            ns_spares_ended(spawner, container, status);
        /* fall through */
    case NS_DUMPING:
    case NS_ENDING:
        ns_container_move(spawner, container, NS_DRAINING, NULL);
        break;
    case NS_KILLED:
    case NS_DRAINING:
    case NS_CLEARING:
        ended(spawner, container);
        break;
    }
}

static bool child(struct ns_spawner *spawner, struct ns_container *container, pid_t pid, int status) {
    if (container == NULL || (pid != container->pktio.pid && pid != container->host))
        return false;
    if (pid == container->pktio.pid)
        pktio_ended(spawner, container, status);
    else
        host_ended(spawner, container, status);
    return true;
}

bool ns_containers_child(struct ns_spawner *spawner, pid_t pid, int status) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (child(spawner, spawner->containers[i], pid, status))
            return true;
    }
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        if (child(spawner, spawner->spares.at[i], pid, status))
            return true;
    }
    return false;
}

/* --- time --- */

static void watch_pktio(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    uint64_t heartbeat = __atomic_load_n(&container->counters->heartbeat, __ATOMIC_RELAXED);
    uint64_t held = __atomic_load_n(&container->counters->held, __ATOMIC_RELAXED), waiting;

    if (ns_reader_watch(&container->pktio, heartbeat, held, now, &waiting))
        ns_reports_event(spawner, container, "pktio-hung", " waiting=%llu", (unsigned long long)waiting);
}

static uint64_t tick_pktio(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    if (!has_pktio(container))
        return UINT64_MAX;
    if (container->pktio.at != 0 && now >= container->pktio.at && container->life != NS_STARTING)
        bring_pktio(spawner, container);
    if (container->pktio.pid != 0) {
        watch_pktio(spawner, container, now);
        return now + NS_READER_WATCH_MS;
    }
    return ns_sooner(UINT64_MAX, container->pktio.at);
}

static int set_quota(void *context, char why[160]) {
    const struct ns_container *container = context;

    if (ns_cgroup_set_cpu(&container->host_cgroup, container->order.cpu) == 0)
        return 0;
    snprintf(why, 160, "%s", strerror(errno));
    return -1;
}

static void quota_set(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    if (result != 0)
        ns_warn("%s: CPU quota: %s", container->order.name, why);
    ended(spawner, container);
}

static uint64_t tick_cpu(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    if (container->cpu_at == 0 || container->life > NS_ENDING || now < container->cpu_at)
        return container->life > NS_ENDING ? UINT64_MAX : ns_sooner(UINT64_MAX, container->cpu_at);
    container->cpu_at = now + QUOTA_MS; /* tried again then, if no task can be begun now */
    if (ns_task_begin(spawner, "quota", set_quota, container, QUOTA_MS, quota_set) != 0)
        return container->cpu_at;
    container->cpu_at = 0;
    container->tasks++;
    return UINT64_MAX;
}

/* Handles the flags that other modules have set since the last turn. True = the container may be gone. */
static bool hear(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->renew)
        renew_pktio(container);
    if (container->granting && container->granted) {
        end_grant(spawner, container);
        return true;
    }
    if (container->adopted && container->life == NS_ADOPTING) {
        ns_container_move(spawner, container, NS_RUNNING, NULL);
        return true;
    }
    return false;
}

/*
 * After a change of state the container may be gone. So this turn stops there and returns `now`. The next turn comes
 * at once and looks at the new state.
 */
uint64_t ns_container_tick(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    uint64_t next;

    if (hear(spawner, container))
        return now;
    if (container->life_at != 0 && now >= container->life_at) {
        states[container->life].over(spawner, container);
        return now;
    }
    next = ns_sooner(tick_cpu(spawner, container, now), tick_pktio(spawner, container, now));
    return ns_sooner(ns_sooner(next, ns_reports_tick(container, now)), container->life_at);
}
