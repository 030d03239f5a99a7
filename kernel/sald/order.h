/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - an order to sald: its values, and its refusal. The functions return false if they have refused it. */
#ifndef NS_SALD_ORDER_H
#define NS_SALD_ORDER_H

#include "ns_line.h"
#include "sald.h"

#include <stdio.h>

/* An order under way. `why` is set when it is refused. */
struct ns_order {
    struct ns_sald *sald;
    const struct ns_line *line;
    const char *why;
    FILE *out;
};

bool ns_order_refuse(struct ns_order *order, const char *why);

bool ns_order_number(struct ns_order *order, const char *key, uint64_t most, uint64_t preset, uint64_t *value);

/* Reads a prefix: DIGITS of which all count, DIGITS/BITS, or default. */
bool ns_order_id(struct ns_order *order, uint8_t value[NS_SAL_ID], unsigned *bits);

/* Reads a whole serviceID, whose missing digits are zeros. */
bool ns_order_whole_id(struct ns_order *order, uint8_t value[NS_SAL_ID]);

bool ns_order_address(struct ns_order *order, const char *key, bool needed, uint16_t port,
                      struct ns_sal_address *value);

/* Refuses keys that the verb does not have. `keys` is "a b c". */
bool ns_order_only(struct ns_order *order, const char *keys);

/* Reads the address of another end, which has no port if SAL is to lie in IP without UDP. */
bool ns_order_other_end(struct ns_order *order, const char *key, struct ns_sal_address *value);

#endif
