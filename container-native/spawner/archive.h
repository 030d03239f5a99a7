/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.h - the class data of what every container loads, made once for a JDK build and a dist, and shared by all of them:
 *
 *     var/lib/netserv/cds/<key>-<sum>.jsa     key: what it was made from; sum: of its bytes. Root's, read-only for containers
 *     var/lib/netserv/cds/making/             data directory of the host that rehearses
 *
 *     opened, none that fits --> MAKING: a host without a publisher, in a container's layers, rehearses and writes one
 *     MAKING --exit 0--> copied to its place, the others removed: containers that start from now on have it
 *     MAKING --anything else, or its time over--> a line in the log; none until the spawner starts again
 *
 * A container never needs it: the JVM goes on without one that it does not like.
 */
#ifndef NS_ARCHIVE_H
#define NS_ARCHIVE_H

#include "cgroup.h"
#include "paths.h"
#include <stdbool.h>
#include <stdint.h>

#define NS_ARCHIVE_DIRECTORY "/var/lib/netserv/cds"

struct ns_spawner;

struct ns_archive {
    char directory[PATH_MAX], path[PATH_MAX]; /* path empty = there is none */
    uint64_t key;
    pid_t maker; /* 0 = none */
    uint64_t kill_at;
    struct ns_cgroup cgroup;
};

/* Finds the archive, or begins to make it. */
void ns_archive_open(struct ns_spawner *spawner);
void ns_archive_stop(struct ns_spawner *spawner);
bool ns_archive_child(struct ns_spawner *spawner, pid_t pid, int status);
uint64_t ns_archive_tick(struct ns_spawner *spawner, uint64_t now);

/* archive_store.c: of what an archive of this JDK and this dist would be made. */
uint64_t ns_archive_key(const struct ns_paths *paths);
/* Looks for the archive of that key, whole; sets path. False if there is none. */
bool ns_archive_find(struct ns_archive *archive);
/* Copies what the maker has written to its place, removes all others; sets path. 0, or -1 with errno. */
int ns_archive_take(struct ns_archive *archive, const char *made);
/* Removes a directory with all that is in it. */
void ns_archive_clear(const char *directory);

#endif
