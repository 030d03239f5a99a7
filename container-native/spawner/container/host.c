/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "layers.h"
#include "network.h"
#include "ns_caps.h"
#include "ns_fd.h"
#include "ns_log.h"
#include "parts.h"
#include "xsk.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARGUMENTS 64
#define ARGUMENT_TEXT 32
#define PKTIO_DESCRIPTORS 12              /* of pktio: all but AF_XDP sockets, with the two raw sockets */
#define PORTS_TEXT (NS_CONNECTS_MAX * 12) /* "65535-65535," each */

/* An argument vector, with the text of its numbers. */
struct arguments {
    const char *argv[ARGUMENTS + 2 * NS_REWRITES_MAX + 2 * NS_XSK_MAX + 1];
    unsigned count, texts;
    char text[ARGUMENTS][ARGUMENT_TEXT];
};

static void add(struct arguments *a, const char *option, const char *value) {
    a->argv[a->count++] = option;
    a->argv[a->count++] = value;
}

static void add_number(struct arguments *a, const char *option, uint64_t value) {
    char *text = a->text[a->texts++];

    snprintf(text, ARGUMENT_TEXT, "%llu", (unsigned long long)value);
    add(a, option, text);
}

/* --- the host --- */

/* Names the two jars of dist/host, so that the class path does not depend on the contents of a directory. */
static void class_path(const struct ns_spawner *spawner, char path[2 * PATH_MAX + 64]) {
    snprintf(path, 2 * PATH_MAX + 64, "%s/host/equinox.jar:%s/host/host.jar", spawner->paths.dist, spawner->paths.dist);
}

/* Prints the TCP ports of a list, such as "443-443,5000-5010". */
static void print_tcp(const struct ns_connect *list, unsigned count, char text[PORTS_TEXT]) {
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < count; i++) {
        if (list[i].protocol == IPPROTO_TCP)
            used += (size_t)snprintf(text + used, PORTS_TEXT - used, "%s%u-%u", used == 0 ? "" : ",",
                                     list[i].ports.first, list[i].ports.last);
    }
}

static void add_layers(struct arguments *a, const struct ns_container *container) {
    static char without[NS_LAYER_TEXT], bind[PORTS_TEXT], connect[PORTS_TEXT];

    ns_layer_print(container->missing, without);
    print_tcp(container->order.listen, container->order.listens, bind);
    print_tcp(container->order.connect, container->order.connects, connect);
    add(a, "--without", without);
    add(a, "--bind", bind);
    add(a, "--connect", connect);
}

static void host_arguments(struct arguments *a, const struct ns_spawner *spawner, const struct ns_container *container,
                           int report_fd, const char *const *paths) {
    memset(a, 0, sizeof *a);
    a->argv[a->count++] = paths[0];
    add(a, "--java-home", spawner->paths.java);
    add(a, "--class-path", paths[1]);
    add(a, "--blocks", paths[2]);
    add(a, "--data", paths[3]);
    add(a, "--storage", paths[4]);
    add(a, "--control", paths[5]);
    /* The archive's directory is open to root only, so a container gets the archive in its private root directory. */
    if (spawner->archive.path[0] != '\0' && !ns_layer_has(container->missing, NS_LAYER_MOUNT))
        add(a, "--archive", spawner->archive.path);
    add_number(a, "--heap", container->order.heap);
    add_number(a, "--direct", container->order.direct);
    add_number(a, "--metaspace", container->order.metaspace);
    add_number(a, "--processors", ns_request_processors(&container->order));
    add_number(a, "--slots", NS_RING_SLOTS_DEFAULT);
    add_number(a, "--desc-fd", (uint64_t)container->ring.desc_ro);
    add_number(a, "--slots-fd", (uint64_t)container->ring.slots);
    add_number(a, "--rx-efd", (uint64_t)container->receive_fd);
    add_number(a, "--tx-efd", (uint64_t)container->send_fd);
    add_number(a, "--report-fd", (uint64_t)report_fd);
    add_number(a, "--spare", container->spare);
    add(a, "--fast-path", container->offered); /* a bundle may require it */
    add(a, "--packet-processors", container->apart);
    add_layers(a, container);
}

