/* SPDX-License-Identifier: Apache-2.0 */
/* bpfd_orders.c - orders to bpfd about the node: interfaces, addresses, and all there is for a new bpfd. */
#include "bpfd_wire.h"
#include "containers.h"
#include "firewall.h"
#include "ns_fastpath.h"
#include "ns_log.h"
#include "operator.h"
#include "reply.h"
#include "spawner.h"
#include "subnet.h"
#include "sysctl.h"
#include <stdlib.h>
#include <string.h>

#define INTERFACE_MS 1000u
#define NODE_MAX 150u /* addresses in each list of an order */

static char *print_interfaces(struct ns_bpfd_child *child) {
    static const char *const modes[] = {"auto", "native", "generic"};
    char *text = NULL;
    bool first = true;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    fprintf(out, "interfaces id=%llu interfaces=", (unsigned long long)++child->id);
    for (unsigned i = 0; i < child->interfaces; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",", child->interface[i]);
    fprintf(out, " mode=%s forward=%s local=", modes[child->mode], child->direct ? "direct" : "kernel");
    for (unsigned i = 0; i < child->interfaces; i++) {
        if (ns_sysctl_takes_own(child->interface[i])) {
            fprintf(out, "%s%s", first ? "" : ",", child->interface[i]);
            first = false;
        }
    }
    return fclose(out) == 0 ? text : NULL;
}

/* Sends bpfd the interfaces. Each adds to the deadline, because its driver may begin anew. */
static void send_interfaces(struct ns_spawner *spawner, ns_bpfd_done done, uint64_t token) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char *text = print_interfaces(child);

    ns_bpfd_give(spawner, child->id, text, NULL, 0, INTERFACE_MS * child->interfaces, done, token);
}

/* Notes the answer to the interfaces. False: bpfd has not answered as it should. */
static bool note_interfaces(struct ns_bpfd_child *child, const struct ns_line *answer, const char **xdp,
                            const char **tc) {
    *xdp = answer == NULL ? NULL : ns_line_get(answer, "xdp");
    *tc = answer == NULL ? NULL : ns_line_get(answer, "tc");
    ns_bpfd_attached(child, *tc);
    if (*xdp == NULL || *tc == NULL)
        return false;
    ns_info("bpfd: %u interfaces, xdp %s, tc %s", child->interfaces, *xdp, *tc);
    return true;
}

/* Takes over the interfaces of a request. True: they are others than before, or in other places. */
static bool set_interfaces(struct ns_bpfd_child *child, const struct ns_request *request) {
    bool same = child->interfaces == request->interfaces;

    for (unsigned i = 0; same && i < child->interfaces; i++)
        same = strcmp(child->interface[i], request->interface[i]) == 0;
    child->interfaces = request->interfaces;
    memcpy(child->interface, request->interface, sizeof child->interface);
    child->mode = request->mode;
    child->direct = request->past_stack;
    return !same;
}

/*
 * Marks each pktio that must be started again. A pktio gets its sockets to bpfd, its records and its AF_XDP sockets
 * only at its start. A pktio without them is started again, in order, on the same ring. Its packets bypass it for the
 * moment.
 */
static void renew_pktio(struct ns_spawner *spawner, bool others) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX && spawner->bpfd.interfaces != 0; i++) {
        struct ns_container *container = spawner->containers[i];

        if (container != NULL && (container->grant.pktio_fd < 0 || (others && container->order.afxdp)))
            container->renew = true;
    }
}

static void fastpath_told(struct ns_spawner *spawner, uint64_t token) {
    struct ns_bpfd_waiting *waiting = ns_bpfd_waiting(token);

    renew_pktio(spawner, waiting->others);
    ns_reply_ok(spawner, waiting->ticket, waiting->pairs);
    free(waiting);
}

static void fastpath_ruled(struct ns_spawner *spawner, uint64_t token, const char *why) {
    struct ns_bpfd_waiting *waiting = ns_bpfd_waiting(token);

    if (why[0] == '\0')
        return ns_bpfd_filters_then(spawner, fastpath_told, token);
    ns_reply_error(spawner, waiting->ticket, why);
    free(waiting);
}

