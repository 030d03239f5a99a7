/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "layers.h"
#include "network.h"
#include "ns_fd.h"
#include "ns_landlock.h"
#include "ns_log.h"
#include "reply.h"
#include "spare_job.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMED_OUT 124
#define REHEARSAL_MIB 192 /* of memory */
#define CLEAR_ROUNDS 200  /* of 10 ms */
#define CLEAR_MS 5000
#define ADOPT_MS 5000
#define REQUEST "request.json" /* the order of a job, in its directory */
#define SPARE_WORD "spare"     /* tells JobMain to warm up and to wait on its standard input */

/* The paths and the order from which the new process makes its Landlock rules. */
struct shell {
    const struct ns_spawner *spawner;
    const struct ns_request *order;
    const char *directory, *program, *archive;
};

static int allow_paths(struct ns_landlock *landlock, const struct shell *shell) {
    /* the program and the loader of its libraries are the only things it may execute */
    const struct {
        const char *path;
        unsigned access;
    } paths[] = {
        {shell->spawner->paths.java, NS_LANDLOCK_READ},
        {shell->program, NS_LANDLOCK_READ | NS_LANDLOCK_EXECUTE},
        {"/lib64/ld-linux-x86-64.so.2", NS_LANDLOCK_READ | NS_LANDLOCK_EXECUTE},
        {"/lib/ld-linux-aarch64.so.1", NS_LANDLOCK_READ | NS_LANDLOCK_EXECUTE},
        {shell->spawner->paths.dist, NS_LANDLOCK_READ},
        {"/usr/lib", NS_LANDLOCK_READ},
        {"/usr/lib64", NS_LANDLOCK_READ},
        {"/usr/share", NS_LANDLOCK_READ},
        {"/etc", NS_LANDLOCK_READ}, /* the part that ns_root_system mounts */
        {"/proc/self", NS_LANDLOCK_READ},
        {"/proc/meminfo", NS_LANDLOCK_READ},
        {"/proc/cpuinfo", NS_LANDLOCK_READ},
        {"/sys", NS_LANDLOCK_READ},
        {"/dev/random", NS_LANDLOCK_READ},
        {"/dev/urandom", NS_LANDLOCK_READ},
        {"/dev/null", NS_LANDLOCK_READ | NS_LANDLOCK_WRITE},
        {shell->directory, NS_LANDLOCK_READ | NS_LANDLOCK_WRITE},
        {shell->archive, NS_LANDLOCK_READ},
    };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (ns_landlock_path(landlock, paths[i].path, paths[i].access) != 0)
            return -1;
    }
    return 0;
}

static int shut_in(const void *context) {
    const struct shell *shell = context;
    struct ns_landlock landlock;

    /* each kind as far as this kernel's Landlock knows it */
    if (ns_landlock_open(&landlock, NS_LANDLOCK_FILES | NS_LANDLOCK_TCP) != 0 || allow_paths(&landlock, shell) != 0)
        return -1;
    for (unsigned i = 0; i < shell->order->ports; i++) {
        unsigned port = shell->order->port[i];

        if (ns_landlock_tcp(&landlock, NS_LANDLOCK_CONNECT, port, port) != 0)
            return -1;
    }
    return ns_landlock_enter(&landlock);
}

/* --- the virtual machine, of a job and of the rehearsal for its class data --- */

static const char *const environment[] = {"MALLOC_ARENA_MAX=2", "LC_ALL=C.UTF-8", "PATH=/nonexistent", NULL};
static const struct ns_limit limits[] = {
    {RLIMIT_NOFILE, 256}, {RLIMIT_NPROC, 32768}, {RLIMIT_CORE, 0}, {RLIMIT_MEMLOCK, 65536}, {RLIMIT_FSIZE, 256u << 20},
};

struct machine {
    char program[PATH_MAX + 16], classes[PATH_MAX + 16], archive[PATH_MAX + 64], heap[32], home[2 * PATH_MAX],
        temporary[2 * PATH_MAX];
    const char *argv[24];
    size_t used; /* of argv, without its end */
};

/*
 * Fills in the command line. The heap gets a third of the memory; the rest is for code, metadata, threads and
 * buffers. `option` is the JVM option that names the archive.
 */
