/* SPDX-License-Identifier: Apache-2.0 */
/* steer.h - a bpfd that steers the bench's packets to a pktio's AF_XDP sockets, ordered as the spawner does it. */
#ifndef LAB_STEER_H
#define LAB_STEER_H

#define STEER_INTERFACES 2
#define STEER_OPTIONS 4 /* that pktio needs for it */

struct steer {
    int fds[STEER_INTERFACES +
            2]; /* sockets, then that to bpfd and one for what no socket takes: pktio inherits them */
    char option[STEER_OPTIONS][48];
};

/* Starts bpfd on these interfaces and says what pktio's command line needs. Ends the process if it cannot be had. */
void steer_start(struct steer *steer, const char *bpfd, const char *programs, char *const interfaces[STEER_INTERFACES]);

#endif
