/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serval_table.h - the rules of all service routers as the programs have them: routers by address, sets of targets by
 * prefix, routers whose lists are believed. A router is there while it has a rule.
 */
#ifndef NS_BPFD_SERVAL_TABLE_H
#define NS_BPFD_SERVAL_TABLE_H

#include "flows.h"

/*
 * Puts a checked rule of a container into the kernel. `again`: it is there, and gets another end and weight. On a
 * refusal a rule that was there stays.
 */
enum ns_serval_refused ns_serval_table_put(struct ns_bpfd *bpfd, unsigned container, const struct ns_serval_ask *ask,
                                           uint64_t expires, bool again);

/* Returns the number of the router of a rule that is there. */
unsigned ns_serval_table_router(const struct ns_bpfd *bpfd, const struct ns_serval_ask *ask);

/* Fills in the address and port of a router. */
void ns_serval_table_address(const struct ns_bpfd *bpfd, unsigned number, struct ns_serval_ask *ask);

/* Removes a rule that is there. */
void ns_serval_table_remove(struct ns_bpfd *bpfd, const struct ns_serval_ask *ask);

/* Removes all routers of a container. Their rules count no more, and must all be forgotten then. */
void ns_serval_table_close(struct ns_bpfd *bpfd, unsigned container);

/* Removes the rules of a place whose routers are closed, many at once. */
void ns_serval_table_forget(const struct ns_bpfd *bpfd, const struct ns_granted_place *place);

#endif
