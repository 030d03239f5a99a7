/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - the class data of what every container loads, and of what every job loads, each made once for a JDK build and a
 * dist, and shared by all of them:
 *
 *     var/lib/netserv/cds/host-<key>-<sum>.jsa     key: what it was made from; sum: of its bytes. Root's, read-only for containers
 *     var/lib/netserv/cds/job-<key>-<sum>.jsa      likewise, for jobs
 *     var/lib/netserv/cds/making-{host,job}/       directory of the process that rehearses
 *
 *     opened, none that fits --> MAKING: a process that does what the others will do rehearses in their layers and writes one
 *     MAKING --exit 0--> copied to its place, the others of its kind removed: what starts from now on has it
 *     MAKING --anything else, or its time over--> a line in the log; none until the spawner starts again
 *
 * Nobody needs it: the JVM goes on without one that it does not like.
 */
#ifndef NS_ARCHIVE_H
#define NS_ARCHIVE_H

#include "cgroup.h"
#include "paths.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_ARCHIVE_DIRECTORY "/var/lib/netserv/cds"

struct ns_spawner;
struct ns_sibling;

struct ns_archive_kind;

struct ns_archive {
    const struct ns_archive_kind *kind;
    char directory[PATH_MAX], path[PATH_MAX]; /* path empty = there is none */
    uint64_t key;
    bool wanted; /* not made yet, for another is being made */
    bool busy;   /* one is being started, or what it has made is being copied */
    pid_t maker; /* 0 = none */
    uint64_t kill_at;
    struct ns_cgroup cgroup;
};

/* Whose class data; static. */
struct ns_archive_kind {
    const char *name; /* begins the names of its files */
    uint64_t (*key)(const struct ns_paths *paths);
    /* In a task: starts the rehearsal in `directory`, which is its own, with the cgroup of `archive`. Its pid, or -1 with the reason. */
    pid_t (*rehearse)(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                      const struct ns_sibling *sibling, char why[160]);
};

/* Finds the archives, or begins to make them, one after the other. */
void ns_archives_open(struct ns_spawner *spawner);
void ns_archives_stop(struct ns_spawner *spawner);
bool ns_archives_idle(const struct ns_spawner *spawner);
bool ns_archives_child(struct ns_spawner *spawner, pid_t pid, int status);
uint64_t ns_archives_tick(struct ns_spawner *spawner, uint64_t now);

/* What the rehearsal writes, in its directory. */
#define NS_ARCHIVE_MADE "made.jsa"

/* archive_host.c: a host without a publisher. */
pid_t ns_archive_rehearse_host(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                               const struct ns_sibling *sibling, char why[160]);

/* archive_store.c: of what an archive of this JDK and this dist would be made. */
uint64_t ns_archive_key_host(const struct ns_paths *paths);
uint64_t ns_archive_key_job(const struct ns_paths *paths);
/* Looks for the archive of that kind and key, whole; sets path. False if there is none. */
bool ns_archive_find(struct ns_archive *archive);
/* Copies what the maker has written to its place, removes all others of its kind; sets path. 0, or -1 with errno. */
int ns_archive_take(struct ns_archive *archive, const char *made);
/* Removes a directory with all that is in it. */
void ns_archive_clear(const char *directory);

#endif
