/* SPDX-License-Identifier: Apache-2.0 */
#include "spare_job.h"

#include "job.h"
#include "ns_hash.h"
#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_FIRST_MS 1000
#define WAIT_MOST_MS 60000
#define LOOK_MS 60000
#define OLDEST_MS 3600000 /* bounds the age of the authorities for TLS that it may have read */
#define READY "ready"     /* JobMain makes this file when it has warmed up */

/* --- which fit --- */

/* Sums up the files that a job's root directory has from the host, and that a JVM reads once. */
static uint64_t sum_files(void) {
    static const char *const files[] = {"/etc/resolv.conf", "/etc/hosts",    "/etc/nsswitch.conf",
                                        "/etc/host.conf",   "/etc/gai.conf", "/etc/localtime"};
    uint64_t sum = NS_HASH_FIRST;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct stat status = {.st_ino = 0};
        uint64_t words[4];

        if (stat(files[i], &status) != 0)
            memset(&status, 0, sizeof status);
        words[0] = status.st_dev;
        words[1] = status.st_ino;
        words[2] = (uint64_t)status.st_mtim.tv_sec;
        words[3] = (uint64_t)status.st_mtim.tv_nsec;
        sum = ns_hash(sum, words, sizeof words);
    }
    return sum;
}

static bool alike(const struct ns_request *a, const struct ns_request *b) {
    return a->memory == b->memory && a->ports == b->ports && memcmp(a->port, b->port, a->ports * sizeof *a->port) == 0;
}

static bool outdated(const struct ns_job *spare, uint64_t files, uint64_t now) {
    return spare->files != files || now - spare->born > OLDEST_MS;
}

static bool waits(const struct ns_job *spare) {
    return spare != NULL && !spare->clearing && !spare->doomed;
}

static void end(struct ns_spawner *spawner, struct ns_job *spare) {
    spare->doomed = true;
    ns_job_kill(spawner, spare);
}

struct ns_job *ns_spare_jobs_take(struct ns_spawner *spawner, const struct ns_request *order) {
    struct ns_spare_jobs *spares = &spawner->spare_jobs;
    struct ns_job **best = NULL, *taken;
    uint64_t files = sum_files(), now = ns_now();

    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        struct ns_job *spare = spares->at[i];

        if (!waits(spare) || spare->pid == 0 || !alike(&spare->order, order))
            continue;
        if (outdated(spare, files, now))
            end(spawner, spare);
        else if (best == NULL || spare->born < (*best)->born)
            best = &spares->at[i];
    }
    if (best == NULL)
        return NULL;
    taken = *best;
    *best = NULL;
    spares->wait = 0;
    return taken;
}

unsigned ns_spare_jobs_ready(const struct ns_spawner *spawner) {
    static char path[2 * PATH_MAX];
    unsigned count = 0;

    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        const struct ns_job *spare = spawner->spare_jobs.at[i];

        if (!waits(spare))
            continue;
        snprintf(path, sizeof path, "%s/%s/" READY, spawner->paths.jobs, spare->home);
        count += faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    }
    return count;
}

/* --- ends --- */

static void back_off(struct ns_spare_jobs *spares) {
    spares->wait = spares->wait == 0 ? WAIT_FIRST_MS : 2 * spares->wait;
    if (spares->wait > WAIT_MOST_MS)
        spares->wait = WAIT_MOST_MS;
    spares->start = ns_now() + spares->wait;
}

bool ns_spare_jobs_child(struct ns_spawner *spawner, pid_t pid, int status) {
    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        struct ns_job *spare = spawner->spare_jobs.at[i];

        if (spare == NULL || spare->pid != pid)
            continue;
        if (!spare->doomed)
            snprintf(spare->why, sizeof spare->why, "ended with %s %d", WIFEXITED(status) ? "exit" : "signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        ns_job_clear(spawner, spare);
        return true;
    }
    return false;
}

void ns_spare_jobs_gone(struct ns_spawner *spawner, const struct ns_job *job) {
    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        if (spawner->spare_jobs.at[i] == job)
            spawner->spare_jobs.at[i] = NULL;
    }
    if (job->doomed)
        return;
    ns_warn("%s: %s", job->home, job->why);
    back_off(&spawner->spare_jobs);
}

