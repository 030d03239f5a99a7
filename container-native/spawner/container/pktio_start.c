/* SPDX-License-Identifier: Apache-2.0 */
/* pktio_start.c - starts the pktio of a container: its arguments, descriptors, limits. */
#include "arguments.h"
#include "host.h"
#include "layers.h"
#include "ns_caps.h"
#include "ns_log.h"
#include "xsk.h"
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PKTIO_DESCRIPTORS 12 /* all but AF_XDP sockets, with the two raw sockets */

static void xsk_arguments(struct ns_arguments *a, const struct ns_xsk *xsk) {
    for (unsigned i = 0; i < xsk->count; i++)
        ns_arguments_add(a, "--xsk", xsk->text[i]);
    if (xsk->raw4 >= 0)
        ns_arguments_add_number(a, "--raw4-fd", (uint64_t)xsk->raw4);
    if (xsk->raw6 >= 0)
        ns_arguments_add_number(a, "--raw6-fd", (uint64_t)xsk->raw6);
}

static void pktio_arguments(struct ns_arguments *a, const struct ns_spawner *spawner,
                            const struct ns_container *container, const char *program,
                            char rewrites[][2 * NS_PREFIX_TEXT + 4]) {
    const struct ns_request *order = &container->order;

    ns_arguments_begin(a, program);
    ns_arguments_add(a, "--name", order->name);
    ns_arguments_add_number(a, "--queue", order->queue);
    ns_arguments_add_number(a, "--slots", NS_RING_SLOTS_DEFAULT);
    ns_arguments_add_number(a, "--desc-fd", (uint64_t)container->ring.desc_rw);
    ns_arguments_add_number(a, "--slots-fd", (uint64_t)container->ring.slots);
    ns_arguments_add_number(a, "--rx-efd", (uint64_t)container->receive_fd);
    ns_arguments_add_number(a, "--tx-efd", (uint64_t)container->send_fd);
    ns_arguments_add_number(a, "--stats-fd", (uint64_t)container->counters_fd);
    ns_arguments_add_number(a, "--packets-fd", (uint64_t)container->pktio.queues.packets_fd);
    ns_arguments_add_number(a, "--copies-fd", (uint64_t)container->pktio.queues.copies_fd);
    ns_arguments_add_number(a, "--deadline-ms", order->deadline);
    ns_arguments_add_number(a, "--steal-ms", order->steal);
    ns_arguments_add_number(a, "--steal-max", order->steal_max);
    ns_arguments_add_number(a, "--turned-mark", spawner->turned_mark);
    ns_arguments_add_number(a, "--copy-mark", spawner->copy_mark);
    ns_arguments_add_number(a, "--seccomp", !ns_layer_has(spawner->lacking, NS_LAYER_SECCOMP));
    if (container->grant.pktio_fd >= 0) {
        ns_arguments_add_number(a, "--fastpath-fd", (uint64_t)container->grant.pktio_fd);
        ns_arguments_add_number(a, "--records-fd", (uint64_t)container->grant.records_fd);
    }
    if (container->grant.samples_fd >= 0)
        ns_arguments_add_number(a, "--samples-fd", (uint64_t)container->grant.samples_fd);
    for (unsigned i = 0; i < order->rewrites; i++) {
        char source[NS_PREFIX_TEXT], destination[NS_PREFIX_TEXT];

        ns_value_print_net(&order->rewrite[i].source, source);
        ns_value_print_net(&order->rewrite[i].destination, destination);
        snprintf(rewrites[i], 2 * NS_PREFIX_TEXT + 4, "%s->%s", source, destination);
        ns_arguments_add(a, "--rewrite", rewrites[i]);
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
    static struct ns_arguments arguments;
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
