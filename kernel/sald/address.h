/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - an IP address with a UDP port. IPv4 lies in it as ::ffff:a.b.c.d, as on the wire of HOPS. */
#ifndef NS_SALD_ADDRESS_H
#define NS_SALD_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct ns_sal_address {
    uint8_t ip[16];
    uint16_t port; /* host order; 0 = any, or none in raw IP */
};

#define NS_SAL_ADDRESS_TEXT 64 /* bytes that hold any printed address */

static inline bool ns_sal_is_ipv4(const struct ns_sal_address *address) {
    return memcmp(address->ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12) == 0;
}

/* Tells whether there is no address. */
static inline bool ns_sal_is_none(const struct ns_sal_address *address) {
    return memcmp(address->ip, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0;
}

static inline bool ns_sal_same(const struct ns_sal_address *a, const struct ns_sal_address *b) {
    return a->port == b->port && memcmp(a->ip, b->ip, 16) == 0;
}

/* Tells whether two addresses are the same, where port 0 stands for any port. */
static inline bool ns_sal_is_socket_of(const struct ns_sal_address *a, const struct ns_sal_address *b) {
    return memcmp(a->ip, b->ip, 16) == 0 && (a->port == b->port || a->port == 0 || b->port == 0);
}

/* Tells whether SAL lies in IP without UDP there. Addresses of peers have no port then. */
static inline bool ns_sal_is_raw(const struct ns_sal_address *address) {
    return address->port == 0;
}

/*
 * Sets the words of the pseudo-header of a transport behind SAL, in host order: the flowIDs, or in raw IP the IPv4
 * addresses.
 */
void ns_sal_pseudo(uint32_t words[2], uint32_t source, uint32_t destination, const struct ns_sal_address *from,
                   const struct ns_sal_address *to);

/* Makes an address of the 4 or 16 bytes at `ip`. */
struct ns_sal_address ns_sal_address_of(unsigned family, const void *ip, uint16_t port);

/* Sets the words that stand for an address in the maps of the programs: IPv4 in the first one, the others 0. */
void ns_sal_address_words(const struct ns_sal_address *address, uint32_t words[4]);

/* Reads "192.0.2.1:54325", "[2001:db8::1]:54325", or either without a port, which is `port` then. */
bool ns_sal_address_read(struct ns_sal_address *address, const char *text, uint16_t port);

void ns_sal_address_print(const struct ns_sal_address *address, char text[NS_SAL_ADDRESS_TEXT]);

/* Tells whether packets from or to it have many receivers or none: group, broadcast, unspecified. */
bool ns_sal_is_for_many(const struct ns_sal_address *address);

/* Tells whether it is an address of the loopback interface, which no other host has. */
bool ns_sal_is_loopback(const struct ns_sal_address *address);

#endif
