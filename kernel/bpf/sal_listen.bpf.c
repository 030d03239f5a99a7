/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * sal_listen - hooks of a cgroup: a program begins to listen on a port that sald watches, or ends. They only wake sald,
 * which asks the kernel for the sockets that there are (docs/protocols/sald.md, "How sald sees a program listen").
 *
 * At the root all sockets of the machine pass here. So each hook refuses with one comparison, or one look-up, what is
 * not watched. None of them changes the outcome of a call.
 */
#include "ns_sal_listen.h"
#include <linux/bpf.h>
#include <linux/in.h>

#include <bpf/bpf_helpers.h>

#define STREAM 1   /* SOCK_STREAM and */
#define DATAGRAM 2 /* SOCK_DGRAM: clang lacks the header for this target */
#define INET6 10

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_LISTEN_PORTS);
    __type(key, struct ns_sal_listen_port);
    __type(value, __u32);
} ns_listen_ports SEC(".maps");

/* By its cookie each socket that sald has found on a watched port. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, NS_SAL_LISTEN_SOCKETS);
    __type(key, __u64);
    __type(value, struct ns_sal_listen_port);
} ns_listen_sockets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, NS_SAL_LISTEN_EVENT_BYTES);
} ns_listen_events SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, NS_SAL_LISTEN_COUNT_KINDS);
    __type(key, __u32);
    __type(value, __u64);
} ns_listen_counts SEC(".maps");

static __always_inline void count(__u32 kind) {
    __u64 *value = bpf_map_lookup_elem(&ns_listen_counts, &kind);

    if (value)
        __sync_fetch_and_add(value, 1);
}

static __always_inline void tell(const struct ns_sal_listen_port *port, __u32 family, __u32 kind) {
    struct ns_sal_listen_event *event = bpf_ringbuf_reserve(&ns_listen_events, sizeof *event, 0);

    count(NS_SAL_LISTEN_EVENTS);
    if (!event) {
        count(NS_SAL_LISTEN_LOST);
        return;
    }
    event->port = port->port;
    event->protocol = port->protocol;
    event->family = family == INET6 ? 6 : 4;
    event->kind = kind;
    bpf_ringbuf_submit(event, 0);
}

static __always_inline _Bool is_watched(const struct ns_sal_listen_port *port) {
    return bpf_map_lookup_elem(&ns_listen_ports, port) != 0;
}

/*
 * TCP. The flag has the kernel tell of the end, also by shutdown(). Connections that the socket accepts inherit it, so
 * their states pass here, too.
 */
SEC("sockops")
int ns_listen_tcp(struct bpf_sock_ops *ops) {
    _Bool begins = ops->op == BPF_SOCK_OPS_TCP_LISTEN_CB;
    struct ns_sal_listen_port port = {.protocol = IPPROTO_TCP};

    if (!begins && (ops->op != BPF_SOCK_OPS_STATE_CB || ops->args[0] != BPF_TCP_LISTEN))
        return 1;
    port.net = bpf_get_netns_cookie(ops);
    port.port = (__u16)ops->local_port;
    if (!is_watched(&port))
        return 1;
    if (begins)
        bpf_sock_ops_cb_flags_set(ops, ops->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_STATE_CB_FLAG);
    tell(&port, ops->family, begins ? NS_SAL_LISTEN_BEGINS : NS_SAL_LISTEN_ENDS);
    return 1;
}

static __always_inline int bound(struct bpf_sock *socket) {
    struct ns_sal_listen_port port = {.protocol = IPPROTO_UDP};

    if (socket->type != DATAGRAM || socket->protocol != IPPROTO_UDP)
        return 1;
    port.net = bpf_get_netns_cookie(socket);
    port.port = (__u16)socket->src_port;
    if (is_watched(&port))
        tell(&port, socket->family, NS_SAL_LISTEN_BEGINS);
    return 1;
}

SEC("cgroup/post_bind4")
int ns_listen_bind4(struct bpf_sock *socket) {
    return bound(socket);
}

SEC("cgroup/post_bind6")
int ns_listen_bind6(struct bpf_sock *socket) {
    return bound(socket);
}

/*
 * The last descriptor of a socket is closed. The kernel shows no port here, so sald enters the sockets that it knows,
 * also sockets of TCP that were there before the hooks.
 */
SEC("cgroup/sock_release")
int ns_listen_release(struct bpf_sock *socket) {
    struct ns_sal_listen_port *port;
    __u64 cookie;

    if (socket->type == STREAM ? socket->state != BPF_TCP_LISTEN : socket->type != DATAGRAM)
        return 1;
    cookie = bpf_get_socket_cookie(socket);
    port = bpf_map_lookup_elem(&ns_listen_sockets, &cookie);
    if (port)
        tell(port, socket->family, NS_SAL_LISTEN_ENDS);
    return 1;
}
