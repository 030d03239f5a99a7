/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "services.h"
#include <arpa/inet.h>
#include <ctype.h>

#define CLIENTS4 0xc6130000u /* 198.19.0.0 */
#define CLIENTS6 2u          /* the third word */
#define FIRST_PORT 1024u     /* of those that clients have, */
#define PORTS 64000u         /* and their number */

/* Copies a name in small letters. Returns false if it is none. */
static bool normal(char to[NS_SAL_NAME_MAX + 1], const char *name) {
    size_t length = strlen(name);

    if (length == 0 || length > NS_SAL_NAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = (char)tolower((unsigned char)name[i]);

        if (!isalnum((unsigned char)c) && c != '-' && c != '_' && (c != '.' || i == 0 || name[i - 1] == '.'))
            return false;
        to[i] = c;
    }
    to[length - (name[length - 1] == '.')] = '\0';
    return to[0] != '\0';
}

static struct ns_sal_name *find(const struct ns_sal_names *names, const char *name) {
    char wanted[NS_SAL_NAME_MAX + 1];

    if (!normal(wanted, name))
        return NULL;
    for (unsigned i = 0; i < names->count; i++) {
        if (strcmp(names->names[i].name, wanted) == 0)
            return (struct ns_sal_name *)&names->names[i];
    }
    return NULL;
}

bool ns_sal_names_add(struct ns_sal_names *names, const char *name, const uint8_t *id) {
    struct ns_sal_name *entry = find(names, name);

    if (entry == NULL) {
        if (names->count == NS_SAL_NAMES || !normal(names->names[names->count].name, name))
            return false;
        entry = &names->names[names->count++];
    }
    memcpy(entry->id, id, NS_SAL_ID);
    return true;
}

bool ns_sal_names_remove(struct ns_sal_names *names, const char *name) {
    struct ns_sal_name *entry = find(names, name);

    if (entry != NULL)
        *entry = names->names[--names->count];
    return entry != NULL;
}

const uint8_t *ns_sal_names_find(const struct ns_sal_names *names, const char *name) {
    const struct ns_sal_name *entry = find(names, name);

    return entry == NULL ? NULL : entry->id;
}

static const char *last_label(const char *name) {
    const char *dot = strrchr(name, '.');

    return dot == NULL ? name : dot + 1;
}

bool ns_sal_names_knows_suffix(const struct ns_sal_names *names, const char *name) {
    char wanted[NS_SAL_NAME_MAX + 1];

    if (!normal(wanted, name))
        return false;
    for (unsigned i = 0; i < names->count; i++) {
        if (strcmp(last_label(names->names[i].name), last_label(wanted)) == 0)
            return true;
    }
    return false;
}

static bool read_line(struct ns_sal_names *names, char *line) {
    char *rest, *name, *id, *comment = strchr(line, '#');
    uint8_t bytes[NS_SAL_ID];
    unsigned bits;

    if (comment != NULL)
        *comment = '\0';
    name = strtok_r(line, " \t\r", &rest);
    if (name == NULL)
        return true;
    id = strtok_r(NULL, " \t\r", &rest);
    return id != NULL && strtok_r(NULL, " \t\r", &rest) == NULL && ns_sal_id_read(id, bytes, &bits) &&
           ns_sal_names_add(names, name, bytes);
}

int ns_sal_names_read(struct ns_sal_names *names, char *text, unsigned *line) {
    *line = 1;
    for (char *next; text != NULL; text = next, ++*line) {
        next = strchr(text, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (!read_line(names, text))
            return -1;
    }
    return (int)names->count;
}

/* --- surrogates --- */

int ns_sal_surrogate_of(struct ns_sal_names *names, const uint8_t *id, uint64_t now) {
    int oldest = 0;

    for (int i = 0; i < (int)NS_SAL_SURROGATES; i++) {
        struct ns_sal_surrogate *place = &names->places[i];

        if (place->used_ms != 0 && memcmp(place->id, id, NS_SAL_ID) == 0) {
            place->used_ms = now;
            return i;
        }
        if (place->used_ms < names->places[oldest].used_ms)
            oldest = i;
    }
    if (names->places[oldest].used_ms != 0 && now - names->places[oldest].used_ms < NS_SAL_REST_MS)
        return -1;
    memcpy(names->places[oldest].id, id, NS_SAL_ID);
    names->places[oldest].used_ms = now;
    names->assigned = true;
    names->fresh = (unsigned)oldest;
    return oldest;
}

int ns_sal_surrogate_peek(const struct ns_sal_names *names, const uint8_t *id) {
    for (int i = 0; i < (int)NS_SAL_SURROGATES; i++) {
        if (names->places[i].used_ms != 0 && memcmp(names->places[i].id, id, NS_SAL_ID) == 0)
            return i;
    }
    return -1;
}

int ns_sal_surrogate_find(struct ns_sal_names *names, const uint32_t address[4], unsigned family, uint64_t now) {
    uint32_t number = family == 4 ? ntohl(address[0]) - NS_SAL_SURROGATES4 : ntohl(address[3]);

    if (family == 6 &&
        (ntohl(address[0]) != NS_SAL_PREFIX6 || address[1] != 0 || ntohl(address[2]) != NS_SAL_SURROGATES6))
        return -1;
    if (number >= NS_SAL_SURROGATES || names->places[number].used_ms == 0)
        return -1;
    names->places[number].used_ms = now;
    return (int)number;
}

static void put(unsigned family, uint32_t base4, uint32_t word6, unsigned number, uint32_t address[4]) {
    memset(address, 0, 16);
    if (family == 4) {
        address[0] = htonl(base4 + number);
        return;
    }
    address[0] = htonl(NS_SAL_PREFIX6);
    address[2] = htonl(word6);
    address[3] = htonl(number);
}

void ns_sal_surrogate_address(unsigned place, unsigned family, uint32_t address[4]) {
    put(family, NS_SAL_SURROGATES4, NS_SAL_SURROGATES6, place, address);
}

void ns_sal_surrogate_print(unsigned place, unsigned family, char text[INET6_ADDRSTRLEN]) {
    uint32_t words[4];

    ns_sal_surrogate_address(place, family, words);
    inet_ntop(family == 4 ? AF_INET : AF_INET6, words, text, INET6_ADDRSTRLEN);
}

void ns_sal_client_address(unsigned number, unsigned family, uint32_t address[4]) {
    put(family, CLIENTS4, CLIENTS6, number & 0xffff, address);
}

void ns_sal_client_address6(uint32_t number, uint32_t address[4]) {
    ns_sal_client_address(number / PORTS, 6, address);
}

void ns_sal_client_tuple(struct ns_sal_tuple *inner, const struct ns_sal_address *listener, uint32_t inside4,
                         uint32_t number) {
    bool has_address = !ns_sal_is_none(listener);
    uint16_t port = htons((uint16_t)(FIRST_PORT + number % PORTS)), own = htons(listener->port);
    uint8_t *ports = (uint8_t *)&inner->ports;

    memset(inner, 0, sizeof *inner);
    inner->family = has_address && !ns_sal_is_ipv4(listener) ? 6 : 4;
    if (has_address)
        memcpy(inner->source, listener->ip + (inner->family == 4 ? 12 : 0), inner->family == 4 ? 4 : 16);
    else
        inner->source[0] = inside4;
    ns_sal_client_address(number / PORTS, inner->family, inner->destination);
    memcpy(ports, &own, 2);
    memcpy(ports + 2, &port, 2);
}
