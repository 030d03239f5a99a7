/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load FILE... - lets this kernel's verifier check each object, of any version of clang. Objects are loaded one by
 * one, so that the needs of one object cannot hide behind the refusal of another.
 */
#include "ns_libbpf.h"
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LOG_BYTES (1 << 20)
#define STATISTICS 4 /* BPF_LOG_STATS */

static char said[LOG_BYTES], verified[LOG_BYTES];

static int quiet(enum libbpf_print_level level, const char *format, va_list arguments) {
    size_t used = strlen(said);

    if (level == LIBBPF_WARN)
        vsnprintf(said + used, sizeof said - used, format, arguments); /* one of the texts is the verifier's log */
    return 0;
}

/* Returns the last two parts of the path: "clang-14/count", "bin/lab-send". */
static const char *name_of(const char *path) {
    const char *name = strrchr(path, '/');

    while (name != NULL && name > path && name[-1] != '/')
        name--;
    return name == NULL ? path : name;
}

static bool load(const char *path) {
#if __has_include(<bpf/libbpf_version.h>) /* an older libbpf keeps the statistics to itself */
    LIBBPF_OPTS(bpf_object_open_opts, options, .kernel_log_buf = verified, .kernel_log_size = sizeof verified,
                .kernel_log_level = STATISTICS);
#else
    LIBBPF_OPTS(bpf_object_open_opts, options);
#endif
    struct bpf_object *object;
    int result;

    said[0] = verified[0] = '\0';
    object = bpf_object__open_file(path, &options);
    result = object == NULL ? -errno : bpf_object__load(object);
    bpf_object__close(object);
    if (result == 0)
        printf("ok load %s\n%s", name_of(path), verified); /* "processed N insns (limit 1000000) ..." */
    else
        printf("not ok load %s: %s\n%s\n%s\n", name_of(path), strerror(-result), verified, said);
    return result == 0;
}

int main(int argc, char **argv) {
    bool all = argc > 1;

    libbpf_set_print(quiet);
    for (int i = 1; i < argc; i++)
        all &= load(argv[i]);
    printf("end\n");
    return all ? 0 : 1;
}
