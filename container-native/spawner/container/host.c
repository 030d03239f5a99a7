/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "arguments.h"
#include "layers.h"
#include "network.h"
#include "ns_caps.h"
#include "ns_fd.h"
#include "parts.h"
#include "program_channels.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PORTS_TEXT (2 * NS_CONNECTS_MAX * 12) /* "65535-65535," each, of two lists */
#define KEPT_MAX 8                            /* descriptors of a host */

struct host_paths {
    char program[PATH_MAX + 16];
    char classes[2 * PATH_MAX + 64]; /* the two jars of dist/host by name, whatever else is in the directory */
    char blocks[PATH_MAX + 16];
    char own[PATH_MAX + NS_NAME_MAX + 2]; /* the container's directory */
    char data[PATH_MAX + NS_NAME_MAX + 32], storage[PATH_MAX + NS_NAME_MAX + 32];
    char agent[PATH_MAX + 16], control[PATH_MAX + 32];
    char output[PATH_MAX + NS_NAME_MAX + 64];
};

static void print_paths(struct host_paths *paths, const struct ns_spawner *spawner,
                        const struct ns_container *container) {
    const char *dist = spawner->paths.dist, *run = spawner->paths.run;

    snprintf(paths->program, sizeof paths->program, "%s/bin/host", dist);
    snprintf(paths->classes, sizeof paths->classes, "%s/host/equinox.jar:%s/host/host.jar", dist, dist);
    snprintf(paths->blocks, sizeof paths->blocks, "%s/blocks", dist);
    snprintf(paths->own, sizeof paths->own, "%s/%s", spawner->paths.containers, container->order.name);
    snprintf(paths->data, sizeof paths->data, "%s%s", paths->own, container->spare ? "/home" : "");
    snprintf(paths->storage, sizeof paths->storage, "%s/framework", paths->own);
    snprintf(paths->agent, sizeof paths->agent, "%s/container", run);
    snprintf(paths->control, sizeof paths->control, "%s/container/container.sock", run);
    snprintf(paths->output, sizeof paths->output, "%s/host.log", paths->data);
}

/* Appends the TCP ports of a list, such as "443-443,5000-5010". */
static void print_tcp(const struct ns_connect *list, unsigned count, char text[PORTS_TEXT]) {
    size_t used = strlen(text);

    for (unsigned i = 0; i < count; i++) {
        struct ns_ports ports = ns_connect_inside(&list[i]);

        if (list[i].protocol == IPPROTO_TCP)
            used += (size_t)snprintf(text + used, PORTS_TEXT - used, "%s%u-%u", used == 0 ? "" : ",", ports.first,
                                     ports.last);
    }
}

/* Prints the ports that the container binds, and those that it connects to. */
static void print_ports(const struct ns_container *container, char bind[PORTS_TEXT], char connect[PORTS_TEXT]) {
    const struct ns_request *order = &container->order;

    bind[0] = connect[0] = '\0';
    print_tcp(order->listen, order->listens, bind);
    print_tcp(order->take, order->takes, bind);
    print_tcp(order->connect, order->connects, connect);
}

static void add_layers(struct ns_arguments *a, const struct ns_container *container) {
    static char without[NS_LAYER_TEXT], bind[PORTS_TEXT], connect[PORTS_TEXT];

    ns_layer_print(container->missing, without);
    print_ports(container, bind, connect);
    ns_arguments_add(a, "--without", without);
    ns_arguments_add(a, "--bind", bind);
    ns_arguments_add(a, "--connect", connect);
}

static void host_arguments(struct ns_arguments *a, const struct ns_spawner *spawner,
                           const struct ns_container *container, int report_fd, const struct host_paths *paths) {
    ns_arguments_begin(a, paths->program);
    ns_arguments_add(a, "--java-home", spawner->paths.java);
    ns_arguments_add(a, "--class-path", paths->classes);
    ns_arguments_add(a, "--blocks", paths->blocks);
    ns_arguments_add(a, "--data", paths->data);
    ns_arguments_add(a, "--storage", paths->storage);
    ns_arguments_add(a, "--control", paths->control);
    /* The archive's directory is open to root only, so a container gets the archive in its private root directory. */
    if (spawner->archive.path[0] != '\0' && !ns_layer_has(container->missing, NS_LAYER_MOUNT))
        ns_arguments_add(a, "--archive", spawner->archive.path);
    ns_arguments_add_number(a, "--heap", container->order.heap);
    ns_arguments_add_number(a, "--direct", container->order.direct);
    ns_arguments_add_number(a, "--metaspace", container->order.metaspace);
    ns_arguments_add_number(a, "--processors", ns_request_processors(&container->order));
    ns_arguments_add_number(a, "--slots", NS_RING_SLOTS_DEFAULT);
    ns_arguments_add_number(a, "--desc-fd", (uint64_t)container->ring.desc_ro);
    ns_arguments_add_number(a, "--slots-fd", (uint64_t)container->ring.slots);
    ns_arguments_add_number(a, "--rx-efd", (uint64_t)container->receive_fd);
    ns_arguments_add_number(a, "--tx-efd", (uint64_t)container->send_fd);
    ns_arguments_add_number(a, "--report-fd", (uint64_t)report_fd);
    ns_arguments_add_number(a, "--ask-fd", (uint64_t)container->program.ask_out);
    ns_arguments_add_number(a, "--answer-fd", (uint64_t)container->program.tell_in);
    ns_arguments_add_number(a, "--spare", container->spare);
    if (container->spare)
        ns_arguments_add_number(a, "--order-fd", (uint64_t)container->order_in);
    ns_arguments_add(a, "--fast-path", container->offered); /* a bundle may require it */
    ns_arguments_add(a, "--packet-processors", container->apart);
    add_layers(a, container);
}

