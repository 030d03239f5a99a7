/* SPDX-License-Identifier: Apache-2.0 */
#include "container.h"

#include "host.h"
#include "ns_log.h"
#include "parts.h"
#include "reports.h"
#include "spare.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DUMP_MS 2000       /* for a thread dump that was asked for */
#define DRAIN_MS 2000      /* for pktio to accept what it holds */
#define KILL_MS 5000       /* between two SIGKILLs of a cgroup that does not empty */
#define START_CPU_MS 10000 /* a starting JVM gets at least one core until it has booted, and for so long at most */

static int start_pktio(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    pid_t pid;

    ns_bpfd_grant(spawner, container);
    if (ns_queues_open(&container->pktio.queues, (uint16_t)container->order.queue, true) != 0) {
        snprintf(why, 160, "netlink sockets: %s", strerror(errno));
        return -1;
    }
    pid = ns_packets_start(spawner, container, why);
    if (pid < 0) {
        ns_queues_release(&container->pktio.queues);
        return -1;
    }
    ns_reader_started(&container->pktio, pid, ns_now());
    return 0;
}

static bool place(struct ns_spawner *spawner, struct ns_container *container) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] == NULL) {
            spawner->containers[i] = container;
            return true;
        }
    }
    return false;
}

/* The first two that overlap. */
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

/* Another container with the same queue, uid, network or port would share what must be its own. */
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

/* Its way to packets; its rules before its network is there. */
static int bring_packets(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    if (ns_parts_has_rules(spawner, &container->order) && ns_spawner_rules(spawner) != 0) {
        snprintf(why, 160, "rules: see the log");
        return -1;
    }
    return start_pktio(spawner, container, why);
}

static int bring_up(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    if (ns_parts_make(spawner, container, why) != 0 || bring_packets(spawner, container, why) != 0)
        return -1;
    return ns_host_start(spawner, container, why);
}

/* The host learns of it last: until then nothing is its publisher's but what no process of it looks at. */
static int adopt(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    if (ns_parts_adopt(spawner, container, why) != 0 || bring_packets(spawner, container, why) != 0)
        return -1;
    return ns_host_adopt(spawner, container, why);
}

static void end(pid_t pid) {
    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Sees it into its place by `bring`; nothing of it is left if that fails. */
static bool settle(struct ns_spawner *spawner, struct ns_container *container,
                   int (*bring)(struct ns_spawner *, struct ns_container *, char[160]), char why[160]) {
    if (!place(spawner, container))
        snprintf(why, 160, "too many containers");
    else if (bring(spawner, container, why) == 0)
        return true;
    end(container->pktio.pid);
    end(container->host);
    ns_parts_destroy(spawner, container);
    return false;
}

/* NULL: there is none for it, or it could not be one. */
static struct ns_container *start_from_spare(struct ns_spawner *spawner, const struct ns_request *order) {
    struct ns_container *container = ns_spares_take(spawner, order);
    char why[160];

    if (container == NULL)
        return NULL;
    container->order = *order;
    container->spare = false;
    if (settle(spawner, container, adopt, why)) {
        ns_info("%s: was @spare%d, host %d, pktio %d, uid %u", order->name, container->slot, (int)container->host,
                (int)container->pktio.pid, ns_container_uid(spawner, container));
        return container;
    }
    ns_warn("%s: not from a spare: %s", order->name, why);
    return NULL;
}

static struct ns_container *start_cold(struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    struct ns_container *container = ns_parts_new(order);

    if (container == NULL) {
        snprintf(why, 160, "out of memory");
        return NULL;
    }
    container->missing = ns_layer_missing(order->without | spawner->lacking);
    if (!settle(spawner, container, bring_up, why))
        return NULL;
    if (order->cpu < 100 && !ns_layer_has(container->missing, NS_LAYER_CGROUP))
        container->cpu_at = ns_now() + START_CPU_MS;
    ns_info("%s: started, host %d, pktio %d, uid %llu", order->name, (int)container->host, (int)container->pktio.pid,
            (unsigned long long)order->uid);
    return container;
}

struct ns_container *ns_container_start(struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    struct ns_container *container;

    if (conflict(spawner, order, why))
        return NULL;
    container = start_from_spare(spawner, order);
    if (container == NULL)
        container = start_cold(spawner, order, why);
    ns_spares_yield(spawner);
    return container;
}

uint32_t ns_container_uid(const struct ns_spawner *spawner, const struct ns_container *container) {
    return container->slot < 0 ? (uint32_t)container->order.uid : ns_spare_id(spawner->ids, (unsigned)container->slot);
}

struct ns_container *ns_container_find(struct ns_spawner *spawner, const char *name) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL && strcmp(spawner->containers[i]->order.name, name) == 0)
            return spawner->containers[i];
    }
    return NULL;
}

static void print_status(int status, char text[24]) {
    if (WIFEXITED(status))
        snprintf(text, 24, "exit:%d", WEXITSTATUS(status));
    else
        snprintf(text, 24, "signal:%d", WTERMSIG(status));
}

/* --- the end of it --- */

static void signal_host(const struct ns_container *container, int signal) {
    if (container->host > 0 && kill(container->host, signal) != 0)
        ns_warn("%s: signal %d: %s", container->order.name, signal, strerror(errno));
}

static void kill_all(struct ns_container *container) {
    signal_host(container, SIGKILL);
    ns_cgroup_kill(&container->host_cgroup);
}

static void finish(struct ns_spawner *spawner, struct ns_container *container) {
    struct ns_ticket ticket = container->stop;
    char status[24], pairs[64];

    print_status(container->host_status, status);
    ns_reports_event(spawner, container, "exited", " status=%s held=%llu oom=%d", status,
                     (unsigned long long)container->held, container->oom);
    snprintf(pairs, sizeof pairs, " status=%s held=%llu", status, (unsigned long long)container->held);
    ns_parts_destroy(spawner, container);
    ns_verbs_ok(spawner, ticket, pairs);
}

