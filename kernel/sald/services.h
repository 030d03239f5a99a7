/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.h - the service table of a host (docs/protocols/serval.md, "Service table"). A bounded list, because a host
 * has few rules: a look-up reads all of them. Times are milliseconds.
 */
#ifndef NS_SALD_SERVICES_H
#define NS_SALD_SERVICES_H

#include "packet.h"

#define NS_SAL_RULES 1024u
#define NS_SAL_RULES_OF_ORIGIN 512u
#define NS_SAL_ID_TEXT 65u /* bytes that hold a printed serviceID */

enum ns_sal_rule_action { NS_SAL_FORWARD = 1, NS_SAL_DEMUX = 2, NS_SAL_DROP = 4 };

/* Rules of an origin end together: those of the operator, and of each process that listens. */
#define NS_SAL_ORIGIN_OPERATOR 0u

struct ns_sal_rule {
    uint8_t id[NS_SAL_ID];
    uint16_t bits; /* 0 to 256: of the prefix, from the highest bit of byte 0 */
    uint8_t action;
    bool datagrams;               /* DEMUX: the target is a socket of UDP, not a listener of TCP */
    bool drained;                 /* DEMUX: no router is told of it */
    struct ns_sal_address target; /* FORWARD: IP and UDP port, 0 in raw IP. DEMUX: IP (none = sal0's) and port */
    uint16_t rank, weight;        /* the highest rank alone counts; weight 0 counts as 1 */
    uint32_t origin;              /* NS_SAL_ORIGIN_OPERATOR, or a process */
    uint64_t until;               /* end of its lifetime, UINT64_MAX = none */
    uint64_t hits;
};

struct ns_sal_services {
    struct ns_sal_rule rules[NS_SAL_RULES];
    unsigned count;
    unsigned changes;  /* of the rules that there are; a new lifetime is none */
    unsigned replaced; /* rules that were given again, with another rank, weight or lifetime perhaps */
};

/* Returns a number that differs whenever a rule has come, gone or been given again. */
static inline unsigned ns_sal_services_news(const struct ns_sal_services *services) {
    return services->changes + services->replaced;
}

#define NS_SAL_RULE_REFUSALS(X)                                                                                        \
    X(OK, "ok")                                                                                                        \
    X(TARGET, "the target does not suit the action")                                                                   \
    X(ENDED, "the lifetime is over")                                                                                   \
    X(FOR_MANY, "the target is a group or the broadcast address")                                                      \
    X(TABLE_FULL, "the table is full")                                                                                 \
    X(ORIGIN_FULL, "the origin has as many rules as it may")

enum ns_sal_rule_refusal {
#define NS_X(name, text) NS_SAL_RULE_##name,
    NS_SAL_RULE_REFUSALS(NS_X)
#undef NS_X
        NS_SAL_RULE_REFUSAL_KINDS
};
extern const char *const ns_sal_rule_texts[];

/*
 * Adds a rule, in place of the one with the same prefix, action, target and origin, which may be drained and stays so.
 * Cuts the bits behind the prefix.
 */
enum ns_sal_rule_refusal ns_sal_services_add(struct ns_sal_services *services, const struct ns_sal_rule *rule,
                                             uint64_t now);

/* Removes the rules with this prefix, action and origin. Returns their number. */
unsigned ns_sal_services_remove(struct ns_sal_services *services, const uint8_t *id, unsigned bits, unsigned action,
                                uint32_t origin);

/* Removes the rule with the same prefix, action, target and origin. Returns false if there is none. */
bool ns_sal_services_end(struct ns_sal_services *services, const struct ns_sal_rule *rule);

/* Drains the DEMUX rules with this prefix, or ends that. Their packets still get in. Returns the number of rules. */
unsigned ns_sal_services_drain(struct ns_sal_services *services, const uint8_t *id, unsigned bits, bool drained);

/* Removes the rules of an origin. Returns their number. */
unsigned ns_sal_services_withdraw(struct ns_sal_services *services, uint32_t origin);

/* Removes the rules whose lifetime is over. Returns when the next one ends. */
uint64_t ns_sal_services_expire(struct ns_sal_services *services, uint64_t now);

/* The receivers of a packet: a peer, or a program of this host. */
enum ns_sal_receiver { NS_SAL_ELSEWHERE, NS_SAL_LISTENER, NS_SAL_SOCKET };

/*
 * Draws a rule for a serviceID. For a program the DEMUX rules of its transport alone count, and else none of them.
 * `random` decides among the weights. Returns NULL if no rule matches or a DROP does.
 */
struct ns_sal_rule *ns_sal_services_draw(struct ns_sal_services *services, const uint8_t *id,
                                         enum ns_sal_receiver receiver, uint64_t now, uint32_t random);

/* Returns the rule that any draw would have, NULL if there is none or several are drawn from. Counts no hit. */
const struct ns_sal_rule *ns_sal_services_sole(const struct ns_sal_services *services, const uint8_t *id,
                                               enum ns_sal_receiver receiver, uint64_t now);

/* Returns the value of a hexadecimal digit in lower case, -1 if it is none. */
int ns_sal_digit(char c);

/* Reads a serviceID or prefix of 1 to 64 hexadecimal digits; missing ones are zeros. `bits` is 4 for each digit. */
bool ns_sal_id_read(const char *text, uint8_t id[NS_SAL_ID], unsigned *bits);

void ns_sal_id_print(const uint8_t *id, char text[NS_SAL_ID_TEXT]);

#endif
