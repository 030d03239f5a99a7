/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include "sald.h"
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
