/* SPDX-License-Identifier: Apache-2.0 */
/* link.h - asks about interfaces of the calling thread's network namespace. */
#ifndef LAB_LINK_H
#define LAB_LINK_H

#include <stdint.h>

/* Fills in the link address. Returns 0, or -1 with errno. */
int link_address(const char *interface, uint8_t address[6]);

#endif
