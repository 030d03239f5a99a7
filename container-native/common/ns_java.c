/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_java.h"

#include <limits.h>
#include <stdio.h>

int ns_java_major(const char *java_home) {
    char path[PATH_MAX], line[256];
    int major = 0;
    FILE *release;

    snprintf(path, sizeof path, "%s/release", java_home);
    release = fopen(path, "re");
    while (release != NULL && fgets(line, sizeof line, release) != NULL) {
        if (sscanf(line, "JAVA_VERSION=\"%d", &major) == 1)
            break;
    }
    if (release != NULL)
        fclose(release);
    return major;
}
