/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include "sald.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int open_socket(const char *path, struct sockaddr_un *at) {
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof at->sun_path)
        return -1;
    strcpy(at->sun_path, path);
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

int ns_sald_listen(const char *path) {
    struct sockaddr_un at;
    int fd = open_socket(path, &at);
    mode_t mask = umask(0177);

    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, (int)NS_SAL_ASKERS) != 0) {
        umask(mask);
        return -1;
    }
    umask(mask);
    return fd;
}

int ns_sald_ask(const char *path, char **words, int count) {
    static char reply[NS_SAL_REPLY_MAX];
    char order[NS_SAL_ORDER_MAX] = "";
    struct sockaddr_un at;
    int fd = open_socket(path, &at);
    ssize_t n;

    for (int i = 0; i < count; i++) {
        if (strlen(order) + strlen(words[i]) + 2 > sizeof order)
            return 2;
        strcat(strcat(order, i == 0 ? "" : " "), words[i]);
    }
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        send(fd, order, strlen(order), MSG_NOSIGNAL) < 0 || (n = recv(fd, reply, sizeof reply - 1, 0)) <= 0) {
        perror(path);
        return 2;
    }
    reply[n] = '\0';
    puts(reply);
    close(fd);
    return strncmp(reply, "error", 5) == 0 ? 1 : 0;
}

static bool write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);

        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

/* Prints a message of sald. Returns false if there is none any more. */
static bool print_message(int fd) {
    static char message[NS_SAL_REPLY_MAX + 1];
    ssize_t n = recv(fd, message, NS_SAL_REPLY_MAX, 0);

    if (n <= 0)
        return false;
    message[n] = '\n';
    return write_all(STDOUT_FILENO, message, (size_t)n + 1);
}

/* The orders of standard input that are not whole yet. */
struct talk {
    char text[NS_SAL_ORDER_MAX];
    size_t length;
};

static bool send_order(int fd, const char *line, size_t length) {
    return length == 0 || send(fd, line, length, MSG_NOSIGNAL) >= 0;
}

/* Sends the lines that are whole. Returns false if a line is too long or sald is gone. */
static bool send_lines(struct talk *talk, int fd) {
    char *line = talk->text, *end;

    while ((end = memchr(line, '\n', talk->length - (size_t)(line - talk->text))) != NULL) {
        if (!send_order(fd, line, (size_t)(end - line)))
            return false;
        line = end + 1;
    }
    talk->length -= (size_t)(line - talk->text);
    memmove(talk->text, line, talk->length);
    return talk->length < sizeof talk->text;
}

static int talk_on(int fd) {
    struct pollfd watched[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    static struct talk talk;

    while (poll(watched, 2, -1) > 0) {
        if (watched[1].revents != 0 && !print_message(fd))
            return 2;
        if (watched[0].revents != 0) {
            ssize_t n = read(STDIN_FILENO, talk.text + talk.length, sizeof talk.text - talk.length);

            if (n <= 0)
                return 0;
            talk.length += (size_t)n;
            if (!send_lines(&talk, fd))
                return 2;
        }
    }
    return 2;
}

int ns_sald_talk(const char *path) {
    struct sockaddr_un at;
    int fd = open_socket(path, &at);

    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0) {
        perror(path);
        return 2;
    }
    signal(SIGTERM, SIG_IGN); /* they are for the whole group, and its last orders are still to come */
    signal(SIGINT, SIG_IGN);
    return talk_on(fd);
}
