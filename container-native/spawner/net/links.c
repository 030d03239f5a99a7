/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#include "addresses.h"
#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_MS 10000
#define RETRY_MS 500

static int compare(const void *a, const void *b) {
    return strcmp(a, b);
}

static bool wanted(const char *name) {
    return strcmp(name, "lo") != 0 && strncmp(name, "nsv", 3) != 0 && ns_value_interface(name);
}

static void list(struct ns_links_lists *lists) {
    struct if_nameindex *all = if_nameindex();

    memset(lists->name, 0, sizeof lists->name);
    lists->count = 0;
    for (struct if_nameindex *i = all; i != NULL && i->if_index != 0 && lists->count < NS_RULES_LINKS; i++) {
        if (wanted(i->if_name))
            strncpy(lists->name[lists->count++], i->if_name, sizeof lists->name[0] - 1);
    }
    if (all != NULL)
        if_freenameindex(all);
    qsort(lists->name, lists->count, sizeof lists->name[0], compare);
}

void ns_links_read(struct ns_links_lists *lists) {
    list(lists);
    ns_addresses_read(&lists->node);
}

void ns_links_open(struct ns_links *links, ns_links_changed changed) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                  .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};

    links->changed = changed;
    links->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    links->new = ns_task_share(sizeof *links->new);
    if (links->fd >= 0 && (links->new == NULL || bind(links->fd, (struct sockaddr *)&address, sizeof address) != 0)) {
        close(links->fd);
        links->fd = -1;
    }
    if (links->fd < 0)
        ns_warn("rtnetlink: %s: new interfaces are known from the next change of rules on", strerror(errno));
    ns_links_read(&links->now);
}

/* --- changes --- */

/*
 * Takes all messages. An overrun (ENOBUFS) needs no special care, because the whole list is read after any message.
 */
static void drain(int fd) {
    char message[8192];

    while (fd >= 0 && (recv(fd, message, sizeof message, 0) > 0 || errno == ENOBUFS || errno == EINTR))
        continue;
}

static int read_new(void *context, char why[NS_TASK_WHY]) {
    const struct ns_links *links = context;

    (void)why;
    ns_links_read(links->new);
    return 0;
}

static void begin(struct ns_spawner *spawner);

static void taken(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_links *links = context;
    struct ns_links_lists *now = &links->now, *new = links->new;
    const struct ns_links_change change = {.names = memcmp(now->name, new->name, sizeof now->name) != 0,
                                           .addresses = memcmp(&now->node, &new->node, sizeof now->node) != 0};

    (void)why;
    links->reading = false;
    if (result == 0) {
        *now = *new;
        links->changed(spawner, change);
    } else {
        links->retry_at = ns_now() + RETRY_MS;
    }
    if (links->again)
        begin(spawner);
}

static void begin(struct ns_spawner *spawner) {
    struct ns_links *links = &spawner->links;

    links->again = links->reading;
    if (links->reading)
        return;
    links->reading = ns_task_begin(spawner, "interfaces", read_new, links, READ_MS, taken) == 0;
    links->retry_at = links->reading ? 0 : ns_now() + RETRY_MS;
}

uint64_t ns_links_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_links *links = &spawner->links;

    if (links->retry_at != 0 && now >= links->retry_at && !spawner->stopping)
        begin(spawner);
    return spawner->stopping ? UINT64_MAX : ns_sooner(UINT64_MAX, links->retry_at);
}

void ns_links_heard(struct ns_spawner *spawner) {
    drain(spawner->links.fd);
    if (!spawner->stopping)
        begin(spawner);
}

void ns_links_close(struct ns_links *links) {
    if (links->fd >= 0)
        close(links->fd);
    links->fd = -1;
}
