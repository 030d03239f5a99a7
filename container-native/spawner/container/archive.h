/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - two archives of class data (CDS): the classes that every container loads, and the classes that
 * every job loads. Each archive is made once for a JDK build and a dist. All containers, or all jobs, share it.
 *
 *     var/lib/netserv/cds/host-<key>-<sum>.jsa     for containers, read-only there; root owns it.
 *     var/lib/netserv/cds/job-<key>-<sum>.jsa      likewise, for jobs.
 *     var/lib/netserv/cds/making-{host,job}/       directory of the process that rehearses.
 *
 * <key> is a hash of the files from which the archive is made. <sum> is a hash of the archive's bytes.
 *
 *     opened, no archive fits --> MAKING: a process rehearses the work of a container or of a job, in its layers,
 *                                         and writes an archive.
 *     MAKING --exit 0--> copied to its place, older archives of its kind removed; later processes use it.
 *     MAKING --anything else, or its time over--> a line in the log; no archive until the spawner starts again.
 *
 * An archive only saves time: a JVM starts without the archive if it does not accept it.
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
    bool wanted; /* to be made, once no other archive is being made */
    bool busy;   /* its maker is being started, or the archive is being copied to its place */
    pid_t maker; /* the process that rehearses; 0 = none */
    uint64_t kill_at;
    struct ns_cgroup cgroup;
};

/* A kind of archive: for containers or for jobs. Both kinds are static. */
struct ns_archive_kind {
    const char *name; /* begins the names of its files */
    uint64_t (*key)(const struct ns_paths *paths);
    /*
     * In a task: starts the rehearsal in `directory`, which belongs to the rehearsal, and in the cgroup of `archive`.
     * Returns its pid, or -1 with the reason.
     */
    pid_t (*rehearse)(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                      const struct ns_sibling *sibling, char why[160]);
};

/* Finds the archives. Begins to make the missing ones, one after the other. */
void ns_archives_open(struct ns_spawner *spawner);
void ns_archives_stop(struct ns_spawner *spawner);
bool ns_archives_idle(const struct ns_spawner *spawner);
bool ns_archives_child(struct ns_spawner *spawner, pid_t pid, int status);
uint64_t ns_archives_tick(struct ns_spawner *spawner, uint64_t now);

/* The archive that the rehearsal writes, in its directory. */
#define NS_ARCHIVE_MADE "made.jsa"

/* archive_host.c: rehearses with a host that has no publisher. */
pid_t ns_archive_rehearse_host(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                               const struct ns_sibling *sibling, char why[160]);

/* archive_store.c: return the key for this JDK and this dist, a hash of the files that an archive is made from. */
uint64_t ns_archive_key_host(const struct ns_paths *paths);
uint64_t ns_archive_key_job(const struct ns_paths *paths);
/* Looks for an intact archive of its kind and key, and sets `path`. False if there is none. */
bool ns_archive_find(struct ns_archive *archive);
/* Copies the file `made` to the archive's place, removes all others of its kind, sets `path`. 0, or -1 with errno. */
int ns_archive_take(struct ns_archive *archive, const char *made);
/* Removes a directory with all its contents. */
void ns_archive_clear(const char *directory);

#endif
