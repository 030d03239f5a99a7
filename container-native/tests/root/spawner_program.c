/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests programs beside a host: who gets one, what it can do, and how it ends. spawner_program.sh runs it:
 * spawner_program <spawner> <root>
 */
#include "ns_program.h"
#include "ns_test.h"
#include "spawner_rig.h"

#include <sys/stat.h>

/* Starts a container with this name. `process` is the grant, "" = none. */
static bool begin(const char *name, const char *process) {
    static unsigned index;
    struct order order = {.name = name, .index = ++index};
    char text[2200];

    snprintf(text, sizeof text, "%s process=%s", order_line(&order), process);
    return told(text);
}

/* Waits for the report with this key, and returns its value, percent-encoded. NULL = it does not come. */
static const char *reported(const char *key) {
    static char line[1024];
    char pattern[48];
    const char *at;

    snprintf(pattern, sizeof pattern, "text=%s%%3D", key);
    while (next_line("event report", line, sizeof line, WAIT_MSEC)) {
        at = strstr(line, pattern);
        if (at != NULL)
            return at + strlen(pattern);
    }
    return NULL;
}

static bool says(const char *key, const char *value) {
    const char *found = reported(key);

    if (found == NULL || strcmp(found, value) != 0)
        printf("# %s: %s, not %s\n", key, found == NULL ? "nothing" : found, value);
    return found != NULL && strcmp(found, value) == 0;
}

/* Runs a container that reports a refusal with this reason. */
static bool is_refused(const char *name, const char *process, enum ns_program_reason reason) {
    char text[32];

    snprintf(text, sizeof text, "7-%d-0", reason);
    return begin(name, process) && says("refused", text) && stat_of(name, "process-refused") == 1 &&
           stat_of(name, "process-started") == 0 && stop(name, 2000);
}

NS_TEST(without_a_grant_there_is_none) {
    NS_CHECK(run_up());
    NS_CHECK(is_refused("asks-facts", "", NS_PROGRAM_NOT_GRANTED));
    NS_CHECK(shut_down());
}

NS_TEST(values_out_of_range_are_refused) {
    NS_CHECK(run_up());
    NS_CHECK(is_refused("asks-wrong", "ffmpeg", NS_PROGRAM_ARGUMENTS));
    NS_CHECK(shut_down());
}

static long long fact(const char *facts, const char *name) {
    char pattern[32];
    const char *at;

    snprintf(pattern, sizeof pattern, "%s%%3D", name);
    at = strstr(facts, pattern);
    return at == NULL ? -1 : strtoll(at + strlen(pattern), NULL, 10);
}

NS_TEST(a_program_has_its_pipes_and_nothing_else) {
    char facts[1024];
    const char *found;

    NS_CHECK(run_up());
    NS_CHECK(begin("asks-facts", "ffmpeg"));
    found = reported("output");
    NS_CHECK(found != NULL);
    snprintf(facts, sizeof facts, "%s", found);
    NS_EQUAL(1, fact(facts, "pid"));
    NS_CHECK(fact(facts, "uid") >= 700000 && fact(facts, "uid") < 770000);
    NS_CHECK(fact(facts, "passwd") == ENOENT || fact(facts, "passwd") == EACCES);
    NS_EQUAL(EACCES, fact(facts, "hosts"));
    NS_CHECK(fact(facts, "itself") == EACCES || fact(facts, "itself") == EROFS);
    NS_CHECK(fact(facts, "write") == EACCES || fact(facts, "write") == EROFS);
    NS_CHECK(fact(facts, "tmp") != 0);
    NS_EQUAL(EPERM, fact(facts, "socket"));
    NS_EQUAL(EPERM, fact(facts, "unix"));
    NS_EQUAL(EPERM, fact(facts, "fork"));
    NS_EQUAL(EACCES, fact(facts, "sh"));
    NS_EQUAL(1, fact(facts, "interfaces"));
    NS_CHECK(says("ended", "7-0-0"));
    NS_EQUAL(1, stat_of("asks-facts", "process-started"));
    NS_CHECK(stop("asks-facts", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(its_own_end_is_told) {
    NS_CHECK(run_up());
    NS_CHECK(begin("asks-exit", "ffmpeg"));
    NS_CHECK(says("ended", "7-0-3"));
    NS_EQUAL(1, stat_of("asks-exit", "process-failed"));
    NS_CHECK(stop("asks-exit", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(it_is_killed_at_its_deadline_and_when_it_is_cancelled) {
    NS_CHECK(run_up());
    NS_CHECK(begin("asks-sleep", "ffmpeg"));
    NS_CHECK(says("ended", "7-6-137"));
    NS_EQUAL(1, stat_of("asks-sleep", "process-killed"));
    NS_CHECK(begin("asks-cancel", "ffmpeg"));
    NS_CHECK(says("ended", "7-7-137"));
    NS_CHECK(stop("asks-sleep", 2000) && stop("asks-cancel", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(a_second_one_has_to_wait) {
    NS_CHECK(run_up());
    NS_CHECK(begin("asks-twice", "ffmpeg"));
    NS_CHECK(says("refused", "8-3-0"));
    NS_CHECK(says("ended", "7-6-137"));
    NS_CHECK(stop("asks-twice", 2000));
    NS_CHECK(shut_down());
}

/* The memory is the container's, and the program goes before the host. */
NS_TEST(the_memory_of_the_container_is_its_limit) {
    NS_CHECK(run_up());
    NS_CHECK(begin("asks-memory", "ffmpeg"));
    NS_CHECK(says("ended", "7-0-137"));
    NS_CHECK(stat_of("asks-memory", "process-killed") == 1);
    NS_CHECK(stat_of("asks-memory", "pid") > 0);
    NS_CHECK(stop("asks-memory", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(it_ends_with_its_container) {
    NS_CHECK(run_up());
    NS_CHECK(begin("asks-sleep", "ffmpeg"));
    NS_CHECK(wait_for_stat("asks-sleep", "process-started", 1));
    NS_CHECK(stop("asks-sleep", 2000));
    NS_CHECK(shut_down());
}

NS_TEST(a_program_that_others_can_write_is_refused) {
    char path[300];

    snprintf(path, sizeof path, "%s/dist/bin/inmate", rig.root);
    NS_EQUAL(0, chmod(path, 0777));
    NS_CHECK(run_up());
    NS_CHECK(is_refused("asks-facts", "ffmpeg", NS_PROGRAM_NO_PROGRAM));
    NS_CHECK(shut_down());
    NS_EQUAL(0, chmod(path, 0755));
}

int main(int argc, char **argv) {
    if (argc != 3 || !ns_test_quiet())
        return 2;
    rig.program = argv[1];
    rig.root = argv[2];
    NS_RUN(without_a_grant_there_is_none);
    NS_RUN(values_out_of_range_are_refused);
    NS_RUN(a_program_has_its_pipes_and_nothing_else);
    NS_RUN(its_own_end_is_told);
    NS_RUN(it_is_killed_at_its_deadline_and_when_it_is_cancelled);
    NS_RUN(a_second_one_has_to_wait);
    NS_RUN(the_memory_of_the_container_is_its_limit);
    NS_RUN(it_ends_with_its_container);
    NS_RUN(a_program_that_others_can_write_is_refused);
    return ns_test_end();
}
