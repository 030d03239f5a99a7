/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - what the bench's own readers of packets have in common.
 *
 * They count like a pktio, in a region that lab-mlffr finds by its name, and end with their parent.
 */
#ifndef LAB_READER_H
#define LAB_READER_H

#include "ns_counters.h"
#include <stdint.h>

/* Counters of this process; `fd` is for a pktio that counts instead. Ends the process if there can be none. */
struct ns_counters *reader_counters(int *fd);

/* Ends the process with its parent. */
void reader_follow_parent(void);

/* Tells the bench that packets are read from now on. */
void reader_ready(void);

/* Says why, and ends the process. */
void reader_fail(const char *what) __attribute__((noreturn));

#endif
