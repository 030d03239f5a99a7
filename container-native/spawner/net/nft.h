/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nft.h - reads the kernel's nf_tables by netlink, hears of changes, and holds a container back. Starts no process,
 * so the loop may call all functions. `netns` is the pid of a process in the namespace to use, 0 = the node's
 * namespace.
 */
#ifndef NS_NFT_H
#define NS_NFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A rule as the kernel has it. Each rule has its own handle, and a changed rule gets a new one. */
struct ns_nft_rule {
    const char *table, *chain;
    uint64_t handle, packets; /* packets: of the rule's first counter */
    const void *bytes;        /* expressions and comment */
    size_t length;
};

typedef void (*ns_nft_each)(void *context, const struct ns_nft_rule *rule);

/*
 * Calls `each` for the rules of a table in their order. A table that does not exist has no rules. `chain` limits the
 * call to one chain, NULL = all chains. Returns 0, or -1 with errno.
 */
int ns_nft_rules(pid_t netns, uint8_t family, const char *table, const char *chain, ns_nft_each each, void *context);

/* Calls `each` for the chains of a table. Only `table` and `chain` of the rule are set. */
int ns_nft_chains(uint8_t family, const char *table, ns_nft_each each, void *context);

/* Returns true if the rule jumps to this chain. */
bool ns_nft_jumps(const struct ns_nft_rule *rule, const char *chain);

/*
 * Returns the packets that the first counters of a chain's rules have counted. Only rules with a comment that ends in
 * `comment` count.
 */
uint64_t ns_nft_counted(pid_t netns, uint8_t family, const char *table, const char *chain, const char *comment);

/* Reads a counter object of the node. Returns 0, or -1 with errno, and then both values stay as they were. */
int ns_nft_counter(uint8_t family, const char *table, const char *name, uint64_t *packets, uint64_t *bytes);

/*
 * Drops all packets that the container behind `netns` sends, or lets them go by its lists again. 0, or -1 with errno.
 */
int ns_nft_hold(pid_t netns, bool on);

/* Opens a socket that hears of each change of the node's tables. -1 with errno. */
int ns_nft_watch(void);

/* Takes all messages of the socket. Returns true if there was any message, or if some were lost. */
bool ns_nft_heard(int fd);

#endif
