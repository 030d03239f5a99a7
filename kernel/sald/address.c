/* SPDX-License-Identifier: Apache-2.0 */
#include "address.h"

#include "ns_bytes.h"
#include "ns_value.h"
#include <arpa/inet.h>
#include <stdio.h>

struct ns_sal_address ns_sal_address_of(unsigned family, const void *ip, uint16_t port) {
    struct ns_sal_address address = {.port = port};

    if (family == 4) {
        memset(address.ip + 10, 0xff, 2);
        memcpy(address.ip + 12, ip, 4);
    } else {
        memcpy(address.ip, ip, 16);
    }
    return address;
}

void ns_sal_pseudo(uint32_t words[2], uint32_t source, uint32_t destination, const struct ns_sal_address *from,
                   const struct ns_sal_address *to) {
    bool raw = ns_sal_is_raw(to);

    words[0] = raw ? ns_get32(from->ip + 12) : source;
    words[1] = raw ? ns_get32(to->ip + 12) : destination;
}

/* Cuts "]:port" or ":port" off the text. Returns the port's text, or NULL if there is none. */
static char *cut_port(char *text) {
    char *end = strchr(text, ']');
    char *colon = end != NULL ? end + 1 : strchr(text, ':');

    if (end != NULL)
        *end = '\0';
    else if (colon == NULL || strchr(colon + 1, ':') != NULL)
        return NULL; /* IPv4 or a bare IPv6 address */
    if (*colon != ':')
        return NULL;
    *colon = '\0';
    return colon + 1;
}

void ns_sal_address_words(const struct ns_sal_address *address, uint32_t words[4]) {
    bool v4 = ns_sal_is_ipv4(address);

    memset(words, 0, 16);
    memcpy(words, address->ip + (v4 ? 12 : 0), v4 ? 4 : 16);
}

bool ns_sal_address_read(struct ns_sal_address *address, const char *text, uint16_t port) {
    char copy[NS_SAL_ADDRESS_TEXT], *ip = copy, *behind;
    uint64_t number = port;
    uint8_t bytes[16];

    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    ip += *ip == '[';
    behind = cut_port(copy);
    if (behind != NULL && !ns_value_number(behind, 1, 65535, &number))
        return false;
    if (inet_pton(AF_INET, ip, bytes) == 1)
        *address = ns_sal_address_of(4, bytes, (uint16_t)number);
    else if (inet_pton(AF_INET6, ip, bytes) == 1)
        *address = ns_sal_address_of(6, bytes, (uint16_t)number);
    else
        return false;
    return true;
}

void ns_sal_address_print(const struct ns_sal_address *address, char text[NS_SAL_ADDRESS_TEXT]) {
    bool v4 = ns_sal_is_ipv4(address);
    char ip[INET6_ADDRSTRLEN];

    inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? address->ip + 12 : address->ip, ip, sizeof ip);
    snprintf(text, NS_SAL_ADDRESS_TEXT, v4 ? "%s:%u" : "[%s]:%u", ip, (unsigned)address->port);
}

bool ns_sal_is_for_many(const struct ns_sal_address *address) {
    if (ns_sal_is_ipv4(address))
        return address->ip[12] >= 224 || address->ip[12] == 0;
    return address->ip[0] == 0xff || ns_sal_is_none(address);
}

bool ns_sal_is_loopback(const struct ns_sal_address *address) {
    if (ns_sal_is_ipv4(address))
        return address->ip[12] == 127;
    return memcmp(address->ip, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16) == 0;
}
