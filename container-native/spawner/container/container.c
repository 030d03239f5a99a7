/* SPDX-License-Identifier: Apache-2.0 */
#include "container.h"

#include "conflict.h"
#include "containers.h"
#include "firewall.h"
#include "host.h"
#include "life.h"
#include "ns_log.h"
#include "parts.h"
#include "reply.h"
#include "reports.h"
#include "slot.h"
#include "spare.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <string.h>

#define DUMP_MS 2000       /* for the thread dump of a stop with dump=1 */
#define KILL_MS 5000       /* between two SIGKILLs of a cgroup that does not empty */
#define ADOPT_MS 2000      /* for the answer of a spare's host, which takes about 1 ms */
#define QUOTA_MS 5000      /* to set the CPU quota */
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

bool ns_life_was_spare(const struct ns_container *container) {
    return !container->spare && container->slot >= 0;
}

/* --- failure: the order is answered when nothing is left --- */

void ns_life_fail(struct ns_spawner *spawner, struct ns_container *container, const char *why) {
    container->failed = true;
    ns_container_move(spawner, container, NS_KILLED, why);
}

static void late(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    snprintf(why, sizeof why, "start: %s: not done in time", states[container->life].late);
    ns_life_fail(spawner, container, why);
}

uint64_t ns_life_time_left(const struct ns_container *container) {
    uint64_t now = ns_now();

    if (!starts(container))
        return NS_LAUNCH_MS;
    return container->start_by > now ? container->start_by - now : 1;
}

/* --- MAKING, RULING --- */

/* The spawner, for the work in a task, which gets only the container as its context. The task is a fork. */
static struct ns_spawner *the_spawner;

static int make_parts(void *context, char why[160]) {
    struct ns_container *container = context;

    return ns_life_was_spare(container) ? ns_parts_adopt(the_spawner, container, why)
                                        : ns_parts_make(the_spawner, container, why);
}

static void made(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    if (container->life != NS_MAKING)
        return ns_life_ended(spawner, container);
    if (result != 0)
        return ns_life_fail(spawner, container, why);
    container->own_disk = !ns_layer_has(container->missing, NS_LAYER_DISK);
    ns_container_move(spawner, container, container->spare ? NS_STARTING : NS_RULING, NULL);
}

/* Makes the parts. The rules of a network are written meanwhile, so that little of them is left for the next state. */
static void make(struct ns_spawner *spawner, struct ns_container *container) {
    the_spawner = spawner;
    if (ns_task_begin(spawner, "make", make_parts, container, ns_life_time_left(container), made) != 0)
        return ns_life_fail(spawner, container, "task: none can be begun");
    container->tasks++;
    if (container->order.network >= 0)
        ns_firewall_want(spawner, NULL, 0);
}

static void ruled(struct ns_spawner *spawner, uint64_t serial, const char *why) {
    struct ns_container *container = ns_container_of_serial(spawner, serial);

    if (container == NULL || container->life != NS_RULING)
        return;
    if (why[0] != '\0')
        ns_life_fail(spawner, container, why);
    else
        ns_container_move(spawner, container, NS_STARTING, NULL);
}

/*
 * Asks for the firewall rules. They exist before the network of the container does. Without a network only its filters
 * and their limits are in the rules. Nothing of the container waits for these, because their packets pass by it until
 * its module is installed.
 */
static void rule(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->order.network >= 0) {
        ns_firewall_want(spawner, ruled, container->serial);
        return;
    }
    if (ns_parts_has_rules(spawner, &container->order))
        ns_firewall_want(spawner, NULL, 0);
    ns_container_move(spawner, container, NS_STARTING, NULL);
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
            ns_life_ended(spawner, container);
    } else if (pid < 0) {
        ns_life_fail(spawner, container, why);
    } else {
        ns_container_move(spawner, container, NS_RUNNING, NULL);
    }
}

void ns_life_start_host(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    if (ns_host_start(spawner, container, ns_life_time_left(container), host_started, why) != 0)
        return ns_life_fail(spawner, container, why);
    container->tasks++;
}

static int make_network(void *context, char why[160]) {
    const struct ns_container *container = context;

    if (ns_host_network(container, container->host) == 0)
        return 0;
    snprintf(why, 160, "network: see the log");
    return -1;
}

static void network_made(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_container *container = context;

    container->tasks--;
    if (container->life != NS_STARTING)
        return ns_life_ended(spawner, container);
    if (result != 0)
        return ns_life_fail(spawner, container, why);
    ns_life_bring_pktio(spawner, container);
}

/* Gives a spare the network of its order. An ordinary host gets its network before it runs. */
static void bring_network(struct ns_spawner *spawner, struct ns_container *container) {
    if (ns_task_begin(spawner, "network", make_network, container, ns_life_time_left(container), network_made) != 0)
        return ns_life_fail(spawner, container, "task: none can be begun");
    container->tasks++;
}

static void start_all(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->spare)
        ns_life_start_host(spawner, container);
    else if (ns_life_was_spare(container) && container->order.network >= 0)
        bring_network(spawner, container);
    else
        ns_life_bring_pktio(spawner, container);
}

