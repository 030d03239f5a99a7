/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_marks.h - the bits of a packet's mark that are a node's own. All other bits are the operator's.
 *
 *     T  turned by a module          --mark of the supervisor, 0x00400000
 *     S  sampled already             the next higher bit
 *     O  decided by the fast path    0x00200000 (ns_fastpath.h)
 *     K  taken for a container       0x00100000; also a bit of the connection's mark
 */
#ifndef NS_MARKS_H
#define NS_MARKS_H

#include <stdint.h>

#define NS_TAKEN_MARK 0x00100000u

/* Reads a number from 1 to 0xffffffff. 0, or -1 with a line in the log. */
int ns_mark_read(const char *option, const char *text, uint32_t *mark);

/* Returns NULL, or why the two cannot stand beside each other and beside O and K. */
const char *ns_marks_wrong(uint32_t turned, uint32_t copy);

#endif