void ns_spare_jobs_stop(struct ns_spawner *spawner) {
    spawner->spare_jobs.order.count = 0;
    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        if (spawner->spare_jobs.at[i] != NULL)
            end(spawner, spawner->spare_jobs.at[i]);
    }
}

bool ns_spare_jobs_empty(const struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        if (spawner->spare_jobs.at[i] != NULL)
            return false;
    }
    return true;
}

/* --- orders --- */

void ns_spare_jobs_want(struct ns_spawner *spawner, const struct ns_request *order) {
    struct ns_spare_jobs *spares = &spawner->spare_jobs;
    uint64_t kept = 0;

    spares->order = *order;
    spares->wait = 0;
    if ((spawner->lacking & ~NS_LAYER_SPARED) != 0 && order->count > 0) {
        ns_warn("spare jobs: none, for this machine lacks a layer");
        spares->order.count = 0;
    }
    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        struct ns_job *spare = spares->at[i];

        if (!waits(spare))
            continue;
        if (kept < spares->order.count && alike(&spare->order, order))
            kept++;
        else
            end(spawner, spare);
    }
}

void ns_spare_jobs_yield(struct ns_spawner *spawner, uint64_t at) {
    if (spawner->spare_jobs.start < at)
        spawner->spare_jobs.start = at;
}

/* --- time --- */

static void remove_left(const struct ns_paths *paths, const char *name) {
    if (ns_paths_remove_job(paths, name) != 0)
        ns_warn("%s: not all of it could be removed: %s", name, strerror(errno));
}

void ns_spare_jobs_open(struct ns_spawner *spawner) {
    ns_paths_each_spare_job(&spawner->paths, remove_left);
}

/* Ends those that no longer fit the node's files, or have waited for long. */
static void review(struct ns_spawner *spawner, uint64_t now) {
    uint64_t files = sum_files();

    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        struct ns_job *spare = spawner->spare_jobs.at[i];

        if (waits(spare) && spare->pid != 0 && outdated(spare, files, now))
            end(spawner, spare);
    }
    spawner->spare_jobs.look = now + LOOK_MS;
}

/* Returns a free place if another one is to be started. NULL = there are enough, or one still starts or ends. */
static struct ns_job **wanted(struct ns_spare_jobs *spares) {
    struct ns_job **place = NULL;
    unsigned count = 0;

    for (unsigned i = 0; i < NS_SPARE_JOBS_MAX; i++) {
        struct ns_job *spare = spares->at[i];

        if (spare == NULL)
            place = &spares->at[i];
        else if (!waits(spare) || spare->pid == 0)
            return NULL;
        else
            count++;
    }
    return count < spares->order.count ? place : NULL;
}

static void start(struct ns_spawner *spawner, struct ns_job **place) {
    struct ns_spare_jobs *spares = &spawner->spare_jobs;
    struct ns_request order = spares->order;
    char why[160];

    order.verb = NS_VERB_WORKER;
    snprintf(order.name, sizeof order.name, "@job%llu", (unsigned long long)spares->serial++);
    *place = ns_job_spare(spawner, &order, why);
    if (*place == NULL) {
        ns_warn("%s: %s", order.name, why);
        back_off(spares);
        return;
    }
    (*place)->files = sum_files();
    (*place)->born = ns_now();
}

/* Starts the next one, but not while the class data of jobs are made: it would run without them for all its life. */
uint64_t ns_spare_jobs_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_spare_jobs *spares = &spawner->spare_jobs;
    struct ns_job **place;

    if (spares->order.count == 0)
        return UINT64_MAX;
    if (now >= spares->look)
        review(spawner, now);
    place = wanted(spares);
    if (place == NULL || spawner->job_archive.maker != 0 || spawner->job_archive.busy)
        return spares->look;
    if (now < spares->start)
        return spares->start < spares->look ? spares->start : spares->look;
    start(spawner, place);
    return now;
}
