/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iprule.h - reads the node's rules of routing (`ip rule`) by rtnetlink, and hears of changes. Starts no process, so
 * the loop may call all functions.
 */
#ifndef NS_IPRULE_H
#define NS_IPRULE_H

#include <stdint.h>

/*
 * Returns the number of rules that lead packets with this bit of the mark to a table, at the priority of the same
 * number. A kernel without such rules for the family has none. -1 with errno on failure.
 */
int ns_iprule_count(uint8_t family, uint32_t mark, uint32_t table);

/* Returns a socket that becomes readable when a rule is added or removed, or -1 with errno. ns_nft_heard() reads it. */
int ns_iprule_watch(void);

#endif
