/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steer.h - a bpfd that steers the bench's packets to a pktio's AF_XDP sockets. It gets its orders as from the
 * spawner.
 */
#ifndef LAB_STEER_H
#define LAB_STEER_H

#define STEER_INTERFACES 2
#define STEER_OPTIONS 4 /* options that pktio needs for steering */

struct steer {
    int fds[STEER_INTERFACES +
            2]; /* sockets, the socket to bpfd, one for packets that no socket takes; pktio inherits all */
    char option[STEER_OPTIONS][48];
};

/* Starts bpfd on these interfaces and makes the options for pktio's command line. Ends the process if that fails. */
void steer_start(struct steer *steer, const char *bpfd, const char *programs, char *const interfaces[STEER_INTERFACES]);

#endif
