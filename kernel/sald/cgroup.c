/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The kernel writes blanks and backslashes of a path as three octal digits: "\040". */
static void unescape(char *text) {
    char *to = text;

    for (const char *at = text; *at != '\0'; to++) {
        if (at[0] == '\\' && strspn(at + 1, "01234567") >= 3) {
            *to = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
            at += 4;
        } else {
            *to = *at++;
        }
    }
    *to = '\0';
}

/* Cuts a line "id parent device root directory options ... - type source options". Returns true for version 2. */
static bool take_line(char *line, char **root, char **directory) {
    char *rest = strstr(line, " - "), *word, *state;

    if (rest == NULL)
        return false;
    *rest = '\0';
    word = strtok_r(rest + 3, " \n", &state);
    if (word == NULL || strcmp(word, "cgroup2") != 0)
        return false;
    word = strtok_r(line, " ", &state);
    for (unsigned i = 0; i < 3 && word != NULL; i++)
        *root = word = strtok_r(NULL, " ", &state);
    *directory = word == NULL ? NULL : strtok_r(NULL, " ", &state);
    return *directory != NULL;
}

bool ns_sal_cgroup_find(FILE *mounts, char *path, size_t size) {
    char *line = NULL, *root, *directory;
    size_t room = 0;
    bool found = false;

    while (!found && getline(&line, &room, mounts) > 0) {
        if (!take_line(line, &root, &directory) || strcmp(root, "/") != 0)
            continue;
        unescape(directory);
        found = strlen(directory) < size;
        if (found)
            strcpy(path, directory);
    }
    free(line);
    return found;
}

/* Another file system may hide the mount, as that of `ip netns exec` does. */
int ns_sal_cgroup_open(char *path, size_t size) {
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    bool found = mounts != NULL && ns_sal_cgroup_find(mounts, path, size);
    int fd = found ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct statfs about;

    if (mounts != NULL)
        fclose(mounts);
    if (fd >= 0 && fstatfs(fd, &about) == 0 && about.f_type == CGROUP2_SUPER_MAGIC)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}