/* Writes the rules first and then the filters, as at each change of either. */
static void fastpath_done(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                          int gives[NS_BPFD_GIVES]) {
    struct ns_bpfd_waiting *waiting = ns_bpfd_waiting(token);
    const char *xdp, *tc;

    (void)gives;
    if (!note_interfaces(&spawner->bpfd, answer, &xdp, &tc)) {
        ns_reply_error(spawner, waiting->ticket, NS_BPFD_NOT_THERE);
        return free(waiting);
    }
    snprintf(waiting->pairs, sizeof waiting->pairs, " xdp=%s tc=%s", xdp, tc);
    ns_firewall_want(spawner, fastpath_ruled, token);
}

void ns_bpfd_fastpath(struct ns_spawner *spawner, const struct ns_request *request, struct ns_ticket ticket) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    bool others = set_interfaces(child, request);
    struct ns_bpfd_waiting *waiting;

    if (ns_bpfd_there(child) && ns_operator_mark(&spawner->paths) != child->own) {
        ns_bpfd_give_up(spawner, "the operator has other programs");
        return ns_reply_error(spawner, ticket, "fast path: it starts again with other programs of the operator");
    }
    if (!ns_bpfd_there(child))
        return ns_reply_error(spawner, ticket, NS_BPFD_NOT_THERE);
    waiting = ns_bpfd_wait_for((struct ns_bpfd_waiting){.ticket = ticket, .others = others});
    if (waiting == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    send_interfaces(spawner, fastpath_done, (uintptr_t)waiting);
}

uint32_t ns_bpfd_mark(const struct ns_spawner *spawner) {
    const struct ns_bpfd_child *child = &spawner->bpfd;

    return child->wanted && child->interfaces != 0 && !child->direct ? NS_OFFLOAD_MARK : 0;
}

/* --- the node's addresses: relays are held to them --- */

static void print_net(FILE *out, unsigned *count, const struct ns_net *net) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(net, text);
    fprintf(out, "%s%s", (*count)++ == 0 ? "" : ",", text);
}

/* Prints the addresses that fit into an order. The kernel's routing table keeps packets from the others. */
static void print_node(FILE *out, const struct ns_cell_node *node) {
    const struct ns_net containers[] = {ns_subnet_all(4), ns_subnet_all(6)};
    unsigned own = 0, others = 0;

    fputs(" own=", out);
    for (unsigned i = 0; i < node->count && own < NODE_MAX; i++) {
        if (!node->broadcast[i])
            print_net(out, &own, &node->address[i]);
    }
    fputs(" others=", out);
    print_net(out, &others, &containers[0]);
    print_net(out, &others, &containers[1]);
    for (unsigned i = 0; i < node->count && others < NODE_MAX; i++) {
        if (node->broadcast[i])
            print_net(out, &others, &node->address[i]);
    }
}

void ns_bpfd_node(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!ns_bpfd_there(child))
        return;
    out = open_memstream(&text, &size);
    if (out != NULL) {
        fprintf(out, "node id=%llu", (unsigned long long)++child->id);
        print_node(out, &spawner->links.now.node);
        fclose(out);
    }
    ns_bpfd_give(spawner, child->id, text, NULL, 0, 0, NULL, 0);
}

static void all_told(struct ns_spawner *spawner, uint64_t token) {
    (void)token;
    renew_pktio(spawner, false);
    ns_bpfd_told(spawner, "");
}

/* Sends the filters even without new rules. The firewall tries the rules again, and logs the failure. */
static void all_ruled(struct ns_spawner *spawner, uint64_t token, const char *why) {
    (void)why;
    ns_bpfd_filters_then(spawner, all_told, token);
}

static void told_interfaces(struct ns_spawner *spawner, uint64_t token, const struct ns_line *answer,
                            int gives[NS_BPFD_GIVES]) {
    const char *xdp, *tc;

    (void)token, (void)gives;
    if (!note_interfaces(&spawner->bpfd, answer, &xdp, &tc))
        return ns_bpfd_told(spawner, "bpfd does not answer");
    ns_bpfd_grants_again(spawner);
    ns_firewall_want(spawner, all_ruled, 0);
}

void ns_bpfd_tell_all(struct ns_spawner *spawner) {
    ns_bpfd_node(spawner);
    if (spawner->bpfd.interfaces == 0)
        return ns_bpfd_told(spawner, "");
    send_interfaces(spawner, told_interfaces, 0);
}
