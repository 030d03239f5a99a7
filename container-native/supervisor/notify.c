/* SPDX-License-Identifier: Apache-2.0 */
#include "notify.h"

#include "ns_log.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int manager = -1;
static uint64_t watchdog;

/*
 * Fills in the address and returns its length. "@name" is an address in the abstract namespace, which begins with a
 * NUL.
 */
static socklen_t address_of(const char *text, struct sockaddr_un *address) {
    size_t length = strlen(text);

    if ((text[0] != '/' && text[0] != '@') || length < 2 || length >= sizeof address->sun_path)
        return 0;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, text, length);
    if (text[0] == '@')
        address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (text[0] == '/'));
}

/* Reads the watchdog's period. The variable may be meant for another process, named by its number in WATCHDOG_PID. */
static uint64_t read_watchdog(void) {
    const char *period = getenv("WATCHDOG_USEC"), *who = getenv("WATCHDOG_PID");

    if (period == NULL || (who != NULL && strtol(who, NULL, 10) != (long)getpid()))
        return 0;
    return strtoull(period, NULL, 10) / 1000;
}

bool ns_notify_open(void) {
    const char *text = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    socklen_t length;

    if (text == NULL)
        return true;
    length = address_of(text, &address);
    if (length == 0) {
        ns_error("NOTIFY_SOCKET=%s: not the address of a socket", text);
        return false;
    }
    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (manager < 0 || connect(manager, (struct sockaddr *)&address, length) != 0) {
        ns_error("NOTIFY_SOCKET=%s: %s", text, strerror(errno));
        return false;
    }
    watchdog = read_watchdog();
    return true;
}

bool ns_notify_wanted(void) {
    return manager >= 0;
}

uint64_t ns_notify_watchdog(void) {
    return watchdog;
}

void ns_notify(const char *assignments) {
    if (manager >= 0 && send(manager, assignments, strlen(assignments), MSG_NOSIGNAL) < 0)
        ns_warn("the service manager was not told: %s", strerror(errno));
}
