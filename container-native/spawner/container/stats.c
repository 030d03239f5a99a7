/* SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

#include "cell.h"
#include "containers.h"
#include "disk.h"
#include "network.h"
#include "nft.h"
#include "reply.h"
#include "spawner.h"
#include "takes.h"
#include <linux/netfilter.h>
#include <stdlib.h>
#include <string.h>

/*
 * Counts the packets that met the rule with this comment, in the chains of the container's two queues and of both
 * IP families.
 */
static uint64_t over_queue(const struct ns_container *container, const char *comment) {
    uint64_t sum = 0;
    char chain[32];

    for (unsigned q = 0; q < 2; q++) {
        snprintf(chain, sizeof chain, NS_RULES_CHAIN "-Q%u", (unsigned)container->order.queue + q);
        sum += ns_nft_counted(0, NFPROTO_IPV4, "raw", chain, comment) +
               ns_nft_counted(0, NFPROTO_IPV6, "raw", chain, comment);
    }
    return sum;
}

static void print_over_rules(const struct ns_container *container, FILE *out) {
    const struct ns_request *order = &container->order;
    char packets[NS_NAME_MAX + 32], bytes[NS_NAME_MAX + 32], connections[NS_NAME_MAX + 32];
    bool cell = container->host > 0 && order->network >= 0 && !ns_layer_has(container->missing, NS_LAYER_NET);

    snprintf(packets, sizeof packets, "%s:packets", order->name);
    snprintf(bytes, sizeof bytes, "%s:bytes", order->name);
    snprintf(connections, sizeof connections, "%s:connections", order->name);
    ns_line_put_number(out, "over-connections",
                       !cell ? 0
                             : ns_nft_counted(container->host, NFPROTO_INET, NS_CELL_TABLE, NS_CELL_NEW, connections));
    ns_line_put_number(out, "over-packets", order->packets == 0 ? 0 : over_queue(container, packets));
    ns_line_put_number(out, "over-bytes", order->bytes == 0 ? 0 : over_queue(container, bytes));
}

/* Prints the counters of connections that it takes. They are objects of the node's table (takes.h). */
static void print_takes(const struct ns_container *container, FILE *out) {
    static const char *const keys[NS_TAKES_COUNTERS] = {
        [NS_TAKES_TAKEN] = "taken", [NS_TAKES_PACKETS] = "taken-packets", [NS_TAKES_OVER] = "taken-over"};

    for (int i = 0; i < NS_TAKES_COUNTERS; i++) {
        uint64_t packets = 0, bytes = 0;
        char name[NS_TAKES_COUNTER_TEXT];

        ns_takes_counter(i, (unsigned)container->order.network, name);
        if (container->order.takes > 0)
            ns_nft_counter(NFPROTO_INET, NS_FENCE_TABLE, name, &packets, &bytes);
        ns_line_put_number(out, keys[i], packets);
    }
}

static void print_disk(struct ns_spawner *spawner, const struct ns_container *container, FILE *out) {
    struct ns_disk_use use = {0, 0, false, false};

    if (container->own_disk)
        use = ns_disk_use(&spawner->paths, container->order.name);
    ns_line_put_number(out, "disk-used", use.bytes);
    ns_line_put_number(out, "inodes-used", use.inodes);
    ns_line_put_number(out, "over-disk", use.full);
    ns_line_put_number(out, "over-inodes", use.inodes_full);
}

static void print(struct ns_spawner *spawner, const struct ns_container *container, const char *flows, FILE *out) {
    const struct ns_cgroup *cgroup = &container->host_cgroup;

#define NS_X(name, text) ns_line_put_number(out, #name, __atomic_load_n(&container->counters->name, __ATOMIC_RELAXED));
    NS_COUNTERS(NS_X)
#undef NS_X
    ns_line_put_number(out, "pid", (unsigned long long)container->host);
    ns_line_put_number(out, "pktio", (unsigned long long)container->pktio.pid);
    ns_line_put_number(out, "memory", ns_cgroup_memory(cgroup));
    ns_line_put_number(out, "cpu", ns_cgroup_cpu(cgroup));
    ns_line_put_number(out, "over-cpu", ns_cgroup_over_cpu(cgroup));
    ns_line_put_number(out, "over-memory", ns_cgroup_over_memory(cgroup));
    ns_line_put_number(out, "over-pids", ns_cgroup_over_pids(cgroup));
    ns_line_put_number(out, "process-started", container->program.started);
    ns_line_put_number(out, "process-refused", container->program.refused);
    ns_line_put_number(out, "process-failed", container->program.failed);
    ns_line_put_number(out, "process-killed", container->program.killed);
    ns_line_put_number(out, "network-packets",
                       container->order.network < 0 ? 0 : ns_network_delivered((unsigned)container->order.network));
    print_takes(container, out);
    print_disk(spawner, container, out);
    fputs(flows, out);
    print_over_rules(container, out);
}

