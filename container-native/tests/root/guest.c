/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.c - stands in for the host of a container and for the JVM of a job. Its action is its name, the last part of
 * its directory.
 *
 *     quiet   waits for TERM            look    reports the visible part of its cell, then waits.
 *     deaf    does not hear TERM        flood   reports without end.
 *     eater   eats memory               chatty  writes three long reports and ends with 7.
 *     shared  ends at once: 4 with an archive that it can only read, 5 without.
 *     fine    ends at once with 3       making  writes the archive that it is told to make, and ends.
 *     filtered  ends with 0 if its system calls are filtered, and fork among them, else with 1.
 *     caller  ends with the errno of a connection to 127.0.0.1:443.
 *     keeper  reports the kept text of its directory, keeps the text "ordered", and waits.
 *     asks-WORD  orders a program, hands it the word, and reports its output and its end. asks-cancel takes the
 *                order back, asks-wrong orders values out of range, asks-twice orders a second one beside it.
 *
 * A spare job, whose last argument is "spare", makes the file "ready" and waits on its standard input. The text of
 * its request is then its action. It leaves the file "taken".
 *
 * A spare ignores its name. It enters a host's own layers, boots, and keeps a text when it is adopted. With a heap of
 * 17 it ends instead; with 18 it neither boots nor ends; with 19 it reports the TCP ports that its threads can use;
 * with 20 one of its threads blocks the signal by which it would be restricted; with 21 it does not read its order.
 */
#include "host.h"
#include "ns_program.h"
#include "ns_threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int report = -1;
static const char *archive = "none", *made;

static void say(const char *key, const char *value) {
    char line[512];
    int n = snprintf(line, sizeof line, "%s=%s\n", key, value);

    if (write(report, line, (size_t)n) != n)
        _exit(9);
}

static struct sockaddr_in loopback(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/*
 * Returns the errno of a call: the kernel's answer for a port without a listener, or the error of the layer that
 * stops the call.
 */
static int errno_of_call(uint16_t port) {
    struct sockaddr_in to = loopback(port);
    struct timeval bound = {3, 0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), result;

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
    result = connect(fd, (struct sockaddr *)&to, sizeof to) == 0 ? 0 : errno;
    close(fd);
    return result;
}

static int errno_of_bind(uint16_t port) {
    struct sockaddr_in at = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int result = bind(fd, (struct sockaddr *)&at, sizeof at) == 0 ? 0 : errno;

    close(fd);
    return result;
}

static void wait_for(int wanted) {
    sigset_t set;
    int signal = 0;

    sigemptyset(&set);
    sigaddset(&set, wanted);
    while (signal != wanted)
        sigwait(&set, &signal);
}

static void wait_for_term(void) {
    wait_for(SIGTERM);
    _exit(0);
}

/* Replaces the kept text, and reports the old one. */
static void keep(const char *directory, const char *text) {
    char path[400], old[64] = "nothing";
    FILE *file;

    snprintf(path, sizeof path, "%s/kept", directory);
    file = fopen(path, "re");
    if (file != NULL) {
        old[fread(old, 1, sizeof old - 1, file)] = '\0';
        fclose(file);
    }
    if (unlink(path) != 0 && file != NULL)
        _exit(9);
    file = fopen(path, "wxe");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        _exit(9);
    say("kept", old);
}

/* --- a spare --- */

static int gate[2]; /* a byte lets the thread of a spare go on */

/* Reports what this thread gets for two ports to bind, and two to connect to. The first of each is in the order. */
static void *try_ports(void *key) {
    char text[64], byte;

    if (key == NULL && read(gate[0], &byte, 1) != 1)
        _exit(9);
    snprintf(text, sizeof text, "%d-%d-%d-%d", errno_of_bind(8443), errno_of_bind(8444), errno_of_call(5443),
             errno_of_call(5444));
    say(key == NULL ? "old-thread" : "new-thread", text);
    return NULL;
}

static void *block_signal(void *nothing) {
    sigset_t set;

    (void)nothing;
    sigemptyset(&set);
    sigaddset(&set, NS_THREADS_SIGNAL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (;;)
        pause();
    return NULL;
}

static pthread_t start(void *(*run)(void *), void *argument) {
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, argument) != 0)
        _exit(9);
    return thread;
}

static void spare(const char *directory, const char *storage, const char *without, int heap, int order_fd) {
    struct ns_options options = {.java_home = "/usr/lib/jvm",
                                 .class_path = "",
                                 .blocks = "/nonexistent",
                                 .storage = storage,
                                 .spare = 1,
                                 .order_fd = order_fd};
    const char *failed;
    pthread_t old;

    if (!ns_layer_read(&options.missing, without) || ns_sandbox_enter(&options, &failed) != 0 || pipe(gate) != 0)
        _exit(9);
    if (heap == 18)
        pause();
    old = start(heap == 20 ? block_signal : try_ports, NULL);
    if (heap == 21)
        close(order_fd);
    say("kind", "booted");
    wait_for(SIGHUP);
    if (heap == 17 || ns_order_enter(&options) != 0)
        _exit(9);
    say("kind", "adopted");
    usleep(500000); /* until the order is answered: the test would skip an earlier report */
    if (heap == 19) {
        if (write(gate[1], "!", 1) != 1)
            _exit(9);
        pthread_join(old, NULL);
        pthread_join(start(try_ports, gate), NULL);
    }
    keep(directory, "adopted");
    wait_for_term();
}

