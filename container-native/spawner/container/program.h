/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - the one program besides its host that a container may have: ffmpeg, for a publisher with the grant
 * `process`. The host orders it by fixed-length records (ns_program.h), and the spawner starts it as its own child.
 *
 *     IDLE --START--> STARTING --its program runs--> RUNNING --ended, killed--> IDLE.
 *       ^                |  not started.               |
 *       +----------------+              CANCEL, deadline, end of the container: SIGKILL.
 *
 * The program has the container's uid and cgroup, namespaces of its own with nothing in them, no files but its code,
 * and four pipes, whose other ends the host gets. A container can send no descriptor here: the spawner would have to
 * close it, and the close of a socket may block.
 */
#ifndef NS_SPAWNER_PROGRAM_H
#define NS_SPAWNER_PROGRAM_H

#include "ns_program.h"
#include "request.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ns_spawner;
struct ns_container;

#define NS_PROGRAM_STOCK 16     /* orders that a host may give in a row ... */
#define NS_PROGRAM_EVERY_MS 500 /* ... and one more after so long */
#define NS_PROGRAM_ARGUMENTS_MAX 48
#define NS_PROGRAM_TEXT 96

struct ns_program {
    int ask_fd, ask_out;  /* the pipe of orders: our end, and the host's until it has it */
    int tell_fd, tell_in; /* the socket of answers, likewise */
    enum { NS_PROGRAM_IDLE, NS_PROGRAM_STARTING, NS_PROGRAM_RUNNING } state;
    unsigned stock; /* orders that the host may still give */
    uint64_t stock_at;
    struct ns_program_order order; /* of the program that is not IDLE */
    pid_t pid;                     /* 0 = no process */
    uint64_t end_at;               /* when it is killed */
    enum ns_program_reason reason; /* of its end; NO_REASON = its own */
    int ours[NS_PROGRAM_ENDS];     /* the host's ends of the pipes, until the host has them */
    int its[NS_PROGRAM_ENDS];      /* the program's ends, until it has them */
    uint64_t started, refused, failed, killed;
};

/* The command line of an order that is good. Values lie in `text`. */
struct ns_program_line {
    const char *argv[NS_PROGRAM_ARGUMENTS_MAX];
    unsigned count, texts;
    char text[8][NS_PROGRAM_TEXT];
};

/* True if every value of a START is in its range. Pure. */
bool ns_program_fits(const struct ns_program_order *order);

/* Writes the command line. `picture` is the descriptor of the picture in the program. Pure. */
void ns_program_print(struct ns_program_line *line, const char *path, const struct ns_program_order *order,
                      unsigned threads, int picture);

/* True if the host's orders are to be read now. */
bool ns_program_wanted(const struct ns_container *container);

/* Reads one order and carries it out. */
void ns_program_read(struct ns_spawner *spawner, struct ns_container *container);

/* Kills the program, if there is one. The container goes on when its end is told. */
void ns_program_end(struct ns_container *container);

/* Handles the end of the process. */
void ns_program_ended(struct ns_container *container, int status);

/* Kills a program that is late. Returns the time of the next call, UINT64_MAX = none. */
uint64_t ns_program_tick(struct ns_container *container, uint64_t now);

#endif
