/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.h - the names of the node's own interfaces and its addresses. The kernel tells of changes. Loopback and the
 * ends of containers' networks are left out, and so are names that iptables would read as a pattern.
 */
#ifndef NS_LINKS_H
#define NS_LINKS_H

#include "cell.h"

struct ns_links_lists {
    unsigned count;
    char name[NS_RULES_LINKS][16]; /* sorted */
    struct ns_cell_node node;
};

struct ns_links_change {
    bool names, addresses;
};

struct ns_spawner;

/* Tells the owner of the lists that they have changed. */
typedef void (*ns_links_changed)(struct ns_spawner *spawner, struct ns_links_change change);

struct ns_links {
    ns_links_changed changed;
    int fd;                     /* socket of rtnetlink, -1 = none: then the lists are read at each use */
    struct ns_links_lists now;  /* the lists as read last */
    struct ns_links_lists *new; /* memory of the task that reads */
    bool reading, again;        /* again: the kernel told of more changes meanwhile */
    uint64_t retry_at;          /* next try after a task that failed, 0 = never */
};

/*
 * Listens to changes and reads the lists. Called before the loop, because the read waits for the kernel's lock of all
 * interfaces.
 */
void ns_links_open(struct ns_links *links, ns_links_changed changed);

/* Takes the kernel's messages, also if some were lost, and has a task read both lists anew. */
void ns_links_heard(struct ns_spawner *spawner);

/* Retries a failed read when it is time. Returns the time of the next call, UINT64_MAX = never. */
uint64_t ns_links_tick(struct ns_spawner *spawner, uint64_t now);

/* Reads the lists at once. For a task. */
void ns_links_read(struct ns_links_lists *lists);

void ns_links_close(struct ns_links *links);

#endif