static int make_network(void *context, pid_t pid) {
    struct ns_container *container = context;
    const struct ns_rules_container rules = ns_parts_rules(container);

    if (ns_layer_has(container->missing, NS_LAYER_NET))
        return 0; /* the host is in the node's network namespace */
    if (ns_network_loopback(pid) != 0)
        return -1;
    return container->order.network < 0 ? 0 : ns_network_make(&rules, pid);
}

/* Returns CAP_SYS_ADMIN without no_new_privs: Landlock and seccomp need one of them. host/sandbox.c gives it up. */
static uint64_t capabilities(ns_layer_set missing) {
    return ns_layer_has(missing, NS_LAYER_NO_NEW_PRIVS) ? NS_CAP(CAP_SYS_ADMIN) : 0;
}

/* Makes the host's two directories, under the host's own id. */
static int make_directories(const void *context) {
    static const char *const names[] = {"data", "dumps"};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (snprintf(path, sizeof path, "%s/%s", (const char *)context, names[i]) >= (int)sizeof path) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

/* In a task: starts the host. */
static pid_t start(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    static char program[PATH_MAX + 16], classes[2 * PATH_MAX + 64], blocks[PATH_MAX + 16],
        own[PATH_MAX + NS_NAME_MAX + 2], data[PATH_MAX + NS_NAME_MAX + 32], storage[PATH_MAX + NS_NAME_MAX + 32],
        agent[PATH_MAX + 16], control[PATH_MAX + 32], output[PATH_MAX + NS_NAME_MAX + 64];
    static const char *const environment[] = {"MALLOC_ARENA_MAX=2", "LC_ALL=C.UTF-8", "PATH=/nonexistent", NULL};
    const char *const paths[] = {program, classes, blocks, data, storage, control};
    struct ns_container *container = context;
    const struct ns_request *order = &container->order;
    const struct ns_root_entry mounts[] = {
        {spawner->paths.java, NS_ROOT_EXECUTE},
        {spawner->paths.dist, NS_ROOT_EXECUTE},
        {agent, 0},
        {own, NS_ROOT_WRITE},
        {spawner->archive.path, 0}, /* last, because there may be no archive */
    };
    /* the cgroup limits the tasks; RLIMIT_NPROC does so only without cgroups: it counts a uid on the whole machine */
    const struct ns_limit limits[] = {
        {RLIMIT_NOFILE, order->files},
        {RLIMIT_NPROC, spawner->cgroups.version != 0 ? 32768 : order->pids},
        {RLIMIT_CORE, 0},
        {RLIMIT_MEMLOCK, 65536},
        {RLIMIT_FSIZE, 256u << 20},
        {RLIMIT_MSGQUEUE, 0},
    };
    const int keep[] = {container->ring.desc_ro, container->ring.slots, container->receive_fd, container->send_fd,
                        container->report_out};
    static struct arguments arguments;
    struct ns_layers layers = {
        .sibling = sibling,
        .without = container->missing,
        .namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS,
        .cgroup = &container->host_cgroup,
        .processors = ns_processors_others(&spawner->processors),
        .mounts = mounts,
        .mount_count = sizeof mounts / sizeof mounts[0] - (spawner->archive.path[0] == '\0'),
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = {(uid_t)order->uid,
                     (gid_t)order->gid,
                     {NS_ID_CONTAINERS(spawner->ids)},
                     1,
                     capabilities(container->missing),
                     SIGKILL},
        .output = output,
        .as_itself = make_directories,
        .context = data,
        .keep = keep,
        .keep_count = sizeof keep / sizeof keep[0],
        .argv = arguments.argv,
        .environment = environment,
    };

    snprintf(program, sizeof program, "%s/bin/host", spawner->paths.dist);
    snprintf(blocks, sizeof blocks, "%s/blocks", spawner->paths.dist);
    snprintf(own, sizeof own, "%s/%s", spawner->paths.containers, order->name);
    snprintf(data, sizeof data, "%s%s", own, container->spare ? "/home" : "");
    snprintf(storage, sizeof storage, "%s/framework", own);
    snprintf(agent, sizeof agent, "%s/container", spawner->paths.run);
    snprintf(control, sizeof control, "%s/container/container.sock", spawner->paths.run);
    snprintf(output, sizeof output, "%s/host.log", data);
    class_path(spawner, classes);
    host_arguments(&arguments, spawner, container, container->report_out, paths);
    return ns_layers_start(&layers, make_network, container, why);
}

int ns_host_start(struct ns_spawner *spawner, struct ns_container *container, uint64_t deadline_ms, ns_host_done done,
                  char why[160]) {
    int report[2], result;

    if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) {
        snprintf(why, 160, "report pipe: %s", strerror(errno));
        return -1;
    }
    snprintf(container->offered, sizeof container->offered, "%s", ns_bpfd_offered(spawner));
    strcpy(container->apart, spawner->processors.text);
    container->report_fd = report[0];
    container->report_out = report[1];
    {
        const int keep[] = {container->ring.desc_ro, container->ring.slots, container->receive_fd, container->send_fd,
                            report[1]};
        const struct ns_launch launch = {.name = "host",
                                         .start = start,
                                         .done = done,
                                         .context = container,
                                         .deadline_ms = deadline_ms,
                                         .keep = keep,
                                         .keep_count = sizeof keep / sizeof keep[0]};

        result = ns_launch(spawner, &launch, why);
    }
    ns_fd_drop(&container->report_out);
    return result;
}

