/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the part of its publisher's order that a spare needs. The spawner has sent it, as one packet of a socket,
 * before it sends SIGHUP:
 *
 *     order = "bind=" ports " connect=" ports LF          TCP ports: "443-443,5000-5010", may be empty
 */
#include "host.h"

#include "ns_line.h"
#include <errno.h>
#include <unistd.h>

#define ORDER_MOST 4096 /* bytes, more than three lists of 64 ranges have */

int ns_order_enter(const struct ns_options *options) {
    static char text[ORDER_MOST];
    static struct ns_line line;
    const char *bind, *connect;
    ssize_t length = read(options->order_fd, text, sizeof text);

    if (length < 0)
        return -1;
    errno = EPROTO;
    if (length == 0 || text[length - 1] != '\n' || !ns_line_parse(&line, text, (size_t)length - 1, false))
        return -1;
    bind = ns_line_get(&line, "bind");
    connect = ns_line_get(&line, "connect");
    if (bind == NULL || connect == NULL || ns_sandbox_enter_ports(options, bind, connect) != 0)
        return -1;
    return close(options->order_fd);
}
