/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash.c - reports the crash of the last host's virtual machine. It reads these lines of HotSpot's hs_err.log.
 *
 *     #  SIGSEGV (0xb) at pc=0x00007f..., pid=1, tid=17
 *     Current thread (0x00007f...):  JavaThread "packets" daemon [_thread_in_Java, id=17, ...]
 *     j  com.example.Bad.crash()V+25                      an interpreted frame
 *     J 812 c1 com.example.Bad.run(I)V (12 bytes) @ ...   a compiled one
 *
 * The module at fault is the module of the first frame with a class in a package that <data>/last has for a module.
 * If there is no such frame and the crash was in the packets thread, it is the module that ran there.
 */
#include "host.h"

#include "ns_log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 1000 /* the lines stand near the beginning */

struct crash {
    int signal;
    bool packets;
    int module; /* index, -1 = not known */
};

/* Returns the index of the module that has this package, or -1. */
static int find_package(const struct ns_last *old, const char *package) {
    char pattern[NS_MODULE_PACKAGES];

    if (snprintf(pattern, sizeof pattern, ",%s,", package) >= (int)sizeof pattern)
        return -1;
    for (int i = 0; i < NS_MODULES; i++) {
        if (old->names[i][0] != '\0' && strstr(old->packages[i], pattern) != NULL)
            return i;
    }
    return -1;
}

/* Returns the module of a frame. The word before the '(' is package.Class.method. */
static int module_of_frame(const struct ns_last *old, char *line) {
    char *end = strchr(line, '('), *word;

    if (end == NULL)
        return -1;
    *end = '\0';
    word = strrchr(line, ' ');
    if (word == NULL)
        return -1;
    for (int part = 0; part < 2; part++) { /* the method, then the class */
        end = strrchr(word, '.');
        if (end == NULL)
            return -1;
        *end = '\0';
    }
    return find_package(old, word + 1);
}

static void scan(FILE *log, const struct ns_last *old, struct crash *crash) {
    char line[512];

    for (int n = 0; n < LINES_MAX && fgets(line, sizeof line, log) != NULL; n++) {
        char *code = strstr(line, "(0x");

        if (crash->signal == 0 && strncmp(line, "#  SIG", 6) == 0 && code != NULL)
            crash->signal = (int)strtol(code + 3, NULL, 16) & 127;
        if (strncmp(line, "Current thread", 14) == 0 && strstr(line, "\"" NS_THREAD_PACKETS "\"") != NULL)
            crash->packets = true;
        if (crash->module < 0 && (strncmp(line, "j  ", 3) == 0 || strncmp(line, "J ", 2) == 0))
            crash->module = module_of_frame(old, line);
    }
    if (crash->module < 0 && crash->packets && old->status[0] >= 0 && old->status[0] < NS_MODULES)
        crash->module = old->status[0];
}

void ns_crash_report(const struct ns_last *old) {
    char path[PATH_MAX], kept[PATH_MAX], place[64], text[16];
    struct crash crash = {.module = -1};
    const char *module = "-";
    FILE *log;

    snprintf(path, sizeof path, "%s/hs_err.log", ns_host.options.data);
    log = fopen(path, "re");
    if (log == NULL)
        return;
    scan(log, old, &crash);
    fclose(log);
    ns_dump_place("crash", place);
    snprintf(kept, sizeof kept, "%s/%s", ns_host.options.data, place);
    if (rename(path, kept) != 0)
        ns_warn("%s: %s", path, strerror(errno));
    snprintf(text, sizeof text, "%d", crash.signal);
    if (crash.module >= 0 && old->names[crash.module][0] != '\0')
        module = old->names[crash.module];
    ns_report("crash", "signal", text, "module", module, "dump", place, NULL);
}
