/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash.c - what the last host left behind when its virtual machine crashed: HotSpot's hs_err.log, of which two lines matter:
 *
 *     #  SIGSEGV (0xb) at pc=0x00007f..., pid=1, tid=17
 *     Current thread (0x00007f...):  JavaThread "packets" daemon [_thread_in_Java, id=17, ...]
 *
 * If it was the packets thread that crashed, <data>/last says which module ran; otherwise the module is not known.
 */
#include "host.h"

#include "ns_log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 400 /* both stand near the beginning */

static void scan(FILE *log, int *signal, bool *packets) {
    char line[512];

    for (int n = 0; n < LINES_MAX && fgets(line, sizeof line, log) != NULL; n++) {
        char *code = strstr(line, "(0x");

        if (*signal == 0 && strncmp(line, "#  SIG", 6) == 0 && code != NULL)
            *signal = (int)strtol(code + 3, NULL, 16) & 127;
        if (strncmp(line, "Current thread", 14) == 0 && strstr(line, "\"" NS_THREAD_PACKETS "\"") != NULL)
            *packets = true;
    }
}

void ns_crash_report(const char *module) {
    char path[PATH_MAX], kept[PATH_MAX], place[64], text[16];
    bool packets = false;
    int signal = 0;
    FILE *log;

    snprintf(path, sizeof path, "%s/hs_err.log", ns_host.options.data);
    log = fopen(path, "re");
    if (log == NULL)
        return;
    scan(log, &signal, &packets);
    fclose(log);
    ns_dump_place("crash", place);
    snprintf(kept, sizeof kept, "%s/%s", ns_host.options.data, place);
    if (rename(path, kept) != 0)
        ns_warn("%s: %s", path, strerror(errno));
    snprintf(text, sizeof text, "%d", signal);
    ns_report("crash", "signal", text, "module", packets ? module : "-", "dump", place, NULL);
}
