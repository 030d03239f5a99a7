/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include "cgroup.h"
#include "ns_libbpf_log.h"
#include "ns_log.h"
#include "ns_time.h"
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71 /* Linux 5.14 */
#endif

static const char *const programs[NS_SAL_HOOKS] = {"ns_listen_tcp", "ns_listen_bind4", "ns_listen_bind6",
                                                   "ns_listen_release"};

/* --- the maps --- */

static struct ns_sal_listen_port port_of(const struct ns_sal_hooks *hooks, bool datagrams, uint16_t port) {
    return (struct ns_sal_listen_port){
        .net = hooks->net, .port = port, .protocol = datagrams ? IPPROTO_UDP : IPPROTO_TCP};
}

static bool on_port(void *context, bool datagrams, uint16_t port, bool watched) {
    const struct ns_sal_hooks *hooks = context;
    struct ns_sal_listen_port key = port_of(hooks, datagrams, port);
    const uint32_t any = 1;

    return watched ? bpf_map_update_elem(hooks->ports, &key, &any, BPF_ANY) == 0
                   : bpf_map_delete_elem(hooks->ports, &key) == 0;
}

static bool on_socket(void *context, const struct ns_sal_listener_socket *socket, bool there) {
    const struct ns_sal_hooks *hooks = context;
    struct ns_sal_listen_port port = port_of(hooks, socket->datagrams, socket->port);

    return there ? bpf_map_update_elem(hooks->sockets, &socket->cookie, &port, BPF_ANY) == 0
                 : bpf_map_delete_elem(hooks->sockets, &socket->cookie) == 0;
}

static int on_event(void *context, void *data, size_t size) {
    (void)data; /* sald looks at all ports */
    if (size >= sizeof(struct ns_sal_listen_event))
        ns_sal_listening_wake(context, ns_now());
    return 0;
}

/* --- opening --- */

/* The programs compare this number, because sockets of all network namespaces pass them. */
static bool find_net(uint64_t *net) {
    socklen_t size = sizeof *net;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, net, &size) == 0;

    if (fd >= 0)
        close(fd);
    return found;
}

/* The links have no pin: the kernel takes the programs off when sald ends. */
static bool attach(struct ns_sal_hooks *hooks, int cgroup) {
    for (unsigned i = 0; i < NS_SAL_HOOKS; i++) {
        struct bpf_program *program = bpf_object__find_program_by_name(hooks->object, programs[i]);

        hooks->links[i] = program == NULL ? NULL : bpf_program__attach_cgroup(program, cgroup);
        if (hooks->links[i] == NULL)
            return false;
    }
    return true;
}

static bool open_maps(struct ns_sal_hooks *hooks, struct ns_sal_listening *listening) {
    hooks->ports = bpf_object__find_map_fd_by_name(hooks->object, "ns_listen_ports");
    hooks->sockets = bpf_object__find_map_fd_by_name(hooks->object, "ns_listen_sockets");
    hooks->counts = bpf_object__find_map_fd_by_name(hooks->object, "ns_listen_counts");
    hooks->events =
        ring_buffer__new(bpf_object__find_map_fd_by_name(hooks->object, "ns_listen_events"), on_event, listening, NULL);
    return hooks->events != NULL;
}

/* Returns NULL, or the step that failed; errno has the reason. */
static const char *open_all(struct ns_sal_hooks *hooks, const char *object, struct ns_sal_listening *listening,
                            int cgroup) {
    if (!find_net(&hooks->net))
        return "cookie of the network namespace";
    hooks->object = bpf_object__open_file(object, NULL);
    if (hooks->object == NULL || bpf_object__load(hooks->object) != 0)
        return object;
    if (!open_maps(hooks, listening))
        return "ring buffer";
    return attach(hooks, cgroup) ? NULL : "root of the cgroups";
}

static void close_all(struct ns_sal_hooks *hooks) {
    for (unsigned i = 0; i < NS_SAL_HOOKS; i++) {
        bpf_link__destroy(hooks->links[i]);
        hooks->links[i] = NULL;
    }
    ring_buffer__free(hooks->events);
    bpf_object__close(hooks->object);
    hooks->events = NULL;
    hooks->object = NULL;
}

static uint32_t number_of(const struct ns_sal_hooks *hooks, const char *name) {
    struct bpf_prog_info about = {0};
    uint32_t size = sizeof about;

    bpf_obj_get_info_by_fd(bpf_program__fd(bpf_object__find_program_by_name(hooks->object, name)), &about, &size);
    return about.id;
}

void ns_sal_hooks_open(struct ns_sal_hooks *hooks, const char *object, struct ns_sal_listening *listening) {
    char path[PATH_MAX];
    const char *failed;
    int cgroup;

    *hooks = (struct ns_sal_hooks){.events_fd = -1};
    if (object == NULL)
        return;
    cgroup = ns_sal_cgroup_open(path, sizeof path);
    if (cgroup < 0) {
        ns_warn("listening: no cgroups of version 2 in sight, so sald looks twice a second");
        return;
    }
    libbpf_set_print(NULL); /* the log gets one line */
    failed = open_all(hooks, object, listening, cgroup);
    if (failed != NULL) {
        ns_warn("listening: %s: %s, so sald looks twice a second", failed, strerror(errno));
        close_all(hooks);
    } else {
        hooks->events_fd = ring_buffer__epoll_fd(hooks->events);
        ns_sal_listening_hook(listening, on_port, on_socket, hooks);
        ns_info("listening: hooks at %s, programs %u %u %u %u", path, number_of(hooks, programs[0]),
                number_of(hooks, programs[1]), number_of(hooks, programs[2]), number_of(hooks, programs[3]));
    }
    libbpf_set_print(ns_libbpf_log);
    close(cgroup);
}

void ns_sal_hooks_read(struct ns_sal_hooks *hooks) {
    ring_buffer__consume(hooks->events);
}

void ns_sal_hooks_count(const struct ns_sal_hooks *hooks, uint64_t counts[NS_SAL_LISTEN_COUNT_KINDS]) {
    memset(counts, 0, NS_SAL_LISTEN_COUNT_KINDS * sizeof *counts);
    for (uint32_t kind = 0; hooks->object != NULL && kind < NS_SAL_LISTEN_COUNT_KINDS; kind++)
        bpf_map_lookup_elem(hooks->counts, &kind, &counts[kind]);
}
