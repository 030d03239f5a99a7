/* SPDX-License-Identifier: Apache-2.0 */
/* form.h - the form of fields in questions of containers. Pure. */
#ifndef NS_BPFD_FORM_H
#define NS_BPFD_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool ns_form_zero(const void *bytes, size_t count) {
    const uint8_t *at = bytes;

    for (size_t i = 0; i < count; i++) {
        if (at[i] != 0)
            return false;
    }
    return true;
}

/* Tells whether 16 bytes are an address of the family: one of IPv4 has 12 zeros behind it. */
static inline bool ns_form_address(uint8_t family, const uint8_t *address) {
    return family == 6 || (family == 4 && ns_form_zero(address + 4, 12));
}

#endif