static void boot_when_told(void) {
    wait_for(SIGHUP);
    say("kind", "booted");
    wait_for_term();
}

/* Reports the descriptors besides the three standard ones and the listing's own. */
static void say_descriptors(void) {
    DIR *list = opendir("/proc/self/fd");
    struct dirent *entry;
    char text[400] = "", path[300], target[100];

    while (list != NULL && (entry = readdir(list)) != NULL) {
        size_t used = strlen(text);
        ssize_t n;

        if (entry->d_name[0] == '.' || atoi(entry->d_name) < 3 || atoi(entry->d_name) == dirfd(list))
            continue;
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        n = readlink(path, target, 12);
        snprintf(text + used, sizeof text - used, "%.*s,", n < 0 ? 0 : (int)n, target);
    }
    if (list != NULL)
        closedir(list);
    say("fds", text);
}

static void say_status(void) {
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];

    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "Cap", 3) == 0 || strncmp(line, "NoNewPrivs", 10) == 0 || strncmp(line, "Uid", 3) == 0)
            say("status", line);
    }
    if (status != NULL)
        fclose(status);
}

/* Reports the mount points of files on which something can be written. */
static void say_mounts(void) {
    FILE *mounts = fopen("/proc/self/mounts", "re");
    char line[4096], place[256], options[512];

    while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
        if (sscanf(line, "%*s %255s %*s %511s", place, options) == 2 && strncmp(options, "rw", 2) == 0)
            say("writable", place);
    }
    if (mounts != NULL)
        fclose(mounts);
}

static bool can_only_read(const char *path) {
    return access(path, R_OK) == 0 && access(path, W_OK) != 0;
}

static void look(char **environment) {
    char text[400] = "";

    for (; *environment != NULL; environment++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s,", *environment);
    say("environment", text);
    say_descriptors();
    say_status();
    say_mounts();
    snprintf(text, sizeof text, "%d", (int)getpid());
    say("pid", text);
    say("archive", can_only_read(archive) ? archive : "none");
    say("seen", "all");
    wait_for_term();
}

static void eat(void) {
    for (;;) {
        char *more = malloc(1 << 20);

        if (more != NULL)
            memset(more, 1, 1 << 20);
    }
}

static void chat(void) {
    char text[480];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    say("first", text);
    say("second", text);
    say("third", text);
    _exit(7);
}

/* Makes the archive without a report, because it has the descriptors of a host. */
static int rehearse(void) {
    FILE *out = fopen(made, "wxe");

    if (out == NULL || fputs("class data", out) < 0)
        return 1;
    return fclose(out) == 0 ? 0 : 1;
}

/* Waits for an order like a spare job. Returns the action that the order has, from the directory. */
static const char *await_order(const char *directory) {
    static char text[32];
    char path[400], byte;
    FILE *file;

    snprintf(path, sizeof path, "%s/ready", directory);
    file = fopen(path, "wxe");
    if (file == NULL || fclose(file) != 0 || read(0, &byte, 1) != 1)
        _exit(0);
    snprintf(path, sizeof path, "%s/request.json", directory);
    file = fopen(path, "re");
    if (file == NULL || fgets(text, sizeof text, file) == NULL || fclose(file) != 0)
        _exit(9);
    snprintf(path, sizeof path, "%s/taken", directory);
    file = fopen(path, "wxe");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        _exit(9);
    return text;
}

/* --- orders for a program --- */

static int ask_fd = -1, answer_fd = -1;

static void order(uint32_t verb, uint32_t number, uint32_t keyframe) {
    const struct ns_program_order text = {.magic = NS_PROGRAM_MAGIC,
                                          .verb = verb,
                                          .number = number,
                                          .program = NS_PROGRAM_FFMPEG,
                                          .seconds = 1,
                                          .input = NS_PROGRAM_MP4,
                                          .output = NS_PROGRAM_MP4,
                                          .keyframe = keyframe};

    if (write(ask_fd, &text, sizeof text) != (ssize_t)sizeof text)
        _exit(9);
}

static struct ns_program_answer hear(int ends[NS_PROGRAM_ENDS]) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(NS_PROGRAM_ENDS * sizeof(int))];
    } control;
    struct ns_program_answer answer;
    struct iovec part = {&answer, sizeof answer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct pollfd readable = {.fd = answer_fd, .events = POLLIN};

    if (poll(&readable, 1, 60000) != 1 || recvmsg(answer_fd, &message, 0) != (ssize_t)sizeof answer)
        _exit(9);
    if (answer.word == NS_PROGRAM_STARTED)
        memcpy(ends, CMSG_DATA(CMSG_FIRSTHDR(&message)), NS_PROGRAM_ENDS * sizeof(int));
    return answer;
}

