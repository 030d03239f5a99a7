/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static bool prefix_contains(const struct ns_prefix *prefix, const uint8_t *address) {
    unsigned bytes = prefix->bits / 8, rest = prefix->bits % 8;
    uint8_t mask = (uint8_t)(0xff00u >> rest);

    if (memcmp(prefix->address, address, bytes) != 0)
        return false;
    return rest == 0 || ((prefix->address[bytes] ^ address[bytes]) & mask) == 0;
}

/*
 * Parses "192.0.2.0/24" or "2001:db8::/32"; an address alone is a prefix of full length. Returns the family, or 0 if
 * the text is not a prefix.
 */
static uint8_t parse_prefix(struct ns_prefix *prefix, const char *text, size_t length) {
    char copy[64];
    char *slash, *end;
    uint8_t family;
    unsigned long bits;

    if (length == 0 || length >= sizeof copy)
        return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    memset(prefix, 0, sizeof *prefix);
    slash = strchr(copy, '/');
    if (slash != NULL)
        *slash++ = '\0';
    if (inet_pton(AF_INET, copy, prefix->address) == 1)
        family = 4;
    else if (inet_pton(AF_INET6, copy, prefix->address) == 1)
        family = 6;
    else
        return 0;
    bits = family == 4 ? 32 : 128;
    if (slash != NULL) {
        unsigned long most = bits;

        if (*slash < '0' || *slash > '9')
            return 0;
        bits = strtoul(slash, &end, 10);
        if (*end != '\0' || bits > most)
            return 0;
    }
    prefix->bits = (uint8_t)bits;
    return family;
}

bool ns_rewrite_add(struct ns_rewrite *rewrite, const char *text) {
    const char *arrow = strstr(text, "->");
    struct ns_rewrite_rule *rule = &rewrite->rules[rewrite->count];

    if (arrow == NULL || rewrite->count == NS_REWRITE_MAX)
        return false;
    rule->family = parse_prefix(&rule->source, text, (size_t)(arrow - text));
    if (rule->family == 0 || parse_prefix(&rule->destination, arrow + 2, strlen(arrow + 2)) != rule->family)
        return false;
    rewrite->count++;
    return true;
}

bool ns_rewrite_allows(const struct ns_rewrite *rewrite, const struct ns_ip *out) {
    for (unsigned i = 0; i < rewrite->count; i++) {
        const struct ns_rewrite_rule *rule = &rewrite->rules[i];

        if (rule->family == out->family && prefix_contains(&rule->source, out->source) &&
            prefix_contains(&rule->destination, out->destination))
            return true;
    }
    return false;
}
