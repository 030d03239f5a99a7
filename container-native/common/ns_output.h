/* SPDX-License-Identifier: Apache-2.0 */
/* ns_output.h - the file that a process writes its standard output and error to. */
#ifndef NS_OUTPUT_H
#define NS_OUTPUT_H

#include <sys/types.h>

/*
 * Makes it anew, never through a link; the last one is kept as ".1". Hostile code may have made either, so call it as
 * the user that owns the directory. 0, or -1 with errno.
 */
int ns_output_open(const char *path);

/*
 * Begins the file anew when it has more than `most` bytes, as ns_output_open does. Where it cannot be renamed it is
 * emptied. A standard output that is no plain file is left alone.
 */
void ns_output_bound(const char *path, off_t most);

#endif