static void say_answer(const char *key, const struct ns_program_answer *answer) {
    char text[64];

    snprintf(text, sizeof text, "%u-%u-%d", answer->number, answer->reason, answer->status);
    say(key, text);
}

static void play_with_program(const char *word) {
    int ends[NS_PROGRAM_ENDS];
    struct ns_program_answer answer;
    char output[400] = "";
    ssize_t n;

    order(NS_PROGRAM_START, 7, strcmp(word, "wrong") == 0 ? 61 : 1);
    answer = hear(ends);
    if (answer.word != NS_PROGRAM_STARTED) {
        say_answer("refused", &answer);
        return;
    }
    if (write(ends[0], word, strlen(word)) != (ssize_t)strlen(word))
        _exit(9);
    close(ends[0]);
    if (strcmp(word, "cancel") == 0)
        order(NS_PROGRAM_CANCEL, 7, 0);
    if (strcmp(word, "twice") == 0) {
        int none[NS_PROGRAM_ENDS];

        order(NS_PROGRAM_START, 8, 1);
        answer = hear(none);
        say_answer("refused", &answer);
    }
    n = read(ends[2], output, sizeof output - 1);
    say("output", n > 0 ? output : "nothing");
    answer = hear(ends);
    say_answer("ended", &answer);
}

static int errno_of_fork(void) {
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : 0;
}

int main(int argc, char **argv, char **environment) {
    bool spare_job = strcmp(argv[argc - 1], "spare") == 0;
    const char *name = spare_job ? await_order(argv[argc - 2]) : strrchr(argv[argc - 1], '/') + 1, *data = NULL,
               *storage = NULL, *without = "";
    int option, heap = 0, is_spare = 0, order_fd = -1;

    for (option = 1; option + 1 < argc; option++) {
        if (strcmp(argv[option], "--data") == 0)
            data = argv[option + 1];
        if (strcmp(argv[option], "--storage") == 0)
            storage = argv[option + 1];
        if (strcmp(argv[option], "--without") == 0)
            without = argv[option + 1];
        if (strcmp(argv[option], "--heap") == 0)
            heap = atoi(argv[option + 1]);
        if (strcmp(argv[option], "--spare") == 0)
            is_spare = atoi(argv[option + 1]);
        if (strcmp(argv[option], "--order-fd") == 0)
            order_fd = atoi(argv[option + 1]);
        if (strcmp(argv[option], "--ask-fd") == 0)
            ask_fd = atoi(argv[option + 1]);
        if (strcmp(argv[option], "--answer-fd") == 0)
            answer_fd = atoi(argv[option + 1]);
        if (strcmp(argv[option], "--report-fd") == 0)
            report = atoi(argv[option + 1]);
        if (strcmp(argv[option], "--archive") == 0)
            archive = argv[option + 1];
        if (strcmp(argv[option], "--make-archive") == 0)
            made = argv[option + 1];
    }
    for (option = 1; option < argc; option++) {
        if (strncmp(argv[option], "-XX:SharedArchiveFile=", 22) == 0)
            archive = argv[option] + 22;
        if (strncmp(argv[option], "-XX:ArchiveClassesAtExit=", 25) == 0)
            made = argv[option] + 25;
    }
    if (data != NULL)
        name = strrchr(data, '/') + 1;
    if (is_spare)
        spare(data, storage, without, heap, order_fd);
    if (strcmp(name, "look") == 0)
        look(environment);
    else if (strcmp(name, "boots") == 0)
        boot_when_told();
    else if (strcmp(name, "deaf") == 0)
        pause();
    else if (strcmp(name, "eater") == 0)
        eat();
    else if (strcmp(name, "chatty") == 0)
        chat();
    else if (strcmp(name, "fine") == 0)
        return 3;
    else if (strcmp(name, "shared") == 0)
        return can_only_read(archive) ? 4 : 5;
    else if (strcmp(name, "filtered") == 0)
        return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2 && errno_of_fork() == EPERM ? 0 : 1;
    else if (strcmp(name, "caller") == 0)
        return errno_of_call(443);
    else if (strncmp(name, "making-", 7) == 0)
        return rehearse();
    else if (strncmp(name, "asks-", 5) == 0)
        play_with_program(name + 5);
    else if (strcmp(name, "keeper") == 0)
        keep(data, "ordered");
    while (strcmp(name, "flood") == 0) {
        if (write(report, "noise=again\n", 12) != 12)
            usleep(1000); /* the pipe is full */
    }
    wait_for_term();
    return 0;
}