/* --- orders --- */

#define SLOTS 32
#define READ_MS 4000

struct order {
    struct order *next;
    struct ns_ticket ticket;
    uint64_t serial;
    char flows[];
};

/* The counters that the task has read for one order, in memory shared with the task; "" = nothing. */
struct slot {
    char text[8192];
};

static struct {
    struct ns_spawner *spawner;
    struct order *first, **end; /* all orders that are not answered, the oldest first */
    unsigned taken;             /* the number of orders that the running task reads, from `first` on */
    struct slot *slots;
} orders = {.end = &orders.first};

static void read_one(struct ns_spawner *spawner, const struct order *order, struct slot *slot) {
    const struct ns_container *container = ns_container_of_serial(spawner, order->serial);
    char *pairs = NULL;
    size_t size;
    FILE *out = container == NULL ? NULL : open_memstream(&pairs, &size);

    slot->text[0] = '\0';
    if (out == NULL)
        return;
    print(spawner, container, order->flows, out);
    if (fclose(out) == 0 && size < sizeof slot->text)
        memcpy(slot->text, pairs, size + 1);
    free(pairs);
}

/* In the task: reads the counters for each order that the task has taken. */
static int read_all(void *context, char why[NS_TASK_WHY]) {
    const struct order *order = orders.first;

    (void)context, (void)why;
    for (unsigned i = 0; i < orders.taken; i++, order = order->next)
        read_one(orders.spawner, order, &orders.slots[i]);
    return 0;
}

static struct order *take_first(void) {
    struct order *order = orders.first;

    orders.first = order->next;
    if (orders.first == NULL)
        orders.end = &orders.first;
    return order;
}

static void begin(struct ns_spawner *spawner);

/* Answers the oldest order. If its container has gone since, the answer is an error, although counters were read. */
static void answer_one(struct ns_spawner *spawner, const char *text, int result, const char *why) {
    struct order *order = take_first();

    if (ns_container_of_serial(spawner, order->serial) == NULL)
        ns_reply_error(spawner, order->ticket, "container: does not run");
    else if (result != 0 || text[0] == '\0')
        ns_reply_error(spawner, order->ticket, result != 0 ? why : "stats: nothing was read");
    else
        ns_reply_ok(spawner, order->ticket, text);
    free(order);
}

static void read_done(struct ns_spawner *spawner, void *context, int result, const char *why) {
    unsigned count = orders.taken;

    (void)context;
    for (unsigned i = 0; i < count; i++)
        answer_one(spawner, orders.slots[i].text, result, why);
    orders.taken = 0;
    begin(spawner);
}

static void begin(struct ns_spawner *spawner) {
    unsigned count = 0;

    if (orders.slots == NULL)
        orders.slots = ns_task_share(SLOTS * sizeof *orders.slots);
    for (const struct order *at = orders.first; at != NULL && count < SLOTS; at = at->next)
        count++;
    if (count == 0 || orders.taken != 0)
        return;
    orders.spawner = spawner;
    orders.taken = count;
    if (orders.slots != NULL && ns_task_begin(spawner, "stats", read_all, &orders, READ_MS, read_done) == 0)
        return;
    orders.taken = 0;
    while (orders.first != NULL)
        answer_one(spawner, "", -1, "stats: no task can be begun");
}

static void wait_for_task(struct ns_spawner *spawner, struct ns_ticket ticket, uint64_t serial, const char *flows) {
    size_t size = strlen(flows) + 1;
    struct order *order = malloc(sizeof *order + size);

    if (order == NULL)
        return ns_reply_error(spawner, ticket, "out of memory");
    *order = (struct order){.ticket = ticket, .serial = serial};
    memcpy(order->flows, flows, size);
    *orders.end = order;
    orders.end = &order->next;
    begin(spawner);
}

void ns_stats(struct ns_spawner *spawner, const struct ns_container *container, struct ns_ticket ticket) {
    ns_bpfd_stats(spawner, container, ticket, wait_for_task);
}
