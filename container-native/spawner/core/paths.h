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

/* Makes the directory of a spare job, with the owner and the mode of a job's. 0, or -1 with errno. */
int ns_paths_spare_job(const struct ns_paths *paths, const char *name, uid_t controller, uid_t job);

/*
 * Gives the order of the job `name` to the spare job `spare`. Moves the file `request` from the job's directory to
 * the spare's, which then takes the job's name. The job's directory must hold nothing else. 0, or -1 with errno; then
 * the request is where it was, in a directory that is still the controller's.
 */
int ns_paths_take_spare_job(const struct ns_paths *paths, const char *spare, const char *name, const char *request,
                            uid_t controller, uid_t job);

/* Removes a job's directory with its contents. Links are not followed. No process of the job may run. */
int ns_paths_remove_job(const struct ns_paths *paths, const char *name);

/* Calls `visit` for each entry of the jobs' directory that begins with '@'. */
void ns_paths_each_spare_job(const struct ns_paths *paths, void (*visit)(const struct ns_paths *, const char *name));

#endif
