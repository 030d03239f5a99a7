/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_channels.h - the descriptors of a container's program (program.h). Orders come from the host by a pipe, and
 * answers go to it by a socket. Four pipes are the program's, whose other ends the host gets.
 */
#ifndef NS_PROGRAM_CHANNELS_H
#define NS_PROGRAM_CHANNELS_H

#include "program.h"

/* Begins with no descriptor, and with all orders in stock. */
void ns_program_init(struct ns_program *program);

/* Makes the channels between host and spawner. 0, or -1 with errno. */
int ns_program_open(struct ns_program *program);

/* Closes the host's ends of the channels here: the host has them. */
void ns_program_handed(struct ns_program *program);

/* Closes all that is open. */
void ns_program_close(struct ns_program *program);

/* Makes the four pipes. The program reads the first two, and writes the others. 0, or -1 with none of them open. */
int ns_program_open_ends(struct ns_program *program);

/* Closes one side's ends of the pipes: `ours` or `its`. */
void ns_program_forget_ends(int ends[NS_PROGRAM_ENDS]);

#endif
