/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include "container.h"
#include "job.h"
#include "ns_log.h"
#include "parts.h"
#include "reports.h"
#include "spare_job.h"
#include "verbs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_GRACE_MS 3000 /* for each container, when the spawner itself is told to stop */

enum {
    SIGNALS,
    LISTENER,
    CLIENT,
    BPFD,
    LINKS,
    TABLES,
    LEADS,
    REPORTS
}; /* places in the poll set; REPORTS is the first of many */

void ns_loop_child(struct ns_spawner *spawner, pid_t pid, int status) {
    if (ns_tasks_child(spawner, pid, status) || ns_job_child(spawner, pid, status) ||
        ns_sigio_child_ended(spawner, pid, status) || ns_bpfd_child_ended(spawner, pid, status) ||
        ns_archives_child(spawner, pid, status))
        return;
    if (!ns_containers_child(spawner, pid, status))
        ns_launch_stray(spawner, pid, status);
}

/*
 * Collects ended children and tells their owners, who may end other children then. Children that are left when the time
 * of this turn is over are collected in the next turn.
 */
static void reap(struct ns_spawner *spawner) {
    int status;
    pid_t pid;

    do {
        pid = waitpid(-1, &status, WNOHANG);
        if (pid > 0)
            ns_loop_child(spawner, pid, status);
    } while (pid > 0 && !ns_clock_late(&spawner->clock));
    spawner->reaping = pid > 0;
}

static void begin_stop(struct ns_spawner *spawner) {
    struct ns_ticket nobody = {0, 0};

    if (spawner->stopping)
        return;
    ns_info("stops");
    spawner->stopping = true;
    ns_job_kill_all(spawner);
    ns_sigio_child_stop(spawner);
    ns_bpfd_child_stop(spawner);
    ns_archives_stop(spawner);
    ns_spares_stop(spawner);
    ns_spare_jobs_stop(spawner);
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL)
            ns_container_stop(spawner, spawner->containers[i], STOP_GRACE_MS, false, nobody);
    }
}

static void read_signals(struct ns_spawner *spawner, int fd) {
    struct signalfd_siginfo info;

    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
            begin_stop(spawner);
    }
}

static bool empty(const struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        if (spawner->containers[i] != NULL)
            return false;
    }
    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        if (spawner->jobs[i] != NULL)
            return false;
    }
    return spawner->sigio.reader.pid == 0 && spawner->bpfd.pid == 0 && ns_archives_idle(spawner) &&
           ns_spares_empty(spawner) && ns_spare_jobs_empty(spawner) && ns_tasks_idle(spawner);
}

/* Does the work that is due. Returns the milliseconds until more is due, a minute at most; -1 = never. */
static int tick(struct ns_spawner *spawner) {
    static uint64_t (*const ticks[])(struct ns_spawner *, uint64_t) = {
        ns_job_tick,        ns_sigio_child_tick, ns_bpfd_child_tick, ns_archives_tick, ns_spares_tick,
        ns_spare_jobs_tick, ns_tasks_tick,       ns_firewall_tick,   ns_links_tick,    ns_verbs_tick,
    };
    uint64_t now = ns_now(), next = UINT64_MAX;

    ns_clock_work(&spawner->clock, "time");
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        uint64_t at = ticks[i](spawner, now);

        if (at < next)
            next = at;
    }

    ns_clock_work(&spawner->clock, "containers");
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        uint64_t at =
            spawner->containers[i] == NULL ? UINT64_MAX : ns_container_tick(spawner, spawner->containers[i], now);

        if (at < next)
            next = at;
    }
    for (unsigned i = 0; i < NS_SPARES_MAX; i++) {
        uint64_t at =
            spawner->spares.at[i] == NULL ? UINT64_MAX : ns_container_tick(spawner, spawner->spares.at[i], now);

        if (at < next)
            next = at;
    }
    if (next == UINT64_MAX)
        return -1;
    now = ns_now();
    return next <= now ? 0 : next - now > 60000 ? 60000 : (int)(next - now);
}

