/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths.h - where a node keeps its things, made once from --root,
 * --dist and --java. All absolute, without symbolic links.
 */
#ifndef NS_PATHS_H
#define NS_PATHS_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

struct ns_paths {
    char root[PATH_MAX], dist[PATH_MAX], java[PATH_MAX];
    char run[PATH_MAX];        /* run/netserv */
    char jobs[PATH_MAX];       /* run/netserv/jobs */
    char containers[PATH_MAX]; /* var/lib/netserv/containers */
};

/* 0, or -1 with errno. The three must exist. */
int ns_paths_make(struct ns_paths *paths, const char *root, const char *dist, const char *java);

/*
 * The directory of a container, made if need be: mode 0700, owned by uid and gid. Refuses links, and a directory
 * above that is not root's. 0, or -1 with errno.
 */
int ns_paths_container(const struct ns_paths *paths, const char *name, uid_t uid, gid_t gid);

/*
 * Everything in a container's directory, and it, becomes uid's and gid's, unless the directory is uid's already.
 * Links are not followed, nor are mounts. Only while no process of the container runs. 0, or -1 with errno.
 */
int ns_paths_own(const char *directory, uid_t uid, gid_t gid);

/*
 * Hands a job's directory, made by the controller, to the job: owner `job`, group of the controller, mode 02770, and
 * the plain files in it to the job. 0, or -1 with errno.
 */
int ns_paths_job(const struct ns_paths *paths, const char *name, uid_t controller, uid_t job);

#endif
