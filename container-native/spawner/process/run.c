/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include "ns_log.h"
#include "ns_time.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the input as a file. A file cannot cause a deadlock between two pipes, whatever the tool does. */
static int input_file(const struct ns_run *run) {
    size_t done = 0;
    int fd;

    if (run->input == NULL)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    fd = memfd_create("input", MFD_CLOEXEC);
    while (fd >= 0 && done < run->input_length) {
        ssize_t n = write(fd, run->input + done, run->input_length - done);

        if (n <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static void enter_netns(pid_t pid) {
    char path[40];
    int fd;

    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0)
        _exit(126);
    close(fd);
}

static void child(const struct ns_run *run, int input, int error) {
    static char *environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (dup2(input, 0) < 0 || dup2(error, 1) < 0 || dup2(error, 2) < 0)
        _exit(126);
    if (run->netns != 0)
        enter_netns(run->netns);
    execve(run->argv[0], (char *const *)run->argv, environment);
    _exit(127);
}

/* Reads the tool's output until the tool closes its end, or kills the tool when its time is over. */
static void listen_to(struct ns_run *run, pid_t pid, int fd) {
    long long end = ns_now() + (run->msec != 0 ? run->msec : NS_RUN_MS);
    size_t used = 0;

    for (;;) {
        struct pollfd readable = {.fd = fd, .events = POLLIN};
        long long left = end - ns_now();
        char chunk[4096];
        ssize_t n;

        if (left <= 0 || (poll(&readable, 1, (int)left) == 0)) {
            kill(pid, SIGKILL);
            break;
        }
        n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        if (run->output != NULL)
            fwrite(chunk, 1, (size_t)n, run->output);
        for (ssize_t i = 0; i < n && used < sizeof run->error - 1; i++)
            run->error[used++] = chunk[i] == '\n' ? ' ' : chunk[i];
    }
    run->error[used] = '\0';
}

static int wait_for(pid_t pid) {
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int ns_run(struct ns_run *run) {
    int input = input_file(run), error[2] = {-1, -1}, result = -1;
    pid_t pid;

    run->error[0] = '\0';
    if (input < 0 || pipe2(error, O_CLOEXEC) != 0)
        goto out;
    pid = fork();
    if (pid == 0)
        child(run, input, error[1]);
    close(error[1]);
    error[1] = -1;
    if (pid > 0) {
        listen_to(run, pid, error[0]);
        result = wait_for(pid);
    }
out:
    for (int i = 0; i < 2; i++) {
        if (error[i] >= 0)
            close(error[i]);
    }
    if (input >= 0)
        close(input);
    if (result != 0 && !run->quiet)
        ns_error("%s: status %d: %s", run->argv[0], result, run->error);
    return result;
}
