/* SPDX-License-Identifier: Apache-2.0 */
#include "xsk.h"

#include "ns_log.h"
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns the number of receive queues of an interface. A driver that does not tell the number has one. */
static unsigned queues(int fd, const char *interface) {
    struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
    struct ifreq request = {.ifr_data = (char *)&channels};
    unsigned count;

    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    if (ioctl(fd, SIOCETHTOOL, &request) != 0)
        return 1;
    count = channels.rx_count + channels.combined_count;
    return count == 0 ? 1 : count;
}

/* Adds the socket of one receive queue. Returns NULL, or the reason of the failure. */
static const char *add(struct ns_xsk *xsk, unsigned ifindex, unsigned queue) {
    int fd;

    if (xsk->count == NS_XSK_MAX)
        return "more queues than a container may have sockets";
    fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return strerror(errno);
    snprintf(xsk->text[xsk->count], NS_XSK_TEXT, "%u:%u:%d", ifindex, queue, fd);
    xsk->fd[xsk->count++] = fd;
    return NULL;
}

static const char *add_all(struct ns_xsk *xsk, const char *interface) {
    unsigned ifindex = if_nametoindex(interface), count;
    const char *why = NULL;

    if (ifindex == 0)
        return strerror(errno);
    count = queues(xsk->raw4, interface);
    for (unsigned queue = 0; queue < count && why == NULL; queue++)
        why = add(xsk, ifindex, queue);
    return why;
}

void ns_xsk_open(struct ns_xsk *xsk, const char *container, char (*interface)[NS_INTERFACE_MAX + 1],
                 unsigned interfaces) {
    *xsk = (struct ns_xsk){.raw4 = -1, .raw6 = -1};
    if (interfaces == 0)
        return;
    xsk->raw4 = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    xsk->raw6 = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    for (unsigned i = 0; i < interfaces; i++) {
        const char *why = add_all(xsk, interface[i]);

        if (why != NULL)
            ns_warn("%s: AF_XDP on %s: %s; its packets come by the queue", container, interface[i], why);
    }
}

void ns_xsk_close(struct ns_xsk *xsk) {
    for (unsigned i = 0; i < xsk->count; i++)
        close(xsk->fd[i]);
    if (xsk->raw4 >= 0)
        close(xsk->raw4);
    if (xsk->raw6 >= 0)
        close(xsk->raw6);
    *xsk = (struct ns_xsk){.raw4 = -1, .raw6 = -1};
}
