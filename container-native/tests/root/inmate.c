/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inmate.c - stands in for a program beside a host. It reads a word from its input.
 *
 *     facts   tries what it must not be able to do, and writes what it got
 *     memory  eats memory     sleep, cancel, twice  waits     exit  ends with 3
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static int errno_of_open(const char *path, int flags) {
    return open(path, flags, 0600) < 0 ? errno : 0;
}

static int errno_of_program(const char *path) {
    char *const argv[] = {(char *)path, NULL};

    execve(path, argv, argv + 1);
    return errno;
}

static int errno_of_fork(void) {
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : 0;
}

static unsigned interfaces(void) {
    FILE *devices = fopen("/proc/self/net/dev", "re");
    char line[256];
    unsigned count = 0;

    while (devices != NULL && fgets(line, sizeof line, devices) != NULL)
        count += strchr(line, ':') != NULL;
    return count;
}

static void facts(const char *own) {
    printf("pid=%d,uid=%u,passwd=%d,hosts=%d,itself=%d,write=%d,tmp=%d,socket=%d,unix=%d,fork=%d,sh=%d,interfaces=%u",
           (int)getpid(), (unsigned)getuid(), errno_of_open("/etc/passwd", O_RDONLY),
           errno_of_open("/etc/hosts", O_RDONLY), errno_of_open(own, O_WRONLY),
           errno_of_open("/new", O_WRONLY | O_CREAT), errno_of_open("/tmp/new", O_WRONLY | O_CREAT),
           socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0, socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0,
           errno_of_fork(), errno_of_program("/bin/sh"), interfaces());
    fflush(stdout);
}

static void eat(void) {
    for (;;) {
        char *more = malloc(1 << 20);

        if (more != NULL)
            memset(more, 1, 1 << 20);
    }
}

int main(int argc, char **argv) {
    char word[32] = "";
    ssize_t n = read(0, word, sizeof word - 1);

    if (argc < 4 || strcmp(argv[1], "-nostdin") != 0 || n <= 0)
        return 9;
    if (strcmp(word, "facts") == 0)
        facts(argv[0]);
    else if (strcmp(word, "memory") == 0)
        eat();
    else if (strcmp(word, "exit") == 0)
        return 3;
    else
        pause();
    return 0;
}
