/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cookies.h - the numbers of SYN-ACKs for which nobody keeps state: flowID, verno and nonce are a keyed hash of the
 * SYN's own numbers, its serviceID, its address and the minute. The handshake ACK repeats all of these, so it can be
 * made by the receiver of the SYN-ACK alone. The port is left out, because a NAT may give the ACK another one.
 *
 * The hash is SipHash-2-4 (Aumasson and Bernstein, 2012) with a random key, which ends with sald.
 */
#ifndef NS_SALD_COOKIES_H
#define NS_SALD_COOKIES_H

#include "flow.h"

#define NS_SAL_COOKIE_MS 60000u  /* for which a hash lasts, and for which the one before it counts */
#define NS_SAL_COOKIE_CHOICES 2u /* numbers that a SYN may get, in case another flow has the first */
#define NS_SAL_SPENT 65536u      /* flowIDs that are kept: a power of two */

/* The numbers of a SYN that are hashed, and those of the handshake ACK that say the same. */
struct ns_sal_opening {
    struct ns_sal_address address; /* of the client; its port does not count */
    uint32_t flow, verno;          /* the client's, verno of the SYN */
    uint64_t nonce;
    const uint8_t *service;
};

struct ns_sal_cookie {
    struct ns_sal_identity numbers; /* abilities are the caller's. The flowID may be 0 or another flow's. */
    uint32_t name;                  /* number of the client's name in the local stack */
    uint32_t draw;                  /* decides among the weights of the listeners */
};

/* The flowIDs that acknowledgements have used. Each has cost its sender a whole handshake. Times are seconds. */
struct ns_sal_spent {
    uint32_t id; /* 0 = the place is free */
    uint32_t until;
};

struct ns_sal_cookies {
    uint64_t key[2];
    struct ns_sal_spent spent[NS_SAL_SPENT];
};

/* Returns SipHash-2-4 of the bytes. The key has its first byte lowest. */
uint64_t ns_sal_siphash(const uint64_t key[2], const uint8_t *bytes, size_t length);

/* Makes the numbers for a SYN. `now` is milliseconds of the same clock in all calls. */
void ns_sal_cookies_issue(const struct ns_sal_cookies *cookies, struct ns_sal_cookie *cookie,
                          const struct ns_sal_opening *syn, unsigned choice, uint64_t now);

/* Makes the numbers again that a handshake ACK proves. Returns false if it proves none. `syn.verno` is not used. */
bool ns_sal_cookies_proven(const struct ns_sal_cookies *cookies, struct ns_sal_cookie *cookie,
                           const struct ns_sal_opening *opening, const struct ns_sal_message *ack, uint64_t now);

/* Tells whether an acknowledgement has used this flowID as long as its hash may count. */
bool ns_sal_cookies_is_spent(const struct ns_sal_cookies *cookies, uint32_t id, uint64_t now);

/* Keeps a flowID until no hash of its minute counts. Returns false if there is no room for it. */
bool ns_sal_cookies_spend(struct ns_sal_cookies *cookies, uint32_t id, uint64_t now);

#endif
