/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawner - the only process of a node that makes containers and touches the firewall. See docs/protocols/spawner.md.
 *
 *     spawner --root R --dist D --java H [--turned-mark 0x400000] [--copy-mark 0x800000] [--ids 690000]
 *             [--start-ms 120000] [--spare-wait-ms MS]
 *
 * SIGTERM or SIGINT: stops every container, removes every rule, interface and cgroup of its own, puts settings back,
 * ends with 0. Exit status 1: something it cannot do without is missing; 2: usage.
 */
#include "jobguard.h"
#include "layers.h"
#include "loop.h"
#include "network.h"
#include "ns_identity.h"
#include "ns_log.h"
#include "ns_marks.h"
#include "spawner.h"
#include "sysctl.h"
#include "wanted.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#define DESCRIPTORS 4096
#define START_MS 120000 /* for a `start` with a disk to be checked, copied or made */

struct options {
    const char *root, *dist, *java;
    uint32_t turned_mark, copy_mark, ids, spare_wait, start_ms;
};

static int number(const char *name, const char *text, uint32_t *value) {
    char *end;
    unsigned long parsed;

    errno = 0;
    parsed = strtoul(text, &end, 0);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || parsed == 0 || parsed > INT32_MAX) {
        ns_error("--%s: %s is not a number in 1..%d", name, text, INT32_MAX);
        return -1;
    }
    *value = (uint32_t)parsed;
    return 0;
}

static int read_option(struct options *options, int option) {
    switch (option) {
    case 'r':
        options->root = optarg;
        return 0;
    case 'd':
        options->dist = optarg;
        return 0;
    case 'j':
        options->java = optarg;
        return 0;
    case 't':
        return ns_mark_read("turned-mark", optarg, &options->turned_mark);
    case 'c':
        return ns_mark_read("copy-mark", optarg, &options->copy_mark);
    case 'i':
        return number("ids", optarg, &options->ids);
    case 's':
        return number("start-ms", optarg, &options->start_ms);
    case 'w':
        return number("spare-wait-ms", optarg, &options->spare_wait);
    default:
        return -1;
    }
}

static int read_options(struct options *options, int argc, char **argv) {
    static const struct option table[] = {
        {"root", required_argument, NULL, 'r'},
        {"dist", required_argument, NULL, 'd'},
        {"java", required_argument, NULL, 'j'},
        {"turned-mark", required_argument, NULL, 't'},
        {"copy-mark", required_argument, NULL, 'c'},
        {"ids", required_argument, NULL, 'i'},
        {"spare-wait-ms", required_argument, NULL, 'w'},
        {"start-ms", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    const char *why;
    int option;

    *options = (struct options){"/", NULL, NULL, 0x00400000, 0x00800000, NS_ID_BASE, NS_SPARE_WAIT_MS, START_MS};
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (read_option(options, option) != 0)
            return -1;
    }
    if (optind != argc || options->dist == NULL || options->java == NULL) {
        ns_error("usage: spawner --root R --dist D --java H");
        return -1;
    }
    why = ns_marks_wrong(options->turned_mark, options->copy_mark);
    if (why != NULL)
        ns_error("--turned-mark 0x%x, --copy-mark 0x%x: %s", options->turned_mark, options->copy_mark, why);
    return why == NULL ? 0 : -1;
}

/*
 * Raises the limits of descriptors. Each container takes ten; the usual soft limit would end before half of
 * NS_CONTAINERS_MAX. The hard limit bounds `files` of every container, because no container may raise its own.
 */
static void raise_descriptors(void) {
    struct rlimit limit = {DESCRIPTORS, NS_FILES_MOST};
    struct rlimit had = limit;

    if (getrlimit(RLIMIT_NOFILE, &had) == 0 && had.rlim_max > limit.rlim_max)
        limit.rlim_max = had.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return;
    limit.rlim_max = had.rlim_max; /* without CAP_SYS_RESOURCE */
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        ns_warn("limit of descriptors: %s", strerror(errno));
    ns_warn("no container may have more than %llu files open", (unsigned long long)limit.rlim_max);
}

static void links_changed(struct ns_spawner *spawner, struct ns_links_change change) {
    ns_firewall_links(spawner, change);
    if (change.addresses)
        ns_bpfd_node(spawner);
}

/* Opens everything. Removes what a killed predecessor has left: first processes, then rules, then interfaces. */
static int open_all(struct ns_spawner *spawner, const char *socket) {
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        ns_warn("mount namespace: %s: what is mounted here is mounted for the machine", strerror(errno));
    if (ns_launches_open(spawner, ns_loop_child) != 0) {
        ns_error("lifeline: %s", strerror(errno));
        return -1;
    }
    ns_cgroups_open(&spawner->cgroups, spawner->paths.root);
    ns_cgroups_open_bare(&spawner->guards, &spawner->cgroups);
    spawner->lacking = ns_layers_lacking(&spawner->cgroups);
    ns_job_guard_try(&spawner->guards, spawner->jobs_lack);
    ns_firewall_open(&spawner->firewall, &ns_wanted_rules);
    ns_links_open(&spawner->links, links_changed);
    ns_network_remove_all();
    if (ns_client_open(&spawner->client, socket, NS_ID_CONTROLLER(spawner->ids)) != 0) {
        ns_error("%s: %s", socket, strerror(errno));
        return -1;
    }
    ns_sigio_child_open(spawner);
    ns_bpfd_child_open(spawner);
    ns_archives_open(spawner);
    ns_spares_open(spawner);
    ns_spare_jobs_open(spawner);
    return 0;
}

static void close_all(struct ns_spawner *spawner, const char *socket) {
    ns_sigio_child_close(spawner);
    ns_bpfd_child_close(spawner);
    ns_client_close(&spawner->client, socket);
    ns_links_close(&spawner->links);
    ns_firewall_close(&spawner->firewall);
    ns_network_remove_all();
    ns_cgroups_close(&spawner->cgroups);
    if (spawner->guards.bare)
        ns_cgroups_close(&spawner->guards);
    ns_sysctl_restore(spawner->saved_sysctls);
}

int main(int argc, char **argv) {
    static struct ns_spawner spawner;
    static char socket[PATH_MAX + 16];
    struct options options;

    ns_log_open("spawner");
    if (read_options(&options, argc, argv) != 0)
        return 2;
    if (ns_paths_make(&spawner.paths, options.root, options.dist, options.java) != 0) {
        ns_error("--root, --dist or --java: %s", strerror(errno));
        return 2;
    }
    spawner.turned_mark = options.turned_mark;
    spawner.copy_mark = options.copy_mark;
    spawner.ids = options.ids;
    spawner.spares.yield = options.spare_wait;
    spawner.start_ms = options.start_ms;
    snprintf(socket, sizeof socket, "%s/spawner.sock", spawner.paths.run);
    if (snprintf(spawner.saved_sysctls, sizeof spawner.saved_sysctls, "%s/sysctl.saved", spawner.paths.run) >=
        (int)sizeof spawner.saved_sysctls)
        return 2;
    raise_descriptors();
    if (open_all(&spawner, socket) != 0)
        return 1;
    if (ns_loop(&spawner) != 0)
        ns_error("loop: %s", strerror(errno));
    close_all(&spawner, socket);
    ns_info("stopped");
    return 0;
}