/* --- pktio --- */

static void xsk_arguments(struct arguments *a, const struct ns_xsk *xsk) {
    for (unsigned i = 0; i < xsk->count; i++)
        add(a, "--xsk", xsk->text[i]);
    if (xsk->raw4 >= 0)
        add_number(a, "--raw4-fd", (uint64_t)xsk->raw4);
    if (xsk->raw6 >= 0)
        add_number(a, "--raw6-fd", (uint64_t)xsk->raw6);
}

static void pktio_arguments(struct arguments *a, const struct ns_spawner *spawner, const struct ns_container *container,
                            const char *program, char rewrites[][2 * NS_PREFIX_TEXT + 4]) {
    const struct ns_request *order = &container->order;

    memset(a, 0, sizeof *a);
    a->argv[a->count++] = program;
    add(a, "--name", order->name);
    add_number(a, "--queue", order->queue);
    add_number(a, "--slots", NS_RING_SLOTS_DEFAULT);
    add_number(a, "--desc-fd", (uint64_t)container->ring.desc_rw);
    add_number(a, "--slots-fd", (uint64_t)container->ring.slots);
    add_number(a, "--rx-efd", (uint64_t)container->receive_fd);
    add_number(a, "--tx-efd", (uint64_t)container->send_fd);
    add_number(a, "--stats-fd", (uint64_t)container->counters_fd);
    add_number(a, "--packets-fd", (uint64_t)container->pktio.queues.packets_fd);
    add_number(a, "--copies-fd", (uint64_t)container->pktio.queues.copies_fd);
    add_number(a, "--deadline-ms", order->deadline);
    add_number(a, "--steal-ms", order->steal);
    add_number(a, "--steal-max", order->steal_max);
    add_number(a, "--turned-mark", spawner->turned_mark);
    add_number(a, "--copy-mark", spawner->copy_mark);
    add_number(a, "--seccomp", !ns_layer_has(spawner->lacking, NS_LAYER_SECCOMP));
    if (container->grant.pktio_fd >= 0) {
        add_number(a, "--fastpath-fd", (uint64_t)container->grant.pktio_fd);
        add_number(a, "--records-fd", (uint64_t)container->grant.records_fd);
    }
    if (container->grant.samples_fd >= 0)
        add_number(a, "--samples-fd", (uint64_t)container->grant.samples_fd);
    for (unsigned i = 0; i < order->rewrites; i++) {
        char source[NS_PREFIX_TEXT], destination[NS_PREFIX_TEXT];

        ns_value_print_net(&order->rewrite[i].source, source);
        ns_value_print_net(&order->rewrite[i].destination, destination);
        snprintf(rewrites[i], 2 * NS_PREFIX_TEXT + 4, "%s->%s", source, destination);
        add(a, "--rewrite", rewrites[i]);
    }
}