static void fill(struct machine *machine, const struct ns_spawner *spawner, const char *directory, uint64_t memory,
                 const char *option, const char *archive, const char *main) {
    const char *const argv[] = {
        machine->program,
        machine->heap,
        "-Xms8m",
        "-Xss512k",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        "-XX:+DisableAttachMechanism",
        "-XX:MaxMetaspaceSize=64m",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:ArchiveRelocationMode=0",
        "-Dio.netty.jfr.enabled=false", /* the start of Netty's flight recorder took a third of the job's time */
        "-Duser.name=job",
        machine->home,
        machine->temporary,
        "-cp",
        machine->classes,
        archive[0] == '\0' ? "-Xshare:auto" : machine->archive,
        main,
        directory,
        NULL};

    snprintf(machine->program, sizeof machine->program, "%s/bin/java", spawner->paths.java);
    snprintf(machine->classes, sizeof machine->classes, "%s/controller/*", spawner->paths.dist);
    snprintf(machine->archive, sizeof machine->archive, "-XX:%s=%s", option, archive);
    snprintf(machine->heap, sizeof machine->heap, "-Xmx%llum", (unsigned long long)(memory < 48 ? 16 : memory / 3));
    snprintf(machine->home, sizeof machine->home, "-Duser.home=%s", directory);
    snprintf(machine->temporary, sizeof machine->temporary, "-Djava.io.tmpdir=%s", directory);
    memcpy(machine->argv, argv, sizeof argv);
    machine->used = sizeof argv / sizeof argv[0] - 1;
}

/* --- a job --- */

static pid_t run(struct ns_spawner *spawner, const struct ns_job *job, const struct ns_sibling *sibling,
                 char why[160]) {
    static char directory[PATH_MAX + NS_NAME_MAX + 2], output[PATH_MAX + NS_NAME_MAX + 16];
    static struct machine machine;
    const struct ns_request *order = &job->order;
    /* the archive's directory is open to root only, so a job gets the archive in its private root directory */
    const char *archive = ns_layer_has(spawner->lacking, NS_LAYER_MOUNT) ? "" : spawner->job_archive.path;
    const struct ns_root_entry mounts[] = {
        {spawner->paths.java, NS_ROOT_EXECUTE},
        {spawner->paths.dist, 0},
        {directory, NS_ROOT_WRITE},
        {archive, 0}, /* last, because there may be no archive */
    };
    struct shell shell = {spawner, order, directory, machine.program, archive};
    uid_t id = NS_ID_JOB(spawner->ids);
    struct ns_layers layers = {
        .sibling = sibling,
        .without = spawner->lacking & (NS_LAYER_NAMESPACES | NS_LAYER_BIT(NS_LAYER_SECCOMP)),
        .namespaces = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS,
        .cgroup = &job->cgroup,
        .guard = spawner->guards.bare && spawner->jobs_lack[0] == '\0' ? &job->guard : NULL,
        .processors = ns_processors_others(&spawner->processors),
        .mounts = mounts,
        .mount_count = sizeof mounts / sizeof mounts[0] - (archive[0] == '\0'),
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = {id, id, {0}, 0, 0, SIGKILL},
        .input = job->spare ? &job->input : NULL,
        .output = output,
        .as_itself = shut_in,
        .context = &shell,
        .seccomp = &ns_seccomp_job,
        .argv = machine.argv,
        .environment = environment,
    };

    snprintf(directory, sizeof directory, "%s/%s", spawner->paths.jobs, job->home);
    snprintf(output, sizeof output, "%s/output.log", directory);
    fill(&machine, spawner, directory, order->memory, "SharedArchiveFile", archive, "org.netserv.artifact.job.JobMain");
    if (job->spare)
        machine.argv[machine.used++] = SPARE_WORD;
    machine.argv[machine.used] = NULL;
    return ns_layers_start(&layers, NULL, NULL, why);
}

/* --- the rehearsal: without Landlock, because it is its own server, and alone in a network namespace --- */

static int step_back(const void *context) {
    (void)context;
    return setpriority(PRIO_PROCESS, 0, 19); /* the lowest priority: all other processes that start go first */
}

