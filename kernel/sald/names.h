/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - names of services, and the surrogate addresses that stand for their serviceIDs.
 *
 *     name --- operator's file or verb ---> serviceID --- place in a list ---> 198.18.1.0 + place, fd73:616c::1:place
 *
 * A place is given to another serviceID only when the list is full, and then the one that has rested longest, at least
 * an hour. So an address that a program has kept never leads to another service meanwhile.
 */
#ifndef NS_SALD_NAMES_H
#define NS_SALD_NAMES_H

#include "ns_sal.h"
#include "packet.h"
#include <netinet/in.h>

#define NS_SAL_NAMES 1024u
#define NS_SAL_NAME_MAX 253u /* characters of a name of DNS */
#define NS_SAL_REST_MS 3600000u

struct ns_sal_name {
    char name[NS_SAL_NAME_MAX + 1]; /* small letters */
    uint8_t id[NS_SAL_ID];
};

struct ns_sal_names {
    struct ns_sal_name names[NS_SAL_NAMES];
    unsigned count;
    struct ns_sal_surrogate places[NS_SAL_SURROGATES];
    bool assigned; /* `fresh` is a place that was assigned since the caller last took note */
    unsigned fresh;
};

/* Adds a name or gives it another serviceID. Returns false if the name is none of DNS, or the list is full. */
bool ns_sal_names_add(struct ns_sal_names *names, const char *name, const uint8_t *id);
bool ns_sal_names_remove(struct ns_sal_names *names, const char *name);

/* Returns the serviceID of a name in any letters, or NULL. */
const uint8_t *ns_sal_names_find(const struct ns_sal_names *names, const char *name);

/* Tells whether any name ends in the same label: "web.serval" and "shop.serval" do. */
bool ns_sal_names_knows_suffix(const struct ns_sal_names *names, const char *name);

/* Reads lines "NAME SERVICEID", where # begins a comment. Returns the number of names, or -1 with the bad line. */
int ns_sal_names_read(struct ns_sal_names *names, char *text, unsigned *line);

/* Returns the place of a serviceID, which it may get now, or -1 if the list is full. */
int ns_sal_surrogate_of(struct ns_sal_names *names, const uint8_t *id, uint64_t now);

/* Returns the place that a serviceID has, or -1. Notes no use. */
int ns_sal_surrogate_peek(const struct ns_sal_names *names, const uint8_t *id);

/* Finds the serviceID that an address stands for, and notes the use. Returns the place, or -1. */
int ns_sal_surrogate_find(struct ns_sal_names *names, const uint32_t address[4], unsigned family, uint64_t now);

/* Writes the address of a place, 4 or 16 bytes. */
void ns_sal_surrogate_address(unsigned place, unsigned family, uint32_t address[4]);

void ns_sal_surrogate_print(unsigned place, unsigned family, char text[INET6_ADDRSTRLEN]);

/* Writes the address that stands for a client, one of 65,536, 4 or 16 bytes. */
void ns_sal_client_address(unsigned number, unsigned family, uint32_t address[4]);

/* Writes the address in IPv6 of the client whose connection has this number. */
void ns_sal_client_address6(uint32_t number, uint32_t address[4]);

/*
 * Names the connection of a client, one of 4,194,304,000, as the listener's stack sends it. `listener` has the TCP
 * port, and no IP address if the program listens on that of sal0, which is `inside4`.
 */
void ns_sal_client_tuple(struct ns_sal_tuple *inner, const struct ns_sal_address *listener, uint32_t inside4,
                         uint32_t number);

#endif
