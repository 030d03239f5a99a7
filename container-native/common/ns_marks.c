/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_marks.h"

#include "ns_fastpath.h"
#include "ns_log.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int ns_mark_read(const char *option, const char *text, uint32_t *mark) {
    char *end;
    unsigned long long parsed;

    errno = 0;
    parsed = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || parsed == 0 || parsed > UINT32_MAX) {
        ns_error("--%s: %s is not a number in 1..0xffffffff", option, text);
        return -1;
    }
    *mark = (uint32_t)parsed;
    return 0;
}

static bool one_bit(uint32_t mark) {
    return mark != 0 && (mark & (mark - 1)) == 0;
}

const char *ns_marks_wrong(uint32_t turned, uint32_t copy) {
    if (!one_bit(turned))
        return "the mark of turned packets is not one bit";
    if (copy == 0)
        return "there is no higher bit for the mark of samples";
    if (!one_bit(copy))
        return "the mark of samples is not one bit";
    if (turned == copy)
        return "turned packets and samples have the same mark";
    if (turned == NS_OFFLOAD_MARK)
        return "the mark of turned packets is 0x00200000, which says that the fast path has decided";
    if (copy == NS_OFFLOAD_MARK)
        return "the mark of samples is 0x00200000, which says that the fast path has decided";
    if (turned == NS_TAKEN_MARK)
        return "the mark of turned packets is 0x00100000, which says that a container has taken the connection";
    if (copy == NS_TAKEN_MARK)
        return "the mark of samples is 0x00100000, which says that a container has taken the connection";
    return NULL;
}
