/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lab-maps - counts the entries of hash maps in the kernel.
 *
 *   lab-maps PID        maps that a process has open: prints "name id entries" for each; needs CAP_SYS_ADMIN
 *   lab-maps -i ID...   the same of maps by their numbers; those that are no more are left out
 *
 * The kernel is asked, and not the process, so that an entry that the process has forgotten is seen.
 */
#include "ns_libbpf.h"
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY_MAX 256
#define MAPS_MAX 256

static int failed(const char *what) {
    fprintf(stderr, "lab-maps: %s: %s\n", what, strerror(errno));
    return -1;
}

/* Returns the id of the map behind a descriptor of the process, 0 = it is no map. */
static uint32_t map_id(const char *pid, const char *descriptor) {
    char path[320], line[256];
    unsigned id = 0;
    FILE *in;

    snprintf(path, sizeof path, "/proc/%s/fdinfo/%s", pid, descriptor);
    in = fopen(path, "re");
    while (in != NULL && id == 0 && fgets(line, sizeof line, in) != NULL)
        sscanf(line, "map_id: %u", &id);
    if (in != NULL)
        fclose(in);
    return id;
}

/* Prints one map. An entry that goes meanwhile makes the count begin anew. */
static int print_map(uint32_t id) {
    struct bpf_map_info info = {0};
    uint32_t length = sizeof info, entries = 0;
    uint8_t key[KEY_MAX], next[KEY_MAX];
    int fd = bpf_map_get_fd_by_id(id);

    if (fd < 0)
        return errno == ENOENT ? 0 : failed("a map");
    if (bpf_obj_get_info_by_fd(fd, &info, &length) != 0) {
        close(fd);
        return failed("a map's description");
    }
    if (info.type == BPF_MAP_TYPE_HASH && info.key_size <= KEY_MAX) {
        for (void *from = NULL; bpf_map_get_next_key(fd, from, next) == 0; from = key) {
            memcpy(key, next, info.key_size);
            entries++;
        }
        printf("%s %u %u\n", info.name, id, entries);
    }
    close(fd);
    return 0;
}

static bool is_number(const char *text) {
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

static int print_by_numbers(int count, char **numbers) {
    for (int i = 0; i < count; i++) {
        if (!is_number(numbers[i]) || print_map((uint32_t)strtoul(numbers[i], NULL, 10)) != 0)
            return -1;
    }
    return 0;
}

/* Prints each map of the process once, of however many descriptors. */
static int print_of_process(const char *pid) {
    uint32_t seen[MAPS_MAX];
    unsigned count = 0;
    char path[64];
    DIR *all;
    int status = 0;

    snprintf(path, sizeof path, "/proc/%.20s/fdinfo", pid);
    all = opendir(path);
    if (all == NULL)
        return failed(path);
    for (struct dirent *at = readdir(all); at != NULL && status == 0; at = readdir(all)) {
        uint32_t id = map_id(pid, at->d_name);
        unsigned i = 0;

        while (i < count && seen[i] != id)
            i++;
        if (id == 0 || i < count || count == MAPS_MAX)
            continue;
        seen[count++] = id;
        status = print_map(id);
    }
    closedir(all);
    return status;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "-i") == 0)
        return print_by_numbers(argc - 2, argv + 2) != 0;
    if (argc == 2 && is_number(argv[1]))
        return print_of_process(argv[1]) != 0;
    fprintf(stderr, "usage: lab-maps PID | -i ID...\n");
    return 2;
}
