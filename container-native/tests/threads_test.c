/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what every thread is to do to itself. No-new-privs stands for a right that is given up: each thread has its
 * own, a thread inherits it from the one that starts it, and /proc tells it.
 */
#include "ns_test.h"
#include "ns_threads.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLEEPERS 12
#define STARTERS 3
#define ENOUGH_MS 20000

static bool over;

static bool is_over(void) {
    return __atomic_load_n(&over, __ATOMIC_ACQUIRE);
}

static void *nothing(void *context) {
    return context;
}

static void *sleeps(void *context) {
    while (!is_over())
        usleep(1000);
    return context;
}

/* Starts threads that end at once, so that lists of threads change while they are read. */
static void *starts_others(void *context) {
    while (!is_over()) {
        pthread_t other;

        if (pthread_create(&other, NULL, nothing, NULL) == 0)
            pthread_join(other, NULL);
    }
    return context;
}

static int give_up(const void *context) {
    (void)context;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

static bool has_given_up(const char *thread) {
    char path[300], line[256];
    bool has = false, there = false;
    FILE *status;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
    status = fopen(path, "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        there = true;
        has = has || strcmp(line, "NoNewPrivs:\t1\n") == 0;
    }
    if (status != NULL)
        fclose(status);
    return has || !there; /* one that has ended has no rights either */
}

/* Counts the threads, and those that have not given up their right. */
static unsigned threads(unsigned *left) {
    DIR *list = opendir("/proc/self/task");
    struct dirent *entry;
    unsigned count = 0;

    *left = 0;
    while ((entry = readdir(list)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        *left += !has_given_up(entry->d_name);
    }
    closedir(list);
    return count;
}

static int refuse(const void *thread) {
    return syscall(SYS_gettid) == *(const pid_t *)thread ? EDOM : 0;
}

static pid_t sleeper_id;

static void *tells_its_id(void *blocks) {
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, NS_THREADS_SIGNAL);
    if (blocks != NULL)
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    __atomic_store_n(&sleeper_id, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    return sleeps(NULL);
}

static pthread_t start_one(void *blocks) {
    pthread_t thread;

    over = false;
    sleeper_id = 0;
    if (pthread_create(&thread, NULL, tells_its_id, blocks) != 0)
        abort();
    while (__atomic_load_n(&sleeper_id, __ATOMIC_ACQUIRE) == 0)
        usleep(1000);
    return thread;
}

static void end_all(pthread_t *thread, unsigned count) {
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

NS_TEST(what_one_thread_answers_is_the_result) {
    pthread_t thread = start_one(NULL);
    pid_t other = 1;

    NS_EQUAL(0, ns_threads_act(refuse, &other, ENOUGH_MS));
    NS_EQUAL(-1, ns_threads_act(refuse, &sleeper_id, ENOUGH_MS));
    NS_EQUAL(EDOM, errno);
    other = (pid_t)syscall(SYS_gettid);
    NS_EQUAL(-1, ns_threads_act(refuse, &other, ENOUGH_MS));
    NS_EQUAL(EDOM, errno);
    end_all(&thread, 1);
}

NS_TEST(a_thread_that_blocks_the_signal_is_a_failure) {
    pthread_t thread = start_one(&over);
    pid_t other = 1;

    NS_EQUAL(-1, ns_threads_act(refuse, &other, 50));
    NS_EQUAL(ETIMEDOUT, errno);
    end_all(&thread, 1);
}

NS_TEST(a_stray_signal_does_nothing) {
    pthread_t thread = start_one(NULL);
    pid_t other = 1;

    NS_EQUAL(0, ns_threads_act(refuse, &other, ENOUGH_MS));
    NS_EQUAL(0, raise(NS_THREADS_SIGNAL));
    NS_EQUAL(0, pthread_kill(thread, NS_THREADS_SIGNAL));
    end_all(&thread, 1);
}

/* Last, because it cannot be undone. */
NS_TEST(every_thread_acts_and_those_that_they_start) {
    pthread_t thread[SLEEPERS + STARTERS];
    unsigned left, count;

    over = false;
    for (unsigned i = 0; i < SLEEPERS + STARTERS; i++)
        NS_EQUAL(0, pthread_create(&thread[i], NULL, i < SLEEPERS ? sleeps : starts_others, NULL));
    count = threads(&left);
    NS_CHECK(count > SLEEPERS + STARTERS && left >= count - STARTERS);
    NS_EQUAL(0, ns_threads_act(give_up, NULL, ENOUGH_MS));
    for (unsigned i = 0; i < 50; i++) {
        NS_CHECK(threads(&left) > SLEEPERS + STARTERS);
        NS_EQUAL(0, left);
        usleep(1000);
    }
    end_all(thread, SLEEPERS + STARTERS);
}

int main(void) {
    NS_RUN(what_one_thread_answers_is_the_result);
    NS_RUN(a_thread_that_blocks_the_signal_is_a_failure);
    NS_RUN(a_stray_signal_does_nothing);
    NS_RUN(every_thread_acts_and_those_that_they_start);
    return ns_test_end();
}
