/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysctl.h - rp_filter (0 or 2) and accept_local (1) of the interfaces with filters: checked, or set and put back at the end.
 *
 * A turned packet leaves with the source address of a machine that is elsewhere: rp_filter=1 drops it, and so does
 * accept_local=0 if the packet was for the router itself. Old values are kept in a file, so that a successor can put them back.
 */
#ifndef NS_SYSCTL_H
#define NS_SYSCTL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * `names` are interfaces, none = all. Writes "<interface>:<key>=<value>" of each setting that is not as it should be to
 * `warnings`, separated by commas. `set`: first appends the old value to the file `saved`, then changes it.
 */
void ns_sysctl_prepare(const char (*names)[16], unsigned count, bool set, const char *saved, FILE *warnings);

/* Puts back what the file holds, the oldest value of each setting, and removes it. */
void ns_sysctl_restore(const char *saved);

#endif
