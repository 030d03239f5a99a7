/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - functions that the bench's own packet readers share.
 *
 * The readers count like a pktio, in a region that lab-mlffr finds by its name, and end with their parent.
 */
#ifndef LAB_READER_H
#define LAB_READER_H

#include "ns_counters.h"
#include <stdint.h>

/*
 * Makes the counters of this process. `fd` is for a pktio that counts instead. Ends the process if it cannot make
 * them.
 */
struct ns_counters *reader_counters(int *fd);

/* Ends the process with its parent. */
void reader_follow_parent(void);

/* Tells the bench that the process reads packets from now on. */
void reader_ready(void);

/* Prints the error and ends the process. */
void reader_fail(const char *what) __attribute__((noreturn));

#endif