pid_t ns_job_rehearse(struct ns_spawner *spawner, struct ns_archive *archive, const char *directory,
                      const struct ns_sibling *sibling, char why[160]) {
    static char made[PATH_MAX + 64], output[PATH_MAX + 64];
    static struct machine machine;
    const struct ns_root_entry mounts[] = {
        {spawner->paths.java, NS_ROOT_EXECUTE}, {spawner->paths.dist, 0}, {directory, NS_ROOT_WRITE}};
    uid_t id = NS_ID_ARCHIVE(spawner->ids);
    struct ns_layers layers = {
        .sibling = sibling,
        .without = spawner->lacking & (NS_LAYER_NAMESPACES | NS_LAYER_BIT(NS_LAYER_SECCOMP)),
        .namespaces = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS,
        .cgroup = &archive->cgroup,
        .mounts = mounts,
        .mount_count = sizeof mounts / sizeof mounts[0],
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = {id, id, {0}, 0, 0, SIGKILL},
        .output = output,
        .as_itself = step_back,
        .seccomp = &ns_seccomp_job,
        .argv = machine.argv,
        .environment = environment,
    };

    snprintf(made, sizeof made, "%s/" NS_ARCHIVE_MADE, directory);
    snprintf(output, sizeof output, "%s/job.log", directory);
    fill(&machine, spawner, directory, REHEARSAL_MIB, "ArchiveClassesAtExit", made,
         "org.netserv.artifact.job.Rehearsal");
    return ns_layers_start(&layers, ns_network_alone, NULL, why);
}

/* --- its life --- */

static void end(struct ns_spawner *spawner, struct ns_job *job) {
    ns_fd_drop(&job->wake);
    ns_fd_drop(&job->input);
    if (job->spare)
        ns_spare_jobs_gone(spawner, job);
    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        if (spawner->jobs[i] == job)
            spawner->jobs[i] = NULL;
    }
    free(job);
}

/*
 * In a task: kills the processes that a job without a PID namespace may have left, and removes the cgroup. Removes
 * the directory of a spare that nobody took. The directory of every other job is the controller's.
 */
static int clear_cgroup(void *context, char why[NS_TASK_WHY]) {
    const struct ns_job *job = context;

    for (int i = 0; i < CLEAR_ROUNDS && ns_cgroup_kill(&job->cgroup) > 0; i++)
        usleep(10000);
    ns_cgroup_remove(&job->cgroup);
    if (job->guard.all->bare && job->guard.all->version != 0)
        ns_cgroup_remove(&job->guard);
    if (job->spare && ns_paths_remove_job(&job->spawner->paths, job->home) != 0 && errno != ENOENT) {
        snprintf(why, NS_TASK_WHY, "its directory: %s", strerror(errno));
        return 1;
    }
    return 0;
}

static void cleared(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_job *job = context;

    if (result != 0)
        ns_warn("job %s: not all of it could be removed: %s", job->order.name, why);
    if (job->spare)
        return end(spawner, job);
    if (job->pairs[0] != '\0')
        ns_reply_ok(spawner, job->ticket, job->pairs);
    else
        ns_reply_error(spawner, job->ticket, job->why);
    end(spawner, job);
}

void ns_job_clear(struct ns_spawner *spawner, struct ns_job *job) {
    job->pid = 0;
    job->clearing = true;
    if (ns_task_begin(spawner, "clear job", clear_cgroup, job, CLEAR_MS, cleared) != 0)
        cleared(spawner, job, -1, strerror(errno));
}

void ns_job_kill(struct ns_spawner *spawner, struct ns_job *job) {
    if (job->clearing)
        return;
    ns_task_cancel(spawner, job, "not done in its time: killed");
    if (job->pid != 0)
        kill(job->pid, SIGKILL); /* the first process of its namespace: the kernel kills all others */
}

static int find_place(const struct ns_spawner *spawner, const char *name, char why[160]) {
    int place = -1;

    for (int i = 0; i < NS_JOBS_MAX; i++) {
        if (spawner->jobs[i] == NULL) {
            place = i;
        } else if (strcmp(spawner->jobs[i]->order.name, name) == 0) {
            snprintf(why, 160, "exists");
            return -1;
        }
    }
    if (place < 0)
        snprintf(why, 160, "too many jobs");
    return place;
}

/*
 * Attaches the guard to the job's cgroup. If the kernel supports the guard, a job without it does not start. If
 * not, only the job's own check of addresses is left; `prepare` and the log report that.
 */
static int guard(const struct ns_spawner *spawner, const struct ns_job *job, char why[160]) {
    if (spawner->jobs_lack[0] != '\0' || ns_job_guard(&job->guard, &job->order.guard) == 0)
        return 0;
    snprintf(why, 160, "jobs-net: %s", strerror(errno));
    return -1;
}

