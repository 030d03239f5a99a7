/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks.c - processor time, and instructions and cycles where the machine counts them, of all threads of the
 * router's processes and of its NAPI thread. Time is the scheduler's own sum.
 *
 * The time is exact for a task that sleeps, with one exception. Between waking a task of higher priority and the
 * switch to it, the scheduler does not read its clock again. A kernel without preemption may switch only at the
 * end of a batch, and then the woken task is charged with the whole batch. A router that sends its first packet
 * early in a batch, and so wakes the receiver, then looks five times as cheap as it is. So while the cost is
 * measured, the receiver's thread comes behind all others.
 */
#include "mlffr.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCESSES 16
#define EVENTS 1024

static struct process {
    int pid;
    char thread[16]; /* on the packet path; "" = all */
} processes[PROCESSES];
static int process_count;
static struct { int instructions, cycles; } events[EVENTS];
static int event_count;

static int open_event(uint64_t what, int tid) {
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof attr, .config = what, .inherit = 1};

    return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool tasks_countable(void) {
    int fd = open_event(PERF_COUNT_HW_INSTRUCTIONS, 0);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

typedef void each(int tid, void *context);

static int threads(int pid, each *what, void *context) {
    char path[64];
    struct dirent *entry;
    DIR *directory;
    int count = 0;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    directory = opendir(path);
    if (directory == NULL)
        return -1;
    while ((entry = readdir(directory)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            what(atoi(entry->d_name), context);
            count++;
        }
    }
    closedir(directory);
    return count;
}

static void watch(int tid, void *context) {
    (void)context;
    if (event_count == EVENTS)
        return;
    events[event_count].instructions = open_event(PERF_COUNT_HW_INSTRUCTIONS, tid);
    events[event_count].cycles = open_event(PERF_COUNT_HW_CPU_CYCLES, tid);
    event_count++;
}

int tasks_add(int pid, const char *thread) {
    struct process *process = &processes[process_count];

    if (process_count == PROCESSES || threads(pid, watch, NULL) < 0) {
        fprintf(stderr, "lab-mlffr: process %d is not there, or one too many\n", pid);
        return -1;
    }
    process->pid = pid;
    snprintf(process->thread, sizeof process->thread, "%s", thread);
    process_count++;
    return 0;
}

void tasks_clear(void) {
    for (int i = 0; i < event_count; i++) {
        if (events[i].instructions >= 0)
            close(events[i].instructions);
        if (events[i].cycles >= 0)
            close(events[i].cycles);
    }
    event_count = process_count = 0;
}

static void add_event(int fd, uint64_t *sum) {
    uint64_t value;

    if (fd >= 0 && read(fd, &value, sizeof value) == (ssize_t)sizeof value)
        *sum += value;
}

/* Reads the first line of a task's file; "" if the task has just ended. */
static void read_line(int tid, const char *file, char *text, size_t size) {
    char path[64];
    ssize_t length;
    int fd;

    text[0] = '\0';
    snprintf(path, sizeof path, "/proc/%d/%s", tid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static bool is_called(int tid, const char *thread) {
    char name[32];

    read_line(tid, "comm", name, sizeof name);
    return strcmp(name, thread) == 0;
}

struct sum {
    const struct process *process;
    struct cost *cost;
};

static void add_time(int tid, void *context) {
    const struct sum *sum = context;
    char text[128];
    uint64_t nanos;

    read_line(tid, "schedstat", text, sizeof text);
    nanos = strtoull(text, NULL, 10);
    sum->cost->nanos += nanos;
    if (sum->process->thread[0] == '\0' || is_called(tid, sum->process->thread))
        sum->cost->path_nanos += nanos;
}

void tasks_cost(struct cost *cost) {
    *cost = (struct cost){0};
    for (int i = 0; i < process_count; i++) {
        struct sum sum = {.process = &processes[i], .cost = cost};

        threads(processes[i].pid, add_time, &sum);
    }
    for (int i = 0; i < event_count; i++) {
        add_event(events[i].instructions, &cost->instructions);
        add_event(events[i].cycles, &cost->cycles);
    }
}

/*
 * Moves a task to the root cgroup. A cgroup without a share of real-time scheduling refuses it, and the root has a
 * share.
 */
static void to_root_cgroup(int tid) {
    static const char *const files[] = {"/sys/fs/cgroup/cpu/tasks", "/sys/fs/cgroup/cpu,cpuacct/tasks"};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        int fd = open(files[i], O_WRONLY | O_CLOEXEC);

        if (fd >= 0) {
            dprintf(fd, "%d\n", tid);
            close(fd);
        }
    }
}

int task_pin(int tid, int cpu, int priority) {
    struct sched_param parameter = {.sched_priority = priority};
    int policy = priority > 0 ? SCHED_FIFO : SCHED_OTHER;
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(tid, sizeof cpus, &cpus) != 0) {
        fprintf(stderr, "lab-mlffr: task %d to CPU %d: %s\n", tid, cpu, strerror(errno));
        return -1;
    }
    if (sched_setscheduler(tid, policy, &parameter) == 0)
        return 0;
    to_root_cgroup(tid);
    if (sched_setscheduler(tid, policy, &parameter) == 0)
        return 0;
    fprintf(stderr, "lab-mlffr: task %d, real-time priority %d: %s\n", tid, priority, strerror(errno));
    return -1;
}

struct pin {
    const char *name;
    int cpu, priority, count, failed;
};

static void pin(int tid, void *context) {
    struct pin *pin = context;

    if (pin->name != NULL && !is_called(tid, pin->name))
        return;
    pin->count++;
    if (task_pin(tid, pin->cpu, pin->priority) != 0)
        pin->failed++;
}

int tasks_pin(int pid, const char *thread, int cpu, int priority) {
    struct pin all = {.name = thread, .cpu = cpu, .priority = priority};

    threads(pid, pin, &all);
    return all.failed != 0 ? -1 : all.count;
}
