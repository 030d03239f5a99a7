/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include "job.h"
#include "ns_identity.h"
#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAKE_MS 120000 /* the maker has the lowest priority, and waits for all other processes that start */
#define TAKE_MS 60000
#define KILL_MS 5000
#define MEMORY_MIB 384
#define CPU_PERCENT 50 /* of a core, because niceness counts only within its own cgroup */
#define KINDS 2

static const struct ns_archive_kind hosts = {"host", ns_archive_key_host, ns_archive_rehearse_host};
static const struct ns_archive_kind jobs = {"job", ns_archive_key_job, ns_job_rehearse};

static struct ns_archive *archive_of(struct ns_spawner *spawner, unsigned i) {
    return i == 0 ? &spawner->archive : &spawner->job_archive;
}

static void making(const struct ns_archive *archive, const char *rest, char path[PATH_MAX + 32]) {
    snprintf(path, PATH_MAX + 32, "%s/making-%s%s", archive->directory, archive->kind->name, rest);
}

static void cgroup_path(const struct ns_archive *archive, char path[32]) {
    snprintf(path, 32, "@archive/%s", archive->kind->name); /* no container's name has an @ */
}

static void begin_next(struct ns_spawner *spawner);

/* In a task: makes the directory and the cgroup, and starts the rehearsal. */
static pid_t make(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    const struct ns_cgroup_limits limits = {(uint64_t)MEMORY_MIB << 20, CPU_PERCENT, 64};
    struct ns_archive *archive = context;
    uid_t id = NS_ID_ARCHIVE(spawner->ids);
    char data[PATH_MAX + 32], cgroup[32];

    cgroup_path(archive, cgroup);
    making(archive, "", data);
    ns_archive_clear(data);
    if (mkdir(data, 0700) != 0 || chown(data, id, id) != 0 ||
        ns_cgroup_make_beside(&archive->cgroup, &spawner->cgroups, cgroup, &limits) != 0) {
        snprintf(why, 160, "%s", strerror(errno));
        return -1;
    }
    return archive->kind->rehearse(spawner, archive, data, sibling, why);
}

static void failed(const struct ns_archive *archive, const char *why) {
    ns_warn("class data: each %s starts without: %s", archive->kind->name, why);
}

static void begun(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_archive *archive = context;

    archive->busy = false;
    if (pid < 0) {
        failed(archive, why);
        return begin_next(spawner);
    }
    ns_info("class data: made anew, pid %d; each %s starts without meanwhile", (int)pid, archive->kind->name);
    archive->maker = pid;
    archive->kill_at = spawner->stopping ? ns_now() : ns_now() + MAKE_MS;
}

static void begin(struct ns_spawner *spawner, struct ns_archive *archive) {
    const struct ns_launch launch = {.name = "class data", .start = make, .done = begun, .context = archive};
    char why[160], cgroup[32];

    cgroup_path(archive, cgroup);
    if (ns_cgroup_name(&archive->cgroup, &spawner->cgroups, cgroup) != 0)
        return failed(archive, strerror(errno));
    if (ns_launch(spawner, &launch, why) != 0)
        return failed(archive, why);
    archive->busy = true;
}

/*
 * Begins to make the next archive that is wanted. Only one is made at a time, because each takes half a core from
 * the processes that start meanwhile.
 */
static void begin_next(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < KINDS && ns_archives_idle(spawner) && !spawner->stopping; i++) {
        struct ns_archive *archive = archive_of(spawner, i);

        if (archive->wanted) {
            archive->wanted = false;
            begin(spawner, archive);
        }
    }
}

static void find(struct ns_spawner *spawner, struct ns_archive *archive, const struct ns_archive_kind *kind) {
    archive->kind = kind;
    if (snprintf(archive->directory, sizeof archive->directory, "%s" NS_ARCHIVE_DIRECTORY, spawner->paths.root) >=
            (int)sizeof archive->directory - 96 ||
        access(archive->directory, F_OK) != 0)
        return;
    archive->key = kind->key(&spawner->paths);
    archive->wanted = !ns_archive_find(archive);
}

