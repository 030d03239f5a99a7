/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_marks.h - the bits of a packet's mark that are a node's own. All other bits are the operator's.
 *
 *     T  turned by a module          --mark of the supervisor, 0x00400000
 *     S  sampled already             the next higher bit
 *     O  decided by the fast path    0x00200000 (ns_fastpath.h)
 */
#ifndef NS_MARKS_H
#define NS_MARKS_H

#include <stdint.h>

/* Reads a number from 1 to 0xffffffff. 0, or -1 with a line in the log. */
int ns_mark_read(const char *option, const char *text, uint32_t *mark);

/* Returns NULL, or why the two cannot stand beside each other and beside O. */
const char *ns_marks_wrong(uint32_t turned, uint32_t copy);

#endif