static int open_signals(void) {
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Puts the pipe of a container, if it is to be read, into the next place. Returns the number of places in use. */
static nfds_t add_reports(struct ns_container *container, nfds_t used, struct pollfd *set,
                          struct ns_container **owners) {
    if (container == NULL || !ns_reports_wanted(container))
        return used;
    owners[used] = container;
    set[used] = (struct pollfd){.fd = container->report_fd, .events = POLLIN};
    return used + 1;
}

/* Likewise the pipe by which a host orders programs. */
static nfds_t add_programs(struct ns_container *container, nfds_t used, struct pollfd *set,
                           struct ns_container **owners) {
    if (container == NULL || !ns_program_wanted(container))
        return used;
    owners[used] = container;
    set[used] = (struct pollfd){.fd = container->program.ask_fd, .events = POLLIN};
    return used + 1;
}

/* Fills the set of descriptors to wait for; owners[i] is the container behind place i. */
static nfds_t fill(struct ns_spawner *spawner, int signals, struct pollfd *set, struct ns_container **owners,
                   nfds_t *programs) {
    nfds_t used = REPORTS;

    set[SIGNALS] = (struct pollfd){.fd = signals, .events = POLLIN};
    set[LISTENER] = (struct pollfd){.fd = spawner->client.listener, .events = POLLIN};
    set[CLIENT] = (struct pollfd){.fd = spawner->client.fd,
                                  .events = (short)(POLLIN | (ns_client_wants_write(&spawner->client) ? POLLOUT : 0))};
    set[BPFD].fd = ns_bpfd_child_socket(spawner, &set[BPFD].events);
    set[BPFD].revents = 0;
    set[LINKS] = (struct pollfd){.fd = spawner->links.fd, .events = POLLIN};
    set[TABLES] = (struct pollfd){.fd = spawner->firewall.watch, .events = POLLIN};
    set[LEADS] = (struct pollfd){.fd = spawner->firewall.leads, .events = POLLIN};
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++)
        used = add_reports(spawner->containers[i], used, set, owners);
    for (unsigned i = 0; i < NS_SPARES_MAX; i++)
        used = add_reports(spawner->spares.at[i], used, set, owners);
    *programs = used;
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++)
        used = add_programs(spawner->containers[i], used, set, owners);
    return used;
}

/* Reports and programs before signals: the end of a child may take its container away. */
static void serve(struct ns_spawner *spawner, const struct pollfd *set, nfds_t used, struct ns_container **owners,
                  nfds_t programs) {
    ns_clock_work(&spawner->clock, "reports");
    for (nfds_t i = REPORTS; i < programs; i++) {
        if (set[i].revents != 0)
            ns_reports_read(spawner, owners[i]);
    }
    ns_clock_work(&spawner->clock, "programs");
    for (nfds_t i = programs; i < used; i++) {
        if (set[i].revents != 0)
            ns_program_read(spawner, owners[i]);
    }
    ns_clock_work(&spawner->clock, "bpfd");
    if (set[BPFD].revents != 0)
        ns_bpfd_child_read(spawner);
    if (set[LINKS].revents != 0)
        ns_links_heard(spawner);
    ns_clock_work(&spawner->clock, "firewall");
    if (set[TABLES].revents != 0 || set[LEADS].revents != 0)
        ns_firewall_heard(spawner);
    ns_clock_work(&spawner->clock, "children");
    if (set[SIGNALS].revents != 0)
        read_signals(spawner, set[SIGNALS].fd);
    if (set[SIGNALS].revents != 0 || spawner->reaping)
        reap(spawner);
    ns_clock_work(&spawner->clock, "client");
    if (set[CLIENT].fd >= 0 && set[CLIENT].fd == spawner->client.fd) {
        if (set[CLIENT].revents & POLLOUT)
            ns_client_write(&spawner->client);
        if (((set[CLIENT].revents & (POLLIN | POLLHUP | POLLERR)) || ns_client_has_line(&spawner->client)) &&
            spawner->client.fd >= 0)
            ns_client_read(&spawner->client, ns_verbs_line, spawner);
    }
    if (set[LISTENER].revents != 0) {
        spawner->lists.id = 0; /* lines that the old client still owes */
        ns_client_accept(&spawner->client);
    }
}

int ns_loop(struct ns_spawner *spawner) {
    static struct pollfd set[REPORTS + 2 * NS_CONTAINERS_MAX + NS_SPARES_MAX];
    static struct ns_container *owners[REPORTS + 2 * NS_CONTAINERS_MAX + NS_SPARES_MAX];
    int signals = open_signals();

    if (signals < 0)
        return -1;
    spawner->reaping = true; /* children that ended before SIGCHLD was blocked */
    ns_info("ready");
    ns_clock_open(&spawner->clock);
    ns_clock_begin(&spawner->clock);
    while (!spawner->stopping || !empty(spawner)) {
        int wait = tick(spawner);
        nfds_t programs, used = fill(spawner, signals, set, owners, &programs);

        if (spawner->reaping || ns_client_has_line(&spawner->client))
            wait = 0;
        ns_clock_end(&spawner->clock);
        if (poll(set, used, wait) < 0 && errno != EINTR) {
            ns_error("poll: %s", strerror(errno));
            break;
        }
        ns_clock_begin(&spawner->clock);
        serve(spawner, set, used, owners, programs);
    }
    close(signals);
    return 0;
}