int ns_host_network(const struct ns_container *container, pid_t pid) {
    const struct ns_rules_container rules = ns_parts_rules(container);

    return rules.network < 0 ? 0 : ns_network_make(&rules, pid);
}

static int make_network(void *context, pid_t pid) {
    const struct ns_container *container = context;

    if (ns_layer_has(container->missing, NS_LAYER_NET))
        return 0; /* the host is in the node's network namespace */
    return ns_network_loopback(pid) != 0 ? -1 : ns_host_network(container, pid);
}

/* Collects the descriptors that a host inherits. Returns their number. */
static size_t descriptors(const struct ns_container *container, int keep[KEPT_MAX]) {
    const int always[] = {container->ring.desc_ro,   container->ring.slots, container->receive_fd,
                          container->send_fd,        container->report_out, container->program.ask_out,
                          container->program.tell_in};
    size_t count = sizeof always / sizeof always[0];

    memcpy(keep, always, sizeof always);
    if (container->spare)
        keep[count++] = container->order_in;
    return count;
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

/*
 * Returns the limit of open files. A spare has the highest one of all containers, because its adoption may only lower
 * it, and because Java sizes its table of descriptors by the limit of its start.
 */
static rlim_t most_files(const struct ns_container *container) {
    struct rlimit own;

    return container->spare && getrlimit(RLIMIT_NOFILE, &own) == 0 ? own.rlim_max : container->order.files;
}

/* In a task: starts the host. */
static pid_t start(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    static struct host_paths paths;
    static const char *const environment[] = {"MALLOC_ARENA_MAX=2", "LC_ALL=C.UTF-8", "PATH=/nonexistent", NULL};
    struct ns_container *container = context;
    const struct ns_request *order = &container->order;
    const struct ns_root_entry mounts[] = {
        {spawner->paths.java, NS_ROOT_EXECUTE},
        {spawner->paths.dist, NS_ROOT_EXECUTE},
        {paths.agent, 0},
        {paths.own, NS_ROOT_WRITE},
        {spawner->archive.path, 0}, /* last, because there may be no archive */
    };
    /* the cgroup limits the tasks; RLIMIT_NPROC does so only without cgroups: it counts a uid on the whole machine */
    const struct ns_limit limits[] = {
        {RLIMIT_NOFILE, most_files(container)},
        {RLIMIT_NPROC, spawner->cgroups.version != 0 ? 32768 : order->pids},
        {RLIMIT_CORE, 0},
        {RLIMIT_MEMLOCK, 65536},
        {RLIMIT_FSIZE, 256u << 20},
        {RLIMIT_MSGQUEUE, 0},
    };
    static struct ns_arguments arguments;
    int keep[KEPT_MAX];
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
        .output = paths.output,
        .as_itself = make_directories,
        .context = paths.data,
        .keep = keep,
        .keep_count = descriptors(container, keep),
        .argv = arguments.argv,
        .environment = environment,
    };

    print_paths(&paths, spawner, container);
    host_arguments(&arguments, spawner, container, container->report_out, &paths);
    return ns_layers_start(&layers, make_network, container, why);
}

/*
 * Opens the pipe of reports and the channels of programs, and for a spare the sockets by which it gets its publisher's
 * order.
 */
static int open_channels(struct ns_container *container) {
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    container->report_fd = ends[0];
    container->report_out = ends[1];
    if (ns_program_open(&container->program) != 0)
        return -1;
    if (!container->spare)
        return 0;
    /* not a pipe: a write to a spare that has just died must not end the spawner */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return -1;
    container->order_fd = ends[0];
    container->order_in = ends[1];
    return 0;
}

int ns_host_start(struct ns_spawner *spawner, struct ns_container *container, uint64_t deadline_ms, ns_host_done done,
                  char why[160]) {
    int keep[KEPT_MAX], result;

    if (open_channels(container) != 0) {
        snprintf(why, 160, "channels: %s", strerror(errno));
        return -1;
    }
    snprintf(container->offered, sizeof container->offered, "%s", ns_bpfd_offered(spawner));
    strcpy(container->apart, spawner->processors.text);
    {
        const struct ns_launch launch = {.name = "host",
                                         .start = start,
                                         .done = done,
                                         .context = container,
                                         .deadline_ms = deadline_ms,
                                         .keep = keep,
                                         .keep_count = descriptors(container, keep)};

        result = ns_launch(spawner, &launch, why);
    }
    ns_fd_drop(&container->report_out);
    ns_fd_drop(&container->order_in);
    ns_program_handed(&container->program);
    return result;
}

int ns_host_adopt(struct ns_container *container, char why[160]) {
    char bind[PORTS_TEXT], connect[PORTS_TEXT], line[2 * PORTS_TEXT + 32];
    int length;

    print_ports(container, bind, connect);
    length = snprintf(line, sizeof line, "bind=%s connect=%s\n", bind, connect);
    if (container->host == 0)
        snprintf(why, 160, "host: ended");
    else if (send(container->order_fd, line, (size_t)length, MSG_NOSIGNAL) != length ||
             kill(container->host, SIGHUP) != 0)
        snprintf(why, 160, "host: %s", strerror(errno));
    else
        why[0] = '\0';
    ns_fd_drop(&container->order_fd);
    return why[0] == '\0' ? 0 : -1;
}