/* Makes the cgroup, and the group for the guard if it is another one. */
static bool make_groups(const struct ns_spawner *spawner, const struct ns_job *job, char why[160]) {
    const struct ns_cgroup_limits limits = {job->order.memory << 20, 0, 128}, none = {0, 0, 0};
    bool apart = spawner->jobs_lack[0] == '\0' && job->guard.all->bare;

    if (ns_cgroup_make_beside(&(struct ns_cgroup){0}, &spawner->cgroups, job->path, &limits) == 0 &&
        (!apart || ns_cgroup_make_named(&job->guard, &none) == 0))
        return true;
    snprintf(why, 160, "cgroup: %s", strerror(errno));
    return false;
}

static bool make_directory(const struct ns_spawner *spawner, const struct ns_job *job, char why[160]) {
    uid_t controller = NS_ID_CONTROLLER(spawner->ids), id = NS_ID_JOB(spawner->ids);
    int result = job->spare ? ns_paths_spare_job(&spawner->paths, job->home, controller, id)
                            : ns_paths_job(&spawner->paths, job->home, controller, id);

    if (result != 0)
        snprintf(why, 160, "job: its directory: %s", strerror(errno));
    return result == 0;
}

/* In a task: makes the directory, the cgroup and the guard, and starts the job. A spare gets its guard later. */
static pid_t start(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    const struct ns_job *job = context;

    if (!make_directory(spawner, job, why) || !make_groups(spawner, job, why))
        return -1;
    if (!job->spare && guard(spawner, job, why) != 0)
        return -1;
    return run(spawner, job, sibling, why);
}

static void started(struct ns_spawner *spawner, void *context, pid_t pid, const char *why) {
    struct ns_job *job = context;

    ns_fd_drop(&job->input);
    if (pid < 0) {
        snprintf(job->pairs, sizeof job->pairs, "%s", job->timed_out ? " exit=124" : "");
        snprintf(job->why, sizeof job->why, "%s", why);
        return ns_job_clear(spawner, job);
    }
    job->pid = pid;
    if (job->timed_out || job->doomed)
        ns_job_kill(spawner, job);
}

/* Makes a job of that order, whose directory has the order's name. NULL with the reason. */
static struct ns_job *new_job(struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    struct ns_job *job = calloc(1, sizeof *job);

    if (job == NULL) {
        snprintf(why, 160, "out of memory");
        return NULL;
    }
    job->order = *order;
    job->spawner = spawner;
    job->wake = job->input = -1;
    strcpy(job->home, order->name);
    snprintf(job->path, sizeof job->path, "jobs/%s", order->name);
    if (ns_cgroup_name(&job->cgroup, &spawner->cgroups, job->path) == 0 &&
        ns_cgroup_name(&job->guard, &spawner->guards, job->path) == 0)
        return job;
    snprintf(why, 160, "cgroup: %s", strerror(errno));
    free(job);
    return NULL;
}

/* Starts a process for the order. */
static bool start_fresh(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket,
                        uint64_t kill_at, char why[160]) {
    int i = find_place(spawner, order->name, why);
    struct ns_job *job = i < 0 ? NULL : new_job(spawner, order, why);
    const struct ns_launch launch = {.name = "job", .start = start, .done = started, .context = job};

    if (job == NULL)
        return false;
    spawner->jobs[i] = job;
    job->ticket = ticket;
    job->kill_at = kill_at;
    if (ns_launch(spawner, &launch, why) == 0)
        return true;
    end(spawner, job);
    return false;
}

/* --- by a spare job --- */

/* In a task: gives the order to the spare. Its process reads nothing before it is woken. */
static int adopt(void *context, char why[NS_TASK_WHY]) {
    const struct ns_job *job = context;
    const struct ns_spawner *spawner = job->spawner;

    if (guard(spawner, job, why) != 0)
        return 1;
    if (ns_paths_take_spare_job(&spawner->paths, job->home, job->order.name, REQUEST, NS_ID_CONTROLLER(spawner->ids),
                                NS_ID_JOB(spawner->ids)) == 0)
        return 0;
    snprintf(why, NS_TASK_WHY, "its directory: %s", strerror(errno));
    return 1;
}

static bool wake(struct ns_job *job) {
    bool woken = job->pid != 0 && write(job->wake, "1", 1) == 1;

    ns_fd_drop(&job->wake);
    return woken;
}

