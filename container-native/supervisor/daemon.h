/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - one program that the supervisor keeps running.
 *
 *              start                  ended                    back-off over
 *     DOWN ------------> UP ---------------------> WAITING ------------------> UP
 *                        | stop: TERM, KILL after 10 s   | stop
 *                        +-------------> STOPPING        +-------> DOWN
 *                                            | ended
 *                                            v
 *                                          DOWN
 */
#ifndef NS_DAEMON_H
#define NS_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_BACKOFF_FIRST_MS 200
#define NS_BACKOFF_MOST_MS 10000
#define NS_BACKOFF_RESET_MS 30000
#define NS_STOP_MS 10000

struct ns_node; /* node.h: paths and options for a daemon's arguments */

/* The kinds of daemon: a table in daemons.c, in the order of their start. */
struct ns_daemon_kind {
    const char *name;
    bool reloads;      /* SIGHUP is passed on to it */
    const char *needs; /* a name that must be in the dist for the daemon to start; NULL = none */
    /*
     * Runs in the new process: takes on the daemon's identity and executes the program. Returns, with errno, only if
     * that failed.
     */
    void (*become)(const struct ns_node *node, int lifeline);
};

enum ns_daemon_state { NS_DOWN, NS_UP, NS_WAITING, NS_STOPPING };

struct ns_daemon {
    const struct ns_daemon_kind *kind;
    enum ns_daemon_state state;
    pid_t pid;
    uint64_t since; /* ms, start of the daemon */
    uint64_t at;    /* ms, end of WAITING or STOPPING */
    uint32_t wait;  /* ms, of the next back-off */
    int log;        /* its standard output and error */
    int lifeline;   /* write end; when it closes, a child that has not begun learns that the supervisor has ended */
};

/* The next back-off after a life of `lived` ms. Pure. */
uint32_t ns_daemon_backoff(uint32_t wait, uint64_t lived);

void ns_daemon_start(struct ns_daemon *daemon, const struct ns_node *node, uint64_t now);
void ns_daemon_stop(struct ns_daemon *daemon, uint64_t now);
void ns_daemon_ended(struct ns_daemon *daemon, int status, uint64_t now);

/*
 * Tells whether the `SigCgt:` line of /proc/PID/status has SIGHUP among the caught signals. A JVM that does not catch
 * SIGHUP dies of it, and so does a process that is about to become a JVM. Neither has read its policy, so there is
 * nothing to read again. SIGHUP cannot be ignored across exec instead, because a JVM keeps an ignored SIGHUP ignored
 * for ever. Pure.
 */
bool ns_daemon_catches_hup(const char *status);

/* Passes SIGHUP on to a daemon that wants and catches it. */
void ns_daemon_reload(const struct ns_daemon *daemon);

/* Performs the actions that are due. Returns the time of the next call, UINT64_MAX = never. */
uint64_t ns_daemon_tick(struct ns_daemon *daemon, const struct ns_node *node, uint64_t now);

#endif
