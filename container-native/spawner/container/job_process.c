/* SPDX-License-Identifier: Apache-2.0 */
/* job_process.c - the process of a job, and of the rehearsal for its class data: a virtual machine in its layers. */
#include "archive.h"
#include "job.h"
#include "layers.h"
#include "network.h"
#include "ns_landlock.h"
#include "spawner.h"
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define REHEARSAL_MIB 192  /* of memory */
#define SPARE_WORD "spare" /* tells JobMain to warm up and to wait on its standard input */

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

pid_t ns_job_run(struct ns_spawner *spawner, const struct ns_job *job, const struct ns_sibling *sibling,
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