/* Ends a spare that could not be given the order, and starts a process for the order. */
static void start_instead(struct ns_spawner *spawner, struct ns_job *job, const char *why) {
    static struct ns_request order;
    struct ns_ticket ticket = job->ticket;
    char text[160];

    ns_warn("%s: not taken: %s", job->home, why);
    order = job->order;
    strcpy(job->order.name, job->home);
    job->ticket = (struct ns_ticket){0, 0};
    job->spare = job->doomed = true; /* so that its directory goes with it */
    if (!start_fresh(spawner, &order, ticket, job->kill_at, text))
        ns_reply_error(spawner, ticket, text);
    if (job->pid != 0)
        ns_job_kill(spawner, job);
    else
        ns_job_clear(spawner, job);
}

static void adopted(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct ns_job *job = context;

    job->adopting = false;
    if (job->timed_out) {
        if (job->pid == 0)
            ns_job_clear(spawner, job);
    } else if (result != 0 || !wake(job)) {
        start_instead(spawner, job, result != 0 ? why : "it has ended");
    }
}

/* Gives the order to a spare job. False: there is none, or it must have a process of its own. */
static bool start_spare(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket, int i) {
    struct ns_job *job = order->spare ? ns_spare_jobs_take(spawner, order) : NULL;

    if (job == NULL)
        return false;
    spawner->jobs[i] = job;
    job->order = *order;
    job->ticket = ticket;
    job->kill_at = ns_now() + order->timeout * 1000;
    job->spare = false;
    job->adopting = true;
    snprintf(job->pairs, sizeof job->pairs, " exit=%d", TIMED_OUT);
    if (ns_task_begin(spawner, "adopt job", adopt, job, ADOPT_MS, adopted) != 0)
        adopted(spawner, job, -1, strerror(errno));
    return true;
}

bool ns_job_start(struct ns_spawner *spawner, const struct ns_request *order, struct ns_ticket ticket, char why[160]) {
    int i = find_place(spawner, order->name, why);

    if (i < 0)
        return false;
    if (order->spare)
        ns_spares_yield(spawner);
    return start_spare(spawner, order, ticket, i) ||
           start_fresh(spawner, order, ticket, ns_now() + order->timeout * 1000, why);
}

struct ns_job *ns_job_spare(struct ns_spawner *spawner, const struct ns_request *order, char why[160]) {
    struct ns_job *job = new_job(spawner, order, why);
    struct ns_launch launch = {.name = "spare job", .start = start, .done = started, .context = job, .keep_count = 1};
    int ends[2];

    if (job == NULL)
        return NULL;
    job->spare = true;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(why, 160, "pipe: %s", strerror(errno));
        free(job);
        return NULL;
    }
    job->input = ends[0];
    job->wake = ends[1];
    launch.keep = &job->input;
    if (ns_launch(spawner, &launch, why) == 0)
        return job;
    ns_fd_drop(&job->input);
    ns_fd_drop(&job->wake);
    free(job);
    return NULL;
}

/* --- ends --- */

bool ns_job_child(struct ns_spawner *spawner, pid_t pid, int status) {
    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        struct ns_job *job = spawner->jobs[i];
        int code;

        if (job == NULL || job->pid != pid)
            continue;
        if (job->adopting) {
            job->pid = 0; /* adopted() finds out */
            return true;
        }
        code = job->timed_out ? TIMED_OUT : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        ns_info("job %s: exit %d", job->order.name, code);
        snprintf(job->pairs, sizeof job->pairs, " exit=%d", code);
        ns_job_clear(spawner, job);
        return true;
    }
    return ns_spare_jobs_child(spawner, pid, status);
}

uint64_t ns_job_tick(struct ns_spawner *spawner, uint64_t now) {
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        struct ns_job *job = spawner->jobs[i];

        if (job == NULL || job->timed_out || job->clearing)
            continue;
        if (now >= job->kill_at) {
            job->timed_out = true;
            ns_job_kill(spawner, job);
        } else if (job->kill_at < next) {
            next = job->kill_at;
        }
    }
    return next;
}

void ns_job_kill_all(struct ns_spawner *spawner) {
    for (unsigned i = 0; i < NS_JOBS_MAX; i++) {
        if (spawner->jobs[i] != NULL)
            ns_job_kill(spawner, spawner->jobs[i]);
    }
}
