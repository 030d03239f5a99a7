/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include "disk.h"
#include "idmap.h"
#include "network.h"
#include "ns_fd.h"
#include "program_channels.h"
#include "reports.h"
#include "slot.h"
#include "spawner.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PKTIO_MEMORY (64ull << 20)
#define PKTIO_TASKS 8

struct ns_container *ns_parts_new(const struct ns_request *order) {
    static uint64_t serial;
    struct ns_container *container = calloc(1, sizeof *container);

    if (container == NULL)
        return NULL;
    container->order = *order;
    container->serial = ++serial;
    container->slot = -1;
    container->ring = (struct ns_ring_fds){-1, -1, -1};
    container->receive_fd = container->send_fd = container->counters_fd = -1;
    container->report_fd = container->report_out = container->order_fd = container->order_in = -1;
    ns_program_init(&container->program);
    container->pktio = NS_READER_NONE;
    container->grant = NS_BPFD_GRANT_NONE;
    container->report_stock = NS_REPORTS_STOCK;
    container->report_at = ns_now();
    return container;
}

static int make_counters(struct ns_container *container) {
    void *at;

    if (ns_memfd_create("netserv-counters", sizeof *container->counters, &container->counters_fd, NULL) != 0)
        return -1;
    at = mmap(NULL, sizeof *container->counters, PROT_READ, MAP_SHARED, container->counters_fd, 0);
    container->counters = at == MAP_FAILED ? NULL : at;
    return container->counters == NULL ? -1 : 0;
}

static int make_shared(struct ns_container *container) {
    if (ns_ring_create(NS_RING_SLOTS_DEFAULT, &container->ring) != 0 || make_counters(container) != 0)
        return -1;
    container->receive_fd = eventfd(0, EFD_CLOEXEC);
    container->send_fd = eventfd(0, EFD_CLOEXEC);
    return container->receive_fd < 0 || container->send_fd < 0 ? -1 : 0;
}

/*
 * Sets the share of the processors to the order's, also during the start. More CPU time for the start comes from idle
 * processors only.
 */
static int share(const struct ns_container *container) {
    const struct ns_cgroup whole = ns_cgroup_parent(&container->host_cgroup);

    return ns_cgroup_share(&whole, container->order.cpu);
}

static const struct ns_cgroup_limits pktio_limits = {PKTIO_MEMORY, 0, PKTIO_TASKS};

