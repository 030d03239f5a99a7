/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_value.h - the kinds of values: each is parsed to numbers here and printed again from them, so that no byte of a
 * client reaches a rule, a path or an argument as it came. Pure.
 */
#ifndef NS_VALUE_H
#define NS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_NAME_MAX 64    /* characters of a container's or job's name */
#define NS_PREFIX_TEXT 64 /* bytes that hold any printed prefix */
#define NS_INTERFACE_MAX 15
#define NS_SERVICE_BYTES 32
#define NS_SERVICE_BITS 256u
#define NS_SERVICE_TEXT 72 /* bytes that hold any printed prefix of serviceIDs */

struct ns_net {
    uint8_t family; /* 4 or 6 */
    uint8_t bits;
    uint8_t address[16]; /* network order, host bits zero */
};

/* A prefix of Serval's serviceIDs. */
struct ns_service_prefix {
    uint16_t bits;                /* 0 to 256 */
    uint8_t id[NS_SERVICE_BYTES]; /* bits behind the prefix are zero */
};

struct ns_ports {
    uint16_t first, last; /* host order, first <= last */
};

/* Decimal digits only, no sign, no leading zero, within [least, most]. */
bool ns_value_number(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* [A-Za-z0-9._-]{1,64}, not beginning with a dot: fit to be a directory's name. */
bool ns_value_name(const char *text);

/* A network interface's name: 1-15 of [A-Za-z0-9._-], not "." or "..". */
bool ns_value_interface(const char *text);

/* "192.0.2.0/24", "2001:db8::/32", or an address alone; host bits are cut off. */
bool ns_value_net(const char *text, struct ns_net *net);
void ns_value_print_net(const struct ns_net *net, char text[NS_PREFIX_TEXT]);

/* "a" or "a-b", 0-65535. */
bool ns_value_ports(const char *text, struct ns_ports *ports);

/* "00004001/32" with hexadecimal digits, where missing ones are 0, or "default" for all serviceIDs. */
bool ns_value_service(const char *text, struct ns_service_prefix *prefix);
void ns_value_print_service(const struct ns_service_prefix *prefix, char text[NS_SERVICE_TEXT]);

/* Tells whether the length is one, and all bits behind it are zero. */
bool ns_service_is_prefix(const struct ns_service_prefix *prefix);

/* Tells whether every serviceID of `inner` is one of `outer`. */
bool ns_service_covers(const struct ns_service_prefix *outer, const struct ns_service_prefix *inner);

/*
 * Calls `each` for every element of a comma-separated list; "" is the empty list. Ends with false if `each` refuses an
 * element, or an element is empty or too long.
 */
bool ns_value_list(const char *text, bool (*each)(void *context, const char *element), void *context);

#endif
