/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the loop's clock: it counts waiting time, and not the time in which others have the processor. */
#include "clock.h"
#include "ns_test.h"
#include "patience.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ns_clock clock_;

NS_TEST(a_turn_that_waits_is_counted_with_its_work) {
    ns_clock_open(&clock_);
    ns_clock_begin(&clock_);
    ns_clock_work(&clock_, "verbs");
    ns_clock_work(&clock_, "tools");
    pause_msec(30);
    ns_clock_work(&clock_, "reports");
    NS_CHECK(ns_clock_end(&clock_) >= 30000);
    NS_EQUAL(1, clock_.over);
    NS_CHECK(strcmp(clock_.slowest, "tools") == 0);
    NS_CHECK(clock_.slowest_us >= 30000);
}

NS_TEST(what_happens_between_two_turns_is_of_neither) {
    ns_clock_open(&clock_);
    ns_clock_begin(&clock_);
    ns_clock_end(&clock_);
    pause_msec(30);
    ns_clock_begin(&clock_);
    ns_clock_end(&clock_);
    NS_EQUAL(0, clock_.over);
}

/* Keeps the processor busy, ahead of the test. */
static pid_t take_processor(const cpu_set_t *set) {
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    sched_setaffinity(0, sizeof *set, set);
    for (;;)
        continue;
}

/* Returns the processor time, by the kernel's clock for it. */
static long long used_us(void) {
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1000000ll + used.tv_nsec / 1000;
}

NS_TEST(a_processor_that_others_have_is_not_counted) {
    cpu_set_t set, one;
    long long began, used;
    pid_t others[4];
    uint64_t turn;

    ns_clock_open(&clock_);
    if (clock_.delays < 0)
        return; /* a kernel without it */
    NS_EQUAL(0, sched_getaffinity(0, sizeof set, &set));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &set))
            CPU_SET(i, &one);
    }
    NS_EQUAL(0, sched_setaffinity(0, sizeof one, &one));
    for (int i = 0; i < 4; i++)
        others[i] = take_processor(&one);
    began = used_us();
    ns_clock_begin(&clock_);
    while (used_us() - began < 40000) /* takes some 200 ms */
        continue;
    turn = ns_clock_end(&clock_);
    used = used_us() - began;
    for (int i = 0; i < 4; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof set, &set);
    NS_CHECK((long long)turn >= 40000 - 1000);
    NS_CHECK((long long)turn <= used + 20000);
}

int main(void) {
    NS_RUN(a_turn_that_waits_is_counted_with_its_work);
    NS_RUN(what_happens_between_two_turns_is_of_neither);
    NS_RUN(a_processor_that_others_have_is_not_counted);
    return ns_test_end();
}