/* The host has ended; pktio accepts what it holds and follows. */
static void drain(struct ns_spawner *spawner, struct ns_container *container) {
    ns_bpfd_revoke(spawner, container); /* what it has decided holds no longer than it does */
    container->life = NS_DRAINING;
    container->life_at = ns_now() + DRAIN_MS;
    container->pktio.at = 0;
    ns_cgroup_kill(&container->host_cgroup);
    container->oom = ns_cgroup_oom(&container->host_cgroup) > 0;
    /* nobody can write to it any more; what it holds is no more than a pipe does */
    while (ns_reports_read(spawner, container))
        continue;
    if (container->pktio.pid == 0)
        finish(spawner, container);
    else
        kill(container->pktio.pid, SIGTERM);
}

static void terminate(struct ns_container *container, uint64_t grace) {
    container->life = NS_ENDING;
    container->life_at = ns_now() + grace;
    signal_host(container, SIGTERM);
}

void ns_container_stop(struct ns_spawner *spawner, struct ns_container *container, uint64_t grace, bool dump,
                       struct ns_ticket ticket) {
    if (container->stop.id != 0)
        ns_verbs_error(spawner, container->stop, "another stop took over");
    container->stop = ticket;
    container->order.grace = grace;
    switch (container->life) {
    case NS_RUNNING:
        if (!dump) {
            terminate(container, grace);
            break;
        }
        container->life = NS_DUMPING;
        container->life_at = ns_now() + DUMP_MS;
        signal_host(container, SIGQUIT);
        break;
    case NS_DUMPING:
        break; /* goes on to ENDING with the new grace */
    case NS_ENDING:
        if (ns_now() + grace < container->life_at)
            container->life_at = ns_now() + grace;
        break;
    case NS_KILLED:
    case NS_DRAINING:
        break; /* on its way */
    }
}

static void life_over(struct ns_container *container) {
    switch (container->life) {
    case NS_RUNNING:
        container->life_at = 0;
        break;
    case NS_DUMPING:
        terminate(container, container->order.grace);
        break;
    case NS_ENDING:
        ns_warn("%s: did not end in %llu ms: killed", container->order.name,
                (unsigned long long)container->order.grace);
        /* fall through */
    case NS_KILLED:
        container->life = NS_KILLED;
        container->life_at = ns_now() + KILL_MS;
        kill_all(container);
        break;
    case NS_DRAINING:
        container->life_at = ns_now() + DRAIN_MS;
        if (container->pktio.pid != 0)
            kill(container->pktio.pid, SIGKILL);
        break;
    }
}

static void pktio_ended(struct ns_spawner *spawner, struct ns_container *container, int status) {
    uint64_t released = ns_reader_ended(&container->pktio, ns_now());
    char text[24];

    if (container->life == NS_DRAINING) {
        container->held = __atomic_load_n(&container->counters->held, __ATOMIC_RELAXED) + released;
        finish(spawner, container);
        return;
    }
    print_status(status, text);
    ns_reports_event(spawner, container, "pktio-exited", " status=%s held=%llu", text, (unsigned long long)released);
}

bool ns_container_child(struct ns_spawner *spawner, struct ns_container *container, pid_t pid, int status) {
    if (pid == container->pktio.pid) {
        pktio_ended(spawner, container, status);
        return true;
    }
    if (pid != container->host)
        return false;
    container->host = 0;
    container->host_status = status;
    drain(spawner, container);
    return true;
}

/* --- time --- */

static void watch_pktio(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    uint64_t heartbeat = __atomic_load_n(&container->counters->heartbeat, __ATOMIC_RELAXED);
    uint64_t held = __atomic_load_n(&container->counters->held, __ATOMIC_RELAXED), waiting;

    if (ns_reader_watch(&container->pktio, heartbeat, held, now, &waiting))
        ns_reports_event(spawner, container, "pktio-hung", " waiting=%llu", (unsigned long long)waiting);
}

static void restart_pktio(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    char why[160];

    if (start_pktio(spawner, container, why) == 0) {
        ns_reports_event(spawner, container, "pktio-started", " pid=%d", (int)container->pktio.pid);
        return;
    }
    ns_error("%s: pktio: %s", container->order.name, why);
    container->pktio.at = now + NS_READER_WAIT_MOST_MS;
}

void ns_container_renew_pktio(const struct ns_container *container) {
    if (container->pktio.pid == 0 || container->life != NS_RUNNING)
        return;
    ns_info("%s: pktio starts again, with what the fast path is now", container->order.name);
    kill(container->pktio.pid, SIGTERM);
}

uint64_t ns_container_tick(struct ns_spawner *spawner, struct ns_container *container, uint64_t now) {
    uint64_t next = UINT64_MAX;

    if (container->cpu_at != 0 && now >= container->cpu_at) {
        container->cpu_at = 0;
        if (ns_cgroup_set_cpu(&container->host_cgroup, container->order.cpu) != 0)
            ns_warn("%s: CPU quota: %s", container->order.name, strerror(errno));
    }
    if (container->life_at != 0 && now >= container->life_at)
        life_over(container);
    if (container->pktio.at != 0 && now >= container->pktio.at)
        restart_pktio(spawner, container, now);
    if (container->pktio.pid != 0 && container->life != NS_DRAINING) {
        watch_pktio(spawner, container, now);
        next = now + NS_READER_WATCH_MS;
    }
    next = ns_sooner(next, ns_reports_tick(container, now));
    return ns_sooner(ns_sooner(ns_sooner(next, container->cpu_at), container->life_at), container->pktio.at);
}
