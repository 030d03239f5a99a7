/* SPDX-License-Identifier: Apache-2.0 */
/* Tests work in a child: results that come back, failures, and the reasons for its end. */
#include "ns_test.h"
#include "patience.h"
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_MS 600000u

static struct ns_spawner spawner;

struct seen {
    int calls, result;
    char why[NS_TASK_WHY];
    int *shared, plain, descriptor;
};

static struct seen seen;

static void done(struct ns_spawner *of, void *context, int result, const char *why) {
    struct seen *at = context;

    (void)of;
    at->calls++;
    at->result = result;
    snprintf(at->why, sizeof at->why, "%s", why);
}

static bool begin(ns_task_work work, uint64_t deadline) {
    seen = (struct seen){.shared = seen.shared, .descriptor = seen.descriptor};
    return ns_task_begin(&spawner, "test", work, &seen, deadline, done) == 0;
}

/* Turns like the loop until every task has ended. */
static bool turn_until_idle(void) {
    for (int i = 0; i < 4000 && !ns_tasks_idle(&spawner); i++) {
        int status;
        pid_t pid;

        ns_tasks_tick(&spawner, ns_now());
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            ns_tasks_child(&spawner, pid, status);
        pause_msec(5);
    }
    return ns_tasks_idle(&spawner);
}

static int answers(void *context, char why[NS_TASK_WHY]) {
    struct seen *at = context;

    at->plain = 5;
    *at->shared = 6;
    snprintf(why, NS_TASK_WHY, "not enough of it");
    return 7;
}

NS_TEST(a_result_a_reason_and_shared_memory_come_back_and_nothing_else) {
    seen.shared = ns_task_share(sizeof *seen.shared);
    NS_CHECK(seen.shared != NULL && begin(answers, LONG_MS));
    NS_EQUAL(0, seen.calls);
    NS_CHECK(turn_until_idle());
    NS_EQUAL(1, seen.calls);
    NS_EQUAL(7, seen.result);
    NS_EQUAL(0, seen.plain);
    NS_EQUAL(6, *seen.shared);
    NS_CHECK(strcmp(seen.why, "not enough of it") == 0);
    ns_task_unshare(seen.shared, sizeof *seen.shared);
    seen.shared = NULL;
}

static int well(void *context, char why[NS_TASK_WHY]) {
    (void)context, (void)why;
    return 0;
}

NS_TEST(work_that_is_well_says_nothing) {
    NS_CHECK(begin(well, LONG_MS) && turn_until_idle());
    NS_EQUAL(1, seen.calls);
    NS_EQUAL(0, seen.result);
    NS_EQUAL('\0', seen.why[0]);
}

static int hangs(void *context, char why[NS_TASK_WHY]) {
    (void)context;
    snprintf(why, NS_TASK_WHY, "it goes on");
    for (int i = 0; i < 10 * WAIT_MSEC; i++)
        pause_msec(1);
    return 0;
}

/* Reports that it runs, and holds the other end of a pipe open. */
static int hangs_with_descriptor(void *context, char why[NS_TASK_WHY]) {
    struct seen *at = context;

    return write(at->descriptor, "x", 1) == 1 ? hangs(context, why) : 1;
}

/* Hangs together with a child of its own, like a tool's. */
static int hangs_in_two(void *context, char why[NS_TASK_WHY]) {
    return fork() < 0 ? 1 : hangs_with_descriptor(context, why);
}

NS_TEST(a_deadline_kills_the_whole_group_and_is_named) {
    int fds[2];
    char byte;
    struct ns_task_order order = {.name = "test",
                                  .work = hangs_in_two,
                                  .done = done,
                                  .context = &seen,
                                  .deadline_ms = LONG_MS,
                                  .keep = &fds[1],
                                  .keep_count = 1};
    struct pollfd closed = {.events = POLLIN};

    NS_CHECK(pipe(fds) == 0);
    seen = (struct seen){.descriptor = fds[1]};
    NS_CHECK(ns_task_order(&spawner, &order) == 0);
    close(fds[1]);
    NS_EQUAL(1, read(fds[0], &byte, 1)); /* both processes run */
    NS_EQUAL(1, read(fds[0], &byte, 1));
    NS_CHECK(ns_tasks_tick(&spawner, ns_now()) > ns_now());
    NS_EQUAL(0, seen.calls);
    ns_tasks_tick(&spawner, ns_now() + LONG_MS);
    NS_CHECK(turn_until_idle());
    NS_EQUAL(1, seen.calls);
    NS_EQUAL(-1, seen.result);
    NS_CHECK(strcmp(seen.why, "test: not done in 600000 ms: killed") == 0);
    closed.fd = fds[0]; /* the other end is closed everywhere: the child's child has ended as well */
    NS_EQUAL(1, poll(&closed, 1, WAIT_MSEC));
    NS_EQUAL(0, read(fds[0], &byte, 1));
    close(fds[0]);
}

