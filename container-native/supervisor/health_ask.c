/* SPDX-License-Identifier: Apache-2.0 */
/* health_ask.c - one question to the controller: frames of docs/protocols/container.md, "Framing". */
#include "health.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HELLO "{\"hello\":{\"protocol\":\"1.0\",\"build\":\"supervisor\"},\"role\":\"admin\"}"
#define QUESTION "{\"id\":1,\"op\":\"health\"}"
#define REPLY_MOST 4096 /* of a hello or a reply; both have some 100 bytes */

/*
 * Looks for a pair in the reply. Quotes inside a JSON string are escaped, so no text in the reply can look like a
 * key.
 */
static bool has(const char *reply, const char *pair) {
    return strstr(reply, pair) != NULL;
}

enum ns_health ns_health_read(const char *reply, bool signaling) {
    if (!has(reply, "\"ok\":true"))
        return NS_HEALTH_NO_CONTROLLER;
    if (!has(reply, "\"spawner\":true"))
        return NS_HEALTH_NO_SPAWNER;
    return !signaling || has(reply, "\"signaling\":true") ? NS_HEALTH_ALL : NS_HEALTH_NO_SIGNALING;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool send_frame(int fd, const char *text) {
    unsigned char frame[256];
    size_t length = strlen(text);
    uint32_t size = htonl((uint32_t)length + 1);

    if (length + 5 > sizeof frame)
        return false;
    memcpy(frame, &size, 4);
    frame[4] = 'J';
    memcpy(frame + 5, text, length);
    return send(fd, frame, length + 5, MSG_NOSIGNAL) == (ssize_t)length + 5;
}

static bool receive(int fd, void *bytes, size_t length) {
    return recv(fd, bytes, length, MSG_WAITALL) == (ssize_t)length;
}

static bool receive_frame(int fd, char text[REPLY_MOST]) {
    unsigned char kind;
    uint32_t size;

    if (!receive(fd, &size, 4))
        return false;
    size = ntohl(size);
    if (size < 1 || size > REPLY_MOST || !receive(fd, &kind, 1) || kind != 'J' || !receive(fd, text, size - 1))
        return false;
    text[size - 1] = '\0';
    return true;
}

enum ns_health ns_health_ask(const char *path, bool signaling) {
    char text[REPLY_MOST] = "";
    int fd = connect_to(path);
    bool answered = fd >= 0 && send_frame(fd, HELLO) && receive_frame(fd, text) && send_frame(fd, QUESTION) &&
                    receive_frame(fd, text);

    if (fd >= 0)
        close(fd);
    return answered ? ns_health_read(text, signaling) : NS_HEALTH_NO_CONTROLLER;
}
