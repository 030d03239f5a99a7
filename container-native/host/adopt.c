/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt.c - turns a spare into the container of a publisher. The spawner mounts the publisher's data at <data>, makes
 * its network, tells the host its order by a socket, and sends SIGHUP. An ordinary host prepares <data> and enters
 * its layers before its virtual machine exists. A spare does the same work here, while its virtual machine already
 * runs. The spare has no module yet, so nothing reads <data> or uses the network before the spawner has the report
 * that the adoption is done.
 */
#include "host.h"

#include "ns_log.h"
#include "ns_output.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void die(const char *what) {
    ns_error("adoption: %s: %s", what, strerror(errno));
    _exit(NS_EXIT_START);
}

static void make_directory(const char *name) {
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", ns_host.options.data, name);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        die(path);
}

void ns_adopt(void) {
    struct ns_last *old;
    char log[PATH_MAX];

    if (!ns_host.options.spare)
        return;
    ns_host.options.spare = 0;
    if (ns_order_enter(&ns_host.options) != 0)
        die("order");
    old = calloc(1, sizeof *old);
    snprintf(log, sizeof log, "%s/host.log", ns_host.options.data);
    if (ns_output_open(log) != 0)
        die(log);
    make_directory("data");
    make_directory("dumps");
    if (old == NULL || ns_last_open(old) != 0)
        die("last");
    ns_report("adopted", NULL);
    ns_crash_report(old);
    free(old);
}
