/* SPDX-License-Identifier: Apache-2.0 */
#include "sysctl.h"

#include "ns_log.h"
#include "spawner.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONF "/proc/sys/net/ipv4/conf"
#define SAVED_MAX 4096 /* lines that are read back at most */

struct round {
    bool set, first;
    const char *saved;
    FILE *warnings;
};

static void path_of(char path[128], const char *interface, const char *key) {
    snprintf(path, 128, CONF "/%s/%s", interface, key);
}

/* Returns the value, a digit from 0 to 2, or -1. */
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

/* Returns the larger value of the interface's and of that for all. */
static int in_force(const char *interface, const char *key) {
    int own = read_setting(interface, key), all = read_setting("all", key);

    return own > all ? own : all;
}

bool ns_sysctl_takes_own(const char *interface) {
    return in_force(interface, "accept_local") == 1 && in_force(interface, "rp_filter") != 1;
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

/* Appends the old value to the file. Returns when the value is on disk, so that the change can be made. */
static int save(const char *file, const char *interface, const char *key, int value) {
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    struct stat status;
    int result = -1;

    if (fd < 0)
        return -1;
    /* the controller owns the directory, so another file may be there under this name */
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

/*
 * Checks both settings of an interface. The kernel uses the larger rp_filter of `all` and the interface, and
 * accept_local if one of the two has it.
 */
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

static void check_named(struct round *round, const struct ns_request *request) {
    check(round, "all");
    for (unsigned i = 0; i < request->interfaces; i++)
        check(round, request->interface[i]);
    if (request->interfaces == 0)
        check_all(round);
}

/* --- the task --- */

#define PREPARE_MS 10000

struct preparation {
    struct ns_request request;
    const char *saved;
    ns_sysctl_done done;
    uint64_t turn;
    char *warnings; /* in memory that the task shares */
};

static uint64_t last_turn;

static int run_round(void *context, char why[NS_TASK_WHY]) {
    const struct preparation *preparation = context;
    struct round round = {.set = preparation->request.set, .first = true, .saved = preparation->saved};
    FILE *out = fmemopen(preparation->warnings, NS_SYSCTL_WARNINGS, "w");

    (void)why;
    if (out == NULL)
        return -1;
    round.warnings = out;
    check_named(&round, &preparation->request);
    return fclose(out) == 0 ? 0 : -1;
}

static void forget(struct preparation *preparation) {
    ns_task_unshare(preparation->warnings, NS_SYSCTL_WARNINGS);
    free(preparation);
}

static void ran(struct ns_spawner *spawner, void *context, int result, const char *why) {
    struct preparation *preparation = context;
    char text[NS_TASK_WHY + 40];

    snprintf(text, sizeof text, "sysctl: not checked: %s", why[0] != '\0' ? why : "cannot be read");
    if (preparation->turn == last_turn)
        preparation->done(spawner, result == 0 ? preparation->warnings : text);
    forget(preparation);
}

void ns_sysctl_prepare(struct ns_spawner *spawner, const struct ns_request *request, ns_sysctl_done done) {
    struct preparation *preparation = calloc(1, sizeof *preparation);

    last_turn++;
    if (preparation == NULL)
        return done(spawner, "sysctl: not checked: out of memory");
    *preparation = (struct preparation){.request = *request,
                                        .saved = spawner->saved_sysctls,
                                        .done = done,
                                        .turn = last_turn,
                                        .warnings = ns_task_share(NS_SYSCTL_WARNINGS)};
    if (preparation->warnings != NULL && ns_task_begin(spawner, "sysctl", run_round, preparation, PREPARE_MS, ran) == 0)
        return;
    forget(preparation);
    done(spawner, "sysctl: not checked: no task can be begun");
}

/* --- putting back --- */

/* Puts one line "<interface> <key> <value>" back. Only our two keys are taken, because the file may be forged. */
static void restore_line(char *line) {
    char *rest = line, *interface = strsep(&rest, " "), *key = strsep(&rest, " ");

    if (rest == NULL || rest[0] < '0' || rest[0] > '2' || !ns_value_interface(interface))
        return;
    if (strcmp(key, "rp_filter") != 0 && strcmp(key, "accept_local") != 0)
        return;
    if (write_setting(interface, key, rest[0] - '0') == 0)
        ns_info("sysctl: %s of %s back to %c", key, interface, rest[0]);
    else if (errno != ENOENT) /* the interface does not exist any more */
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