static int name_cgroups(struct ns_spawner *spawner, struct ns_container *container) {
    const struct ns_request *order = &container->order;
    char path[NS_NAME_MAX + 8];

    /* without the layer the container has no limits; its cgroup still exists, to find every process at the end */
    if (!ns_layer_has(container->missing, NS_LAYER_CGROUP))
        container->limits =
            (struct ns_cgroup_limits){order->memory << 20, order->cpu < 100 ? 100 : order->cpu, order->pids};
    snprintf(path, sizeof path, "%s/host", order->name);
    if (ns_cgroup_name(&container->host_cgroup, &spawner->cgroups, path) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/pktio", order->name);
    return ns_cgroup_name(&container->pktio_cgroup, &spawner->cgroups, path);
}

static int make_cgroups(struct ns_container *container) {
    if (ns_cgroup_make_named(&container->host_cgroup, &container->limits) != 0 ||
        (!ns_layer_has(container->missing, NS_LAYER_CGROUP) && share(container) != 0))
        return -1;
    return ns_cgroup_make_named(&container->pktio_cgroup, &pktio_limits);
}

/*
 * Makes the data directory. The owner is set on the plain directory, and again on the root of the file system that is
 * mounted there.
 */
static int make_data(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    const struct ns_request *order = &container->order;
    const struct ns_paths *paths = &spawner->paths;
    bool own = !ns_layer_has(container->missing, NS_LAYER_DISK);
    uid_t uid = ns_layer_has(container->missing, NS_LAYER_UID) ? 0 : (uid_t)order->uid;
    gid_t gid = (gid_t)order->gid;
    int (*mount)(const struct ns_paths *, const char *, struct ns_image_size, uid_t, gid_t, char[160]) =
        container->spare ? ns_disk_mount_new : ns_disk_mount;

    if (ns_disk_recover(paths, order->name, why) != 0)
        return -1;
    if (ns_paths_container(paths, order->name, uid, gid) != 0) {
        snprintf(why, 160, "data directory: %s", strerror(errno));
        return -1;
    }
    if (!own) {
        ns_disk_leave(paths, order->name);
        return 0;
    }
    if (mount(paths, order->name, (struct ns_image_size){order->disk, order->inodes}, uid, gid, why) != 0)
        return -1;
    if (ns_paths_container(paths, order->name, uid, gid) == 0)
        return 0;
    snprintf(why, 160, "data directory: %s", strerror(errno));
    return -1;
}

int ns_parts_open(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    if (make_shared(container) != 0) {
        snprintf(why, 160, "ring: %s", strerror(errno));
        return -1;
    }
    if (name_cgroups(spawner, container) != 0) {
        snprintf(why, 160, "cgroup: %s", strerror(errno));
        return -1;
    }
    return 0;
}

/* Makes a spare's home directory before the host starts, because the host owns the spare's directory from then on. */
static int make_home(struct ns_spawner *spawner, const struct ns_container *container, char why[160]) {
    uid_t id = (uid_t)container->order.uid;
    char home[NS_SLOT_PATH];

    ns_slot_home(&spawner->paths, (unsigned)container->slot, home);
    if (mkdir(home, 0700) == 0 && chown(home, id, id) == 0)
        return 0;
    snprintf(why, 160, "home: %s", strerror(errno));
    return -1;
}

int ns_parts_make(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    if (container->spare)
        ns_slot_clear(&spawner->paths, (unsigned)container->slot);
    if (make_data(spawner, container, why) != 0)
        return -1;
    if (make_cgroups(container) != 0) {
        snprintf(why, 160, "cgroup: %s", strerror(errno));
        return -1;
    }
    return container->spare ? make_home(spawner, container, why) : 0;
}

/*
 * Mounts the publisher's data directory over the spare's home, with a map of ids. The directory is an ext4 file
 * system, which can be ID-mapped, because a spare has every layer, also `disk`.
 */
static int mount_home(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    const struct ns_request *order = &container->order;
    uint32_t id = ns_slot_id(spawner->ids, (unsigned)container->slot);
    const struct ns_idmap ids = {(uid_t)order->uid, id, (gid_t)order->gid, id};
    char data[PATH_MAX + NS_NAME_MAX + 2], home[NS_SLOT_PATH];

    snprintf(data, sizeof data, "%s/%s", spawner->paths.containers, order->name);
    ns_slot_home(&spawner->paths, (unsigned)container->slot, home);
    return ns_idmap_mount(data, container->host, home, &ids, why);
}

/*
 * Sets the order's limit of open files on the running host. All other limits of host.c are the same for every
 * container that has a cgroup, and a spare always has one: the cgroup limits the number of tasks.
 */
static int limit_host(const struct ns_container *container) {
    const struct rlimit files = {container->order.files, container->order.files};

    return prlimit(container->host, RLIMIT_NOFILE, &files, NULL);
}

int ns_parts_adopt(struct ns_spawner *spawner, struct ns_container *container, char why[160]) {
    const struct ns_request *order = &container->order;

    const struct ns_cgroup_limits limits = {order->memory << 20, order->cpu, order->pids};

    if (ns_cgroup_limit(&container->host_cgroup, &limits) != 0 || share(container) != 0) {
        snprintf(why, 160, "cgroup: %s", strerror(errno));
        return -1;
    }
    if (limit_host(container) != 0) {
        snprintf(why, 160, "limits: %s", strerror(errno));
        return -1;
    }
    return make_data(spawner, container, why) == 0 ? mount_home(spawner, container, why) : -1;
}

bool ns_parts_has_rules(const struct ns_spawner *spawner, const struct ns_request *order) {
    bool has = order->network >= 0 || order->packets != 0 || order->bytes != 0;

    for (unsigned i = 0; i < spawner->filters && !has; i++)
        has = spawner->filter[i].queue == order->queue;
    return has;
}

struct ns_rules_container ns_parts_rules(const struct ns_container *container) {
    const struct ns_request *order = &container->order;

    return (struct ns_rules_container){.name = order->name,
                                       .serial = container->serial,
                                       .queue = (uint16_t)order->queue,
                                       .packets = order->packets,
                                       .bytes = order->bytes,
                                       .network = ns_layer_has(container->missing, NS_LAYER_NET) ? -1 : order->network,
                                       .open = ns_layer_has(container->missing, NS_LAYER_RULES),
                                       .connections = order->connections,
                                       .connects = order->connects,
                                       .connect = order->connect,
                                       .listens = order->listens,
                                       .listen = order->listen,
                                       .takes = order->takes,
                                       .take = order->take};
}

/* Unmounts the data directory. After a failed start more than the mount may be left, and all of it is taken away. */
static void clear_disk(struct ns_spawner *spawner, const struct ns_container *container) {
    if (container->failed)
        ns_disk_abandon(&spawner->paths, container->order.name);
    else if (container->own_disk)
        ns_disk_unmount(&spawner->paths, container->order.name);
}

void ns_parts_clear(struct ns_spawner *spawner, struct ns_container *container) {
    if (container->order.network >= 0)
        ns_network_remove((unsigned)container->order.network);
    if (container->pktio_cgroup.all != NULL)
        ns_cgroup_remove(&container->pktio_cgroup);
    if (container->host_cgroup.all != NULL)
        ns_cgroup_remove(&container->host_cgroup);
    clear_disk(spawner, container);
    if (container->slot >= 0)
        ns_slot_clear(&spawner->paths, (unsigned)container->slot);
}

void ns_parts_free(struct ns_container *container) {
    if (container->counters != NULL)
        munmap(container->counters, sizeof *container->counters);
    ns_ring_close(&container->ring);
    ns_fd_drop(&container->receive_fd);
    ns_fd_drop(&container->send_fd);
    ns_fd_drop(&container->counters_fd);
    ns_queues_release(&container->pktio.queues);
    ns_fd_drop(&container->report_fd);
    ns_fd_drop(&container->report_out);
    ns_fd_drop(&container->order_fd);
    ns_fd_drop(&container->order_in);
    ns_program_close(&container->program);
    free(container);
}
