/* SPDX-License-Identifier: Apache-2.0 */
/* host_flows.h - the flows of a host: found by their names, also where the programs have them, and finished. */
#ifndef NS_SALD_HOST_FLOWS_H
#define NS_SALD_HOST_FLOWS_H

#include "host.h"

static inline void ns_sal_host_count(struct ns_sal_host *host, enum ns_sal_verdict verdict) {
    host->verdicts[verdict]++;
}

/* Draws the numbers of a new flow. */
struct ns_sal_identity ns_sal_host_identity(struct ns_sal_host *host);

/* Find a flow. One that the programs have set up is entered first. */
struct ns_sal_held *ns_sal_host_by_id(struct ns_sal_host *host, uint32_t id);
struct ns_sal_held *ns_sal_host_by_tuple(struct ns_sal_host *host, const struct ns_sal_tuple *tuple);
struct ns_sal_held *ns_sal_host_by_client(struct ns_sal_host *host, const struct ns_sal_client *client);

/* Has the programs know the names of a flow that is new. */
void ns_sal_host_enter_names(struct ns_sal_host *host, const struct ns_sal_held *held);

/* Finishes a call of a flow: it is over and goes, or it is saved and put to its place in time. */
void ns_sal_host_done(struct ns_sal_host *host, struct ns_sal_held *held);

/* Breaks a flow off. It is gone after that. */
void ns_sal_host_abort(struct ns_sal_host *host, struct ns_sal_held *held);

#endif
