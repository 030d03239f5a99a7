/* SPDX-License-Identifier: Apache-2.0 */
#include "mlffr.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static int failed(const char *what) {
    fprintf(stderr, "lab-mlffr: %s: %s\n", what, strerror(errno));
    return -1;
}

int netns_enter(const char *name) {
    char path[300];
    int fd, status;

    snprintf(path, sizeof path, "/run/netns/%s", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failed(path);
    status = setns(fd, CLONE_NEWNET);
    close(fd);
    return status == 0 ? 0 : failed(path);
}

static int gro_on(const char *interface) {
    struct ethtool_value value = {.cmd = ETHTOOL_SGRO, .data = 1};
    struct ifreq request = {.ifr_data = (void *)&value};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), status;

    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    status = fd < 0 ? -1 : ioctl(fd, SIOCETHTOOL, &request);
    if (fd >= 0)
        close(fd);
    return status == 0 ? 0 : failed("GRO");
}

/*
 * Turns threaded NAPI on. /sys shows the network of the process that mounted it, so a child mounts the router's own
 * /sys.
 */
static int set_threaded(const char *interface) {
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        char path[64];
        int fd;

        snprintf(path, sizeof path, "/sys/class/net/%s/threaded", interface);
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("sysfs", "/sys", "sysfs", 0, NULL) != 0 || (fd = open(path, O_WRONLY)) < 0 || write(fd, "1", 1) != 1)
            _exit(failed("threaded NAPI") != 0);
        _exit(0);
    }
    return child < 0 || waitpid(child, &status, 0) != child || status != 0 ? -1 : 0;
}

static int napi_thread(const char *interface) {
    char path[300], wanted[64], name[64];
    struct dirent *entry;
    DIR *directory = opendir("/proc");
    int found = -1;

    snprintf(wanted, sizeof wanted, "napi/%s-", interface);
    while (directory != NULL && found < 0 && (entry = readdir(directory)) != NULL) {
        FILE *file;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        file = fopen(path, "re");
        if (file != NULL && fgets(name, sizeof name, file) != NULL && strncmp(name, wanted, strlen(wanted)) == 0)
            found = atoi(entry->d_name);
        if (file != NULL)
            fclose(file);
    }
    if (directory != NULL)
        closedir(directory);
    return found;
}

int napi_pin(const struct place *place, int cpu, int priority) {
    int thread;

    if (netns_enter(place->name) != 0 || gro_on(place->interface) != 0 || set_threaded(place->interface) != 0)
        return -1;
    thread = napi_thread(place->interface);
    if (thread < 0) {
        fprintf(stderr, "lab-mlffr: %s has no NAPI thread\n", place->interface);
        return -1;
    }
    return task_pin(thread, cpu, priority) == 0 ? thread : -1;
}

int router_cpu(void) {
    return sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : MLFFR_SENDER_CPU;
}

int router_idle(uint64_t *nanos) {
    const uint64_t tick = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK);
    char line[512], wanted[16];
    FILE *file = fopen("/proc/stat", "re");
    int found = 0;

    snprintf(wanted, sizeof wanted, "cpu%d ", router_cpu());
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        uint64_t idle, waiting;

        found = strncmp(line, wanted, strlen(wanted)) == 0 &&
                sscanf(line, "%*s %*u %*u %*u %" SCNu64 " %" SCNu64, &idle, &waiting) == 2;
        if (found)
            *nanos = (idle + waiting) * tick;
    }
    if (file != NULL)
        fclose(file);
    return found ? 0 : failed("/proc/stat");
}

int router_queues_open(void) {
    return open("/proc/self/net/netfilter/nfnetlink_queue", O_RDONLY | O_CLOEXEC);
}

/*
 * Sums over all queues. Columns: queue, port id, waiting, copy mode, copy range, queue_dropped, user_dropped, last
 * id, 1.
 */
int router_queues(int fd, struct queue_state *state) {
    char text[8192];
    ssize_t length;

    *state = (struct queue_state){0};
    if (fd < 0)
        return 0; /* a kernel without netfilter queues */
    length = pread(fd, text, sizeof text - 1, 0);
    if (length < 0)
        return failed("nfnetlink_queue");
    text[length] = '\0';
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        uint64_t waiting, dropped, user, id;

        if (sscanf(line, "%*u %*u %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64, &waiting, &dropped, &user,
                   &id) != 4)
            continue;
        state->waiting += waiting;
        state->queue_dropped += dropped;
        state->user_dropped += user;
        state->queued += id;
    }
    return 0;
}