void ns_archives_open(struct ns_spawner *spawner) {
    find(spawner, &spawner->archive, &hosts);
    find(spawner, &spawner->job_archive, &jobs);
    begin_next(spawner);
}

void ns_archives_stop(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < KINDS; i++) {
        struct ns_archive *archive = archive_of(spawner, i);

        if (archive->maker != 0)
            archive->kill_at = ns_now();
        ns_task_cancel(spawner, archive, "the spawner stops");
    }
}

bool ns_archives_idle(const struct ns_spawner *spawner) {
    const struct ns_archive *host = &spawner->archive, *job = &spawner->job_archive;

    return host->maker == 0 && !host->busy && job->maker == 0 && !job->busy;
}

/* The end of a maker: its cgroup is removed, and after exit 0 (`well`) its archive is copied to its place. */
struct taking {
    struct ns_archive *archive;
    struct ns_archive *taken; /* in memory that the task and the spawner share */
    bool well;
};

/* In a task, because some 60 MB are summed up, copied and written to the disk. */
static int take(void *context, char why[160]) {
    struct taking *taking = context;
    char data[PATH_MAX + 32], file[PATH_MAX + 32];
    int result = 0;

    ns_cgroup_kill(&taking->archive->cgroup);
    ns_cgroup_remove(&taking->archive->cgroup);
    if (!taking->well)
        return 0;
    making(taking->archive, "", data);
    making(taking->archive, "/" NS_ARCHIVE_MADE, file);
    *taking->taken = *taking->archive;
    if (ns_archive_take(taking->taken, file) != 0) {
        snprintf(why, 160, "%.100s: %.40s", file, strerror(errno));
        result = -1;
    }
    ns_archive_clear(data);
    return result;
}

static void taken(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct taking *taking = context;
    struct ns_archive *archive = taking->archive;

    archive->busy = false;
    if (result != 0) {
        failed(archive, why);
    } else if (taking->well) {
        memcpy(archive->path, taking->taken->path, sizeof archive->path);
        ns_info("class data: %s", archive->path);
    }
    ns_task_unshare(taking->taken, sizeof *taking->taken);
    free(taking);
    begin_next(spawner);
}

static void begin_take(struct ns_spawner *spawner, struct ns_archive *archive, bool well) {
    struct taking *taking = calloc(1, sizeof *taking);
    const struct ns_task_order order = {
        .name = "class data", .work = take, .done = taken, .context = taking, .owner = archive, .deadline_ms = TAKE_MS};

    if (taking == NULL)
        return failed(archive, "out of memory");
    *taking = (struct taking){archive, ns_task_share(sizeof *taking->taken), well};
    archive->busy = taking->taken != NULL && ns_task_order(spawner, &order) == 0;
    if (archive->busy)
        return;
    failed(archive, strerror(errno));
    ns_task_unshare(taking->taken, sizeof *taking->taken);
    free(taking);
}

bool ns_archives_child(struct ns_spawner *spawner, pid_t pid, int status) {
    for (unsigned i = 0; i < KINDS; i++) {
        struct ns_archive *archive = archive_of(spawner, i);
        const char *name = archive->kind == NULL ? "" : archive->kind->name;
        bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;

        if (archive->maker != pid)
            continue;
        archive->maker = 0;
        if (!well)
            ns_warn("class data: its maker ended with %s %d: see %s/making-%s/%s.log; each %s starts without",
                    WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                    archive->directory, name, name, name);
        begin_take(spawner, archive, well);
        if (!archive->busy)
            begin_next(spawner);
        return true;
    }
    return false;
}

uint64_t ns_archives_tick(struct ns_spawner *spawner, uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < KINDS; i++) {
        struct ns_archive *archive = archive_of(spawner, i);

        if (archive->maker == 0)
            continue;
        if (now >= archive->kill_at) {
            kill(archive->maker, SIGKILL); /* the first process of its namespace: the kernel kills all others */
            archive->kill_at = now + KILL_MS;
        }
        if (archive->kill_at < next)
            next = archive->kill_at;
    }
    return next;
}
