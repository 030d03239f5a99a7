/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_value.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define ELEMENT_MAX 128 /* bytes of a list's element; the longest is two IPv6 prefixes */

bool ns_value_number(const char *text, uint64_t least, uint64_t most, uint64_t *value) {
    uint64_t sum = 0;
    size_t length = strlen(text);

    if (length == 0 || length > 18 || (length > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        sum = sum * 10 + (uint64_t)(text[i] - '0');
    }
    if (sum < least || sum > most)
        return false;
    *value = sum;
    return true;
}

static bool of_name_characters(const char *text, size_t most) {
    size_t length = strlen(text);

    if (length == 0 || length > most)
        return false;
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

bool ns_value_name(const char *text) {
    return of_name_characters(text, NS_NAME_MAX) && text[0] != '.';
}

bool ns_value_interface(const char *text) {
    return of_name_characters(text, NS_INTERFACE_MAX) && strcmp(text, ".") != 0 && strcmp(text, "..") != 0;
}

static void cut_host_bits(struct ns_net *net) {
    for (unsigned bit = net->bits; bit < 128; bit++)
        net->address[bit / 8] &= (uint8_t) ~(0x80u >> (bit % 8));
}

bool ns_value_net(const char *text, struct ns_net *net) {
    char address[NS_PREFIX_TEXT];
    size_t length = strcspn(text, "/");
    uint64_t bits;

    memset(net, 0, sizeof *net);
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (inet_pton(AF_INET, address, net->address) == 1)
        net->family = 4;
    else if (inet_pton(AF_INET6, address, net->address) == 1)
        net->family = 6;
    else
        return false;
    bits = net->family == 4 ? 32 : 128;
    if (text[length] == '/' && !ns_value_number(text + length + 1, 0, bits, &bits))
        return false;
    net->bits = (uint8_t)bits;
    cut_host_bits(net);
    return true;
}

void ns_value_print_net(const struct ns_net *net, char text[NS_PREFIX_TEXT]) {
    char address[INET6_ADDRSTRLEN];

    inet_ntop(net->family == 4 ? AF_INET : AF_INET6, net->address, address, sizeof address);
    snprintf(text, NS_PREFIX_TEXT, "%s/%u", address, net->bits);
}

bool ns_value_ports(const char *text, struct ns_ports *ports) {
    char first[8];
    size_t length = strcspn(text, "-");
    uint64_t a, b;

    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!ns_value_number(first, 0, 65535, &a))
        return false;
    b = a;
    if (text[length] == '-' && !ns_value_number(text + length + 1, a, 65535, &b))
        return false;
    ports->first = (uint16_t)a;
    ports->last = (uint16_t)b;
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ns_service_is_prefix(const struct ns_service_prefix *prefix) {
    for (unsigned bit = prefix->bits; bit < NS_SERVICE_BITS; bit++) {
        if ((prefix->id[bit / 8] & 0x80u >> (bit % 8)) != 0)
            return false;
    }
    return prefix->bits <= NS_SERVICE_BITS;
}

bool ns_value_service(const char *text, struct ns_service_prefix *prefix) {
    size_t digits = strcspn(text, "/");
    uint64_t bits;

    memset(prefix, 0, sizeof *prefix);
    if (strcmp(text, "default") == 0)
        return true;
    if (digits == 0 || digits > 2 * NS_SERVICE_BYTES || text[digits] != '/')
        return false;
    for (size_t i = 0; i < digits; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0)
            return false;
        prefix->id[i / 2] |= (uint8_t)(i % 2 == 0 ? digit << 4 : digit);
    }
    if (!ns_value_number(text + digits + 1, 1, NS_SERVICE_BITS, &bits))
        return false;
    prefix->bits = (uint16_t)bits;
    return ns_service_is_prefix(prefix);
}

void ns_value_print_service(const struct ns_service_prefix *prefix, char text[NS_SERVICE_TEXT]) {
    unsigned digits = (prefix->bits + 3u) / 4;

    if (prefix->bits == 0) {
        strcpy(text, "default");
        return;
    }
    for (unsigned i = 0; i < digits; i++)
        text[i] = "0123456789abcdef"[i % 2 == 0 ? prefix->id[i / 2] >> 4 : prefix->id[i / 2] & 0xf];
    snprintf(text + digits, NS_SERVICE_TEXT - digits, "/%u", prefix->bits);
}

bool ns_service_covers(const struct ns_service_prefix *outer, const struct ns_service_prefix *inner) {
    unsigned whole = outer->bits / 8, rest = outer->bits % 8;

    if (outer->bits > inner->bits || memcmp(outer->id, inner->id, whole) != 0)
        return false;
    return rest == 0 || (outer->id[whole] ^ inner->id[whole]) >> (8 - rest) == 0;
}

bool ns_value_list(const char *text, bool (*each)(void *context, const char *element), void *context) {
    char element[ELEMENT_MAX];

    if (*text == '\0')
        return true;
    for (;;) {
        size_t length = strcspn(text, ",");

        if (length == 0 || length >= sizeof element)
            return false;
        memcpy(element, text, length);
        element[length] = '\0';
        if (!each(context, element))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}