/* Collects the descriptors of pktio: the fixed ones, its fast path and its AF_XDP sockets. Returns their number. */
static size_t pktio_descriptors(int *keep, const struct ns_container *container, const struct ns_xsk *xsk) {
    const int always[] = {container->ring.desc_rw,
                          container->ring.slots,
                          container->receive_fd,
                          container->send_fd,
                          container->counters_fd,
                          container->pktio.queues.packets_fd,
                          container->pktio.queues.copies_fd};
    const int perhaps[] = {container->grant.pktio_fd, container->grant.records_fd, container->grant.samples_fd,
                           xsk->raw4, xsk->raw6};
    size_t count = sizeof always / sizeof always[0];

    memcpy(keep, always, sizeof always);
    for (size_t i = 0; i < sizeof perhaps / sizeof perhaps[0]; i++) {
        if (perhaps[i] >= 0)
            keep[count++] = perhaps[i];
    }
    memcpy(keep + count, xsk->fd, xsk->count * sizeof *keep);
    return count + xsk->count;
}

/* Opens the AF_XDP sockets. Not with limits of packets or bytes, because these limits are rules of the queue. */
static void open_xsk(struct ns_xsk *xsk, struct ns_spawner *spawner, const struct ns_container *container) {
    const struct ns_request *order = &container->order;
    bool limited = order->packets != 0 || order->bytes != 0;

    if (order->afxdp && (limited || container->grant.pktio_fd < 0))
        ns_warn("%s: no AF_XDP: %s; its packets come by the queue", order->name,
                limited ? "it has limits of packets or bytes" : "there is no fast path");
    ns_xsk_open(xsk, order->name, spawner->bpfd.interface,
                order->afxdp && !limited && container->grant.pktio_fd >= 0 ? spawner->bpfd.interfaces : 0);
}

/* In a task: starts pktio. */
static pid_t start_packets(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    static char program[PATH_MAX + 16], rewrites[NS_REWRITES_MAX][2 * NS_PREFIX_TEXT + 4];
    static const char *const environment[] = {"LC_ALL=C", "PATH=/nonexistent", NULL};
    /* no limit of a file's size: the only file is the spawner's log, and a line beyond a limit would end pktio */
    static const struct ns_limit limits[] = {{RLIMIT_NOFILE, 64}, {RLIMIT_CORE, 0}, {RLIMIT_FSIZE, RLIM_INFINITY}};
    static struct arguments arguments;
    const struct ns_root_entry mounts[] = {{spawner->paths.dist, NS_ROOT_EXECUTE}};
    struct ns_container *container = context;
    int keep[PKTIO_DESCRIPTORS + NS_XSK_MAX];
    struct ns_xsk xsk;
    pid_t pid;
    uid_t id = NS_ID_PKTIO(spawner->ids);
    struct ns_layers layers = {
        .sibling = sibling,
        .without = spawner->lacking & NS_LAYER_NAMESPACES,
        .cgroup = &container->pktio_cgroup,
        .processors = ns_processors_packets(&spawner->processors),
        .mounts = mounts,
        .mount_count = 1,
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        /* SIGTERM if the spawner dies: pktio then still accepts the packets that it holds */
        .identity = {id, id, {0}, 0, NS_CAP(CAP_NET_ADMIN), SIGTERM},
        .keep = keep,
        .argv = arguments.argv,
        .environment = environment,
    };

    snprintf(program, sizeof program, "%s/bin/pktio", spawner->paths.dist);
    pktio_arguments(&arguments, spawner, container, program, rewrites);
    open_xsk(&xsk, spawner, container);
    xsk_arguments(&arguments, &xsk);
    layers.keep_count = pktio_descriptors(keep, container, &xsk);
    pid = ns_layers_start(&layers, NULL, NULL, why);
    ns_xsk_close(&xsk);
    return pid;
}

int ns_packets_start(struct ns_spawner *spawner, struct ns_container *container, uint64_t deadline_ms,
                     ns_host_done done, char why[160]) {
    static const struct ns_xsk none = {.raw4 = -1, .raw6 = -1};
    int keep[PKTIO_DESCRIPTORS];
    const struct ns_launch launch = {.name = "pktio",
                                     .start = start_packets,
                                     .done = done,
                                     .context = container,
                                     .deadline_ms = deadline_ms,
                                     .keep = keep,
                                     .keep_count = pktio_descriptors(keep, container, &none)};

    return ns_launch(spawner, &launch, why);
}
