/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include "ns_memfd.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

void reader_fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

void reader_follow_parent(void) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        reader_fail("prctl");
}

void reader_ready(void) {
    puts("reads packets");
    if (fflush(stdout) != 0)
        reader_fail("stdout");
}

struct ns_counters *reader_counters(int *fd) {
    void *at;

    if (ns_memfd_create("netserv-counters", sizeof(struct ns_counters), fd, NULL) != 0)
        reader_fail("counters");
    at = mmap(NULL, sizeof(struct ns_counters), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (at == MAP_FAILED)
        reader_fail("counters");
    return at;
}
