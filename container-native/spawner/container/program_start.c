/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_start.c - the layers of a program. Its namespaces are its own and not the container's: without the host in
 * them there is nobody to signal, and without an interface nobody to reach. The container's are its cgroup, so that
 * its memory, processor time and tasks count there, and its uid.
 */
#include "program_start.h"

#include "container.h"
#include "launch.h"
#include "layers.h"
#include "ns_landlock.h"
#include "processors.h"
#include "slot.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "/usr/bin/ffmpeg"
#define CPU_SECONDS 7200 /* of processor time: a second bound, beside the deadline and the cgroup */
#define DESCRIPTORS 64

struct shell {
    const char *program;
    const int *its; /* ends of the pipes */
};

/* The program and the loader of its libraries are the only things that it may execute, libraries all it may read. */
static int allow_paths(struct ns_landlock *landlock, const char *program) {
    const struct {
        const char *path;
        unsigned access;
    } paths[] = {
        {program, NS_LANDLOCK_READ | NS_LANDLOCK_EXECUTE},
        {"/lib64/ld-linux-x86-64.so.2", NS_LANDLOCK_READ | NS_LANDLOCK_EXECUTE},
        {"/lib/ld-linux-aarch64.so.1", NS_LANDLOCK_READ | NS_LANDLOCK_EXECUTE},
        {"/usr/lib", NS_LANDLOCK_READ},
        {"/usr/lib64", NS_LANDLOCK_READ},
        {"/etc/ld.so.cache", NS_LANDLOCK_READ},
        {"/proc/self", NS_LANDLOCK_READ},
        {"/proc/cpuinfo", NS_LANDLOCK_READ},
        {"/proc/meminfo", NS_LANDLOCK_READ},
        {"/sys/devices/system/cpu", NS_LANDLOCK_READ},
        {"/dev/urandom", NS_LANDLOCK_READ},
        {"/dev/null", NS_LANDLOCK_READ | NS_LANDLOCK_WRITE},
    };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (ns_landlock_path(landlock, paths[i].path, paths[i].access) != 0)
            return -1;
    }
    return 0;
}

/* Puts the pipes in their places, and enters Landlock: no other file, no TCP port. */
static int shut_in(const void *context) {
    const struct shell *shell = context;
    struct ns_landlock landlock;

    if (dup2(shell->its[2], 1) < 0 || dup2(shell->its[3], 2) < 0)
        return -1;
    if (ns_landlock_open(&landlock, NS_LANDLOCK_FILES | NS_LANDLOCK_TCP) != 0 ||
        allow_paths(&landlock, shell->program) != 0)
        return -1;
    return ns_landlock_enter(&landlock);
}

/*
 * Outside, before the program runs: when the container's memory is full the kernel ends the program and not the
 * host, and the host's threads come first.
 */
static int yield(void *context, pid_t pid) {
    char path[48];
    int fd, result;

    (void)context;
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)pid);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    result = write(fd, "1000", 4) == 4 ? 0 : -1;
    close(fd);
    return result != 0 || setpriority(PRIO_PROCESS, (id_t)pid, 10) != 0 ? -1 : 0;
}

/* Finds the program: the link etc/netserv/process.d/ffmpeg, if the operator has made one. */
static bool find(const struct ns_paths *paths, char program[PATH_MAX], char why[160]) {
    char link[PATH_MAX + 48];
    struct stat status;

    snprintf(link, sizeof link, "%s/etc/netserv/process.d/ffmpeg", strcmp(paths->root, "/") == 0 ? "" : paths->root);
    if (realpath(lstat(link, &status) == 0 ? link : PROGRAM, program) == NULL || stat(program, &status) != 0)
        snprintf(why, 160, NS_PROGRAM_ABSENT "%s", strerror(errno));
    else if (!S_ISREG(status.st_mode) || status.st_uid != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        snprintf(why, 160, NS_PROGRAM_ABSENT "%.100s is not a file that root alone can write", program);
    else
        return true;
    return false;
}

static struct ns_identity identity(const struct ns_spawner *spawner, const struct ns_container *container) {
    uint32_t uid = ns_container_uid(spawner, container);

    return (struct ns_identity){
        .uid = uid, .gid = container->slot < 0 ? (gid_t)container->order.gid : (gid_t)uid, .end = SIGKILL};
}

/* In a task. */
static pid_t start(struct ns_spawner *spawner, void *context, const struct ns_sibling *sibling, char why[160]) {
    static const char *const environment[] = {"LC_ALL=C.UTF-8", "PATH=/nonexistent", "HOME=/nonexistent", NULL};
    static char program[PATH_MAX];
    static struct ns_program_line line;
    struct ns_container *container = context;
    const int *its = container->program.its;
    /* Debian leads libraries that there are several of by links through /etc/alternatives */
    const struct ns_root_entry mounts[] = {{program, NS_ROOT_EXECUTE}, {"/etc/alternatives", 0}};
    const struct ns_limit limits[] = {
        {RLIMIT_NOFILE, DESCRIPTORS},
        {RLIMIT_CORE, 0},
        {RLIMIT_FSIZE, 0},
        {RLIMIT_MEMLOCK, 65536},
        {RLIMIT_CPU, CPU_SECONDS},
        {RLIMIT_MSGQUEUE, 0},
        {RLIMIT_NPROC, spawner->cgroups.version != 0 ? 32768 : container->order.pids},
    };
    const struct shell shell = {program, its};
    const struct ns_layers layers = {
        .sibling = sibling,
        .without = spawner->lacking & (NS_LAYER_NAMESPACES | NS_LAYER_BIT(NS_LAYER_SECCOMP)),
        .namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS,
        .cgroup = &container->host_cgroup,
        .processors = ns_processors_others(&spawner->processors),
        .mounts = mounts,
        .mount_count = sizeof mounts / sizeof mounts[0],
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = identity(spawner, container),
        .input = &its[0],
        .as_itself = shut_in,
        .context = &shell,
        .seccomp = &ns_seccomp_process,
        .keep = its + 1,
        .keep_count = NS_PROGRAM_ENDS - 1,
        .argv = line.argv,
        .environment = environment,
    };

    if (!find(&spawner->paths, program, why))
        return -1;
    ns_program_print(&line, program, &container->program.order, (unsigned)ns_request_processors(&container->order),
                     its[1]);
    return ns_layers_start(&layers, yield, NULL, why);
}

int ns_program_start(struct ns_spawner *spawner, struct ns_container *container, ns_program_done done, char why[160]) {
    const struct ns_launch launch = {.name = "program",
                                     .start = start,
                                     .done = done,
                                     .context = container,
                                     .keep = container->program.its,
                                     .keep_count = NS_PROGRAM_ENDS};

    return ns_launch(spawner, &launch, why);
}
