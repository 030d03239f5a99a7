/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_landlock.h - limits the files and TCP ports that the calling
 * thread, and all that it starts, can reach. See landlock(7).
 *
 *     ns_landlock_open, ns_landlock_path..., ns_landlock_tcp..., ns_landlock_enter
 *
 * Everything of the chosen kinds is denied that this kernel's Landlock knows and no call allows. An older kernel
 * denies less: see ns_landlock_plan. Call with no_new_privs set, and while the process has one thread, or else
 * ns_landlock_enter_all. A thread may enter several of them, and then each has to allow what it does. Functions return
 * 0, or -1 with errno.
 */
#ifndef NS_LANDLOCK_H
#define NS_LANDLOCK_H

#include <stdint.h>

enum ns_landlock_access {
    NS_LANDLOCK_READ = 1,    /* read files, list directories */
    NS_LANDLOCK_WRITE = 2,   /* also write; make, remove and rename files, directories, links; no devices, sockets */
    NS_LANDLOCK_EXECUTE = 4, /* also execute */
};

/* Kinds of things to deny. */
enum ns_landlock_kind {
    NS_LANDLOCK_BIND = 1,    /* TCP ports */
    NS_LANDLOCK_CONNECT = 2, /* TCP ports */
    NS_LANDLOCK_FILES = 4,   /* from ABI 6 also abstract UNIX sockets and signals to the outside */
};
#define NS_LANDLOCK_TCP (NS_LANDLOCK_BIND | NS_LANDLOCK_CONNECT)
#define NS_LANDLOCK_TCP_ABI 4 /* the first ABI that knows ports of TCP */

/* The rights that one ABI version can deny, in the kernel's layout. */
struct ns_landlock_plan {
    uint64_t fs;     /* file system rights */
    uint64_t net;    /* TCP bind and connect, from ABI 4 */
    uint64_t scoped; /* abstract UNIX sockets and signals outside, from ABI 6 */
};

/* The ABI version of this kernel, 0 = it has no Landlock. */
int ns_landlock_abi(void);

/* Pure. An ABI newer than we know is used as the newest that we know. */
struct ns_landlock_plan ns_landlock_plan(int abi);

struct ns_landlock {
    int fd; /* -1: this kernel can deny nothing of the chosen kinds; all calls then succeed and do nothing */
    struct ns_landlock_plan plan;
};

/* `kinds` is a set of ns_landlock_kind; all other kinds stay as they are. */
int ns_landlock_open(struct ns_landlock *landlock, unsigned kinds);

/* Allows access beneath a path; a path that does not exist is passed over. */
int ns_landlock_path(struct ns_landlock *landlock, const char *path, unsigned access);

/* Allows the ports from `first` to `last` to BIND or CONNECT. */
int ns_landlock_tcp(struct ns_landlock *landlock, enum ns_landlock_kind what, unsigned first, unsigned last);

/* Restricts this thread and closes the descriptor, whatever the result. */
int ns_landlock_enter(struct ns_landlock *landlock);

/*
 * Restricts every thread of the process, each within `ms` (ns_threads.h), and closes the descriptor. After a failure
 * some threads are restricted, and the process should end.
 */
int ns_landlock_enter_all(struct ns_landlock *landlock, unsigned ms);

#endif
