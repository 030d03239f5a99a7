/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nft.h - reads the kernel's nf_tables by netlink, hears of changes, and holds a container back. No process is started, so the
 * loop may call all of it. `netns` is a process in the namespace that is meant, 0 = the node's.
 */
#ifndef NS_NFT_H
#define NS_NFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A rule as the kernel has it. The handle is the rule's own: whoever changes a rule makes another. */
struct ns_nft_rule {
    const char *table, *chain;
    uint64_t handle, packets; /* packets: of its first counter */
    const void *bytes;        /* expressions and comment */
    size_t length;
};

typedef void (*ns_nft_each)(void *context, const struct ns_nft_rule *rule);

/* Calls `each` for the rules of a table in their order; a table that is not there has none. `chain`: only its, NULL = all. 0, or -1 with errno. */
int ns_nft_rules(pid_t netns, uint8_t family, const char *table, const char *chain, ns_nft_each each, void *context);

/* The same for the chains; of a rule only table and chain are set. */
int ns_nft_chains(uint8_t family, const char *table, ns_nft_each each, void *context);

/* Does the rule lead to this chain? */
bool ns_nft_jumps(const struct ns_nft_rule *rule, const char *chain);

/* Packets that the rules of the chain have met whose comment ends so. */
uint64_t ns_nft_counted(pid_t netns, uint8_t family, const char *table, const char *chain, const char *comment);

/* Reads a counter object of the node's. 0, or -1 with errno, and then both are as they were. */
int ns_nft_counter(uint8_t family, const char *table, const char *name, uint64_t *packets, uint64_t *bytes);

/* Drops everything that the container behind `netns` sends, or lets go on what its lists allow. 0, or -1 with errno. */
int ns_nft_hold(pid_t netns, bool on);

/* A socket that hears of each change of the node's tables; -1 with errno. */
int ns_nft_watch(void);

/* Takes what was heard. True if there was anything, or if so much that some of it is lost. */
bool ns_nft_heard(int fd);

#endif