NS_TEST(a_cancelled_task_is_killed_with_the_reason) {
    NS_CHECK(begin(hangs, LONG_MS));
    NS_EQUAL(0, ns_task_cancel(&spawner, &spawner, "of another"));
    NS_EQUAL(1, ns_task_cancel(&spawner, &seen, "stopped"));
    NS_CHECK(turn_until_idle());
    NS_EQUAL(1, seen.calls);
    NS_CHECK(strcmp(seen.why, "test: stopped") == 0);
}

static int crashes(void *context, char why[NS_TASK_WHY]) {
    (void)context;
    snprintf(why, NS_TASK_WHY, "half a reason");
    raise(SIGKILL);
    return 0;
}

NS_TEST(a_child_that_ends_otherwise_has_failed) {
    NS_CHECK(begin(crashes, LONG_MS) && turn_until_idle());
    NS_EQUAL(-1, seen.result);
    NS_CHECK(strcmp(seen.why, "test: ended with signal 9") == 0);
}

static int looks_for_descriptor(void *context, char why[NS_TASK_WHY]) {
    struct seen *at = context;

    (void)why;
    return fcntl(at->descriptor, F_GETFD) < 0 ? 1 : 2;
}

NS_TEST(descriptors_that_are_not_named_are_closed) {
    int fds[2];
    struct ns_task_order order = {.name = "test",
                                  .work = looks_for_descriptor,
                                  .done = done,
                                  .context = &seen,
                                  .deadline_ms = LONG_MS,
                                  .keep = fds,
                                  .keep_count = 2};

    NS_CHECK(pipe(fds) == 0);
    seen.descriptor = fds[0];
    NS_CHECK(begin(looks_for_descriptor, LONG_MS) && turn_until_idle());
    NS_EQUAL(1, seen.result);
    NS_CHECK(ns_task_order(&spawner, &order) == 0 && turn_until_idle());
    NS_EQUAL(2, seen.result);
    close(fds[0]);
    close(fds[1]);
}

/* Plays the spawner: begins a task that hangs, and is killed. */
static void hang_and_die(int fd) {
    struct ns_task_order order = {.name = "test",
                                  .work = hangs_with_descriptor,
                                  .done = done,
                                  .context = &seen,
                                  .deadline_ms = LONG_MS,
                                  .keep = &fd,
                                  .keep_count = 1};

    seen = (struct seen){.descriptor = fd};
    if (ns_task_order(&spawner, &order) == 0)
        pause();
    _exit(1);
}

NS_TEST(a_task_ends_with_the_spawner) {
    struct pollfd closed = {.events = POLLIN};
    int fds[2], status;
    char byte;
    pid_t pid;

    NS_CHECK(pipe(fds) == 0);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        hang_and_die(fds[1]);
    }
    close(fds[1]);
    NS_EQUAL(1, read(fds[0], &byte, 1)); /* the task runs */
    NS_CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    closed.fd = fds[0];
    NS_EQUAL(1, poll(&closed, 1, WAIT_MSEC));
    close(fds[0]);
}

static void begins_another(struct ns_spawner *of, void *context, int result, const char *why) {
    done(of, context, result, why);
    ns_task_begin(of, "next", well, context, LONG_MS, done);
}

NS_TEST(the_end_of_one_may_begin_the_next) {
    seen = (struct seen){.calls = 0};
    NS_CHECK(ns_task_begin(&spawner, "first", well, &seen, LONG_MS, begins_another) == 0 && turn_until_idle());
    NS_EQUAL(2, seen.calls);
}

int main(void) {
    NS_RUN(a_result_a_reason_and_shared_memory_come_back_and_nothing_else);
    NS_RUN(work_that_is_well_says_nothing);
    NS_RUN(a_deadline_kills_the_whole_group_and_is_named);
    NS_RUN(a_cancelled_task_is_killed_with_the_reason);
    NS_RUN(a_child_that_ends_otherwise_has_failed);
    NS_RUN(descriptors_that_are_not_named_are_closed);
    NS_RUN(a_task_ends_with_the_spawner);
    NS_RUN(the_end_of_one_may_begin_the_next);
    return ns_test_end();
}
