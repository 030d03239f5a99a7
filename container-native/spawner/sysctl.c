/* SPDX-License-Identifier: Apache-2.0 */
#include "sysctl.h"

#include "ns_log.h"
#include "value.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONF "/proc/sys/net/ipv4/conf"
#define SAVED_MAX 4096 /* lines read back */

struct round {
    bool set, first;
    const char *saved;
    FILE *warnings;
};

static void path_of(char path[128], const char *interface, const char *key) {
    snprintf(path, 128, CONF "/%s/%s", interface, key);
}

/* A digit, or -1. */
static int read_setting(const char *interface, const char *key) {
    char path[128], digit;
    int fd, n;

    path_of(path, interface, key);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = (int)read(fd, &digit, 1);
    close(fd);
    return n == 1 && digit >= '0' && digit <= '2' ? digit - '0' : -1;
}

static int write_setting(const char *interface, const char *key, int value) {
    char path[128], digit = (char)('0' + value);
    int fd, n;

    path_of(path, interface, key);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = (int)write(fd, &digit, 1);
    close(fd);
    return n == 1 ? 0 : -1;
}

/* On disk before the change is made. */
static int save(const char *file, const char *interface, const char *key, int value) {
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    struct stat status;
    int result = -1;

    if (fd < 0)
        return -1;
    /* the directory is the controller's: he may have put something else there */
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 && status.st_uid == geteuid() &&
        dprintf(fd, "%s %s %d\n", interface, key, value) > 0 && fsync(fd) == 0)
        result = 0;
    close(fd);
    return result;
}

static void want(struct round *round, const char *interface, const char *key, int now, int wanted) {
    if (round->set && save(round->saved, interface, key, now) == 0 && write_setting(interface, key, wanted) == 0) {
        ns_info("sysctl: %s of %s: %d -> %d", key, interface, now, wanted);
        return;
    }
    fprintf(round->warnings, "%s%s:%s=%d", round->first ? "" : ",", interface, key, now);
    round->first = false;
}

/* The larger of `all` and the interface counts for rp_filter; either one for accept_local. */
static void check(struct round *round, const char *interface) {
    int filter = read_setting(interface, "rp_filter"), local = read_setting(interface, "accept_local");

    if (filter == 1 && (strcmp(interface, "all") == 0 || read_setting("all", "rp_filter") != 2))
        want(round, interface, "rp_filter", filter, 2);
    if (local == 0 && strcmp(interface, "all") != 0 && read_setting("all", "accept_local") == 0)
        want(round, interface, "accept_local", local, 1);
}

static bool is_ours_or_local(const char *name) {
    return strcmp(name, "lo") == 0 || strcmp(name, "all") == 0 || strcmp(name, "default") == 0 ||
           strncmp(name, "nsv", 3) == 0 || name[0] == '.';
}

static void check_all(struct round *round) {
    DIR *directory = opendir(CONF);
    struct dirent *entry;

    if (directory == NULL)
        return;
    while ((entry = readdir(directory)) != NULL) {
        if (!is_ours_or_local(entry->d_name))
            check(round, entry->d_name);
    }
    closedir(directory);
}

void ns_sysctl_prepare(const char (*names)[16], unsigned count, bool set, const char *saved, FILE *warnings) {
    struct round round = {.set = set, .first = true, .saved = saved, .warnings = warnings};

    check(&round, "all");
    for (unsigned i = 0; i < count; i++)
        check(&round, names[i]);
    if (count == 0)
        check_all(&round);
}

/* One line "<interface> <key> <value>"; the file may have been tampered with, so only our two keys are believed. */
static void restore_line(char *line) {
    char *rest = line, *interface = strsep(&rest, " "), *key = strsep(&rest, " ");

    if (rest == NULL || rest[0] < '0' || rest[0] > '2' || !ns_value_interface(interface))
        return;
    if (strcmp(key, "rp_filter") != 0 && strcmp(key, "accept_local") != 0)
        return;
    if (write_setting(interface, key, rest[0] - '0') == 0)
        ns_info("sysctl: %s of %s back to %c", key, interface, rest[0]);
    else if (errno != ENOENT) /* the interface has gone */
        ns_warn("sysctl: %s of %s: %s", key, interface, strerror(errno));
}

void ns_sysctl_restore(const char *saved) {
    static char lines[SAVED_MAX][64];
    int fd = open(saved, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), count = 0;
    struct stat status;
    FILE *file;

    if (fd < 0)
        return;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (file = fdopen(fd, "r")) == NULL) {
        close(fd);
        return;
    }
    while (count < SAVED_MAX && fgets(lines[count], sizeof lines[0], file) != NULL)
        count++;
    fclose(file);
    while (count > 0) /* backwards: the oldest value is written last */
        restore_line(lines[--count]);
    if (unlink(saved) != 0)
        ns_warn("%s: %s", saved, strerror(errno));
}
