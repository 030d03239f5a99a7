/* SPDX-License-Identifier: Apache-2.0 */
/* ns_processors.h - a list of processors by number, as people and options write it: "2,5". */
#ifndef NS_PROCESSORS_H
#define NS_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>

#define NS_PROCESSORS_TEXT 256 /* a list at its longest, with its end */

/* Reads a list; "" is none. False if it is too long, or an element is not a number below CPU_SETSIZE. */
bool ns_processors_read(cpu_set_t *set, const char *text);

#endif
