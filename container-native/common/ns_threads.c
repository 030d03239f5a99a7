/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_threads.h"

#include "ns_time.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ASKED (-1)     /* the state of a thread that has not answered; else it is what `act` returned */
#define PAUSE_NS 50000 /* between two looks at the answers */
#define QUIET_PASSES 2 /* one list can miss a thread while others end */

static struct {
    int (*act)(const void *context);
    const void *context;
    unsigned count; /* atomic: the handler reads it */
    struct asked {
        pid_t thread;
        int state; /* atomic */
    } asked[NS_THREADS_MAX];
} work;

static pid_t own_id(void) {
    return (pid_t)syscall(SYS_gettid);
}

static struct asked *find(pid_t thread) {
    unsigned count = __atomic_load_n(&work.count, __ATOMIC_ACQUIRE);

    for (unsigned i = 0; i < count; i++) {
        if (work.asked[i].thread == thread)
            return &work.asked[i];
    }
    return NULL;
}

/* In the thread that was asked, and nowhere else: a signal that somebody else sends finds no entry, or a full one. */
static void on_signal(int signal) {
    int saved = errno;
    struct asked *own = find(own_id());

    (void)signal;
    if (own != NULL && __atomic_load_n(&own->state, __ATOMIC_ACQUIRE) == ASKED)
        __atomic_store_n(&own->state, work.act(work.context), __ATOMIC_RELEASE);
    errno = saved;
}

static bool has_ended(pid_t thread) {
    return syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

/* Asks a thread that no list has had yet. 1 = asked, 0 = it was asked before, -1 with errno. */
static int ask(pid_t thread) {
    if (find(thread) != NULL)
        return 0;
    if (work.count == NS_THREADS_MAX) {
        errno = E2BIG;
        return -1;
    }
    work.asked[work.count] = (struct asked){thread, ASKED};
    __atomic_store_n(&work.count, work.count + 1, __ATOMIC_RELEASE);
    return syscall(SYS_tgkill, getpid(), thread, NS_THREADS_SIGNAL) != 0 && errno != ESRCH ? -1 : 1;
}

/* Asks the threads that are new since the last pass. Returns their number, or -1 with errno. */
static int ask_new(void) {
    DIR *list = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0, asked = 0;

    if (list == NULL)
        return -1;
    while (asked >= 0 && (entry = readdir(list)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        asked = ask((pid_t)atoi(entry->d_name));
        count += asked > 0;
    }
    closedir(list);
    return asked < 0 ? -1 : count;
}

/* Waits until each thread that was asked has answered or ended. */
static int await(uint64_t end) {
    const struct timespec pause = {0, PAUSE_NS};

    for (unsigned i = 0; i < work.count; i++) {
        struct asked *asked = &work.asked[i];
        int state;

        while ((state = __atomic_load_n(&asked->state, __ATOMIC_ACQUIRE)) == ASKED && !has_ended(asked->thread)) {
            if (ns_now() >= end) {
                errno = ETIMEDOUT;
                return -1;
            }
            nanosleep(&pause, NULL);
        }
        if (state > 0) {
            errno = state;
            return -1;
        }
    }
    return 0;
}

static int ask_all(unsigned ms) {
    uint64_t end = ns_now() + ms;

    for (int quiet = 0; quiet < QUIET_PASSES;) {
        int asked = ask_new();

        if (asked < 0 || await(end) != 0)
            return -1;
        quiet = asked == 0 ? quiet + 1 : 0;
    }
    return 0;
}

int ns_threads_act(int (*act)(const void *context), const void *context, unsigned ms) {
    struct sigaction handler = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, ignored = {.sa_handler = SIG_IGN};
    int error = act(context), result, saved;

    if (error != 0) {
        errno = error;
        return -1;
    }
    work.act = act;
    work.context = context;
    work.asked[0] = (struct asked){own_id(), 0};
    __atomic_store_n(&work.count, 1, __ATOMIC_RELEASE);
    if (sigaction(NS_THREADS_SIGNAL, &handler, NULL) != 0)
        return -1;
    result = ask_all(ms);
    saved = errno;
    sigaction(NS_THREADS_SIGNAL, &ignored, NULL);
    errno = saved;
    return result;
}
