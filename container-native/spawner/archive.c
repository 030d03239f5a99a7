/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"

#include "job.h"
#include "network.h"
#include "ns_identity.h"
#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAKE_MS 120000 /* it has the lowest priority, and waits for whatever else starts */
#define KILL_MS 5000
#define MEMORY_MIB 384
#define CPU_PERCENT 50 /* of a core: its niceness counts within its own cgroup only */
#define KINDS 2

int ns_archive_network(void *context, pid_t pid) {
    (void)context;
    return ns_network_loopback(pid);
}

static const struct ns_archive_kind hosts = {"host", ns_archive_key_host, ns_archive_rehearse_host};
static const struct ns_archive_kind jobs = {"job", ns_archive_key_job, ns_job_rehearse};

static struct ns_archive *archive_of(struct ns_spawner *spawner, unsigned i) {
    return i == 0 ? &spawner->archive : &spawner->job_archive;
}

static void making(const struct ns_archive *archive, const char *rest, char path[PATH_MAX + 32]) {
    snprintf(path, PATH_MAX + 32, "%s/making-%s%s", archive->directory, archive->kind->name, rest);
}

static pid_t make(struct ns_spawner *spawner, struct ns_archive *archive, char why[160]) {
    const struct ns_cgroup_limits limits = {(uint64_t)MEMORY_MIB << 20, CPU_PERCENT, 64};
    uid_t id = NS_ID_ARCHIVE(spawner->ids);
    char data[PATH_MAX + 32], cgroup[32];

    snprintf(cgroup, sizeof cgroup, "@archive/%s", archive->kind->name); /* no container's name has an @ */
    making(archive, "", data);
    ns_archive_clear(data);
    if (mkdir(data, 0700) != 0 || chown(data, id, id) != 0 ||
        ns_cgroup_make_beside(&archive->cgroup, &spawner->cgroups, cgroup, &limits) != 0) {
        snprintf(why, 160, "%s", strerror(errno));
        return -1;
    }
    return archive->kind->rehearse(spawner, archive, data, why);
}

static void begin(struct ns_spawner *spawner, struct ns_archive *archive) {
    const char *name = archive->kind->name;
    char why[160] = "";
    pid_t pid = make(spawner, archive, why);

    if (pid < 0) {
        ns_warn("class data: each %s starts without: %s", name, why);
        return;
    }
    ns_info("class data: made anew, pid %d; each %s starts without meanwhile", (int)pid, name);
    archive->maker = pid;
    archive->kill_at = ns_now() + MAKE_MS;
}

/* One at a time: each takes half a core from what starts meanwhile. */
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
        if (archive_of(spawner, i)->maker != 0)
            archive_of(spawner, i)->kill_at = ns_now();
    }
}

bool ns_archives_idle(const struct ns_spawner *spawner) {
    return spawner->archive.maker == 0 && spawner->job_archive.maker == 0;
}

static void made(struct ns_archive *archive, int status) {
    const char *name = archive->kind->name;
    char data[PATH_MAX + 32], file[PATH_MAX + 32];

    making(archive, "", data);
    making(archive, "/" NS_ARCHIVE_MADE, file);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        ns_warn("class data: its maker ended with %s %d: see %s/%s.log; each %s starts without",
                WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), data,
                name, name);
        return;
    }
    if (ns_archive_take(archive, file) != 0)
        ns_warn("class data: %s: %s; each %s starts without", file, strerror(errno), name);
    else
        ns_info("class data: %s", archive->path);
    ns_archive_clear(data);
}

bool ns_archives_child(struct ns_spawner *spawner, pid_t pid, int status) {
    for (unsigned i = 0; i < KINDS; i++) {
        struct ns_archive *archive = archive_of(spawner, i);

        if (archive->maker != pid)
            continue;
        archive->maker = 0;
        ns_cgroup_kill(&archive->cgroup);
        ns_cgroup_remove(&archive->cgroup);
        made(archive, status);
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