/*
 * Tells the host, as the last step of the adoption. Until then the spare's processes use nothing that belongs to the
 * publisher.
 */
static void adopt(struct ns_spawner *spawner, struct ns_container *container) {
    char why[160];

    if (ns_host_adopt(container, why) != 0)
        ns_life_fail(spawner, container, why);
}

static void not_adopted(struct ns_spawner *spawner, struct ns_container *container) {
    ns_life_fail(spawner, container, "host: does not answer");
}

static void run(struct ns_spawner *spawner, struct ns_container *container) {
    const struct ns_request *order = &container->order;
    struct ns_ticket ticket = container->start;

    if (container->spare) {
        container->life_at = ns_now() + BOOT_MS;
        ns_info("%s: started, host %d", order->name, (int)container->host);
        return;
    }
    if (ns_life_was_spare(container))
        ns_info("%s: was @spare%d, host %d, pktio %d, uid %u", order->name, container->slot, (int)container->host,
                (int)container->pktio.pid, ns_container_uid(spawner, container));
    else
        ns_info("%s: started, host %d, pktio %d, uid %llu", order->name, (int)container->host,
                (int)container->pktio.pid, (unsigned long long)order->uid);
    if (!ns_life_was_spare(container) && order->cpu < 100 && !ns_layer_has(container->missing, NS_LAYER_CGROUP))
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
        ns_life_fail(spawner, container, why);
    else
        ns_container_move(spawner, container, NS_MAKING, NULL);
}

void ns_container_begin_spare(struct ns_spawner *spawner, struct ns_container *container) {
    container->missing = ns_layer_missing(spawner->lacking);
    begin(spawner, container);
}

void ns_life_start_cold(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket) {
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
        ns_life_fail(spawner, container, "too many containers");
    return true;
}

void ns_container_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket) {
    const char *taken = ns_prefixes_refuse(spawner, order);
    char why[160];

    if (taken != NULL)
        snprintf(why, sizeof why, "network: %.150s", taken);
    if (taken != NULL || ns_conflict(spawner, order, why))
        return ns_reply_error(spawner, ticket, why);
    if (!start_from_spare(spawner, order, ticket))
        ns_life_start_cold(spawner, order, ticket);
    ns_spares_yield(spawner);
}

void ns_container_stop(struct ns_spawner *spawner, struct ns_container *container, uint64_t grace, bool dump_first,
                       struct ns_ticket ticket) {
    if (container->stop.id != 0)
        ns_reply_error(spawner, container->stop, "another stop took over");
    container->stop = ticket;
    container->order.grace = grace;
    ns_bpfd_forget(spawner, container->order.name);
    switch (container->life) {
    case NS_MAKING:
    case NS_RULING:
    case NS_STARTING:
    case NS_ADOPTING:
        ns_life_fail(spawner, container, "stopped before it ran");
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
    [NS_DUMPING] = {"dumping", "", DUMP_MS, ns_life_dump, ns_life_dumped},
    [NS_ENDING] = {"ending", "", 0, ns_life_terminate, ns_life_grace_over},
    [NS_KILLED] = {"killed", "", KILL_MS, ns_life_kill_all, ns_life_kill_again},
    [NS_DRAINING] = {"draining", "", NS_LIFE_DRAIN_MS, ns_life_drain, ns_life_drain_over},
    [NS_CLEARING] = {"clearing", "", 0, ns_life_clear, nothing}, /* no limit, because its task has a deadline */
};

/* --- children --- */

static void host_ended(struct ns_spawner *spawner, struct ns_container *container, int status) {
    container->host = 0;
    container->host_status = status;
    switch (container->life) {
    case NS_MAKING:
    case NS_RULING:
    case NS_STARTING:
    case NS_ADOPTING:
        ns_life_fail(spawner, container, "host: ended");
        break;
    case NS_RUNNING:
        if (container->spare)
            ns_spares_ended(spawner, container, status);
        container->died = true;
        /* fall through */
    case NS_DUMPING:
    case NS_ENDING:
        ns_container_move(spawner, container, NS_DRAINING, NULL);
        break;
    case NS_KILLED:
    case NS_DRAINING:
    case NS_CLEARING:
        ns_life_ended(spawner, container);
        break;
    }
}

static bool child(struct ns_spawner *spawner, struct ns_container *container, pid_t pid, int status) {
    if (container == NULL || (pid != container->pktio.pid && pid != container->host && pid != container->program.pid))
        return false;
    if (pid == container->program.pid) {
        ns_program_ended(container, status);
        ns_life_ended(spawner, container);
    } else if (pid == container->pktio.pid) {
        ns_life_pktio_ended(spawner, container, status);
    } else {
        host_ended(spawner, container, status);
    }
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
    ns_life_ended(spawner, container);
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
        ns_life_renew_pktio(container);
    if (container->granting && container->granted) {
        ns_life_end_grant(spawner, container);
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
    next = ns_sooner(tick_cpu(spawner, container, now), ns_life_tick_pktio(spawner, container, now));
    next = ns_sooner(next, ns_program_tick(container, now));
    return ns_sooner(ns_sooner(next, ns_reports_tick(container, now)), container->life_at);
}
